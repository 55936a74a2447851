/** Render the text of an answer as paragraphs and lists; other Markdown is shown as written. */

import { el } from "./dom.js";

const INLINE = /(\[\d{1,4}\])|\*\*([^*\n]+)\*\*|`([^`\n]+)`/g;
const BULLET = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/;
const NUMBERED = /^\s*\d{1,3}[.)]\s+/;
const HEADING = /^#{1,6}\s+/;

/**
 * Return the blocks of a text.
 *
 * @param {string} text
 * @param {(marker: number) => Node|null} cited returns the node for the marker [n]; null keeps the text
 * @returns {Node[]}
 */
export function prose(text, cited) {
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.trim())
    .flatMap((block) => runs(block.split("\n")).map((lines) => blockOf(lines, cited)));
}

/** Group the lines of a list; each other line is a block of its own, like quotations. */
function runs(lines) {
  const found = [];
  for (const line of lines.filter((one) => one.trim())) {
    const last = found.at(-1);
    if (last && kindOf(last[0]) === kindOf(line) && kindOf(line).endsWith("l")) {
      last.push(line);
    } else {
      found.push([line]);
    }
  }
  return found;
}

function kindOf(line) {
  if (HEADING.test(line)) {
    return "heading";
  }
  if (NUMBERED.test(line)) {
    return "ol";
  }
  return BULLET.test(line) ? "ul" : "p";
}

function blockOf(lines, cited) {
  const kind = kindOf(lines[0]);
  if (kind === "heading") {
    return el("h3", {}, inline(lines[0].replace(HEADING, ""), cited));
  }
  if (kind === "p") {
    return el("p", {}, inline(lines[0], cited));
  }
  const start = kind === "ol" ? Number.parseInt(lines[0], 10) : null;
  return el(
    kind,
    { start: start > 1 ? start : null },
    lines.map((line) => el("li", {}, inline(line.replace(BULLET, ""), cited))),
  );
}

function inline(text, cited) {
  const found = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, marker, strong, code] = match;
    found.push(text.slice(at, match.index));
    if (marker) {
      found.push(cited(Number(marker.slice(1, -1))) ?? whole);
    } else {
      found.push(strong ? el("strong", {}, strong) : el("code", { class: "mono" }, code));
    }
    at = match.index + whole.length;
  }
  return [...found, text.slice(at)].filter((part) => part !== "");
}
