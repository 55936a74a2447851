// Tooltip of an item, also announced to screen readers.

import { el, replace } from "./dom.js";
import { counted } from "./words.js";

const FROM_POINTER = 14;
const LONGEST = 280;

/**
 * A tooltip that stays within its container.
 * @returns {{root: HTMLElement, show: (model: import("./graph_model.js").Model, body: number, x: number, y: number)
 *   => void, hide: () => void}}
 */
export function tooltip() {
  const root = el("div", { class: "graph-tip", "aria-hidden": "true", hidden: true });
  const show = (model, body, x, y) => {
    replace(root, ...lines(model.bodies[body]));
    root.hidden = false;
    const { clientWidth: width, clientHeight: height } = root.parentElement;
    const left = x + FROM_POINTER + root.offsetWidth > width ? x - FROM_POINTER - root.offsetWidth : x + FROM_POINTER;
    const top = y + FROM_POINTER + root.offsetHeight > height ? y - FROM_POINTER - root.offsetHeight : y + FROM_POINTER;
    root.style.left = `${Math.max(4, left)}px`;
    root.style.top = `${Math.max(4, top)}px`;
  };
  const hide = () => {
    root.hidden = true;
  };
  return { root, show, hide };
}

function lines({ kind, text, type, description, count }) {
  if (kind === "fact") return [el("p", { class: "said" }, cut(text)), el("p", { class: "muted" }, joins(count))];
  const about = [type, counted(count, "fact")].filter(Boolean).join(" · ");
  const more = description ? el("p", {}, cut(description)) : null;
  return [el("p", {}, el("strong", {}, text)), el("p", { class: "muted" }, about), more];
}

/** Description of a body for screen readers. */
export function spoken({ kind, text, type, count }) {
  if (kind === "fact") return `Fact, ${joins(count)}: ${text}`;
  return [text, type, counted(count, "fact")].filter(Boolean).join(", ");
}

function joins(count) {
  return count === 1 ? "about one entity" : `joins ${count} entities`;
}

function cut(text) {
  return text.length <= LONGEST ? text : `${[...text].slice(0, LONGEST).join("").trimEnd()}…`;
}
