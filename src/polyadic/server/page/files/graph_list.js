// The drawing as a list, for screen readers and readers.

import { el, replace } from "./dom.js";
import { counted } from "./words.js";

const AT_ONCE = 100;

/**
 * A list that is built when it is opened.
 * @param {(id: string) => void} onChoose
 * @returns {{root: HTMLElement, show: (model: import("./graph_model.js").Model) => void}}
 */
export function drawnList(onChoose) {
  let model = null;
  const body = el("div", { class: "graph-list-body" });
  const summary = el("summary", {}, "Graph as a list");
  const fill = () => {
    if (root.open && model) replace(body, ...parts(model, onChoose));
  };
  const root = el("details", { class: "graph-list", on: { toggle: fill } }, summary, body);
  const show = (shown) => {
    model = shown;
    fill();
  };
  return { root, show };
}

function parts(model, onChoose) {
  const entities = model.rank.filter((body) => model.shown[body]);
  const facts = [...model.bodies.keys()].slice(model.entities).filter((body) => model.shown[body]);
  return [
    section(`Entities (${entities.length.toLocaleString("en")})`, entities, (body) =>
      entityLine(model, body, onChoose),
    ),
    section(`Facts (${facts.length.toLocaleString("en")})`, facts, (body) => factLine(model, body, onChoose)),
  ];
}

function section(title, bodies, line) {
  const list = el("ul", { class: "list" });
  const more = el("button", { type: "button", class: "button small", on: { click: () => extend() } }, "Show more");
  let done = 0;
  const extend = () => {
    list.append(...bodies.slice(done, done + AT_ONCE).map(line));
    done += AT_ONCE;
    more.hidden = done >= bodies.length;
  };
  extend();
  return el("section", {}, el("h3", {}, title), list, more);
}

function entityLine(model, body, onChoose) {
  const { id, text, type } = model.bodies[body];
  const facts = model.beside(body).length;
  return el("li", {}, choice(id, text, onChoose), " ", el("span", { class: "muted small" }, about(type, facts)));
}

function about(type, facts) {
  return `${type ? `${type}, ` : ""}${counted(facts, "fact")} here`;
}

function factLine(model, body, onChoose) {
  const { id, text } = model.bodies[body];
  const joined = model.members[body].map((member) => model.bodies[member].text).join(", ");
  return el("li", {}, choice(id, text, onChoose), el("span", { class: "muted small" }, ` joins ${joined}`));
}

function choice(id, text, onChoose) {
  return el("button", { type: "button", class: "link", on: { click: () => onChoose(id) }, data: { id } }, text);
}
