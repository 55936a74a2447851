/** Copy to the clipboard, also over plain HTTP, where navigator.clipboard is missing; save as a file. */

import { el } from "./dom.js";
import { toast } from "./parts.js";

/**
 * Copy a text and show a confirmation.
 *
 * @param {string} text
 * @param {string} said
 */
export async function copyText(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    toast(copiedBySelecting(text) ? said : "This browser does not allow copying: select and copy the text yourself.");
  }
}

/**
 * Save a file where the browser keeps downloads.
 *
 * @param {Blob} content
 * @param {string} name
 */
export function save(content, name) {
  const address = URL.createObjectURL(content);
  el("a", { href: address, download: name }).click();
  // The download may begin after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function copiedBySelecting(text) {
  const area = el("textarea", { class: "visually-hidden", value: text, "aria-hidden": "true" });
  // Text outside an open dialog cannot be selected.
  const place = document.querySelector("dialog[open]") ?? document.body;
  const before = document.activeElement;
  place.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  before?.focus();
  return done;
}
