/** Ask for the API key; it is kept in this tab only. */

import { Problem } from "./api.js";
import { el } from "./dom.js";
import { button, notice } from "./parts.js";

const KEPT = "polyadic-key";

/** @returns {string} the key entered in this tab; empty if none */
export function keptKey() {
  return sessionStorage.getItem(KEPT) ?? "";
}

/** Delete the key. */
export function forgetKey() {
  sessionStorage.removeItem(KEPT);
}

/**
 * Ask for the key of the server.
 *
 * @param {boolean} wrong whether the previous key was refused
 * @returns {Promise<string>} rejects with a Problem if none is entered
 */
export function askForKey(wrong) {
  forgetKey();
  return new Promise((resolve, reject) => {
    const input = el("input", {
      type: "password",
      id: "key",
      class: "field",
      autocomplete: "off",
      required: true,
      "aria-describedby": "key-hint",
    });
    const dialog = el("dialog", { class: "dialog", "aria-labelledby": "key-title" });
    const form = el(
      "form",
      { class: "stack" },
      el("h2", { id: "key-title" }, "This server requires a key"),
      wrong ? notice("error", "Key not recognized. Check that you copied all of it.") : null,
      el("label", { for: "key" }, "Key"),
      input,
      el(
        "p",
        { id: "key-hint", class: "muted small" },
        "The server operator creates keys with “polyadic keys add”. The key is kept until you close this tab.",
      ),
      el(
        "div",
        { class: "row end" },
        button("Cancel", () => dialog.close()),
        el("button", { class: "button primary", type: "submit" }, "Open"),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.returnValue = input.value.trim();
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue) {
        sessionStorage.setItem(KEPT, dialog.returnValue);
        resolve(dialog.returnValue);
      } else {
        reject(new Problem(401, "key-needed", "a key is required to use this server"));
      }
    });
    dialog.append(form);
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
