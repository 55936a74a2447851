/** One question and its streamed answer: what has arrived of it, and how it is kept in the browser. */

import { Problem, workspacePath } from "./api.js";
import { lookUp, restored, slim } from "./ask_saved.js";

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
    /** Called when the answer is complete (the stream may end later), has failed or was stopped. */
    this.onEnd = () => {};
  }

  /** A kept turn; an answer that was not complete when it was kept was stopped. */
  static of({ question, request, state, answer, blocks, error }) {
    const turn = new Turn(question, request);
    turn.state = state;
    turn.error = error ? new Problem(0, "kept", error) : null;
    if (turn.isRunning || (state === "done" && !answer)) {
      turn.state = "stopped";
    } else if (answer) {
      turn.answer = restored(answer);
      turn.blocks = blocks;
    }
    return turn;
  }

  get isRunning() {
    return this.state === "asking" || this.state === "writing";
  }

  /** @returns {object} the turn as it is kept: of an answer that is not complete, nothing */
  saved() {
    const { question, request, state, answer, error } = this;
    const kept = answer ? { answer: slim(answer), blocks: this.blocks } : {};
    return { question, request, state, error: state === "failed" ? error.message : "", ...kept };
  }

  /**
   * Look up what the answer quotes; if a cited document is gone or has changed, the answer is removed.
   *
   * @param {object} ctx
   * @param {Map} known see lookUp()
   * @returns {Promise<boolean>} whether it was removed
   */
  async check(ctx, known) {
    if (!this.answer || (await lookUp(ctx, this.answer, known))) {
      return false;
    }
    Object.assign(this, { answer: null, blocks: [], steps: [], state: "withdrawn" });
    return true;
  }

  /**
   * Send the question; it is answered also if the user leaves the view.
   *
   * @param {object} ctx
   * @param {Array<{question: string, answer: string}>} history
   */
  async ask(ctx, history) {
    const body = { question: this.question, history, rendered: true, ...this.request };
    const { signal } = this.abort;
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
      this.onEnd();
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
      this.onEnd();
    } else if (event === "problem") {
      throw new Problem(0, data.type.replace("urn:polyadic:problem:", ""), data.detail);
    }
  }
}
