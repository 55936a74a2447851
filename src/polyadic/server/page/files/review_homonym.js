/** A name that may refer to several entities, with the evidence of each sense, side by side. */

import { el, replace } from "./dom.js";
import { button, notice, problemNotice } from "./parts.js";
import { evidenceItem } from "./review_pair.js";
import { counted } from "./words.js";

/**
 * @param {object} ctx
 * @param {object} homonym
 * @param {{split: (decisions: object[]) => Promise<void>, keep: () => Promise<void>, skip: () => void}} on
 * @returns {HTMLElement}
 */
export function homonymDetail(ctx, homonym, on) {
  const names = homonym.senses.map((sense, n) =>
    el("input", { class: "field", value: sense.name, "aria-label": `Name of sense ${n + 1}`, maxlength: 500 }),
  );
  return el(
    "div",
    { class: "stack" },
    el(
      "header",
      { class: "stack close" },
      el("h2", { class: "detail-title" }, homonym.name),
      el("p", { class: "muted small" }, `May refer to ${counted(homonym.senses.length, "thing")}: ${homonym.why}`),
    ),
    ctx.canWrite ? actions(homonym, names, on) : notice("info", "Deciding requires a key with write access."),
    el(
      "div",
      { class: "two" },
      homonym.senses.map((sense, n) => side(ctx, homonym, sense, names[n])),
    ),
  );
}

function actions(homonym, names, on) {
  const said = el("div", {});
  const decide = async (make) => {
    split.disabled = true;
    keep.disabled = true;
    replace(said);
    try {
      await make();
    } catch (error) {
      split.disabled = false;
      keep.disabled = false;
      if (error.name !== "AbortError") {
        const isExpected = error.status === 404 || error.status === 409;
        replace(said, isExpected ? notice("error", error.message) : problemNotice(error));
      }
    }
  };
  const split = button(
    "Split",
    async () => {
      const decisions = splits(homonym, names);
      if (decisions.length) {
        await decide(() => on.split(decisions));
      } else {
        replace(said, notice("info", "Give at least one sense another name."));
      }
    },
    { class: "button primary" },
  );
  const keep = button("Not ambiguous", () => decide(on.keep));
  return el(
    "div",
    { class: "stack close" },
    el(
      "p",
      { class: "small" },
      "Split gives each sense its name in the documents that use it. A sense that keeps the original name stays.",
    ),
    el("div", { class: "row" }, split, keep, button("Skip", on.skip, { class: "button quiet" })),
    said,
  );
}

/** The decisions that give each sense its name in its documents. */
function splits({ name, senses }, names) {
  return senses
    .map(({ documents }, n) => ({ kind: "split", name, into: names[n].value.trim(), documents }))
    .filter(({ into, documents }) => into && into !== name && documents.length);
}

function side(ctx, homonym, sense, name) {
  return el(
    "section",
    { class: "side stack close", "aria-label": sense.name },
    ctx.canWrite ? name : el("h3", {}, sense.name),
    el("p", { class: "muted small" }, counted(sense.documents.length, "document")),
    sense.description ? el("p", { class: "small" }, sense.description) : null,
    el(
      "ul",
      { class: "list places", "aria-label": "Evidence" },
      sense.evidence.map((one) => evidenceItem(ctx, homonym.name, one)),
    ),
  );
}
