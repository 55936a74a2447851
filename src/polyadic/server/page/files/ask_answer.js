/** The parts of a complete answer: text with citations, sources and cost; or that there is no answer. */

import { copyText } from "./copying.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { button, notice } from "./parts.js";
import { prose } from "./prose.js";
import { openPlace } from "./source.js";
import { counted } from "./workspaces.js";

/**
 * Render the text, with citation markers as buttons that open the cited span.
 *
 * @param {object} ctx
 * @param {object} answer
 * @returns {Node[]}
 */
export function answered(ctx, answer) {
  const cited = new Map(answer.citations.map((citation) => [citation.marker, citation.place]));
  const marker = (number) => {
    const place = cited.get(number);
    return place ? citation(ctx, number, place) : null;
  };
  const thought = answer.reasoning
    ? el(
        "details",
        { class: "more" },
        el("summary", {}, "Model reasoning"),
        prose(answer.reasoning, () => null),
      )
    : null;
  return [thought, ...prose(answer.text, marker)];
}

function citation(ctx, number, place) {
  return el(
    "sup",
    {},
    el(
      "button",
      {
        type: "button",
        class: "citation",
        title: folded(place.quote).slice(0, 300),
        "aria-label": `Source ${number}: ${named(place)}`,
        on: { click: () => openPlace(ctx, place) },
      },
      number,
    ),
  );
}

/**
 * Render the sources with the cited text; null without citations.
 *
 * @param {object} ctx
 * @param {object} answer
 * @returns {HTMLElement|null}
 */
export function sources(ctx, answer) {
  if (!answer.citations.length) {
    return null;
  }
  const rows = answer.citations.map(({ marker, place }) =>
    el(
      "li",
      { class: "source-row" },
      el("span", { class: "source-number" }, marker),
      el(
        "div",
        { class: "grow" },
        el("button", { type: "button", class: "link", on: { click: () => openPlace(ctx, place) } }, named(place)),
        el("p", { class: `said quoted${repeated(answer, place) ? " brief" : ""}` }, `“${folded(place.quote)}”`),
      ),
    ),
  );
  return el("section", { class: "stack close" }, el("h3", {}, "Sources"), el("ol", { class: "list sources" }, rows));
}

/** Whether the answer quotes the cited text itself, as answers without a model do: one line per source suffices. */
function repeated(answer, place) {
  return folded(answer.text).includes(folded(place.quote));
}

/**
 * Render the method, usage and duration of an answer, and a button to copy it.
 *
 * @param {object} answer
 * @returns {Node[]}
 */
export function bill(answer) {
  const { usage, note, removed, confidence } = answer;
  const unsupported = answer.answered && !answer.citations.length;
  const parts = [
    unsupported ? "" : sentence(note),
    answer.answered && confidence !== null ? `Confidence: ${Math.round(100 * confidence)} %.` : "",
    usage.calls
      ? `${counted(usage.prompt_tokens, "token")} in, ${usage.completion_tokens.toLocaleString("en")} out, in ${counted(usage.calls, "call")}.`
      : "",
    usage.money ? `Cost: ${usage.money.toPrecision(2)}.` : "",
    removed ? `${counted(removed, "citation marker")} without a source ${removed === 1 ? "was" : "were"} removed.` : "",
  ];
  const copy = button([icon("copy", 16), "Copy"], () => copyText(asText(answer), "Answer and sources copied."), {
    class: "button quiet small",
    "aria-label": "Copy the answer with its sources",
  });
  return [
    unsupported ? notice("warning", sentence(note)) : null,
    el(
      "div",
      { class: "row apart bill" },
      el("p", { class: "muted small grow" }, parts.filter(Boolean).join(" ")),
      answer.answered ? copy : null,
    ),
  ];
}

/**
 * Suggest next steps if the documents do not answer.
 *
 * @param {object} ctx
 * @param {object} turn
 * @param {{again: Function, withoutFilter: Function}} offers
 * @returns {HTMLElement}
 */
export function unanswered(ctx, turn, offers) {
  const filtered = turn.request.only;
  const advice = filtered
    ? "Only the selected documents were searched."
    : "Try other words or another method, or add documents that contain the answer.";
  return el(
    "div",
    { class: "panel stack close" },
    el("p", {}, el("b", {}, turn.answer.text || "Nothing in these documents answers that.")),
    el("p", { class: "muted" }, advice),
    el(
      "div",
      { class: "row" },
      filtered ? button("Search all documents", () => offers.withoutFilter(turn)) : null,
      button("Show documents", () => ctx.go("documents"), { class: "button quiet" }),
    ),
  );
}

/** The answer as plain text. */
function asText(answer) {
  const listed = answer.citations.map(({ marker, place }) => `[${marker}] ${named(place)}: “${folded(place.quote)}”`);
  return listed.length ? `${answer.text}\n\nSources:\n${listed.join("\n")}\n` : `${answer.text}\n`;
}

function named(place) {
  const page = place.page ? `, page ${place.page}` : "";
  return [place.title || place.source.replace(/^upload:/, ""), ...place.headings].join(" › ") + page;
}

function folded(text) {
  return text.split(/\s+/).filter(Boolean).join(" ");
}

function sentence(text) {
  return text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : "";
}
