/** The element of a question and its answer. */

import { answered, bill, sources, unanswered, understoodAs, unsupported } from "./ask_answer.js";
import { why } from "./ask_why.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { button, notice, problemNotice } from "./parts.js";
import { rendered } from "./rendered.js";
import { duration, total, traceList } from "./trace.js";

/** The step that ends retrieval; what follows is not a step until it has ended. */
const LAST_STEP = "fit";

/** Most characters of a question. */
export const LONGEST_QUESTION = 10_000;

/** The element of a turn; its parts are redrawn when they change. */
export class TurnView {
  /**
   * @param {object} ctx
   * @param {import("./ask_turn.js").Turn} turn
   * @param {{again: () => void, edit: (question: string) => void, withoutFilter: () => void}} offers
   */
  constructor(ctx, turn, offers) {
    this.ctx = ctx;
    this.turn = turn;
    this.offers = offers;
    this.understood = el("div", { hidden: true });
    this.summary = el("summary", { class: "muted small" });
    this.steps = el("div", {});
    this.trace = el("details", { class: "how", open: turn.state === "asking" }, this.summary, this.steps);
    this.prose = el("div", { class: "answer-text rendered" });
    this.below = el("div", { class: "stack" });
    this.question = el("h2", { class: "question", tabindex: "-1" }, turn.question);
    this.actions = this.#actions();
    this.root = el(
      "article",
      { class: "turn" },
      this.question,
      this.understood,
      this.trace,
      this.prose,
      this.below,
      this.actions,
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
    this.root.setAttribute("aria-busy", String(turn.isRunning));
    this.actions.hidden = turn.isRunning;
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
    const understood = understoodAs(this.turn.question, answer);
    this.understood.hidden = !understood;
    replace(this.understood, understood);
    // Kept answers come without the knowledge that they are based on.
    const explained = answer.knowledge.items.length ? why(this.ctx, answer) : null;
    if (answer.answered) {
      replace(this.prose, answered(this.ctx, answer, this.turn.blocks));
      replace(this.below, unsupported(answer), sources(this.ctx, answer), explained, bill(answer));
    } else {
      replace(this.prose);
      replace(this.below, unanswered(this.ctx, this.turn, this.offers), explained, bill(answer));
    }
  }

  #ending() {
    const { state, error } = this.turn;
    if (state === "failed") {
      return problemNotice(error, this.offers.again);
    }
    if (state === "withdrawn") {
      return notice("warning", "A document that this answer quotes was deleted or changed, so the answer was removed.");
    }
    return state === "stopped" ? notice("info", "Stopped before the answer was complete.") : null;
  }

  #actions() {
    const edit = button([icon("edit", 16), "Edit question"], () => this.#edit(edit), { class: "button quiet small" });
    const again = button([icon("again", 16), "Regenerate"], this.offers.again, { class: "button quiet small" });
    return el("div", { class: "row turn-actions" }, again, edit);
  }

  /** Put a form in place of the question. */
  #edit(opener) {
    const box = el("textarea", {
      class: "field edit-box",
      rows: 3,
      maxlength: LONGEST_QUESTION,
      "aria-label": "Edited question",
      value: this.turn.question,
    });
    const end = () => {
      form.replaceWith(this.question);
      this.actions.hidden = false;
      opener.focus();
    };
    const form = el(
      "form",
      { class: "stack close" },
      box,
      el(
        "div",
        { class: "row end" },
        button("Cancel", end),
        el("button", { type: "submit", class: "button primary" }, "Ask"),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (box.value.trim()) {
        end();
        this.offers.edit(box.value.trim());
      }
    });
    box.addEventListener("keydown", (event) => endOrSubmit(event, form, end));
    this.question.replaceWith(form);
    this.actions.hidden = true;
    box.focus();
  }
}

/** A marker whose source is not known yet. */
function pending(marker) {
  return el("sup", { class: "citation pending" }, marker);
}

function progress({ state, steps, answer }) {
  const spinner = el("span", { class: "spinner", "aria-hidden": "true" });
  if (state === "asking") {
    return [spinner, steps.at(-1)?.name === LAST_STEP ? "Waiting for the answer …" : "Searching …"];
  }
  if (state === "writing") {
    return [spinner, `Writing, after ${steps.length} steps in ${duration(total(steps))}`];
  }
  const method = answer?.knowledge.method ? `${answer.knowledge.method}: ` : "";
  return `${method}${steps.length} steps in ${duration(total(steps))}`;
}

/** Enter asks and Escape cancels, as elsewhere. */
function endOrSubmit(event, form, end) {
  if (event.key === "Escape") {
    event.preventDefault();
    end();
  } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
}
