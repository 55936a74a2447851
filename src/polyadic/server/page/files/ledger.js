/** Usage and cost of models, by purpose and by document. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { busy, button, problemNotice } from "./parts.js";
import { counted, lasting, money, sourceName } from "./words.js";

const DOCUMENTS = 10;

const PURPOSES = {
  extract: "Extraction",
  glean: "Further extraction passes",
  ocr: "Page recognition",
  captions: "Picture captions",
  embed: "Embedding",
  answer: "Answering",
  question: "Question analysis",
  summarize: "Cluster summaries",
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
      const ledger = await page(ctx, 0);
      const more = ledger.documents.length ? documentCosts(ctx, ledger) : null;
      replace(
        shown,
        ledger.purposes.length ? [summary(ledger.purposes), purposeTable(ledger.purposes), more] : nothing(),
      );
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(shown, problemNotice(error, load));
      }
    }
  };
  load();
  return shown;
}

function page(ctx, start) {
  const path = workspacePath(ctx.workspace, "ledger");
  return ctx.api.get(path, { start, limit: DOCUMENTS }, { signal: ctx.signal });
}

function nothing() {
  return el("p", { class: "muted" }, "Nothing so far: no paid model calls.");
}

function totals(usages) {
  const sums = { calls: 0, prompt_tokens: 0, completion_tokens: 0, money: 0 };
  for (const usage of usages) {
    for (const name of Object.keys(sums)) {
      sums[name] += usage[name];
    }
  }
  return sums;
}

function summary(purposes) {
  const { calls, prompt_tokens, completion_tokens, money: sum } = totals(purposes.map(({ usage }) => usage));
  const tokens = counted(prompt_tokens + completion_tokens, "token");
  const cost = sum ? `cost ${money(sum)}` : "cost unknown (no prices are set)";
  return el("p", {}, `${counted(calls, "call")}, ${tokens}, ${cost}.`);
}

function purposeTable(purposes) {
  const heads = ["Purpose", "Model", "Calls", "Tokens sent", "Tokens received", "Cost", "Time"];
  const rows = purposes.map((one) => [PURPOSES[one.purpose] ?? one.purpose, one.model, one.usage, one.seconds]);
  const seconds = purposes.reduce((sum, one) => sum + one.seconds, 0);
  const sums = totals(purposes.map(({ usage }) => usage));
  return table(
    "Usage and cost by purpose",
    heads,
    rows.map((one) => purposeRow(...one)),
    purposes.length > 1 ? purposeRow("Total", "", sums, seconds) : null,
  );
}

function purposeRow(what, model, usage, seconds) {
  return row(what, el("td", {}, model), [...numbersOf(usage), lasting(seconds)]);
}

/** The documents with the most expensive calls, loaded page by page. */
function documentCosts(ctx, first) {
  const rows = el("tbody", {});
  const foot = el("div", {});
  const add = ({ documents, next }) => {
    const start = rows.children.length;
    rows.append(...documents.map((one) => documentRow(one)));
    const isMore = next !== null && documents.length === DOCUMENTS;
    const more = button(
      "Show more",
      async () => {
        try {
          add(await page(ctx, start + DOCUMENTS));
        } catch (error) {
          replace(foot, problemNotice(error));
        }
      },
      { class: "button small" },
    );
    replace(foot, isMore ? more : null);
  };
  add(first);
  const heads = ["Document", "Calls", "Tokens sent", "Tokens received", "Cost"];
  return el(
    "details",
    { class: "fold after" },
    el("summary", {}, "Most expensive documents"),
    el("div", { class: "stack close" }, table("Usage and cost by document", heads, rows, null), foot),
  );
}

function documentRow({ source, usage }) {
  return row(source ? sourceName(source) : "deleted document", null, numbersOf(usage));
}

function numbersOf(usage) {
  const numbers = [usage.calls, usage.prompt_tokens, usage.completion_tokens].map((one) => one.toLocaleString("en"));
  return [...numbers, usage.money ? money(usage.money) : "–"];
}

function table(label, heads, rows, total) {
  const numbers = heads.length - (heads.includes("Model") ? 2 : 1);
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    el(
      "table",
      { class: "table" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((name, n) =>
            el("th", { scope: "col", class: n >= heads.length - numbers ? "number" : null }, name),
          ),
        ),
      ),
      rows instanceof Node ? rows : el("tbody", {}, rows),
      total ? el("tfoot", {}, total) : null,
    ),
  );
}

function row(what, second, numbers) {
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, what),
    second,
    numbers.map((one) => el("td", { class: "number" }, one)),
  );
}
