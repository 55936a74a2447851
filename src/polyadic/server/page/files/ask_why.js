/** The knowledge used for an answer, as a list and as a graph. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { busy, button, notice, problemNotice, tabs } from "./parts.js";
import { openPlace } from "./source.js";
import { sourceName } from "./words.js";
import { counted } from "./workspaces.js";

const SHOWN = 8;
const FACTS_DRAWN = 12;
const FACTS_ASKED = 200;
const ENTITIES_DRAWN = 1000;
const KINDS = [
  ["fact", "Facts"],
  ["chunk", "Passages"],
  ["entity", "Entities"],
  ["report", "Reports"],
];
const PARTS = {
  list: "items of the list",
  local: "near the question",
  bridge: "connecting communities",
  global: "community reports",
};

/**
 * The knowledge used for an answer; built when it is first opened.
 *
 * @param {object} ctx
 * @param {object} answer
 * @returns {HTMLElement}
 */
export function why(ctx, answer) {
  const { items, tokens, omitted } = answer.knowledge;
  const what = KINDS.map(([kind, label]) => [items.filter((item) => item.kind === kind).length, label.toLowerCase()])
    .filter(([count]) => count)
    .map(([count, label]) =>
      count === 1 ? `1 ${label === "entities" ? "entity" : label.slice(0, -1)}` : `${count} ${label}`,
    );
  const size = `${tokens.toLocaleString("en")} tokens${omitted ? `, ${omitted} more did not fit` : ""}`;
  const inside = el("div", { class: "why-inside" });
  const opened = el(
    "details",
    { class: "more why" },
    el("summary", {}, el("b", {}, "Why"), " ", el("span", { class: "muted" }, `${what.join(", ")} · ${size}`)),
    inside,
  );
  opened.addEventListener("toggle", () => {
    if (opened.open && !inside.hasChildNodes()) {
      replace(inside, content(ctx, answer));
    }
  });
  return opened;
}

function content(ctx, answer) {
  const drawn = factIds(answer).length > 0;
  const list = () => el("div", { class: "stack" }, groups(ctx, answer));
  if (!drawn) {
    return list();
  }
  return tabs(
    [
      { label: "As a list", panel: list },
      { label: "As a hypergraph", panel: () => drawing(ctx, answer) },
    ],
    { label: "Retrieved knowledge" },
  );
}

function groups(ctx, answer) {
  const { items, note } = answer.knowledge;
  const found = KINDS.map(([kind, label]) => [label, items.filter((item) => item.kind === kind)]);
  return [
    note ? notice("warning", sentence(note)) : null,
    ...found.filter(([, some]) => some.length).map(([label, some]) => group(ctx, answer, label, some)),
  ];
}

function group(ctx, answer, label, items) {
  const best = Math.max(...items.map((item) => item.score));
  const rows = el("ol", { class: "list items" });
  const add = (some) => rows.append(...some.map((item) => row(ctx, answer, item, best)));
  add(items.slice(0, SHOWN));
  const rest = items.slice(SHOWN);
  const more = button(
    `Show ${rest.length} more`,
    () => {
      add(rest);
      more.remove();
    },
    { class: "button small" },
  );
  return el(
    "section",
    { class: "stack close" },
    el("h3", {}, `${label} `, el("span", { class: "muted" }, items.length)),
    rows,
    rest.length ? more : null,
  );
}

function row(ctx, answer, item, best) {
  const cited = answer.citations.filter(({ place }) => item.places.some((one) => overlaps(one, place)));
  const part = best > 0 ? Math.max(0.02, item.score / best) : 0;
  const names = item.entities.map((name) => el("li", { class: "chip" }, name));
  return el(
    "li",
    { class: "item" },
    el("p", { class: "said item-text" }, item.text),
    names.length ? el("ul", { class: "list row names", "aria-label": "Entities" }, names) : null,
    el(
      "p",
      { class: "row small muted" },
      el(
        "span",
        { class: "meter", title: `score ${item.score.toFixed(2)}` },
        el("span", { style: { width: `${part * 100}%` } }),
      ),
      el("span", { class: "mono" }, item.score.toFixed(2)),
      el("span", {}, item.why),
      PARTS[item.section] ? el("span", { class: "chip" }, PARTS[item.section]) : null,
      [...new Set(cited.map(({ marker }) => marker))].map((marker) =>
        el("span", { class: "chip chosen" }, `cited as ${marker}`),
      ),
      item.places.slice(0, 3).map((place) => placeButton(ctx, place)),
    ),
  );
}

