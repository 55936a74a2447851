/** Entities by name prefix and type, the best connected first, with details of each. */

import { workspacePath } from "./api.js";
import { beside, choice, factRow, pagedList, placeList } from "./browse_parts.js";
import { el, replace } from "./dom.js";
import { entityEdit } from "./entity_edit.js";
import { button, empty } from "./parts.js";
import { counted } from "./words.js";

const PAGE = 50;
const FACTS = 50;
const PLACES = 10;
const NEAR = 8;
/** The cosine below which names are usually unrelated. */
const RELATED = 0.3;
const ANY = "*";

/**
 * @param {object} ctx
 * @returns {Promise<HTMLElement>}
 */
export async function browseEntities(ctx) {
  const search = el("input", {
    type: "search",
    class: "field",
    placeholder: "Name or description",
    "aria-label": "Search entities",
  });
  const type = el("select", { class: "field", "aria-label": "Type" });
  const list = pagedList(
    ctx,
    (start, signal) => page(ctx, search.value.trim(), type.value, start, signal, open),
    empty("No matching entities", "Try fewer letters or another type."),
  );
  const filters = el("div", { class: "row filters" }, el("div", { class: "grow" }, search), type);
  const view = beside(
    el("div", { class: "stack close chooser" }, filters, list.node),
    "Choose an entity.",
    "Entity",
    ctx,
  );
  const open = (id) => view.show((signal) => entity(ctx, id, changed, signal));
  // Undoing a decision may leave no entity with the identifier that was shown.
  const changed = (id) => {
    list.load.now();
    return id ? open(id) : view.show(async () => [el("p", { class: "muted hint" }, "Choose an entity.")]);
  };
  search.addEventListener("input", () => list.load());
  type.addEventListener("change", () => list.load.now());
  await fillTypes(ctx, type);
  list.load.now();
  const wanted = ctx.params.get("entity");
  if (wanted) {
    open(wanted);
  }
  return view.node;
}

async function fillTypes(ctx, select) {
  const path = workspacePath(ctx.workspace, "catalogue/types");
  const types = await ctx.api.get(path, {}, { signal: ctx.signal }).catch(() => ({ types: [] }));
  const named = types.types.filter((one) => one.type);
  select.hidden = !named.length;
  replace(
    select,
    el("option", { value: ANY }, "Any type"),
    types.types.map((one) =>
      el("option", { value: one.type }, `${one.type || "no type"} (${one.entities.toLocaleString("en")})`),
    ),
  );
}

/** Entities with such a name; if there are few, also semantically similar ones. */
async function page(ctx, words, type, start, signal, open) {
  const given = new URLSearchParams({ prefix: words, start, limit: PAGE });
  if (type !== ANY) {
    given.set("type", type);
  }
  // An empty type can be chosen too, so the address is written here.
  const found = await ctx.api.get(workspacePath(ctx.workspace, `catalogue/entities?${given}`), {}, { signal });
  const near = words && !start && found.entities.length < NEAR ? await nearest(ctx, words, type, signal) : [];
  const known = new Set(found.entities.map((one) => one.id));
  const others = near.filter((one) => !known.has(one.id));
  const rows = found.entities.map((one) => row(one, open, ""));
  return {
    rows: [...rows, ...others.map((one) => row(one, open, "similar meaning"))],
    next: found.next,
    total: said(found, words),
  };
}

function said(found, words) {
  if (found.total !== null) {
    return `${counted(found.total, "entity", "entities")}, most connected first`;
  }
  const number = `${found.entities.length}${found.next === null ? "" : " or more"}`;
  return words ? `${number} with a name that starts with this` : `${number} of this type`;
}

async function nearest(ctx, words, type, signal) {
  const found = await ctx.api.get(workspacePath(ctx.workspace, "entities"), { q: words, limit: NEAR }, { signal });
  const related = found.entities.filter((one) => one.similarity === null || one.similarity >= RELATED);
  return related.map((one) => one.entity).filter((one) => type === ANY || one.type === type);
}

function row(one, open, why) {
  const note = [one.type, counted(one.facts, "fact"), why].filter(Boolean).join(" · ");
  return choice({ title: one.name, note }, () => open(one.id));
}

async function entity(ctx, id, onChanged, signal) {
  const at = workspacePath(ctx.workspace, `entities/${id}`);
  const { entity: one, facts } = await ctx.api.get(at, { limit: FACTS }, { signal });
  const openFact = (fact) => ctx.go("browse", { fact });
  const more =
    one.facts > facts.length ? `The ${facts.length} most complete of ${one.facts.toLocaleString("en")} facts` : "Facts";
  const places = el("div", {});
  const showPlaces = button("Show sources", async () => replace(places, await placesOf(ctx, facts, signal)), {
    class: "button small",
  });
  return [
    el(
      "header",
      { class: "stack close" },
      el("h2", { class: "detail-title" }, one.name),
      el(
        "p",
        { class: "muted small" },
        [one.type, counted(one.facts, "fact"), `score ${Math.round(one.score)} of 100`].filter(Boolean).join(" · "),
      ),
      one.description ? el("p", {}, one.description) : null,
      el(
        "div",
        { class: "row" },
        button("Show in the hypergraph", () => ctx.go("explore", { entity: id }), { class: "button small" }),
        facts.length ? showPlaces : null,
      ),
      ctx.canWrite ? entityEdit(ctx, one, facts, onChanged) : null,
    ),
    places,
    el("h3", {}, more),
    facts.length
      ? el(
          "ul",
          { class: "list places" },
          facts.map((fact) => factRow(fact, openFact)),
        )
      : el("p", { class: "muted" }, "This entity has no facts."),
  ];
}

async function placesOf(ctx, facts, signal) {
  const details = await Promise.all(
    facts.slice(0, PLACES).map((fact) => ctx.api.get(workspacePath(ctx.workspace, `facts/${fact.id}`), {}, { signal })),
  );
  const places = new Map(details.flatMap((one) => one.places).map((place) => [placeKey(place), place]));
  return [el("h3", {}, "Sources"), placeList(ctx, [...places.values()].slice(0, PLACES))];
}

function placeKey(place) {
  return `${place.document_id} ${place.span.start} ${place.span.end}`;
}
