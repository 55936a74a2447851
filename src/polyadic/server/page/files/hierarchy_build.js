/** Build the hierarchy: its state, the options of a build, and a button. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { button, problemNotice } from "./parts.js";
import { counted } from "./words.js";

const EXTRA = "pip install 'polyadic[hierarchy]'";
const VERBS = { none: "Build hierarchy", outdated: "Update hierarchy", built: "Rebuild hierarchy" };

/**
 * A panel that says in which state the hierarchy is, and builds it.
 *
 * @param {object} ctx
 * @param {(job: object) => void} onJob called with each job that this starts
 * @returns {{node: HTMLElement, update: (hierarchy: object, settings: object) => void}}
 */
export function buildPanel(ctx, onJob) {
  const state = el("p", { class: "grow", role: "status" });
  const said = el("div", {});
  const options = buildOptions();
  const start = button(VERBS.none, () => build(), { class: "button primary", hidden: true });
  const hint = el("p", { class: "muted small", hidden: true });
  const build = async () => {
    start.disabled = true;
    replace(said);
    try {
      const path = workspacePath(ctx.workspace, "hierarchy");
      onJob(await ctx.api.post(`${path}?${options.query()}`, {}, { signal: ctx.signal }));
    } catch (error) {
      start.disabled = false;
      if (error.name !== "AbortError") {
        replace(said, problemNotice(error));
      }
    }
  };
  const update = (hierarchy, settings) => {
    const can = ctx.canWrite && hierarchy.installed && hierarchy.entities > 0;
    replace(state, stateOf(hierarchy));
    replace(start, VERBS[hierarchy.state]);
    start.hidden = !can;
    start.disabled = false;
    start.classList.toggle("primary", hierarchy.state !== "built");
    options.update(hierarchy, settings);
    options.node.hidden ||= !can;
    hint.hidden = can || !hierarchy.entities;
    replace(hint, hindrance(ctx, hierarchy));
  };
  const node = el(
    "section",
    { class: "panel stack close", "aria-label": "State of the hierarchy" },
    el("div", { class: "row" }, state, start),
    options.node,
    hint,
    said,
  );
  return { node, update };
}

function stateOf(hierarchy) {
  if (hierarchy.state === "none") {
    return [el("strong", {}, "Not built. "), "The hierarchy summarizes related facts across documents."];
  }
  if (hierarchy.state === "built") {
    return [el("strong", {}, "Up to date. "), "All current entities are included."];
  }
  const stale = hierarchy.layers.reduce((sum, layer) => sum + layer.stale, 0);
  const changes = [
    stale ? `${counted(stale, "cluster")} changed since` : "",
    hierarchy.unplaced ? `${counted(hierarchy.unplaced, "entity", "entities")} added since` : "",
  ].filter(Boolean);
  const what = changes.length
    ? `Not included until the hierarchy is updated: ${changes.join(", ")}.`
    : "Some reports are stale and are not shown until the hierarchy is updated.";
  return [el("strong", {}, "Outdated. "), what];
}

function hindrance(ctx, { installed }) {
  if (!ctx.canWrite) {
    return "Building the hierarchy requires a key with write access.";
  }
  return installed ? "" : `The server operator has to install the packages first: ${EXTRA}`;
}

/** Who writes the texts, a limit, and whether everything is rebuilt. */
function buildOptions() {
  const byModel = radio("model", "Language model");
  const extractive = radio("extractive", "Extractive: names and facts, without a language model");
  const rebuild = el("input", { type: "checkbox" });
  const authors = el("fieldset", { class: "stack close" }, el("legend", {}, "Texts"), byModel.node, extractive.node);
  const { limit, limited } = limitField();
  const whole = el("label", { class: "row choice-label" }, rebuild, "Cluster everything again and rewrite all texts");
  const node = el(
    "details",
    { class: "fold", hidden: true },
    el("summary", {}, "Options"),
    el("div", { class: "stack" }, authors, limited, whole),
  );
  const showLimit = () => {
    limited.hidden = authors.hidden || !byModel.input.checked;
  };
  authors.addEventListener("change", showLimit);
  let before = "";
  const update = (hierarchy, settings) => {
    if (hierarchy.state !== before) {
      // Building what is up to date again means to rebuild it.
      rebuild.checked = hierarchy.state === "built";
      before = hierarchy.state;
    }
    authors.hidden = settings.hierarchy_by !== "model" && !settings.model;
    whole.hidden = hierarchy.state === "none";
    if (!byModel.input.checked && !extractive.input.checked) {
      (settings.hierarchy_by === "model" ? byModel : extractive).input.checked = true;
    }
    node.hidden = authors.hidden && whole.hidden;
    showLimit();
  };
  const query = () =>
    new URLSearchParams({
      by: byModel.input.checked ? "model" : "extractive",
      rebuild: String(rebuild.checked && !whole.hidden),
      ...(limit.value && !limited.hidden ? { spend_tokens: limit.value } : {}),
    });
  return { node, update, query };
}

function limitField() {
  const limit = el("input", {
    id: "build-limit",
    type: "number",
    class: "field number-field",
    min: 0,
    step: 1,
    inputmode: "numeric",
    placeholder: "none",
    "aria-describedby": "build-limit-hint",
  });
  const limited = el(
    "div",
    { class: "row" },
    el("label", { for: "build-limit" }, "Token limit"),
    limit,
    el("span", { id: "build-limit-hint", class: "muted small" }, "A build that reaches it can be resumed."),
  );
  return { limit, limited };
}

function radio(value, label) {
  const input = el("input", { type: "radio", name: "build-by", value });
  return { input, node: el("label", { class: "row choice-label" }, input, label) };
}
