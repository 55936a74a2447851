/** One side of a comparison: a method, its streamed answer and its knowledge. */

import { Problem, workspacePath } from "./api.js";
import { answered, understoodAs } from "./ask_answer.js";
import { keyOf } from "./compare_sum.js";
import { el, replace } from "./dom.js";
import { busy, notice, problemNotice } from "./parts.js";
import { rendered } from "./rendered.js";
import { openPlace } from "./source.js";
import { duration, total } from "./trace.js";
import { counted, money, sourceName } from "./words.js";

const KINDS = { fact: "Fact", chunk: "Passage", entity: "Entity", report: "Report" };

/** A method and its result. */
export class Side {
  /**
   * @param {object} ctx
   * @param {string} label
   * @param {string[]} methods the available methods
   * @param {string} chosen
   */
  constructor(ctx, label, methods, chosen) {
    this.ctx = ctx;
    this.choice = el(
      "select",
      { class: "field", "aria-label": label },
      methods.map((name) => el("option", { value: name, selected: name === chosen }, name)),
    );
    this.state = el("div", {});
    this.answer = el("div", { class: "said answer-text rendered" });
    this.sums = el("dl", { class: "sums", hidden: true });
    this.knowledge = el("div", {});
    this.items = new Map();
    this.node = el(
      "section",
      { class: "side panel stack", "aria-label": label, data: { which: "all" } },
      el("div", { class: "row" }, this.choice),
      this.state,
      this.answer,
      this.sums,
      this.knowledge,
    );
  }

  get method() {
    return this.choice.value;
  }

  /**
   * Send the question and show the streamed answer.
   *
   * @param {string} question
   * @param {AbortSignal} signal
   * @returns {Promise<object|null>} the complete answer; null if there was none
   */
  async ask(question, signal) {
    replace(this.state, busy("Searching"));
    replace(this.answer);
    replace(this.knowledge);
    this.sums.hidden = true;
    this.node.dataset.which = "all";
    try {
      const { answer, blocks } = await this.#streamed(question, signal);
      this.#draw(question, answer, blocks);
      return answer;
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(this.state, problemNotice(error));
      }
      return null;
    }
  }

  /**
   * Mark the items that the other method found too.
   *
   * @param {Set<string>} common keys of items
   */
  mark(common) {
    for (const [key, row] of this.items) {
      const isCommon = common.has(key);
      row.dataset.found = isCommon ? "both" : "one";
      row.querySelector(".found").textContent = isCommon ? "in both" : "only here";
    }
  }

  async #streamed(question, signal) {
    const path = workspacePath(this.ctx.workspace, "query/stream");
    const body = { question, method: this.method, rendered: true };
    const blocks = [];
    for await (const { event, data } of this.ctx.api.events(path, { method: "POST", body, signal })) {
      if (event === "blocks") {
        blocks.splice(data.start, Infinity, ...data.blocks);
        replace(this.state, busy("Answering"));
        replace(
          this.answer,
          rendered(blocks, () => null),
        );
      } else if (event === "problem") {
        throw new Problem(data.status, data.type, data.detail, data.request_id);
      } else if (event === "answer") {
        return { answer: data, blocks };
      }
    }
    throw new Problem(0, "ended", "the answer is incomplete: try again");
  }

  #draw(question, answer, blocks) {
    const refused = answer.answered ? null : notice("info", "No supported answer with this method.");
    replace(this.state, understoodAs(question, answer), refused);
    replace(this.answer, answered(this.ctx, answer, blocks));
    const { usage, knowledge, trace } = answer;
    const tokens = usage.prompt_tokens + usage.completion_tokens;
    const sums = [
      ["Time", duration(total(trace))],
      ["Knowledge", counted(knowledge.tokens, "token")],
      [
        "Language model",
        usage.calls ? `${counted(tokens, "token")}${usage.money ? `, ${money(usage.money)}` : ""}` : "not used",
      ],
      ["Method", knowledge.method],
    ];
    replace(
      this.sums,
      sums.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    );
    this.sums.hidden = false;
    this.#drawKnowledge(answer);
  }

  #drawKnowledge({ knowledge, note }) {
    this.items.clear();
    const rows = knowledge.items.map((item) => {
      const row = this.#item(item);
      this.items.set(keyOf(item), row);
      return row;
    });
    const omitted = knowledge.omitted ? `, ${knowledge.omitted.toLocaleString("en")} more did not fit` : "";
    replace(
      this.knowledge,
      [note, note.includes(knowledge.note) ? "" : knowledge.note]
        .filter(Boolean)
        .map((one) => el("p", { class: "muted small found-note" }, one)),
      el("h3", {}, `Retrieved knowledge: ${counted(rows.length, "item")}${omitted}`),
      el("ol", { class: "list found-items" }, rows),
    );
  }

  #item(item) {
    const [place] = item.places;
    const said = el("span", { class: "said clamp" }, item.text);
    const about = el(
      "span",
      { class: "small muted found-line" },
      el("span", {}, KINDS[item.kind] ?? item.kind),
      place ? el("span", {}, place.title || sourceName(place.source)) : null,
      el("span", { class: "found" }),
    );
    const open = () => openPlace(this.ctx, place);
    return el(
      "li",
      {},
      place
        ? el("button", { type: "button", class: "place", title: item.why, on: { click: open } }, said, about)
        : el("div", { class: "place" }, said, about),
    );
  }
}
