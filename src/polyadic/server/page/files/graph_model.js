// Model of the drawing: bodies (entities, then fact marks) and their links.

const COLOURS = 8;
const SMALLEST = 4.5;
const LARGEST = 17;
const MARK = 3;

/**
 * An item of the drawing.
 * @typedef {object} Body
 * @property {"entity" | "fact"} kind
 * @property {string} id
 * @property {string} text the name of an entity, the sentence of a fact
 * @property {string} type of an entity, in lower case; empty for a fact
 * @property {string} description of an entity
 * @property {number} count facts of the entity in the whole workspace, or entities of the fact
 * @property {number[]} beside bodies joined to it: facts of an entity, entities of a fact
 */

/**
 * Response of the neighbourhood API.
 * @typedef {{entities: object[], facts: {fact: object, entities: string[]}[]}} Neighbourhood
 */

/** Bodies by number; a filter on types hides some of them. */
export class Model {
  /**
   * @param {Neighbourhood} neighbourhood
   * @param {Map<string, number>} [relevant] scores of entities and of facts by identifier, by which they are sized then
   */
  constructor({ entities, facts }, relevant) {
    this.entities = entities.length;
    this.bodies = [...entities.map(ofEntity), ...facts.map(ofFact)];
    this.byId = new Map(this.bodies.map((body, number) => [body.id, number]));
    this.links = this.#join(facts);
    this.types = counted(this.bodies.slice(0, this.entities));
    const paint = new Map(this.types.map(({ type }, rank) => [type, colourOf(type, rank, this.types)]));
    this.colour = this.bodies.map((body) => (body.kind === "entity" ? paint.get(body.type) : 0));
    this.radius = Float32Array.from(radii(this.bodies, relevant ?? new Map()));
    // The best connected entities, here and in the workspace, are labelled first.
    this.rank = [...this.bodies.keys()]
      .slice(0, this.entities)
      .sort((a, b) => this.#worth(b) - this.#worth(a) || a - b);
    this.show(null);
  }

  #join(facts) {
    const links = [];
    facts.forEach(({ entities }, index) => {
      const mark = this.entities + index;
      for (const id of new Set(entities)) {
        const entity = this.byId.get(id);
        if (entity === undefined) continue;
        this.bodies[mark].beside.push(entity);
        this.bodies[entity].beside.push(mark);
        links.push(mark, entity);
      }
    });
    return Int32Array.from(links);
  }

  #worth(body) {
    return this.radius[body] * 1000 + this.bodies[body].beside.length;
  }

  /**
   * Show entities of these types only; a fact stays while two of its entities are shown, or if it has only one.
   * @param {Set<string> | null} types null: all
   */
  show(types) {
    this.shown = new Uint8Array(this.bodies.length);
    this.members = this.bodies.map(() => []);
    for (let body = 0; body < this.entities; body++) this.shown[body] = !types || types.has(this.bodies[body].type);
    for (let mark = this.entities; mark < this.bodies.length; mark++) {
      const all = this.bodies[mark].beside;
      this.members[mark] = all.filter((entity) => this.shown[entity]);
      this.shown[mark] = this.members[mark].length >= Math.min(2, Math.max(1, all.length));
    }
  }

  /** How many entities, facts, and facts that join more than two are shown. */
  get counts() {
    const facts = this.members.filter((_, body) => this.shown[body] && body >= this.entities);
    const entities = this.shown.subarray(0, this.entities).reduce((sum, one) => sum + one, 0);
    return { entities, facts: facts.length, joining: facts.filter((members) => members.length > 2).length };
  }

  /** @returns {number[]} what is shown beside a body. */
  beside(body) {
    return this.bodies[body].beside.filter((other) => this.shown[other]);
  }

  /**
   * Return a body with its facts and all their entities.
   * @param {number[]} centres
   * @returns {{entities: Set<number>, facts: Set<number>, centres: Set<number>}}
   */
  around(centres) {
    const focus = { entities: new Set(), facts: new Set(), centres: new Set(centres) };
    for (const body of centres) {
      if (body < this.entities) focus.entities.add(body);
      for (const mark of body < this.entities ? this.beside(body) : [body]) {
        focus.facts.add(mark);
        for (const entity of this.members[mark]) focus.entities.add(entity);
      }
    }
    return focus;
  }

  /**
   * @param {string} words
   * @returns {number[]} bodies that contain all words, entities first, the best connected first
   */
  find(words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    if (!wanted.length) return [];
    const holds = (body) => {
      const text = this.bodies[body].text.toLowerCase();
      return this.shown[body] && wanted.every((word) => text.includes(word));
    };
    const marks = [...this.bodies.keys()].slice(this.entities);
    return [...this.rank.filter(holds), ...marks.filter(holds)];
  }
}

function ofEntity({ id, name, type, description, facts }) {
  return { kind: "entity", id, text: name, type: type.trim().toLowerCase(), description, count: facts, beside: [] };
}

function ofFact({ fact, entities }) {
  return { kind: "fact", id: fact.id, text: fact.text, type: "", description: "", count: entities.length, beside: [] };
}

/** Size by relevance if known for the kind; else by the number of facts in the workspace. */
function radii(bodies, relevant) {
  const most = { entity: 0, fact: 0 };
  for (const { kind, id } of bodies) most[kind] = Math.max(most[kind], relevant.get(id) ?? 0);
  return bodies.map(({ kind, id, count }) => {
    const part = most[kind] ? Math.sqrt(Math.max(0, relevant.get(id) ?? 0) / most[kind]) : null;
    if (kind === "fact") return MARK * (1 + (part ?? 0));
    return part === null
      ? Math.min(LARGEST, SMALLEST + 1.9 * Math.sqrt(Math.max(0, count - 1)))
      : SMALLEST + (LARGEST - SMALLEST) * part;
  });
}

function counted(entities) {
  const counts = new Map();
  for (const { type } of entities) counts.set(type, (counts.get(type) ?? 0) + 1);
  const sorted = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  return sorted.map(([type, count]) => ({ type, count }));
}

/** Colour index: the most frequent types have their own from 1 on; 0 is for all others. */
function colourOf(type, rank, types) {
  const named = types.slice(0, rank).filter((one) => one.type).length;
  if (types.length === 1) return 1;
  return type && named < COLOURS ? named + 1 : 0;
}
