/** Chat view: a conversation, and the input for the next question. */

import { workspacePath } from "./api.js";
import { Choices, choosers } from "./ask_choices.js";
import { historyMenu } from "./ask_history.js";
import { contents, nothingYet, outcome } from "./ask_summary.js";
import { LONGEST_QUESTION, TurnView } from "./ask_turn_view.js";
import { Conversation } from "./conversation.js";
import { ConversationStore } from "./conversation_store.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { busy, button, confirmed, problemNotice } from "./parts.js";
import { counted } from "./workspaces.js";

export const title = "Ask";

const STARTERS = 5;
/** Open conversations and choices by workspace and key: an answer is completed while other views are shown. */
const held = new Map();

/**
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const open = opened(ctx);
  if (!ctx.info.counts.documents && !open.conversation.turns.length) {
    replace(root, nothingYet(ctx));
    return;
  }
  if (open.conversation.turns.length) {
    replace(root, busy("Loading conversation"));
    try {
      await open.conversation.check(ctx);
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(root, problemNotice(error, ctx.reload));
      }
      return;
    }
  }
  new AskView(root, ctx, open).draw();
}

/** The conversation that is open, after a reload as well. */
function opened(ctx) {
  const store = new ConversationStore(ctx.workspace, ctx.api.key);
  if (!held.has(store.prefix)) {
    const conversation = new Conversation(store, store.get(store.open));
    held.set(store.prefix, { store, conversation, choices: new Choices() });
  }
  return held.get(store.prefix);
}

class AskView {
  constructor(root, ctx, open) {
    this.root = root;
    this.ctx = ctx;
    this.open = open;
    this.choices = open.choices;
    this.log = el("div", { class: "turns" });
    this.status = el("p", { class: "visually-hidden", role: "status" });
    this.intro = el("div", { class: "intro" });
    this.box = this.#box();
    this.fresh = button(
      [icon("plus", 16), el("span", { class: "spare" }, "New conversation")],
      () => this.#begin(new Conversation(open.store)),
      { class: "button quiet small", "aria-label": "New conversation" },
    );
    const history = historyMenu(open, {
      choose: (conversation) => this.#choose(conversation),
      deleted: () => this.#begin(new Conversation(open.store)),
    });
    this.composer = el(
      "form",
      { class: "composer" },
      el("div", { class: "box" }, this.box, this.#send()),
      el(
        "div",
        { class: "row composer-row" },
        choosers(ctx, this.choices),
        el("span", { class: "grow" }),
        history,
        this.fresh,
      ),
    );
    this.composer.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  get conversation() {
    return this.open.conversation;
  }

  draw() {
    replace(this.root, this.intro, this.log, this.status, this.composer);
    this.#drawTurns();
    // On touch screens, focusing would open a keyboard that covers half of the page.
    if (matchMedia("(pointer: fine)").matches) {
      this.box.focus({ preventScroll: true });
    }
  }

  #drawTurns() {
    const { conversation } = this;
    conversation.onDone = (turn) => this.#done(conversation, turn);
    replace(
      this.log,
      conversation.turns.map((turn) => this.#view(turn).root),
    );
    this.#arrange();
    this.#showLast();
  }

  /** Scroll to the last question of a conversation that is opened. */
  #showLast() {
    this.log.lastElementChild?.scrollIntoView({ block: "start" });
  }

  /** Show another conversation. */
  #begin(conversation) {
    this.open.conversation = conversation;
    this.open.store.open = conversation.id;
    this.#drawTurns();
    this.box.focus();
  }

  /** Show a kept conversation, once what it quotes has been looked up. */
  async #choose(conversation) {
    replace(this.log, busy("Loading conversation"));
    try {
      await conversation.check(this.ctx);
      this.#begin(conversation);
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(
          this.log,
          problemNotice(error, () => this.#choose(conversation)),
        );
      }
    }
  }

  #box() {
    const box = el("textarea", {
      class: "ask-box",
      rows: 1,
      maxlength: LONGEST_QUESTION,
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
    const running = this.conversation.running !== null;
    replace(this.sender, icon(running ? "stop" : "send"));
    this.sender.setAttribute("aria-label", running ? "Stop" : "Ask");
    this.sender.title = running ? "Stop" : "Ask (Enter; Shift+Enter begins a new line)";
  }

  #submit() {
    const { running } = this.conversation;
    if (running) {
      running.abort.abort();
      return;
    }
    const question = this.box.value.trim();
    if (question) {
      this.box.value = "";
      fitted(this.box);
      this.#ask(question, this.choices.request());
    }
  }

  #ask(question, request) {
    const { conversation } = this;
    this.open.store.open = conversation.id;
    conversation.ask(this.ctx, question, request, (turn) => {
      const view = this.#view(turn);
      this.log.append(view.root);
      this.#arrange();
      view.root.scrollIntoView({ behavior: "smooth", block: "start" });
      this.status.textContent = "Searching";
    });
  }

  /** Whether the view shows a turn whose answer is complete. */
  #done(conversation, turn) {
    const isShown = this.root.isConnected && this.conversation === conversation;
    if (isShown) {
      this.#sayWhatSends();
      this.status.textContent = outcome(turn);
    }
    return isShown;
  }

  #view(turn) {
    return new TurnView(this.ctx, turn, {
      again: () => this.#replace(turn, turn.question),
      edit: (question) => this.#replace(turn, question),
      withoutFilter: () => this.#once(turn.question, { ...turn.request, only: undefined }),
    });
  }

  /** Ask a question in place of a turn and those after it. */
  async #replace(turn, question) {
    const { conversation } = this;
    const at = conversation.turns.indexOf(turn);
    const later = conversation.turns.length - at - 1;
    const text = `The ${counted(later, "later question")} and ${later === 1 ? "its answer" : "their answers"} will be removed.`;
    if (conversation.running || (later && !(await confirmed(text, "Remove and ask")))) {
      return;
    }
    conversation.removeFrom(turn);
    [...this.log.children].slice(at).forEach((node) => {
      node.remove();
    });
    this.#ask(question, turn.request);
  }

  #once(question, request) {
    if (!this.conversation.running) {
      this.#ask(question, request);
    }
  }

  /** Center the input before the first question; afterwards place it below the conversation. */
  #arrange() {
    const begun = this.conversation.turns.length > 0;
    this.root.classList.toggle("begun", begun);
    this.fresh.hidden = !begun;
    this.#sayWhatSends();
    replace(
      this.intro,
      el("h1", { class: begun ? "visually-hidden" : null }, `Ask ${this.ctx.workspace}`),
      begun ? null : el("p", { class: "lead" }, contents(this.ctx.info)),
    );
    if (!begun) {
      this.#offerStarters();
    }
  }

  async #offerStarters() {
    const path = workspacePath(this.ctx.workspace, "entities");
    const found = await this.ctx.api.get(path, { limit: STARTERS }, { signal: this.ctx.signal }).catch(() => null);
    if (!found?.entities.length || this.conversation.turns.length) {
      return;
    }
    const chips = found.entities.map(({ entity }) =>
      button(entity.name, () => this.#fill(`What is said about ${entity.name}?`), { class: "chip" }),
    );
    this.intro.append(
      el("p", { class: "row starters" }, el("span", { class: "muted small" }, "Most connected topics"), chips),
    );
  }

  #fill(question) {
    this.box.value = question;
    fitted(this.box);
    this.box.focus();
  }
}

function fitted(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
