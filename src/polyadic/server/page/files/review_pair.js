/** A pair of entities with the evidence of both, side by side. */

import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { button, notice, problemNotice } from "./parts.js";
import { openPlace } from "./source.js";
import { counted } from "./words.js";

/**
 * @param {object} ctx
 * @param {object} pair
 * @param {{merge: (name: string) => Promise<void>, separate: () => Promise<void>, skip: () => void}} on
 * @returns {HTMLElement}
 */
export function pairDetail(ctx, pair, on) {
  return el(
    "div",
    { class: "stack" },
    el(
      "header",
      { class: "stack close" },
      el("h2", { class: "detail-title" }, `${pair.one.name} – ${pair.other.name}`),
      el("p", { class: "muted small" }, `${Math.round(pair.score * 100)}% likely to be the same: ${pair.why}`),
    ),
    ctx.canWrite ? actions(pair, on) : notice("info", "Deciding requires a key with write access."),
    el("div", { class: "two" }, side(ctx, pair.one), side(ctx, pair.other)),
  );
}

function actions(pair, on) {
  const said = el("div", {});
  const [one, other] = [pair.one, pair.other].map(({ name }, n) => nameOption(name, n === 0));
  const buttons = [
    button("Merge", () => decided(() => on.merge(one.input.checked ? pair.one.name : pair.other.name)), {
      class: "button primary",
    }),
    button("Not the same", () => decided(on.separate)),
    button("Skip", () => on.skip(), { class: "button quiet" }),
  ];
  const disable = (disabled) => {
    for (const each of buttons) {
      each.disabled = disabled;
    }
  };
  const decided = async (decide) => {
    disable(true);
    replace(said);
    try {
      await decide();
    } catch (error) {
      disable(false);
      if (error.name !== "AbortError") {
        const isExpected = error.status === 404 || error.status === 409;
        replace(said, isExpected ? notice("error", error.message) : problemNotice(error));
      }
    }
  };
  return el(
    "div",
    { class: "stack close" },
    el(
      "fieldset",
      { class: "row looks" },
      el("legend", { class: "small" }, "Name after merging"),
      one.node,
      other.node,
    ),
    el("div", { class: "row" }, buttons),
    said,
  );
}

function nameOption(name, checked) {
  const input = el("input", { type: "radio", name: "merged-name", value: name, checked });
  return { input, node: el("label", { class: "look" }, input, name) };
}

function side(ctx, entity) {
  const facts = counted(entity.facts, "fact");
  return el(
    "section",
    { class: "side stack close", "aria-label": entity.name },
    el("h3", {}, entity.name),
    el("p", { class: "muted small" }, [entity.type, facts].filter(Boolean).join(" · ")),
    entity.description ? el("p", { class: "small" }, entity.description) : null,
    el(
      "ul",
      { class: "list places", "aria-label": "Evidence" },
      entity.evidence.map((one) => evidenceItem(ctx, entity.name, one)),
    ),
    el(
      "div",
      {},
      button("Open in Browse", () => ctx.go("browse", { entity: entity.id }), { class: "button small quiet" }),
    ),
  );
}

/**
 * A fact about an entity, at one of its places; pressing it opens the source.
 *
 * @param {object} ctx
 * @param {string} name of the entity, which is marked
 * @param {{fact: object, places: object[]}} evidence
 * @returns {HTMLElement}
 */
export function evidenceItem(ctx, name, { fact, places }) {
  const [place] = places;
  const words = el("span", { class: "said" }, marked(place?.quote || fact.text, name));
  if (!place) {
    return el("li", { class: "place" }, words);
  }
  const span = { start: place.start, end: place.end };
  const open = () => openPlace(ctx, { document_id: place.document, title: place.title, span, quote: place.quote });
  const more = places.length > 1 ? ` and ${counted(places.length - 1, "more place", "more places")}` : "";
  return el(
    "li",
    {},
    el(
      "button",
      { type: "button", class: "place", on: { click: open } },
      words,
      el("span", { class: "small place-where" }, icon("documents", 15), `${place.title || "Open source"}${more}`),
    ),
  );
}

/** A text with each occurrence of a name marked, whatever its case. */
function marked(text, name) {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped(name)})(?![\\p{L}\\p{N}])`, "giu");
  return text.split(pattern).map((part, n) => (n % 2 ? el("mark", {}, part) : part));
}

function escaped(name) {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
