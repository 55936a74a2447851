/** Create and delete workspaces. */

import { workspacePath } from "./api.js";
import { ConversationStore } from "./conversation_store.js";
import { el } from "./dom.js";
import { button, confirmed, notice, problemNotice, toast } from "./parts.js";

const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;
const HINT = "Lower-case letters, digits, - and _, at most 63 characters.";
let forms = 0;

/**
 * The empty state without a workspace.
 *
 * @param {import("./api.js").Api} api
 * @param {(name: string) => void} onMade
 * @returns {HTMLElement}
 */
export function welcome(api, onMade) {
  return el(
    "div",
    { class: "page welcome stack" },
    el("h1", {}, "Create a workspace"),
    el(
      "p",
      { class: "lead" },
      "A workspace is a collection of documents. Polyadic extracts facts from them and answers questions " +
        "with citations of the exact passages.",
    ),
    nameForm(api, onMade, null),
  );
}

/**
 * Ask for a name and create a workspace.
 *
 * @param {import("./api.js").Api} api
 * @param {(name: string) => void} onMade
 */
export function makeWorkspace(api, onMade) {
  const dialog = el("dialog", { class: "dialog stack", "aria-label": "New workspace" });
  const done = (name) => {
    dialog.close();
    onMade(name);
  };
  dialog.append(
    el("h2", {}, "New workspace"),
    nameForm(api, done, () => dialog.close()),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("input").focus();
}

/**
 * Delete a workspace after confirmation.
 *
 * @param {import("./api.js").Api} api
 * @param {{workspace: string, info: object}} at
 * @param {() => void} onDeleted
 */
export async function deleteWorkspace(api, at, onDeleted) {
  const { documents, facts } = at.info.counts;
  const text = `Delete the workspace ${at.workspace} with ${counted(documents, "document")} and ${counted(facts, "fact")}? This cannot be undone.`;
  if (!(await confirmed(text, "Delete workspace"))) {
    return;
  }
  try {
    await api.del(workspacePath(at.workspace));
    new ConversationStore(at.workspace, api.key).clear();
    toast(`${at.workspace} deleted.`);
    onDeleted();
  } catch (error) {
    toast(error.message);
  }
}

/**
 * Format a number with its noun.
 *
 * @param {number} number
 * @param {string} noun whose plural has an s
 * @returns {string}
 */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function nameForm(api, onMade, onCancel) {
  forms += 1;
  const id = `name-${forms}`;
  const said = el("div", { id: `${id}-said` }, el("p", { class: "muted small" }, HINT));
  const input = el("input", {
    id,
    class: "field",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    maxlength: 63,
    "aria-describedby": `${id}-said`,
  });
  const form = el(
    "form",
    { class: "stack" },
    el("label", { for: id }, "Name"),
    input,
    said,
    el(
      "div",
      { class: "row end" },
      onCancel ? button("Cancel", onCancel) : null,
      el("button", { type: "submit", class: "button primary" }, "Create"),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.replaceChildren(...(await made(api, input.value.trim(), onMade)));
    input.focus();
  });
  return form;
}

async function made(api, name, onMade) {
  if (!NAME.test(name)) {
    return [notice("error", `“${name}” is not a valid name. ${HINT}`)];
  }
  try {
    await api.post("/v1/workspaces", { name });
    onMade(name);
    return [];
  } catch (error) {
    return [error.status === 409 ? notice("error", error.message) : problemNotice(error)];
  }
}
