/** The part of the hypergraph loaded so far: a union of neighbourhoods. */

const MOST = 10_000;
const FIRST_STEP = 40;

/** Entities and facts by identifier; a fact is present with all its entities. */
export class Shown {
  constructor() {
    this.begin({ entities: [], facts: [], complete: true });
  }

  /** @param {object} neighbourhood response of the API; replaces the contents */
  begin(neighbourhood) {
    this.entities = new Map();
    this.facts = new Map();
    this.steps = new Map();
    this.complete = neighbourhood.complete;
    this.add(neighbourhood);
  }

  get contents() {
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
   * Return how many entities to request around an entity: more each time.
   * @param {string} id
   * @returns {{room: number, limit: number}} the remaining capacity, and the limit to request
   */
  roomToExpand(id) {
    const room = MOST - this.entities.size;
    const step = (this.steps.get(id) ?? 0) + FIRST_STEP;
    this.steps.set(id, step * 2);
    // The response includes items that are present already.
    const known = [...this.facts.values()].filter(({ entities }) => entities.includes(id));
    const there = new Set(known.flatMap(({ entities }) => entities));
    return { room, limit: Math.min(MOST, there.size + Math.min(step, Math.max(room, 0))) };
  }

  /**
   * @param {object} neighbourhood
   * @returns {{entities: number, facts: number}} numbers of new items
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
    // Entities without facts, also if only an entity was requested.
    for (const [id, entity] of named)
      if (this.entities.size < MOST && !this.entities.has(id)) this.entities.set(id, entity);
    return { entities: this.entities.size - before.entities, facts: this.facts.size - before.facts };
  }
}
