/** What two retrievals have in common. */

import { counted } from "./words.js";

/** @param {{kind: string, id: string}} item @returns {string} by which it is known in either retrieval */
export function keyOf(item) {
  return `${item.kind} ${item.id}`;
}

/**
 * @param {object[]} left items of knowledge
 * @param {object[]} right
 * @returns {{common: Set<string>, said: (left: string, right: string) => string}} `said` is given the methods' names
 */
export function compareItems(left, right) {
  const [here, there] = [left, right].map((items) => new Set(items.map(keyOf)));
  const common = new Set([...here].filter((key) => there.has(key)));
  const said = (one, other) => {
    const alone = [
      [one, here],
      [other, there],
    ].map(([name, keys]) => `${kinds([...keys].filter((key) => !common.has(key)))} only by ${name}`);
    return `Found by both: ${kinds([...common])}. ${alone.join(", ")}.`;
  };
  return { common, said };
}

const KINDS = [
  ["fact", "fact", "facts"],
  ["chunk", "passage", "passages"],
  ["entity", "entity", "entities"],
  ["report", "report", "reports"],
];

function kinds(keys) {
  const told = KINDS.map(([kind, one, many]) => [keys.filter((key) => key.startsWith(`${kind} `)).length, one, many])
    .filter(([number]) => number)
    .map(([number, one, many]) => counted(number, one, many));
  return told.length ? told.join(" and ") : "nothing";
}
