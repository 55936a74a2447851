/** The health check of a workspace. */

import { workspacePath } from "./api.js";
import { latest } from "./asking.js";
import { el, replace } from "./dom.js";
import { busy, button, problemNotice } from "./parts.js";
import { counted } from "./words.js";

const STATES = { good: "OK", doubtful: "Warning", bad: "Error" };
const FACTS_READ_UNASKED = 20_000;
const NAMES = {
  disk: "Disk",
  store: "Store",
  embedding: "Embedding model",
  model: "Language model",
  hierarchy: "Hierarchy",
};

/**
 * Run the health check and show its results.
 *
 * @param {object} ctx
 * @returns {{check: HTMLElement, done: Promise<void>}} `done` resolves after the first run,
 *   which needs a click in a large store
 */
export function checkSection(ctx) {
  const found = el("div", { role: "status" });
  const again = button("Check again", () => look.now(), { class: "button small" });
  const look = latest(
    async (signal) => {
      again.disabled = true;
      replace(found, busy("Checking store and models"));
      try {
        const report = await ctx.api.get(workspacePath(ctx.workspace, "check"), {}, { signal });
        replace(found, sum(report.findings), el("ul", { class: "list checks" }, report.findings.map(row)));
      } catch (error) {
        if (error.name === "AbortError") {
          throw error;
        }
        replace(found, problemNotice(error));
      } finally {
        again.disabled = false;
      }
    },
    0,
    ctx.signal,
  );
  const check = el("div", { class: "stack" }, found, el("div", {}, again));
  if (ctx.info.counts.facts > FACTS_READ_UNASKED) {
    replace(found, el("p", { class: "muted" }, "The check reads the whole store, which takes a while here."));
    replace(again, "Check now");
    return { check, done: Promise.resolve() };
  }
  return { check, done: look.now() };
}

function sum(findings) {
  const bad = findings.filter((one) => one.state === "bad").length;
  const doubtful = findings.filter((one) => one.state === "doubtful").length;
  if (!bad && !doubtful) {
    return el("p", { class: "muted" }, "OK: no problems found.");
  }
  const counts = [bad ? counted(bad, "error") : "", doubtful ? counted(doubtful, "warning") : ""];
  return el("p", {}, `${counts.filter(Boolean).join(", ")}.`);
}

function row(finding) {
  return el(
    "li",
    { class: "check", data: { state: finding.state } },
    el("span", { class: "check-state" }, STATES[finding.state]),
    el(
      "div",
      { class: "grow" },
      el("strong", {}, NAMES[finding.what] ?? finding.what),
      el("p", {}, finding.detail),
      finding.next_step ? el("p", { class: "small check-next" }, `What to do: ${finding.next_step}`) : null,
    ),
  );
}
