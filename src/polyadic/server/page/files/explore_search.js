/** Search entities and facts of the workspace by name or meaning. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { counted } from "./words.js";

const PATIENCE = 220;
const ENTITIES = 7;
const FACTS = 5;

/**
 * @param {object} ctx
 * @param {(place: import("./explore_address.js").Place) => void} onGo
 * @returns {HTMLElement}
 */
export function storeSearch(ctx, onGo) {
  const results = el("div", { class: "pop explore-results", hidden: true });
  const input = el("input", {
    class: "field",
    type: "search",
    placeholder: "Find an entity or a fact",
    "aria-label": "Find an entity or a fact in the workspace",
    autocomplete: "off",
    spellcheck: "false",
  });
  const root = el("div", { class: "popper explore-search", role: "search" }, input, results);
  const close = () => {
    results.hidden = true;
  };
  const go = (place) => {
    close();
    input.value = "";
    onGo(place);
  };
  hear(root, input, results, close);
  let waiting = 0;
  let asked = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    asked += 1;
    const mine = asked;
    if (!input.value.trim()) return close();
    waiting = setTimeout(async () => {
      const shown = await found(ctx, input.value.trim(), go).catch(problemEntry);
      if (mine === asked && shown) {
        replace(results, ...shown);
        results.hidden = false;
      }
    }, PATIENCE);
  });
  ctx.signal.addEventListener("abort", () => clearTimeout(waiting));
  return root;
}

function problemEntry(error) {
  return error.name === "AbortError" ? null : [el("p", { class: "muted", role: "alert" }, error.message)];
}

/** Escape and losing focus close the results; arrow keys move through them. */
function hear(root, input, results, close) {
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.focus();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && event.target === input) results.querySelector("button")?.click();
    if (!step || results.hidden) return;
    event.preventDefault();
    const stops = [input, ...results.querySelectorAll("button")];
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  });
  root.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !root.contains(relatedTarget)) close();
  });
}

async function found(ctx, words, go) {
  const ask = (what, limit) =>
    ctx.api.get(workspacePath(ctx.workspace, what), { q: words, limit }, { signal: ctx.signal });
  const [{ entities }, { facts }] = await Promise.all([ask("entities", ENTITIES), ask("facts", FACTS)]);
  if (!entities.length && !facts.length) return [el("p", { class: "muted" }, "No matches.")];
  return [
    el("h3", { class: "explore-heading" }, "Entities"),
    ...entities.map(({ entity }) =>
      entry(entity.name, about(entity), () => go(place("entity", entity.id, entity.name))),
    ),
    el("h3", { class: "explore-heading" }, "Facts"),
    ...facts.map(({ fact }) => entry(fact.text, "", () => go(place("fact", fact.id, fact.text)), "said")),
  ];
}

function place(kind, id, name) {
  return { kind, id, name };
}

function about({ type, facts }) {
  return [type, counted(facts, "fact")].filter(Boolean).join(" · ");
}

function entry(text, more, onClick, look = "") {
  const name = el("span", { class: `grow ${look}` }, text);
  const props = { type: "button", class: "menu-entry", on: { click: onClick } };
  return el("button", props, name, more && el("span", { class: "muted small" }, more));
}
