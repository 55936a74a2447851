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
 * @param {(marker: number, at: number) => Node|null} cited returns the node for the marker [n] at this character of the
 *   text (in Unicode code points); null keeps the text
 * @returns {Node[]}
 */
export function prose(text, cited) {
  let at = 0;
  const blocks = [[]];
  for (const content of text.split("\n")) {
    if (content.trim()) {
      blocks.at(-1).push({ content, at });
    } else {
      blocks.push([]);
    }
    at += points(content) + 1;
  }
  return blocks.flatMap((lines) => runs(lines).map((run) => blockOf(run, cited)));
}

function points(text) {
  return Array.from(text).length;
}

/** Group the lines of a list; each other line is a block of its own, like quotations. */
function runs(lines) {
  const found = [];
  for (const line of lines) {
    const last = found.at(-1);
    const kind = kindOf(line.content);
    if (last && kindOf(last[0].content) === kind && kind.endsWith("l")) {
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
  const kind = kindOf(lines[0].content);
  if (kind === "heading") {
    return el("h3", {}, inline(without(lines[0], HEADING), cited));
  }
  if (kind === "p") {
    return el("p", {}, inline(lines[0], cited));
  }
  const start = kind === "ol" ? Number.parseInt(lines[0].content, 10) : null;
  return el(
    kind,
    { start: start > 1 ? start : null },
    lines.map((line) => el("li", {}, inline(without(line, BULLET), cited))),
  );
}

/** Remove the mark that a line begins with. */
function without(line, mark) {
  const content = line.content.replace(mark, "");
  return { content, at: line.at + points(line.content) - points(content) };
}

function inline({ content, at }, cited) {
  const found = [];
  let end = 0;
  for (const match of content.matchAll(INLINE)) {
    const [whole, marker, strong, code] = match;
    found.push(content.slice(end, match.index));
    if (marker) {
      found.push(cited(Number(marker.slice(1, -1)), at + points(content.slice(0, match.index))) ?? whole);
    } else {
      found.push(strong ? el("strong", {}, strong) : el("code", { class: "mono" }, code));
    }
    end = match.index + whole.length;
  }
  return [...found, content.slice(end)].filter((part) => part !== "");
}
