/** Texts of the chat view. */

import { el } from "./dom.js";
import { button, empty } from "./parts.js";
import { counted } from "./workspaces.js";

/**
 * Say how a question ended, for screen readers.
 *
 * @param {import("./ask_turn.js").Turn} turn
 * @returns {string}
 */
export function outcome({ state, answer, error }) {
  if (state === "done") {
    const count = answer.citations.length;
    return answer.answered ? `Answered, with ${counted(count, "citation")}` : answer.text;
  }
  return state === "stopped" ? "Stopped" : error.message;
}

/**
 * Say what a workspace contains and how it answers.
 *
 * @param {object} info
 * @returns {string}
 */
export function contents({ counts, model }) {
  const how = model
    ? "Answers cite the passages that support them."
    : "No language model is set up: answers quote the best sentences.";
  return `${counted(counts.documents, "document")}, ${counted(counts.facts, "fact")}. ${how}`;
}

/**
 * The chat view of a workspace without documents.
 *
 * @param {object} ctx
 * @returns {Node[]}
 */
export function nothingYet(ctx) {
  const actions = ctx.canWrite ? [button("Add documents", () => ctx.go("documents"), { class: "button primary" })] : [];
  const hint = ctx.canWrite ? "Add documents to ask questions about them." : "Adding documents requires write access.";
  return [
    el("h1", { class: "visually-hidden" }, "Ask"),
    empty(`${ctx.workspace} has no documents yet`, hint, ...actions),
  ];
}
