// Controls of the drawing: search, entity types, zoom.

import { el, replace, svg } from "./dom.js";

const TYPES_SHOWN = 8;
const PATHS = {
  nearer: "M12 5v14M5 12h14",
  farther: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  save: "M12 4v10M8 10l4 4 4-4M5 19h14",
  reset: "M5 12a7 7 0 1 0 2.300-5.200M5 4v4h4",
};

/**
 * Search input of the drawing.
 * @param {{onWords: (words: string) => void, onNext: (step: number) => void}} actions
 * @returns {{root: HTMLElement, setCount: (found: number | null) => void, empty: () => void}}
 */
export function finder({ onWords, onNext }) {
  const status = el("span", { class: "graph-found muted small", role: "status" });
  const input = el("input", {
    class: "field",
    type: "search",
    placeholder: "Find in graph",
    "aria-label": "Find in graph",
    autocomplete: "off",
    spellcheck: "false",
    on: {
      input: () => onWords(input.value),
      keydown: (event) => {
        if (event.key === "Enter") onNext(event.shiftKey ? -1 : 1);
      },
    },
  });
  return {
    root: el("div", { class: "graph-find" }, input, status),
    setCount: (found) => {
      status.textContent = found === null ? "" : found ? `${found.toLocaleString("en")} found` : "no matches";
    },
    empty: () => {
      input.value = "";
    },
  };
}

/**
 * Entity type filter; nothing selected means all.
 * @param {(types: Set<string>) => void} onTypes
 * @returns {{root: HTMLElement, show: (model: import("./graph_model.js").Model, chosen: Set<string>) => void}}
 */
export function typeChips(onTypes) {
  const root = el("div", { class: "graph-types", role: "group", "aria-label": "Entity types" });
  let unfolded = false;
  const show = (model, chosen) => {
    const { types } = model;
    root.hidden = types.length < 2;
    const colours = new Map(model.bodies.slice(0, model.entities).map(({ type }, body) => [type, model.colour[body]]));
    const shown = types.filter(({ type }, rank) => unfolded || rank < TYPES_SHOWN || chosen.has(type));
    const more = types.length - shown.length;
    const unfold = () => {
      unfolded = true;
      show(model, chosen);
    };
    replace(
      root,
      shown.map((one) => chip(one, colours.get(one.type), chosen, onTypes)),
      more > 0 && el("button", { type: "button", class: "chip", on: { click: unfold } }, `${more} more types`),
    );
  };
  return { root, show };
}

function chip({ type, count }, colour, chosen, onTypes) {
  const turn = () => onTypes(new Set(chosen.has(type) ? [...chosen].filter((one) => one !== type) : [...chosen, type]));
  return el(
    "button",
    { type: "button", class: "chip", "aria-pressed": String(chosen.has(type)), on: { click: turn }, data: { type } },
    el("span", { class: `graph-dot graph-dot-${colour}`, "aria-hidden": "true" }),
    type || "no type",
    el("span", { class: "muted" }, ` ${count.toLocaleString("en")}`),
  );
}

/**
 * The buttons over the drawing.
 * @param {{nearer: () => void, farther: () => void, fit: () => void, reset: () => void, save: () => void}} actions
 * @returns {HTMLElement}
 */
export function lookButtons({ nearer, farther, fit, reset, save }) {
  return el(
    "div",
    { class: "graph-buttons", role: "group", "aria-label": "View" },
    lookButton("nearer", "Zoom in (+)", nearer),
    lookButton("farther", "Zoom out (−)", farther),
    lookButton("fit", "Fit to view (F)", fit),
    lookButton("reset", "Reset view and filters (0)", reset),
    lookButton("save", "Save as an image", save),
  );
}

function lookButton(name, label, onClick) {
  return el(
    "button",
    { type: "button", class: "graph-button", title: label, "aria-label": label, on: { click: onClick } },
    svg(
      "svg",
      { class: "icon", viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true" },
      svg("path", { d: PATHS[name] }),
    ),
  );
}