function placeButton(ctx, place) {
  const page = place.page ? `, page ${place.page}` : "";
  return el(
    "button",
    { type: "button", class: "link small", on: { click: () => openPlace(ctx, place) } },
    `${place.title || sourceName(place.source)}${page}`,
  );
}

function overlaps(one, other) {
  const apart = one.span.end <= other.span.start || other.span.end <= one.span.start;
  return one.document_id === other.document_id && !apart;
}

/** The facts used, by their own identifiers: methods that break facts into pairs add those of the two. */
function factIds(answer) {
  const facts = answer.knowledge.items.filter((item) => item.kind === "fact");
  return [...new Set(facts.map((item) => item.id.split(":")[0]))].slice(0, FACTS_ASKED);
}

function drawing(ctx, answer) {
  const root = el("div", { class: "drawing" });
  const said = el("div", {}, busy("Drawing"));
  drawn(ctx, answer, root, said).catch((error) => error.name !== "AbortError" && replace(said, problemNotice(error)));
  return el("div", { class: "stack close" }, root, said);
}

async function drawn(ctx, answer, root, said) {
  const ids = factIds(answer);
  const [{ drawHypergraph }, shown] = await Promise.all([
    import("./graph.js"),
    around(ctx, "fact", ids.slice(0, FACTS_DRAWN), 0),
  ]);
  const relevant = new Map(answer.knowledge.items.map((item) => [item.id.split(":")[0], item.score]));
  const add = async (kind, id, hops) => held.update(joined(shown, await around(ctx, kind, id, hops)));
  const held = drawHypergraph(root, shown, {
    height: 460,
    relevant,
    onExpand: (id) => add("entity", id, 1),
    onOpenFact: (id) => openFact(ctx, answer, id),
  });
  ctx.signal.addEventListener("abort", () => held.destroy());
  const drawAll = () => add("fact", ids, 0).then(() => replace(said, caption(counted(ids.length, "fact"))));
  const all = button(`Draw all ${ids.length}`, drawAll, { class: "button small" });
  const whole = ids.length <= FACTS_DRAWN;
  const what = whole ? counted(ids.length, "fact") : `The ${FACTS_DRAWN} best of ${ids.length} facts`;
  replace(said, caption(what, whole ? null : all));
}

function caption(what, ...actions) {
  const line = `${what} with their entities. Open an entity to see its other facts.`;
  return el("p", { class: "row muted small" }, el("span", {}, line), actions);
}

function around(ctx, kind, id, hops) {
  const query = { kind, id, hops, limit: ENTITIES_DRAWN };
  return ctx.api.get(workspacePath(ctx.workspace, "neighbourhood"), query, { signal: ctx.signal });
}

/** The first items and a button for the rest; items already shown stay in place. */
function joined(shown, more) {
  const entities = new Map([...shown.entities, ...more.entities].map((entity) => [entity.id, entity]));
  const facts = new Map([...shown.facts, ...more.facts].map((edge) => [edge.fact.id, edge]));
  shown.entities = [...entities.values()];
  shown.facts = [...facts.values()];
  return shown;
}

async function openFact(ctx, answer, id) {
  const used = answer.knowledge.items.find((item) => item.id === id);
  const places = used?.places ?? (await ctx.api.get(workspacePath(ctx.workspace, `facts/${id}`))).places;
  if (places.length) {
    await openPlace(ctx, places[0]);
  }
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
