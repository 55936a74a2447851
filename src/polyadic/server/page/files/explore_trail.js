/** Breadcrumbs of visited places. */

import { el, replace } from "./dom.js";

const LONGEST = 32;
const MOST = 6;
// By workspace, kept while the page is open, as the view is rebuilt when the user returns.
const trails = new Map();

/**
 * @param {string} workspace
 * @param {(place: import("./explore_address.js").Place) => void} onGo
 * @returns {{root: HTMLElement, arrive: (place: object) => void}} `arrive` sets the current place
 */
export function trailOf(workspace, onGo) {
  const list = el("ol", { class: "explore-trail list" });
  const root = el("nav", { "aria-label": "History", class: "explore-way" }, list);
  root.hidden = (trails.get(workspace) ?? []).length < 2;
  const arrive = (place) => {
    const trail = gone(trails.get(workspace) ?? [], place);
    trails.set(workspace, trail);
    root.hidden = trail.length < 2;
    replace(
      list,
      trail.slice(-MOST).map((one) => step(one, one === place, onGo)),
    );
  };
  return { root, arrive };
}

/** The trail up to the place if it was visited; else with the place appended. */
function gone(trail, place) {
  const there = trail.findIndex(({ kind, id }) => kind === place.kind && id === place.id);
  const before = there < 0 ? trail : trail.slice(0, there);
  const begun = before.length || place.kind === "overview";
  return [...(begun ? before : [{ kind: "overview", id: "", name: "Overview" }]), place];
}

function step(place, here, onGo) {
  const name = place.name.length > LONGEST ? `${[...place.name].slice(0, LONGEST).join("").trimEnd()}…` : place.name;
  const shown = here
    ? el("span", { "aria-current": "page" }, name)
    : el("button", { type: "button", class: "link", on: { click: () => onGo(place) } }, name);
  return el("li", {}, shown);
}
