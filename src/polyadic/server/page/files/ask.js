/** Chat view: a conversation, and the input for the next question. */

import { workspacePath } from "./api.js";
import { Choices, choosers } from "./ask_choices.js";
import { Turn, TurnView } from "./ask_turn.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { button, empty } from "./parts.js";
import { counted } from "./workspaces.js";

export const title = "Ask";

const LONGEST = 10_000;
const TURNS_TOLD = 20;
const STARTERS = 5;
/** Conversations by workspace, kept while the page is open, so that opening a document does not end one. */
const conversations = new Map();

/**
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const held = conversations.get(ctx.workspace) ?? { turns: [], choices: new Choices() };
  conversations.set(ctx.workspace, held);
  if (!ctx.info.counts.documents && !held.turns.length) {
    replace(root, nothingYet(ctx));
    return;
  }
  new Conversation(root, ctx, held).draw();
}

class Conversation {
  constructor(root, ctx, held) {
    this.root = root;
    this.ctx = ctx;
    this.turns = held.turns;
    this.choices = held.choices;
    this.running = null;
    this.log = el("div", { class: "turns" });
    this.status = el("p", { class: "visually-hidden", role: "status" });
    this.intro = el("div", { class: "intro" });
    this.box = this.#box();
    this.fresh = button(
      [icon("plus", 16), el("span", {}, "New", el("span", { class: "spare" }, " conversation"))],
      () => this.#restart(),
      { class: "button quiet small", "aria-label": "New conversation" },
    );
    this.composer = el(
      "form",
      { class: "composer" },
      el("div", { class: "box" }, this.box, this.#send()),
      el("div", { class: "row composer-row" }, choosers(ctx, this.choices), el("span", { class: "grow" }), this.fresh),
    );
    this.composer.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  draw() {
    replace(this.root, this.intro, this.log, this.status, this.composer);
    for (const turn of this.turns) {
      this.log.append(this.#view(turn).root);
    }
    this.#arrange();
    // On touch screens, focusing would open a keyboard that covers half of the page.
    if (matchMedia("(pointer: fine)").matches) {
      this.box.focus({ preventScroll: true });
    }
  }

  #box() {
    const box = el("textarea", {
      class: "ask-box",
      rows: 1,
      maxlength: LONGEST,
      "aria-label": "Question",
      placeholder: `Ask ${this.ctx.workspace} …`,
      value: this.ctx.params.get("q") ?? "",
      enterkeyhint: "send",
    });
    box.addEventListener("input", () => fitted(box));
    box.addEventListener("keydown", (event) => {
      // While an input method composes a word, as in Japanese, Enter ends the word.
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.#submit();
      }
    });
    requestAnimationFrame(() => fitted(box));
    return box;
  }

  #send() {
    this.sender = el("button", { type: "submit", class: "button primary square" });
    this.#sayWhatSends();
    return this.sender;
  }

  #sayWhatSends() {
    const running = this.running !== null;
    replace(this.sender, icon(running ? "stop" : "send"));
    this.sender.setAttribute("aria-label", running ? "Stop" : "Ask");
    this.sender.title = running ? "Stop" : "Ask (Enter; Shift+Enter begins a new line)";
  }

  #submit() {
    if (this.running) {
      this.running.abort.abort();
      return;
    }
    const question = this.box.value.trim();
    if (question) {
      this.box.value = "";
      fitted(this.box);
      this.#ask(question, this.choices.request());
    }
  }

  async #ask(question, request) {
    const history = this.turns.filter(({ answer }) => answer?.answered).slice(-TURNS_TOLD);
    const turn = new Turn(question, request);
    const view = this.#view(turn);
    this.turns.push(turn);
    this.log.append(view.root);
    this.running = turn;
    this.#arrange();
    view.root.scrollIntoView({ behavior: "smooth", block: "start" });
    this.status.textContent = "Searching";
    const said = history.map(({ question: asked, answer }) => ({ question: asked, answer: answer.text }));
    await turn.ask(this.ctx, said);
    this.running = null;
    this.#sayWhatSends();
    this.status.textContent = outcome(turn);
  }

  #view(turn) {
    return new TurnView(this.ctx, turn, {
      again: () => this.#again(turn),
      withoutFilter: () => this.#once(turn.question, { ...turn.request, only: undefined }),
    });
  }

  /** Ask again in place of a failed turn. */
  #again(turn) {
    if (!this.running) {
      const at = this.turns.indexOf(turn);
      this.turns.splice(at, 1);
      this.log.children[at].remove();
      this.#ask(turn.question, turn.request);
    }
  }

  #once(question, request) {
    if (!this.running) {
      this.#ask(question, request);
    }
  }

  #restart() {
    this.running?.abort.abort();
    this.turns.length = 0;
    replace(this.log);
    this.#arrange();
    this.box.focus();
  }

  /** Center the input before the first question; afterwards place it below the conversation. */
  #arrange() {
    const begun = this.turns.length > 0;
    this.root.classList.toggle("begun", begun);
    this.fresh.hidden = !begun;
    this.#sayWhatSends();
    replace(
      this.intro,
      el("h1", { class: begun ? "visually-hidden" : null }, `Ask ${this.ctx.workspace}`),
      begun ? null : el("p", { class: "lead" }, holds(this.ctx.info)),
    );
    if (!begun) {
      this.#offerStarters();
    }
  }

  async #offerStarters() {
    const path = workspacePath(this.ctx.workspace, "entities");
    const found = await this.ctx.api.get(path, { limit: STARTERS }, { signal: this.ctx.signal }).catch(() => null);
    if (!found?.entities.length || this.turns.length) {
      return;
    }
    const chips = found.entities.map(({ entity }) =>
      button(entity.name, () => this.#begin(`What is said about ${entity.name}?`), { class: "chip" }),
    );
    this.intro.append(
      el("p", { class: "row starters" }, el("span", { class: "muted small" }, "Most connected topics"), chips),
    );
  }

  #begin(question) {
    this.box.value = question;
    fitted(this.box);
    this.box.focus();
  }
}

function fitted(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

function outcome({ state, answer, error }) {
  if (state === "done") {
    const count = answer.citations.length;
    return answer.answered ? `Answered, with ${counted(count, "citation")}` : answer.text;
  }
  return state === "stopped" ? "Stopped" : error.message;
}

function holds({ counts, model }) {
  const how = model
    ? "Answers cite the passages that support them."
    : "No language model is set up: answers quote the best sentences.";
  return `${counted(counts.documents, "document")}, ${counted(counts.facts, "fact")}. ${how}`;
}

function nothingYet(ctx) {
  const actions = ctx.canWrite ? [button("Add documents", () => ctx.go("documents"), { class: "button primary" })] : [];
  const hint = ctx.canWrite ? "Add documents to ask questions about them." : "Adding documents requires write access.";
  return [
    el("h1", { class: "visually-hidden" }, title),
    empty(`${ctx.workspace} has no documents yet`, hint, ...actions),
  ];
}
