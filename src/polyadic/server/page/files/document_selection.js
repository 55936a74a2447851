/** Select documents of a list, also on several pages, to delete them together. */

import { el, replace } from "./dom.js";
import { button } from "./parts.js";
import { counted } from "./words.js";

/** The selected documents, with a bar of actions. */
export class Selection {
  /** @param {(documents: {id: string, name: string}[]) => void} onDelete called when the user deletes the selection */
  constructor(onDelete) {
    this.names = new Map();
    this.boxes = new Map();
    this.page = el("input", { type: "checkbox", class: "select-box" });
    this.count = el("span", { role: "status" });
    this.remove = button("Delete selected", () => onDelete(this.#documents()), { class: "button small danger" });
    this.clear = button("Clear selection", () => this.drop([...this.names.keys()]), { class: "button small quiet" });
    this.page.addEventListener("change", () => this.#selectPage(this.page.checked));
    this.bar = el(
      "div",
      { class: "row select-bar" },
      el("label", { class: "select-label" }, this.page, "Select all on this page"),
      this.count,
      this.remove,
      this.clear,
    );
    this.#update();
  }

  /** Forget the rows of the page that was shown before. */
  turnPage() {
    this.boxes.clear();
  }

  /**
   * The checkbox of a row.
   *
   * @param {string} id
   * @param {string} name
   * @returns {HTMLElement}
   */
  box(id, name) {
    const box = el("input", {
      type: "checkbox",
      class: "select-box",
      "aria-label": `Select ${name}`,
      checked: this.names.has(id),
    });
    box.addEventListener("change", () => this.#select(id, name, box.checked));
    this.boxes.set(id, { box, name });
    this.#update();
    return el("label", { class: "select-label" }, box);
  }

  /** @param {string[]} ids no longer selected */
  drop(ids) {
    for (const id of ids) {
      this.names.delete(id);
    }
    this.#update();
  }

  #select(id, name, selected) {
    if (selected) {
      this.names.set(id, name);
    } else {
      this.names.delete(id);
    }
    this.#update();
  }

  #selectPage(selected) {
    for (const [id, { name }] of this.boxes) {
      this.#select(id, name, selected);
    }
  }

  #documents() {
    return [...this.names].map(([id, name]) => ({ id, name }));
  }

  #update() {
    let onPage = 0;
    for (const [id, { box }] of this.boxes) {
      box.checked = this.names.has(id);
      onPage += box.checked ? 1 : 0;
    }
    this.page.checked = onPage > 0 && onPage === this.boxes.size;
    this.page.indeterminate = onPage > 0 && onPage < this.boxes.size;
    replace(this.count, this.names.size ? `${counted(this.names.size, "document")} selected` : "");
    this.remove.hidden = !this.names.size;
    this.clear.hidden = !this.names.size;
  }
}
