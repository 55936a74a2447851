/** Details of the selected item: an entity with its facts, or a fact with its sentence and places. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { pathSteps } from "./explore_path.js";
import { busy, button, problemNotice } from "./parts.js";
import { openPlace } from "./source.js";
import { counted } from "./words.js";

const FACTS = 50;

/**
 * @param {object} ctx
 * @param {{reach: (kind: string, id: string) => void, expand: (id: string) => void,
 *   begin: (place: object) => void, best: () => object[], path: () => object|null, ends: object}} actions `path`
 *   returns the path that is shown, `ends` are the PathEnds
 * @returns {{root: HTMLElement, show: (item: {kind: string, id: string} | null) => void,
 *   fail: (error: Error, retry: () => void) => void, openFirstPlace: (factId: string) => Promise<void>}}
 */
export function detailPanel(ctx, actions) {
  const root = el("aside", { class: "explore-panel panel", "aria-label": "Selection" });
  let asked = 0;
  const ask = ({ kind, id }) => {
    const [rest, query] = kind === "entity" ? [`entities/${id}`, { limit: FACTS }] : [`facts/${id}`, {}];
    return ctx.api.get(workspacePath(ctx.workspace, rest), query, { signal: ctx.signal });
  };
  const fail = (error, retry) => {
    if (error.name !== "AbortError") replace(root, problemNotice(error, retry));
  };
  const show = async (item) => {
    asked += 1;
    const mine = asked;
    root.dataset.shown = item?.id ?? "";
    if (!item) {
      const path = actions.path();
      replace(root, ...(path ? pathSteps(path, actions.reach) : legend(actions)));
      return;
    }
    const waiting = setTimeout(() => mine === asked && replace(root, busy("Loading")), 250);
    try {
      const detail = await ask(item);
      if (mine !== asked) return;
      replace(root, ...(item.kind === "entity" ? ofEntity(detail, actions) : ofFact(detail, ctx, actions)));
      root.scrollTop = 0;
    } catch (error) {
      if (mine === asked) fail(error, () => show(item));
    } finally {
      clearTimeout(waiting);
    }
  };
  const openFirstPlace = async (id) => {
    try {
      const { places } = await ask({ kind: "fact", id });
      if (places.length) await openPlace(ctx, places[0]);
    } catch (error) {
      fail(error, () => openFirstPlace(id));
    }
  };
  return { root, show, fail, openFirstPlace };
}

function legend({ best, reach }) {
  return [
    el("h2", {}, "Most connected"),
    el(
      "ol",
      { class: "list" },
      best().map((entity) => el("li", {}, bestLine(entity, reach))),
    ),
    el("h2", {}, "Legend"),
    el(
      "ul",
      { class: "list stack close small" },
      sign("entity", "Entity. Its size grows with the number of its facts."),
      sign("fact", "Fact. A line joins two entities, a shape joins more."),
    ),
    el(
      "p",
      { class: "muted small" },
      "Select an item to see its details, or an entity twice to show its neighbours. Drag to pan, scroll or pinch to " +
        "zoom. Keyboard: arrows, Enter, + and −.",
    ),
  ];
}

function bestLine({ id, name, facts }, reach) {
  const props = { type: "button", class: "menu-entry explore-best", on: { click: () => reach("entity", id) } };
  return el(
    "button",
    props,
    el("span", { class: "grow" }, name),
    el("span", { class: "muted small" }, counted(facts, "fact")),
  );
}

function sign(kind, text) {
  return el(
    "li",
    { class: "explore-legend" },
    el("span", { class: `explore-sign ${kind}`, "aria-hidden": "true" }),
    text,
  );
}

function ofEntity({ entity, facts }, { reach, expand, begin, ends }) {
  const { id, name, type, description } = entity;
  const count = counted(entity.facts, "fact");
  const lines = facts.map((fact) =>
    el(
      "li",
      {},
      sentence(fact, () => reach("fact", fact.id)),
    ),
  );
  return [
    el("p", { class: "muted small" }, [type || "entity", count].join(" · ")),
    el("h2", { class: "explore-name" }, name),
    description && el("p", {}, description),
    el(
      "div",
      { class: "row" },
      button("Show neighbours", () => expand(id), { class: "button primary small" }),
      button("Start here", () => begin({ kind: "entity", id, name }), { class: "button small" }),
    ),
    ends.controls({ id, name }),
    el("h3", {}, "Facts"),
    el("ul", { class: "list explore-facts" }, lines),
    entity.facts > facts.length && el("p", { class: "muted small" }, `The ${facts.length} most complete of ${count}.`),
  ];
}

function sentence({ text }, onClick) {
  return el("button", { type: "button", class: "explore-sentence said", on: { click: onClick } }, text);
}

function ofFact({ fact, entities, places }, ctx, { reach, begin }) {
  const chips = entities.map(({ id, name }) =>
    el("li", {}, el("button", { type: "button", class: "chip", on: { click: () => reach("entity", id) } }, name)),
  );
  return [
    el("p", { class: "muted small" }, `fact · ${support(fact)}`),
    el("p", { class: "explore-fact said" }, fact.text),
    el(
      "div",
      { class: "row" },
      button("Start here", () => begin({ kind: "fact", id: fact.id, name: fact.text }), { class: "button small" }),
    ),
    el("h3", {}, `Connects ${counted(entities.length, "entity", "entities")}`),
    el("ul", { class: "list row" }, chips),
    el("h3", {}, "Sources"),
    el(
      "ul",
      { class: "list stack close" },
      places.map((place) => el("li", {}, placeLine(place, ctx))),
    ),
  ];
}

function support({ support }) {
  return support === 1 ? "stated once" : `stated ${support.toLocaleString("en")} times`;
}

/** Show only the file name of a path, which is meaningless on other machines. */
function lastPart(source) {
  return source.split("/").at(-1) || source;
}

function placeLine(place, ctx) {
  const where = [place.title || lastPart(place.source), place.page && `page ${place.page}`].filter(Boolean).join(", ");
  return el(
    "button",
    { type: "button", class: "explore-place", on: { click: () => openPlace(ctx, place) } },
    el("span", { class: "explore-where" }, where),
    el("span", { class: "said" }, place.quote),
  );
}
