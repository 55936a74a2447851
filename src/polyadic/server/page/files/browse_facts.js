/** Facts by words and arity, with the places where each is stated. */

import { workspacePath } from "./api.js";
import { beside, choice, entityChips, pagedList, placeList } from "./browse_parts.js";
import { el } from "./dom.js";
import { button, empty } from "./parts.js";
import { counted } from "./words.js";

const PAGE = 50;

/**
 * @param {object} ctx
 * @returns {Promise<HTMLElement>}
 */
export async function browseFacts(ctx) {
  const search = el("input", {
    type: "search",
    class: "field",
    placeholder: "Search by meaning",
    "aria-label": "Search facts",
  });
  const arity = arities(ctx.info.arities);
  const list = pagedList(
    ctx,
    (start, signal) => page(ctx, search.value.trim(), arity.value, start, signal, open),
    empty("No matching facts", "Try other words, or any number of entities."),
  );
  const filters = el("div", { class: "row filters" }, el("div", { class: "grow" }, search), arity);
  const view = beside(el("div", { class: "stack close chooser" }, filters, list.node), "Choose a fact.", "Fact", ctx);
  const open = (id) => view.show((signal) => fact(ctx, id, signal));
  search.addEventListener("input", () => list.load());
  arity.addEventListener("change", () => list.load.now());
  list.load.now();
  const wanted = ctx.params.get("fact");
  if (wanted) {
    open(wanted);
  }
  return view.node;
}

function arities(counts) {
  return el(
    "select",
    { class: "field", "aria-label": "Number of entities" },
    el("option", { value: "" }, "Any number"),
    Object.entries(counts).map(([arity, number]) =>
      el("option", { value: arity }, `${arity} entities (${number.toLocaleString("en")})`),
    ),
  );
}

async function page(ctx, words, arity, start, signal, open) {
  if (words) {
    const found = await ctx.api.get(workspacePath(ctx.workspace, "facts"), { q: words, limit: PAGE }, { signal });
    const facts = found.facts.map((one) => one.fact).filter((one) => !arity || one.entities.length === Number(arity));
    return {
      rows: facts.map((one) => row(one, open)),
      next: null,
      total: `The ${counted(facts.length, "fact")} most similar to this`,
    };
  }
  const path = workspacePath(ctx.workspace, "catalogue/facts");
  const found = await ctx.api.get(path, { arity, start, limit: PAGE }, { signal });
  const total = `${counted(found.total, "fact")}, most complete first`;
  return { rows: found.facts.map((one) => row(one, open)), next: found.next, total };
}

function row(one, open) {
  return choice({ title: one.text, note: one.entities.join(" · "), class: "said clamp" }, () => open(one.id));
}

async function fact(ctx, id, signal) {
  const detail = await ctx.api.get(workspacePath(ctx.workspace, `facts/${id}`), {}, { signal });
  const openEntity = (entity) => ctx.go("browse", { entity });
  const { support, score } = detail.fact;
  return [
    el(
      "header",
      { class: "stack close" },
      el("h2", { class: "detail-title said" }, detail.fact.text),
      el(
        "p",
        { class: "muted small" },
        `Stated ${support === 1 ? "once" : counted(support, "time")} · score ${score.toLocaleString("en", { maximumFractionDigits: 1 })} of 10`,
      ),
      el(
        "div",
        {},
        button("Show in the hypergraph", () => ctx.go("explore", { fact: id }), { class: "button small" }),
      ),
    ),
    el("h3", {}, `Connects ${counted(detail.entities.length, "entity", "entities")}`),
    entityChips(detail.entities, openEntity),
    el("h3", {}, "Sources"),
    placeList(ctx, detail.places),
  ];
}
