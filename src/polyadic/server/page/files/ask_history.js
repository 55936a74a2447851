/** Menu of the conversations kept in this browser: open, export, delete. */

import { asText } from "./ask_answer.js";
import { Conversation } from "./conversation.js";
import { save } from "./copying.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { button, confirmed } from "./parts.js";
import { moment } from "./words.js";

const LONGEST_TITLE = 80;

/**
 * @param {{store: import("./conversation_store.js").ConversationStore, conversation: Conversation}} open
 * @param {{choose: (conversation: Conversation) => void, deleted: () => void}} on `deleted`: the open one was deleted
 * @returns {HTMLElement}
 */
export function historyMenu(open, on) {
  const list = el("div", { class: "stack close" });
  const menu = el(
    "details",
    { class: "popper up end", data: { closes: "" } },
    el("summary", { class: "button quiet small", "aria-label": "Conversations" }, icon("history", 16)),
    el("div", { class: "pop chooser" }, list),
  );
  const close = () => menu.removeAttribute("open");
  const draw = () => replace(list, content(open, { ...on, redraw, close }));
  // Later, as a click on what is no longer in the menu closes it.
  const redraw = () => setTimeout(draw, 0);
  menu.addEventListener("toggle", () => menu.open && draw());
  return menu;
}

function content(open, on) {
  const { store, conversation } = open;
  const kept = store.all();
  const rows = kept.map((one) => row(open, one, on));
  const hint = "Kept in this browser only. What they quote is looked up again when they are opened.";
  const actions = [
    conversation.turns.length
      ? button("Export this conversation", () => exported(conversation), { class: "button small" })
      : null,
    kept.length ? button("Delete all", () => deleteAll(open, on), { class: "button small danger" }) : null,
  ];
  return [
    el("p", { class: "muted small" }, kept.length ? hint : "No conversations yet."),
    rows.length ? el("ul", { class: "list conversations" }, rows) : null,
    el("div", { class: "row" }, actions),
  ];
}

function row(open, one, on) {
  const first = one.turns[0]?.question ?? "";
  const choose = () => {
    on.close();
    on.choose(one.id === open.conversation.id ? open.conversation : new Conversation(open.store, one));
  };
  const remove = () => {
    if (one.id === open.conversation.id) {
      open.conversation.delete();
      on.deleted();
    } else {
      open.store.delete(one.id);
    }
    on.redraw();
  };
  return el(
    "li",
    { class: "row conversation", "aria-current": one.id === open.conversation.id ? "true" : null },
    button(
      [el("span", {}, first.slice(0, LONGEST_TITLE)), el("span", { class: "muted small" }, moment(one.changed))],
      choose,
      { class: "conversation-open grow" },
    ),
    button(icon("trash", 16), remove, {
      class: "button quiet small",
      "aria-label": `Delete the conversation “${first.slice(0, LONGEST_TITLE)}”`,
    }),
  );
}

async function deleteAll(open, on) {
  if (await confirmed("Delete all conversations about this workspace from this browser?", "Delete all")) {
    open.conversation.delete();
    open.store.clear();
    on.deleted();
    on.redraw();
  }
}

/** Download a conversation as Markdown. */
function exported(conversation) {
  const parts = conversation.turns
    .filter(({ answer }) => answer)
    .map(({ question, answer }) => `## ${question}\n\n${asText(answer)}`);
  const name = `${conversation.store.workspace}-conversation.md`;
  save(new Blob([parts.join("\n")], { type: "text/markdown" }), name);
}
