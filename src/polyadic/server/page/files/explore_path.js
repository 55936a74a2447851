/** A path between two entities: the steps in the panel, and the buttons that choose its ends. */

import { el } from "./dom.js";
import { button } from "./parts.js";

const LONGEST = 24;

/**
 * The steps of a path, from its first entity to its last.
 *
 * @param {{path: string[], entities: object[], facts: object[]}} found response of the API
 * @param {(kind: string, id: string) => void} reach selects an entity or a fact
 * @returns {Node[]}
 */
export function pathSteps({ path, entities, facts }, reach) {
  const names = new Map(entities.map(({ id, name }) => [id, name]));
  const step = (id, place) => [
    el(
      "li",
      {},
      entry(names.get(id), "chip", () => reach("entity", id)),
    ),
    place < facts.length &&
      el(
        "li",
        {},
        entry(facts[place].fact.text, "explore-sentence said", () => reach("fact", facts[place].fact.id)),
      ),
  ];
  return [el("h2", {}, "Path"), el("ol", { class: "list stack close explore-steps" }, path.map(step))];
}

function entry(text, look, onClick) {
  return el("button", { type: "button", class: look, on: { click: onClick } }, text);
}

/** Chooses the ends of a path in the panels of entities. */
export class PathEnds {
  /** @param {(start: object, goal: object) => void} onChosen called with the entities at both ends */
  constructor(onChosen) {
    this.onChosen = onChosen;
    this.start = null;
  }

  /**
   * The controls in the panel of an entity.
   *
   * @param {{id: string, name: string}} entity
   * @returns {HTMLElement}
   */
  controls(entity) {
    const root = el("div", { class: "row explore-ends" });
    this.#fill(root, entity);
    return root;
  }

  #fill(root, entity) {
    const small = { class: "button small" };
    const again = () => this.#fill(root, entity);
    const begin = button("Find a path", () => this.#begin(entity, again), small);
    const cancel = button("Cancel path", () => this.#begin(null, again), { class: "button quiet small" });
    const isStart = this.start?.id === entity.id;
    const hint = el("p", { class: "muted small", role: "status" }, "Select another entity to find the path to it.");
    const end = this.start && button(`Path from ${shortened(this.start.name)}`, () => this.#end(entity), small);
    root.replaceChildren(...(this.start ? [isStart ? hint : end, cancel] : [begin]));
  }

  #begin(entity, then) {
    this.start = entity;
    then();
  }

  #end(entity) {
    const { start } = this;
    this.start = null;
    this.onChosen(start, entity);
  }
}

function shortened(name) {
  const letters = [...name];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join("").trimEnd()}…` : name;
}
