/** Overlap of two retrieval results. */

import { counted } from "./words.js";

/** @param {{kind: string, id: string}} item @returns {string} key of the item, the same in both results */
export function keyOf(item) {
  return `${item.kind} ${item.id}`;
}

/**
 * @param {object[]} left items of knowledge
 * @param {object[]} right
 * @returns {{common: Set<string>, describe: (left: string, right: string) => string}} `describe` takes method names
 */
export function compareItems(left, right) {
  const [here, there] = [left, right].map((items) => new Set(items.map(keyOf)));
  const common = new Set([...here].filter((key) => there.has(key)));
  const describe = (one, other) => {
    const alone = [
      [one, here],
      [other, there],
    ].map(([name, keys]) => `${kinds([...keys].filter((key) => !common.has(key)))} only by ${name}`);
    return `Found by both: ${kinds([...common])}. ${alone.join(", ")}.`;
  };
  return { common, describe };
}

const KINDS = [
  ["fact", "fact", "facts"],
  ["chunk", "passage", "passages"],
  ["entity", "entity", "entities"],
  ["report", "report", "reports"],
];

function kinds(keys) {
  const counts = KINDS.map(([kind, one, many]) => [keys.filter((key) => key.startsWith(`${kind} `)).length, one, many])
    .filter(([number]) => number)
    .map(([number, one, many]) => counted(number, one, many));
  return counts.length ? counts.join(" and ") : "nothing";
}
