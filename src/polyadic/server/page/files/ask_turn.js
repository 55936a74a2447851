/** One question and its streamed answer. */

import { Problem, workspacePath } from "./api.js";
import { answered, bill, sources, unanswered, unsupported } from "./ask_answer.js";
import { why } from "./ask_why.js";
import { el, replace } from "./dom.js";
import { notice, problemNotice } from "./parts.js";
import { rendered } from "./rendered.js";
import { duration, total, traceList } from "./trace.js";

/** A question with the events received so far. */
export class Turn {
  /**
   * @param {string} question
   * @param {object} request options of the request besides question and history
   */
  constructor(question, request) {
    this.question = question;
    this.request = request;
    this.steps = [];
    this.blocks = [];
    this.answer = null;
    this.error = null;
    this.state = "asking";
    this.abort = new AbortController();
    /** Called on every event; set by the element that shows this turn. */
    this.onNews = () => {};
  }

  /**
   * Send the question; aborted if the user leaves the view.
   *
   * @param {object} ctx
   * @param {Array<{question: string, answer: string}>} history
   */
  async ask(ctx, history) {
    const body = { question: this.question, history, rendered: true, ...this.request };
    const signal = AbortSignal.any([this.abort.signal, ctx.signal]);
    try {
      const path = workspacePath(ctx.workspace, "query/stream");
      for await (const { event, data } of ctx.api.events(path, { method: "POST", body, signal })) {
        this.#take(event, data);
        this.onNews();
      }
      if (!this.answer) {
        throw new Problem(0, "broken-off", "the answer is incomplete: the server may have been stopped");
      }
    } catch (error) {
      this.state = error.name === "AbortError" ? "stopped" : "failed";
      this.error = error;
      if (this.state === "failed" && !(error instanceof Problem)) {
        reportError(error);
      }
      this.onNews();
    }
  }

  #take(event, data) {
    if (event === "step") {
      this.steps.push(data);
    } else if (event === "blocks") {
      this.blocks.splice(data.start, Infinity, ...data.blocks);
      this.state = "writing";
    } else if (event === "answer") {
      this.answer = data;
      this.steps = data.trace;
      this.state = "done";
    } else if (event === "problem") {
      throw new Problem(0, data.type.replace("urn:polyadic:problem:", ""), data.detail);
    }
  }
}

/** The element of a turn; its parts are redrawn when they change. */
export class TurnView {
  /**
   * @param {object} ctx
   * @param {Turn} turn
   * @param {{again: (turn: Turn) => void, withoutFilter: (turn: Turn) => void}} offers
   */
  constructor(ctx, turn, offers) {
    this.ctx = ctx;
    this.turn = turn;
    this.offers = offers;
    this.understood = el("p", { class: "muted small", hidden: true });
    this.summary = el("summary", { class: "muted small" });
    this.steps = el("div", {});
    this.trace = el("details", { class: "how", open: turn.state === "asking" }, this.summary, this.steps);
    this.prose = el("div", { class: "answer-text rendered" });
    this.below = el("div", { class: "stack" });
    this.root = el(
      "article",
      { class: "turn" },
      el("h2", { class: "question", tabindex: "-1" }, turn.question),
      this.understood,
      this.trace,
      this.prose,
      this.below,
    );
    this.waiting = false;
    turn.onNews = () => this.news();
    this.news();
  }

  /** Redraw; several events within one frame are drawn once. */
  news() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.#draw();
      });
    }
  }

  #draw() {
    const { turn } = this;
    if (turn.state !== "asking" && !this.folded) {
      this.folded = true;
      this.trace.open = false;
    }
    this.root.setAttribute("aria-busy", String(turn.state === "asking" || turn.state === "writing"));
    this.trace.hidden = turn.state !== "asking" && !turn.steps.length;
    replace(this.summary, progress(turn));
    replace(this.steps, traceList(turn.steps));
    if (turn.answer) {
      this.#drawAnswer(turn.answer);
    } else {
      replace(this.prose, rendered(turn.blocks, pending));
      replace(this.below, this.#ending());
    }
  }

  #drawAnswer(answer) {
    const differs = answer.question.trim() !== this.turn.question.trim();
    this.understood.hidden = !differs;
    replace(this.understood, differs ? `Understood as: ${answer.question}` : null);
    if (answer.answered) {
      replace(this.prose, answered(this.ctx, answer, this.turn.blocks));
      replace(this.below, unsupported(answer), sources(this.ctx, answer), why(this.ctx, answer), bill(answer));
    } else {
      replace(this.prose);
      replace(
        this.below,
        unanswered(this.ctx, this.turn, this.offers),
        answer.knowledge.items.length ? why(this.ctx, answer) : null,
        bill(answer),
      );
    }
  }

  #ending() {
    const { state, error } = this.turn;
    const again = () => this.offers.again(this.turn);
    if (state === "failed") {
      return problemNotice(error, again);
    }
    return state === "stopped" ? notice("info", "Stopped before the answer was complete.") : null;
  }
}

/** A marker whose source is not known yet. */
function pending(marker) {
  return el("sup", { class: "citation pending" }, marker);
}

function progress({ state, steps, answer }) {
  const spinner = el("span", { class: "spinner", "aria-hidden": "true" });
  if (state === "asking") {
    return [spinner, steps.length ? `${steps.at(-1).name} …` : "Searching …"];
  }
  if (state === "writing") {
    return [spinner, `Writing, after ${steps.length} steps in ${duration(total(steps))}`];
  }
  const method = answer?.knowledge.method ? `${answer.knowledge.method}: ` : "";
  return `${method}${steps.length} steps in ${duration(total(steps))}`;
}
