/** A conversation: its turns, asking the next question, and saving both in the browser. */

import { Turn } from "./ask_turn.js";
import { toast } from "./parts.js";

const MOST_TURNS_SENT = 20;

/** Questions and answers on one workspace; answers are completed also while no view shows them. */
export class Conversation {
  /**
   * @param {import("./conversation_store.js").ConversationStore} store
   * @param {object} [saved] as the store has it
   */
  constructor(store, saved = null) {
    this.store = store;
    this.id = saved?.id ?? newId();
    /** When it was saved last, as far as this tab knows. */
    this.changed = saved?.changed ?? "";
    this.turns = (saved?.turns ?? []).map(Turn.of);
    this.deleted = false;
    /** Called with each turn whose answer is complete; returns whether a view shows it. */
    this.onDone = () => false;
  }

  /** @returns {Turn|null} the turn that is being answered */
  get running() {
    return this.turns.find((turn) => turn.isRunning) ?? null;
  }

  /**
   * Ask a question after the turns so far.
   *
   * @param {object} ctx
   * @param {string} question
   * @param {object} request options of the request
   * @param {(turn: Turn) => void} onTurn called with the new turn
   */
  async ask(ctx, question, request, onTurn) {
    const history = this.turns
      .filter(({ answer }) => answer?.answered)
      .slice(-MOST_TURNS_SENT)
      .map((turn) => ({ question: turn.question, answer: turn.answer.text }));
    const turn = new Turn(question, request);
    turn.onEnd = () => this.save();
    this.turns.push(turn);
    this.save();
    onTurn(turn);
    await turn.ask(ctx, history);
    if (!this.onDone(turn) && turn.state === "done" && !this.deleted) {
      toast(`Answered: ${question}`);
    }
  }

  /** Look up again what the answers quote; answers whose documents have gone or changed are removed. */
  async check(ctx) {
    const known = new Map();
    const removed = await Promise.all(this.turns.map((turn) => turn.check(ctx, known)));
    if (removed.includes(true)) {
      this.save();
    }
  }

  /** Remove a turn and those after it. */
  removeFrom(turn) {
    const removed = this.turns.splice(this.turns.indexOf(turn));
    for (const one of removed) {
      one.abort.abort();
    }
    this.save();
  }

  save() {
    if (this.deleted) {
      return;
    }
    if (!this.turns.length) {
      this.store.delete(this.id);
      return;
    }
    if (this.#isContinuedElsewhere()) {
      this.#part();
    }
    this.changed = new Date().toISOString();
    const turns = this.turns.map((turn) => turn.saved());
    if (!this.store.put({ id: this.id, changed: this.changed, turns })) {
      toast("The browser has no room for this conversation: it is not kept. Delete older ones.");
    }
  }

  /** Whether another tab has asked other questions in this conversation. */
  #isContinuedElsewhere() {
    const saved = this.store.get(this.id);
    return (
      saved !== null &&
      saved.changed !== this.changed &&
      saved.turns.some(({ question }, n) => question !== this.turns[n]?.question)
    );
  }

  /** Become a conversation of its own, so that what the other tab has saved stays. */
  #part() {
    const isOpen = this.store.open === this.id;
    this.id = newId();
    if (isOpen) {
      this.store.open = this.id;
    }
  }

  /** Delete the conversation and stop its answer. */
  delete() {
    this.deleted = true;
    this.running?.abort.abort();
    this.store.delete(this.id);
  }
}

/** crypto.randomUUID() is missing over plain HTTP. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
