/** Options of a question: retrieval method, who writes the answer, with what effort and checks, and document filter. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { button, problemNotice } from "./parts.js";
import { sourceName } from "./words.js";

const METHODS = [
  ["auto", "Choose by workspace: walk, or chunks if there are few facts."],
  ["walk", "Two-pass PageRank over facts and passages, for questions that take several steps."],
  ["hypergraph", "The facts nearest to the question and its entities, with passages (HyperGraphRAG)."],
  ["hierarchy", "Nearest entities, reports on their communities, and connecting facts (HiRAG). Needs a hierarchy."],
  ["graphrag", "Reports on the communities around the nearest entities (GraphRAG). Needs a hierarchy."],
  ["chunks", "The passages most similar to the question only."],
  ["hipporag2", "Passages by PageRank over entities (HippoRAG 2)."],
  ["lightrag", "Pairs of entities and the passages that state them (LightRAG)."],
  ["pathrag", "Pairs along paths between the entities of the question (PathRAG)."],
  ["none", "No retrieval: a language model answers from its own knowledge, without citations."],
];
const WRITERS = [
  ["", "Workspace default"],
  ["model", "Language model"],
  ["quotes", "Quotations, without a language model"],
];
const EFFORTS = [
  ["", "Workspace default"],
  ["low", "One search"],
  ["medium", "Search on for what is missing: up to 3 model calls"],
  ["high", "Search on for what is missing: up to 6 model calls"],
];
const CHECKS = [
  ["", "Workspace default"],
  ["yes", "Checked by a language model: one more call"],
  ["no", "Not checked by a language model"],
];
const DOCUMENTS_SHOWN = 30;
const PAUSE = 200;
let made = 0;

/** The chosen options, kept while the page is open. */
export class Choices {
  constructor() {
    this.method = "";
    this.by = "";
    this.effort = "";
    this.check = "";
    this.documents = new Map();
  }

  /**
   * Return the options as fields of a request.
   *
   * @returns {object}
   */
  request() {
    const said = {};
    if (this.method) {
      said.method = this.method;
    }
    if (this.by) {
      said.by = this.by;
    }
    if (this.effort) {
      said.effort = this.effort;
    }
    if (this.check) {
      said.check_claims = this.check === "yes";
    }
    if (this.documents.size) {
      said.only = { documents: [...this.documents.keys()] };
    }
    return said;
  }
}

/**
 * The two option menus.
 *
 * @param {object} ctx
 * @param {Choices} choices which they change
 * @returns {HTMLElement[]}
 */
export function choosers(ctx, choices) {
  return [methodChooser(ctx, choices), documentChooser(ctx, choices)];
}

function methodChooser(ctx, choices) {
  const label = el("span", {});
  const say = () => replace(label, `Method: ${choices.method || ctx.info.method}`);
  const methods = METHODS.filter(([name]) => name !== "none" || ctx.info.model);
  const groups = [
    radios("Retrieval method", methods, choices.method || ctx.info.method, (name) => {
      choices.method = name;
      say();
    }),
  ];
  if (ctx.info.model) {
    groups.push(
      radios("Answer by", titled(WRITERS), choices.by, (name) => {
        choices.by = name;
      }),
      radios("Effort", titled(EFFORTS), choices.effort, (name) => {
        choices.effort = name;
      }),
      radios("Claims", titled(CHECKS), choices.check, (name) => {
        choices.check = name;
      }),
    );
  }
  say();
  return popper(label, el("div", { class: "stack" }, groups));
}

function titled(entries) {
  return entries.map(([name, title]) => [name, "", title]);
}

function radios(legend, entries, chosen, onChosen) {
  made += 1;
  const group = `choice-${made}`;
  const rows = entries.map(([name, sentence, title = name]) =>
    el(
      "label",
      { class: "option" },
      el("input", {
        type: "radio",
        name: group,
        value: name,
        checked: name === chosen,
        on: { change: () => onChosen(name) },
      }),
      el("span", { class: "grow" }, el("b", {}, title), sentence ? el("span", { class: "muted" }, sentence) : null),
    ),
  );
  return el("fieldset", { class: "options" }, el("legend", {}, legend), rows);
}

function documentChooser(ctx, choices) {
  const label = el("span", {});
  const list = el("div", { class: "options" });
  const say = () => {
    const { size } = choices.documents;
    replace(
      label,
      size ? `Only ${size === 1 ? [...choices.documents.values()][0] : `${size} documents`}` : "All documents",
    );
    label.parentElement?.classList.toggle("chosen", size > 0);
  };
  const redraw = () => {
    say();
    find(ctx, choices, search.value, list, say);
  };
  let waiting = 0;
  const search = el("input", {
    type: "search",
    class: "field",
    placeholder: "Part of a title or name",
    "aria-label": "Find documents",
    on: {
      input: () => {
        clearTimeout(waiting);
        waiting = setTimeout(redraw, PAUSE);
      },
    },
  });
  const all = button(
    "All documents",
    () => {
      choices.documents.clear();
      redraw();
    },
    { class: "button small" },
  );
  const hint = el("p", { class: "muted small" }, "Only the selected documents are searched.");
  const opened = popper(label, el("div", { class: "stack close" }, hint, search, list, all));
  opened.addEventListener("toggle", () => opened.open && redraw());
  say();
  return opened;
}

async function find(ctx, choices, words, list, say) {
  try {
    const query = { search: words, limit: DOCUMENTS_SHOWN };
    const found = await ctx.api.get(workspacePath(ctx.workspace, "documents"), query, { signal: ctx.signal });
    const more = found.total - found.documents.length;
    replace(
      list,
      found.documents.map((document) => documentRow(document, choices, say)),
      found.total ? null : el("p", { class: "muted small" }, "No matching documents."),
      more > 0 ? el("p", { class: "muted small" }, `${more.toLocaleString("en")} more: type part of the name.`) : null,
    );
  } catch (error) {
    if (error.name !== "AbortError") {
      replace(list, problemNotice(error));
    }
  }
}

function documentRow(document, choices, say) {
  const name = document.title || sourceName(document.source);
  const change = (event) => {
    if (event.target.checked) {
      choices.documents.set(document.id, name);
    } else {
      choices.documents.delete(document.id);
    }
    say();
  };
  const tick = el("input", { type: "checkbox", checked: choices.documents.has(document.id), on: { change } });
  return el("label", { class: "option" }, tick, el("span", { class: "grow" }, name));
}

function popper(label, content) {
  return el(
    "details",
    { class: "popper up", data: { closes: "" } },
    el("summary", { class: "button quiet small" }, label, icon("down", 14)),
    el("div", { class: "pop chooser" }, content),
  );
}
