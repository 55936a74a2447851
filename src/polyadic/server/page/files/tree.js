/** A tree view following the WAI-ARIA practices: one tab stop, arrow keys, children loaded on demand. */

import { el } from "./dom.js";

const LETTERS_TOGETHER = 600;

/**
 * @typedef {object} TreeNode
 * @property {string} id
 * @property {string} name
 * @property {Node|null} note shown after the name
 * @property {boolean} opens whether it has children
 * @property {any} item the item that the node shows
 */

/**
 * @param {string} label
 * @param {TreeNode[]} top
 * @param {{below: (node: TreeNode) => Promise<TreeNode[]>, choose: (node: TreeNode) => void,
 *   failed: (error: Error) => void}} handlers
 * @returns {HTMLElement}
 */
export function tree(label, top, handlers) {
  const root = el("ul", { class: "tree list", role: "tree", "aria-label": label });
  const grown = new Tree(root, handlers);
  grown.fill(root, top, 1);
  return root;
}

class Tree {
  constructor(root, handlers) {
    this.root = root;
    this.handlers = handlers;
    this.nodes = new WeakMap();
    this.typed = "";
    this.typedAt = 0;
    root.addEventListener("keydown", (event) => this.#pressed(event));
    root.addEventListener("click", (event) => this.#clicked(event));
  }

  fill(list, nodes, level) {
    const items = nodes.map((node, place) => this.#item(node, level, place + 1, nodes.length));
    list.append(...items);
    if (level === 1 && items.length) {
      items[0].tabIndex = 0;
    }
  }

  #item(node, level, place, size) {
    const item = el(
      "li",
      {
        role: "treeitem",
        tabindex: -1,
        "aria-level": level,
        "aria-posinset": place,
        "aria-setsize": size,
        "aria-expanded": node.opens ? "false" : null,
        "aria-selected": "false",
      },
      el(
        "div",
        { class: "tree-row", style: { "--level": level } },
        el("span", { class: "twisty", "aria-hidden": "true" }),
        el("span", { class: "tree-name" }, node.name),
        node.note,
      ),
    );
    this.nodes.set(item, node);
    return item;
  }

  #clicked(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) {
      return;
    }
    this.#focus(item);
    if (event.target.closest(".twisty") || item.getAttribute("aria-selected") === "true") {
      this.#toggle(item);
    }
    if (!event.target.closest(".twisty")) {
      this.#choose(item);
    }
  }

  #pressed(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const visible = this.#visible();
    const at = visible.indexOf(item);
    const moves = {
      ArrowDown: () => this.#focus(visible[at + 1]),
      ArrowUp: () => this.#focus(visible[at - 1]),
      Home: () => this.#focus(visible[0]),
      End: () => this.#focus(visible.at(-1)),
      ArrowRight: () => this.#inward(item),
      ArrowLeft: () => this.#outward(item),
      Enter: () => this.#choose(item),
      " ": () => this.#choose(item),
    };
    if (moves[event.key]) {
      event.preventDefault();
      moves[event.key]();
    } else if (event.key.length === 1) {
      this.#seek(event, visible, at);
    }
  }

  /** The next node whose name starts with the typed text. */
  #seek(event, visible, at) {
    this.typed = event.timeStamp - this.typedAt < LETTERS_TOGETHER ? this.typed + event.key : event.key;
    this.typedAt = event.timeStamp;
    const first = this.typed.length === 1 ? at + 1 : at;
    const order = [...visible.slice(first), ...visible.slice(0, first)];
    this.#focus(order.find((one) => this.nodes.get(one).name.toLowerCase().startsWith(this.typed.toLowerCase())));
  }

  #inward(item) {
    if (item.getAttribute("aria-expanded") === "false") {
      this.#toggle(item);
    } else {
      this.#focus(item.querySelector(":scope > ul > [role=treeitem]"));
    }
  }

  #outward(item) {
    if (item.getAttribute("aria-expanded") === "true") {
      this.#toggle(item);
    } else {
      this.#focus(item.parentElement.closest("[role=treeitem]"));
    }
  }

  async #toggle(item) {
    const expanded = item.getAttribute("aria-expanded");
    if (expanded === null) {
      return;
    }
    item.setAttribute("aria-expanded", String(expanded === "false"));
    if (expanded === "true" || item.querySelector(":scope > ul")) {
      return;
    }
    const list = el("ul", { class: "list", role: "group" });
    item.append(list);
    item.setAttribute("aria-busy", "true");
    try {
      this.fill(list, await this.handlers.below(this.nodes.get(item)), Number(item.getAttribute("aria-level")) + 1);
    } catch (error) {
      list.remove();
      item.setAttribute("aria-expanded", "false");
      this.handlers.failed(error);
    } finally {
      item.removeAttribute("aria-busy");
    }
  }

  #choose(item) {
    for (const other of this.root.querySelectorAll("[aria-selected=true]")) {
      other.setAttribute("aria-selected", "false");
    }
    item.setAttribute("aria-selected", "true");
    this.handlers.choose(this.nodes.get(item));
  }

  #focus(item) {
    if (!item) {
      return;
    }
    for (const other of this.root.querySelectorAll("[tabindex='0']")) {
      other.tabIndex = -1;
    }
    item.tabIndex = 0;
    item.focus();
    item.firstElementChild.scrollIntoView({ block: "nearest" });
  }

  #visible() {
    return [...this.root.querySelectorAll("[role=treeitem]")].filter(
      (item) => !item.parentElement.closest("[aria-expanded=false]"),
    );
  }
}
