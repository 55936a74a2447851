/** What of the hypergraph has been brought so far: neighbourhoods one over the other. */

const MOST = 2000;
const FIRST_STEP = 40;

/** Entities and facts by identifier, each once; a fact is there with all that it joins. */
export class Shown {
  constructor() {
    this.begin({ entities: [], facts: [], complete: true });
  }

  /** @param {object} told a neighbourhood, as the API tells it; what was there is let go */
  begin(told) {
    this.entities = new Map();
    this.facts = new Map();
    this.steps = new Map();
    this.complete = told.complete;
    this.add(told);
  }

  get told() {
    return { entities: [...this.entities.values()], facts: [...this.facts.values()] };
  }

  /** The entities that most facts name, in the whole workspace. */
  best(count) {
    return [...this.entities.values()].sort((a, b) => b.facts - a.facts).slice(0, count);
  }

  has(id) {
    return this.entities.has(id) || this.facts.has(id);
  }

  /**
   * How many entities to ask for around an entity: more each time.
   * @param {string} id
   * @returns {{room: number, limit: number}} what there is room for, what to ask for
   */
  roomToExpand(id) {
    const room = MOST - this.entities.size;
    const step = (this.steps.get(id) ?? 0) + FIRST_STEP;
    this.steps.set(id, step * 2);
    // What is there already counts among what is told.
    const known = [...this.facts.values()].filter(({ entities }) => entities.includes(id));
    const there = new Set(known.flatMap(({ entities }) => entities));
    return { room, limit: Math.min(MOST, there.size + Math.min(step, Math.max(room, 0))) };
  }

  /**
   * @param {object} told
   * @returns {{entities: number, facts: number}} how many came
   */
  add({ entities, facts }) {
    const before = { entities: this.entities.size, facts: this.facts.size };
    const named = new Map(entities.map((entity) => [entity.id, entity]));
    for (const edge of facts) {
      const lacking = edge.entities.filter((id) => !this.entities.has(id));
      if (this.facts.has(edge.fact.id) || this.entities.size + lacking.length > MOST) continue;
      for (const id of lacking) this.entities.set(id, named.get(id));
      this.facts.set(edge.fact.id, edge);
    }
    // What stands alone; also where nothing but an entity was asked for.
    for (const [id, entity] of named)
      if (this.entities.size < MOST && !this.entities.has(id)) this.entities.set(id, entity);
    return { entities: this.entities.size - before.entities, facts: this.facts.size - before.facts };
  }
}
