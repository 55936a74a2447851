/** Shared components of all views. */

import { el, replace } from "./dom.js";

const SECONDS_OF_A_TOAST = 4;
let tabsMade = 0;

/**
 * A status message.
 *
 * @param {"info"|"warning"|"error"} kind
 * @param {string} text
 * @param {...Node} actions
 * @returns {HTMLElement}
 */
export function notice(kind, text, ...actions) {
  const role = kind === "error" ? "alert" : "status";
  return el("div", { class: `notice ${kind}`, role }, el("p", {}, text), ...actions);
}

/**
 * A busy indicator.
 *
 * @param {string} label
 * @returns {HTMLElement}
 */
export function busy(label) {
  return el("p", { class: "busy", role: "status" }, el("span", { class: "spinner", "aria-hidden": "true" }), label);
}

/**
 * An empty state with a hint.
 *
 * @param {string} title
 * @param {string} hint
 * @param {...Node} actions
 * @returns {HTMLElement}
 */
export function empty(title, hint, ...actions) {
  const row = actions.length ? el("div", { class: "row centred" }, ...actions) : null;
  return el("div", { class: "empty" }, el("h2", {}, title), hint ? el("p", {}, hint) : null, row);
}

/**
 * A button.
 *
 * @param {string} label
 * @param {(event: Event) => void} onClick
 * @param {object} [props] as for el(); `class` takes the place of "button"
 * @returns {HTMLElement}
 */
export function button(label, onClick, props = {}) {
  return el("button", { type: "button", class: "button", ...props, on: { click: onClick } }, label);
}

/**
 * Ask for confirmation of an irreversible action.
 *
 * @param {string} text
 * @param {string} yesLabel
 * @returns {Promise<boolean>}
 */
export function confirmed(text, yesLabel) {
  return new Promise((resolve) => {
    const dialog = el("dialog", { class: "dialog", "aria-label": "Are you sure?" });
    const answer = (yes) => {
      dialog.returnValue = yes ? "yes" : "";
      dialog.close();
    };
    const no = button("Cancel", () => answer(false), { autofocus: true });
    const yes = button(yesLabel, () => answer(true), { class: "button danger" });
    dialog.append(el("p", {}, text), el("div", { class: "row end" }, no, yes));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Show a transient message.
 *
 * @param {string} text
 */
export function toast(text) {
  const line = el("p", { class: "toast" }, text);
  document.getElementById("toasts").append(line);
  setTimeout(() => line.remove(), SECONDS_OF_A_TOAST * 1000);
}

/**
 * Tabs. A panel is built when it is first shown.
 *
 * @param {Array<{label: string, panel: () => Node|Promise<Node>}>} entries
 * @param {{label: string, selected?: number, onSelect?: (index: number) => void}} options the label is for the whole
 * @returns {HTMLElement}
 */
export function tabs(entries, { label, selected = 0, onSelect = () => {} }) {
  tabsMade += 1;
  const id = `tabs-${tabsMade}`;
  const made = entries.map(() => false);
  const panels = entries.map((_, n) =>
    el("div", { id: `${id}-panel-${n}`, role: "tabpanel", "aria-labelledby": `${id}-tab-${n}`, hidden: true }),
  );
  const heads = entries.map((entry, n) =>
    el(
      "button",
      { type: "button", id: `${id}-tab-${n}`, class: "tab", role: "tab", "aria-controls": `${id}-panel-${n}` },
      entry.label,
    ),
  );
  const show = async (chosen, focus) => {
    heads.forEach((head, n) => {
      head.setAttribute("aria-selected", String(n === chosen));
      head.tabIndex = n === chosen ? 0 : -1;
      panels[n].hidden = n !== chosen;
    });
    if (focus) {
      heads[chosen].focus();
    }
    // On narrow screens the list scrolls. At first it has no size, because it is not in the page yet.
    requestAnimationFrame(() => centre(heads[chosen]));
    onSelect(chosen);
    if (!made[chosen]) {
      made[chosen] = true;
      replace(panels[chosen], await entries[chosen].panel());
    }
  };
  heads.forEach((head, n) => {
    head.addEventListener("click", () => show(n, false));
  });
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": label }, heads);
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      event.preventDefault();
      show((heads.indexOf(document.activeElement) + step + heads.length) % heads.length, true);
    }
  });
  show(selected, false);
  return el("div", { class: "tabbed" }, list, panels);
}

/** Scroll a tab to the middle of its list, but not the page. */
function centre(head) {
  const list = head.parentElement;
  list.scrollLeft = head.offsetLeft - list.offsetLeft - (list.clientWidth - head.offsetWidth) / 2;
}

/**
 * An error message with a retry button.
 *
 * @param {Error} error a Problem, or a defect of the page
 * @param {() => void} [retry]
 * @returns {HTMLElement}
 */
export function problemNotice(error, retry = undefined) {
  const id = error.requestId ? el("p", { class: "muted small" }, `Request ${error.requestId}`) : null;
  const again = retry ? button("Try again", retry) : null;
  return notice("error", error.message || String(error), ...[id, again].filter(Boolean));
}
