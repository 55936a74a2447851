/** Usage and cost of models, by purpose. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { busy, problemNotice } from "./parts.js";
import { lasting, money } from "./words.js";

const PURPOSES = {
  extract: "Extraction",
  glean: "Further extraction passes",
  embed: "Embedding",
  answer: "Answering",
  question: "Question analysis",
  summarise: "Cluster summaries",
  report: "Community reports",
};

/**
 * @param {object} ctx
 * @returns {HTMLElement} filled when the server has answered
 */
export function ledgerSection(ctx) {
  const shown = el("div", {}, busy("Loading"));
  const load = async () => {
    try {
      const ledger = await ctx.api.get(workspacePath(ctx.workspace, "ledger"), {}, { signal: ctx.signal });
      replace(shown, ledger.purposes.length ? table(ledger.purposes) : nothing());
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(shown, problemNotice(error, load));
      }
    }
  };
  load();
  return shown;
}

function nothing() {
  return el("p", { class: "muted" }, "Nothing so far: no paid model calls.");
}

function table(purposes) {
  const sums = { calls: 0, prompt_tokens: 0, completion_tokens: 0, money: 0 };
  for (const { usage } of purposes) {
    for (const name of Object.keys(sums)) {
      sums[name] += usage[name];
    }
  }
  const heads = ["Purpose", "Model", "Calls", "Tokens sent", "Tokens received", "Cost", "Time"];
  const seconds = purposes.reduce((sum, one) => sum + one.seconds, 0);
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Usage and cost" },
    el(
      "table",
      { class: "table" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((name) => el("th", { scope: "col" }, name)),
        ),
      ),
      el(
        "tbody",
        {},
        purposes.map((one) => row(PURPOSES[one.purpose] ?? one.purpose, one.model, one.usage, one.seconds)),
      ),
      purposes.length > 1 ? el("tfoot", {}, row("Total", "", sums, seconds)) : null,
    ),
  );
}

function row(what, model, usage, seconds) {
  const numbers = [usage.calls, usage.prompt_tokens, usage.completion_tokens].map((one) => one.toLocaleString("en"));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, what),
    el("td", {}, model),
    [...numbers, usage.money ? money(usage.money) : "–", lasting(seconds)].map((one) =>
      el("td", { class: "number" }, one),
    ),
  );
}
