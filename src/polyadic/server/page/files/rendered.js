/** Build nodes from text that the server rendered (server/markdown_rendering.py), from a fixed list of elements. */

import { el } from "./dom.js";

const PLAIN = new Set("blockquote br em h3 h4 h5 h6 hr li mark p s strong tbody thead tr ul".split(" "));
const CELLS = new Set(["td", "th"]);
const ALIGNED = { center: "centred-cell", right: "right-cell" };
const ADDRESS = /^(https?:\/\/|mailto:)/i;

/**
 * Return the nodes of rendered blocks.
 *
 * @param {object[]} blocks
 * @param {(marker: number, at: number) => Node|null} cited returns the node for the marker at this character of the
 *   text (in Unicode code points); null shows the marker as text
 * @returns {Node[]}
 */
export function rendered(blocks, cited) {
  return blocks.map((block) => nodeOf(block, cited));
}

function nodeOf(part, cited) {
  if (typeof part === "string") {
    return document.createTextNode(part);
  }
  const { tag, attributes } = part;
  if (tag === "citation") {
    return cited(attributes.marker, attributes.at) ?? document.createTextNode(`[${attributes.marker}]`);
  }
  const children = part.children.map((child) => nodeOf(child, cited));
  if (CELLS.has(tag)) {
    return el(tag, { class: ALIGNED[attributes.align] ?? null, scope: tag === "th" ? "col" : null }, children);
  }
  const special = { a: link, ol: numbered, table, pre, code }[tag];
  if (special) {
    return special(children, attributes);
  }
  return el(PLAIN.has(tag) ? tag : "span", { class: tag === "mark" ? "meant" : null }, children);
}

function link(children, { href }) {
  return ADDRESS.test(href)
    ? el("a", { href, title: href, target: "_blank", rel: "noopener noreferrer" }, children)
    : el("span", {}, children);
}

function numbered(children, { start }) {
  return el("ol", { start: Number.isInteger(start) ? start : null }, children);
}

function table(children) {
  return el(
    "div",
    { class: "wide-table", tabindex: "0", role: "region", "aria-label": "Table" },
    el("table", {}, children),
  );
}

function pre(children) {
  return el("pre", { tabindex: "0" }, children);
}

function code(children) {
  return el("code", { class: "mono" }, children);
}
