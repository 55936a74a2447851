/** Shared parts of the browse views: a list beside the details of the selected item. */

import { latest } from "./asking.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { busy, button, problemNotice } from "./parts.js";
import { openPlace } from "./source.js";
import { counted, sourceName } from "./words.js";

/**
 * A list and the selected item: side by side, or one after the other on narrow screens.
 *
 * @param {HTMLElement} list
 * @param {string} hint shown while nothing is selected
 * @param {string} label of the selected item
 * @returns {{node: HTMLElement, show: (load: (signal: AbortSignal) => Promise<Array<Node|null>>) => Promise<void>}}
 */
export function beside(list, hint, label, ctx) {
  const shown = el(
    "section",
    { class: "detail", "aria-label": label, tabindex: 0 },
    el("p", { class: "muted hint" }, hint),
  );
  const node = el("div", { class: "beside" }, list, shown);
  const back = () => {
    node.classList.remove("chosen");
    list.querySelector("[aria-current]")?.focus();
  };
  const show = latest(
    async (signal, load) => {
      node.classList.add("chosen");
      const backward = button("Back to the list", back, { class: "button small only-narrow" });
      replace(shown, backward, busy("Loading"));
      try {
        replace(shown, backward, await load(signal));
      } catch (error) {
        if (error.name === "AbortError") {
          throw error;
        }
        replace(
          shown,
          backward,
          problemNotice(error, () => show.now(load)),
        );
      }
      if (getComputedStyle(backward).display !== "none") {
        window.scrollTo(0, 0);
        shown.focus({ preventScroll: true });
      }
    },
    0,
    ctx.signal,
  );
  return { node, show: show.now };
}

/**
 * A paginated list.
 *
 * @param {object} ctx
 * @param {(start: number, signal: AbortSignal) => Promise<{rows: Node[], next: number|null, total: string}>} fetchPage
 * @param {Node} nothing shown if there are no rows
 * @returns {{node: HTMLElement, load: (() => void) & {now: () => Promise<void>}}}
 */
export function pagedList(ctx, fetchPage, nothing) {
  const rows = el("ul", { class: "list choices" });
  const count = el("p", { class: "muted small", role: "status" });
  const foot = el("div", {});
  const more = async (start, signal) => {
    const page = await fetchPage(start, signal);
    replace(count, page.total);
    rows.append(...page.rows);
    const next = page.next === null ? null : button("Show more", () => grow(page.next), { class: "button small" });
    replace(foot, rows.children.length ? next : nothing);
  };
  const attempt = async (start, signal, fresh) => {
    try {
      if (fresh) {
        rows.setAttribute("aria-busy", "true");
        replace(foot, rows.children.length ? null : busy("Loading"));
      }
      const before = fresh ? [...rows.children] : [];
      await more(start, signal);
      for (const row of before) {
        row.remove();
      }
      if (!rows.children.length) {
        replace(foot, nothing);
      }
    } catch (error) {
      if (error.name === "AbortError") {
        throw error;
      }
      replace(
        foot,
        problemNotice(error, () => (fresh ? load.now() : grow(start))),
      );
    } finally {
      rows.removeAttribute("aria-busy");
    }
  };
  const load = latest((signal) => attempt(0, signal, true), 250, ctx.signal);
  const grow = latest((signal, start) => attempt(start, signal, false), 0, ctx.signal).now;
  return { node: el("div", { class: "stack close" }, count, rows, foot), load };
}

/**
 * A selectable row.
 *
 * @param {{title: string, note: string, class?: string}} said
 * @param {(row: HTMLElement) => void} onChoose
 * @returns {HTMLElement}
 */
export function choice(said, onChoose) {
  const pressed = el(
    "button",
    { type: "button", class: `choice ${said.class ? "" : "line"}` },
    el("span", { class: `choice-title ${said.class ?? ""}` }, said.title),
    el("span", { class: "muted small" }, said.note),
  );
  pressed.addEventListener("click", () => {
    for (const other of pressed.closest("ul").querySelectorAll("[aria-current]")) {
      other.removeAttribute("aria-current");
    }
    pressed.setAttribute("aria-current", "true");
    onChoose(pressed);
  });
  return el("li", {}, pressed);
}

/**
 * Entities as chips that can be pressed.
 *
 * @param {Array<{id: string, name: string}>} entities
 * @param {(id: string) => void} onOpen
 * @returns {HTMLElement}
 */
export function entityChips(entities, onOpen) {
  return el(
    "div",
    { class: "row chips" },
    entities.map((one) => button(one.name, () => onOpen(one.id), { class: "chip", title: one.type || null })),
  );
}

/**
 * A list of source spans; each opens its document.
 *
 * @param {object} ctx
 * @param {object[]} places
 * @returns {HTMLElement}
 */
export function placeList(ctx, places) {
  return el(
    "ul",
    { class: "list places" },
    places.map((place) => {
      const where = [place.title || sourceName(place.source), ...place.headings].join(" › ");
      const page = place.page ? `, page ${place.page}` : "";
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "place", on: { click: () => openPlace(ctx, place) } },
          el("span", { class: "said" }, place.quote),
          el("span", { class: "small place-where" }, icon("documents", 15), `${where}${page}`),
        ),
      );
    }),
  );
}

/**
 * A fact as a button.
 *
 * @param {object} fact
 * @param {(id: string) => void} onOpen
 * @returns {HTMLElement}
 */
export function factRow(fact, onOpen) {
  const note = `${counted(fact.entities.length, "entity", "entities")} · stated ${fact.support === 1 ? "once" : counted(fact.support, "time")}`;
  return el(
    "li",
    {},
    el(
      "button",
      { type: "button", class: "place", on: { click: () => onOpen(fact.id) } },
      el("span", { class: "said" }, fact.text),
      el("span", { class: "muted small" }, note),
    ),
  );
}
