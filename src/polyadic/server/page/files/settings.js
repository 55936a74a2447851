/** Settings: how the workspace is set up, what it holds, whether it is well, what was paid, and how this page looks. */

import { workspacePath } from "./api.js";
import { checkSection } from "./check.js";
import { el, replace } from "./dom.js";
import { ledgerSection } from "./ledger.js";
import { busy, problemNotice } from "./parts.js";
import { bytes, counted } from "./words.js";

export const title = "Settings";
const LOOK = "polyadic-look";
const LOOKS = { system: "As the system", light: "Light", dark: "Dark" };

/**
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const setUp = el("div", {}, busy("Looking at the settings"));
  const about = el("p", { class: "muted" });
  const { check, done } = checkSection(ctx);
  replace(
    root,
    el(
      "div",
      { class: "stack wide-gap" },
      el("h1", {}, title),
      el("div", { class: "cards" }, card("How it works", setUp), card("What it holds", held(ctx.info))),
      card("Is all well?", check),
      card("What models were paid", ledgerSection(ctx)),
      el("div", { class: "cards" }, card("Colours of this page", looks(ctx)), card("About", about)),
    ),
  );
  await Promise.all([drawSettings(ctx, setUp, about), done]);
}

async function drawSettings(ctx, setUp, about) {
  try {
    const path = workspacePath(ctx.workspace, "settings");
    const settings = await ctx.api.get(path, {}, { signal: ctx.signal });
    replace(setUp, pairs(rowsOf(settings)), hint());
    replace(
      about,
      `Polyadic ${settings.version}: documents as n-ary facts, questions with cited answers. `,
      // A link sends no key.
      ctx.api.key
        ? "The API describes itself at /v1/openapi.json."
        : el("a", { href: "/v1/openapi.json", target: "_blank", rel: "noopener" }, "The API's description"),
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
    ["Language model", settings.model || "none, and none is needed"],
    ["Embedding model", settings.embedder],
    ["Facts are read by", isByModel ? settings.model : "sentences, without a language model"],
    settings.entity_types.length ? ["Types of entities", settings.entity_types.join(", ")] : null,
    isByModel && settings.gleanings ? ["Further looks at a chunk", String(settings.gleanings)] : null,
    ["A chunk has about", `${counted(settings.chunk_tokens, "token")}, ${settings.chunk_overlap} of them repeated`],
    ["Language", settings.language === "auto" ? "found out by itself" : settings.language],
    ["Questions are asked by", `method ${settings.method}`],
    ["Knowledge for a question", `up to ${counted(settings.context_tokens, "token")}`],
    ["Answers are", settings.answers === "model" ? `written by ${settings.model}` : "quoted sentences"],
    ["Themes are", settings.themes_by === "model" ? `written by ${settings.model}` : "extractive, of names and facts"],
  ].filter(Boolean);
}

function hint() {
  return el(
    "p",
    { class: "muted small after" },
    "Set by whoever runs the server, in the workspace's polyadic.toml; what is changed there holds from the next request on.",
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
      "Entities a fact",
      counts.facts ? `${(counts.participations / counts.facts).toFixed(1)} on average, at most ${largest}` : "–",
    ],
    ["Evidence without a fact", counted(counts.evidence - counts.stated, "statement")],
    ["Vectors", counts.vectors ? `${counts.vectors.toLocaleString("en")} of ${counts.dimension} numbers` : "–"],
    ["On disk", bytes(info.bytes)],
    ["Your access", info.access === "write" ? "reading and writing" : "reading"],
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
