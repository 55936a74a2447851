/** Settings view: settings and contents of the workspace, health check, usage and cost, export, and theme. */

import { workspacePath } from "./api.js";
import { checkSection } from "./check.js";
import { el, replace } from "./dom.js";
import { exportSection } from "./export.js";
import { ledgerSection } from "./ledger.js";
import { busy, problemNotice } from "./parts.js";
import { bytes, counted } from "./words.js";

export const title = "Settings";
const LOOK = "polyadic-look";
const LOOKS = { system: "System", light: "Light", dark: "Dark" };

/**
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const setUp = el("div", {});
  const about = el("p", { class: "muted" });
  replace(root, el("h1", {}, title), busy("Loading settings"));
  // What is below the settings would move if they were shown later.
  await drawSettings(ctx, setUp, about);
  // Keys that show only some documents have no access to the health check and the costs of all.
  const { check, done } = ctx.isFiltered ? {} : checkSection(ctx);
  replace(
    root,
    el(
      "div",
      { class: "stack wide-gap" },
      el("h1", {}, title),
      el("div", { class: "cards" }, card("Configuration", setUp), card("Contents", held(ctx.info))),
      check ? card("Health check", check) : null,
      ctx.isFiltered ? null : card("Usage and cost", ledgerSection(ctx)),
      ctx.info.counts.documents ? card("Export", exportSection(ctx)) : null,
      el("div", { class: "cards" }, card("Appearance", looks(ctx)), card("About", about)),
    ),
  );
  await done;
}

async function drawSettings(ctx, setUp, about) {
  try {
    const path = workspacePath(ctx.workspace, "settings");
    const settings = await ctx.api.get(path, {}, { signal: ctx.signal });
    replace(setUp, pairs(rowsOf(settings)), hint());
    replace(
      about,
      `Polyadic ${settings.version}: documents as n-ary facts, questions with cited answers. `,
      // A plain link would not send the key.
      ctx.api.key
        ? "API description: /v1/openapi.json."
        : el("a", { href: "/v1/openapi.json", target: "_blank", rel: "noopener" }, "API description"),
    );
  } catch (error) {
    if (error.name !== "AbortError") {
      replace(setUp, problemNotice(error, ctx.reload));
    }
  }
}

function rowsOf(settings) {
  const isByModel = settings.extractor === "model";
  return [
    ["Language model", settings.model || "none (optional)"],
    ["Embedding model", settings.embedder],
    ["Extraction by", isByModel ? settings.model : "sentences, without a language model"],
    settings.entity_types.length ? ["Entity types", settings.entity_types.join(", ")] : null,
    isByModel && settings.gleanings ? ["Further extraction passes", String(settings.gleanings)] : null,
    ["Chunk size", `about ${counted(settings.chunk_tokens, "token")}, ${settings.chunk_overlap} overlapping`],
    ["Language", settings.language === "auto" ? "detected automatically" : settings.language],
    ["Retrieval method", settings.method],
    ["Context for a question", `up to ${counted(settings.context_tokens, "token")}`],
    ["Answers", settings.answers === "model" ? `written by ${settings.model}` : "quoted sentences"],
    [
      "Hierarchy",
      settings.hierarchy_by === "model" ? `written by ${settings.model}` : "extractive, from names and facts",
    ],
  ].filter(Boolean);
}

function hint() {
  return el(
    "p",
    { class: "muted small after" },
    "Set in the workspace's polyadic.toml by the server operator; changes apply from the next request on.",
  );
}

function held(info) {
  const { counts, arities } = info;
  const largest = Math.max(0, ...Object.keys(arities).map(Number));
  return pairs([
    ["Documents", counts.documents.toLocaleString("en")],
    ["Chunks", counts.chunks.toLocaleString("en")],
    ["Facts", counts.facts.toLocaleString("en")],
    ["Entities", counts.entities.toLocaleString("en")],
    [
      "Entities per fact",
      counts.facts ? `${(counts.participations / counts.facts).toFixed(1)} on average, at most ${largest}` : "–",
    ],
    ["Evidence without a fact", counted(counts.evidence - counts.evidence_with_fact, "piece")],
    ["Vectors", counts.vectors ? `${counts.vectors.toLocaleString("en")} with ${counts.dimension} dimensions` : "–"],
    ["On disk", info.filtered ? "–" : bytes(info.bytes)],
    ["Your access", info.access === "write" ? "read and write" : info.filtered ? "read some documents" : "read only"],
  ]);
}

function pairs(rows) {
  return el(
    "dl",
    { class: "pairs" },
    rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

function looks(ctx) {
  const now = localStorage.getItem(LOOK) ?? "system";
  const choose = (name) => {
    if (name === "system") {
      localStorage.removeItem(LOOK);
      delete document.documentElement.dataset.theme;
    } else {
      localStorage.setItem(LOOK, name);
      document.documentElement.dataset.theme = name;
    }
    // The header shows it as well.
    ctx.reload();
  };
  return el(
    "fieldset",
    { class: "row looks" },
    el("legend", { class: "visually-hidden" }, "Colours"),
    Object.entries(LOOKS).map(([name, label]) =>
      el(
        "label",
        { class: "look" },
        el("input", {
          type: "radio",
          name: "look",
          value: name,
          checked: name === now,
          on: { change: () => choose(name) },
        }),
        label,
      ),
    ),
  );
}

function card(heading, ...content) {
  return el("section", { class: "card panel stack", "aria-label": heading }, el("h2", {}, heading), content);
}
