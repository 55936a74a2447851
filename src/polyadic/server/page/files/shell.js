/** The header: workspace, views, theme. */

import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { deleteWorkspace, makeWorkspace } from "./workspaces.js";

/** The views in their order; each is a module of the same name. */
export const VIEWS = [
  { name: "ask", label: "Ask" },
  { name: "explore", label: "Explore" },
  { name: "documents", label: "Documents" },
  { name: "browse", label: "Browse" },
  { name: "compare", label: "Compare" },
  { name: "hierarchy", label: "Hierarchy" },
  { name: "settings", label: "Settings" },
];

const LOOK = "polyadic-look";
const LOOKS = { system: "system", light: "light", dark: "dark" };

/**
 * @param {{api: object, at: object|null, workspaces: string[], go: Function, onMade: Function, onDeleted: Function,
 *   onForget: Function}} shell `at` is null if the server could not be reached
 * @returns {Node[]}
 */
export function header(shell) {
  const { at } = shell;
  const known = at?.info;
  return [
    el("a", { class: "brand", href: "#/", "aria-label": "Polyadic" }, MARK, el("span", {}, "Polyadic")),
    known ? switcher(shell) : null,
    known ? navigation(at) : el("span", { class: "grow" }),
    el("div", { class: "row head-end" }, menu(shell), look()),
  ].filter(Boolean);
}

/** One element for all headers: another one would be empty while the server cannot be reached. */
const MARK = el("img", { src: "/page/mark.svg", alt: "", width: 26, height: 26 });

function switcher({ at, workspaces, go }) {
  const chosen = el("select", { class: "field switcher", "aria-label": "Workspace" });
  for (const name of workspaces) {
    chosen.append(el("option", { value: name, selected: name === at.workspace }, name));
  }
  chosen.addEventListener("change", () => go(chosen.value, at.view));
  return chosen;
}

function navigation(at) {
  const links = VIEWS.map(({ name, label }) =>
    el(
      "a",
      {
        href: `#/${encodeURIComponent(at.workspace)}/${name}`,
        "aria-current": name === at.view ? "page" : null,
        class: "nav-link",
      },
      label,
    ),
  );
  const nav = el("nav", { class: "nav grow", "aria-label": "Views" }, links);
  // On narrow screens the views scroll; keep the current one visible.
  requestAnimationFrame(() => {
    const current = nav.querySelector("[aria-current]");
    if (current) {
      nav.scrollLeft = current.offsetLeft - nav.offsetLeft - nav.clientWidth / 2 + current.clientWidth / 2;
    }
  });
  return nav;
}

function menu({ api, at, onMade, onDeleted, onForget }) {
  const writes = !at?.info || at.info.access === "write";
  const entries = [
    writes ? entry("plus", "New workspace …", () => makeWorkspace(api, onMade)) : null,
    writes && at?.info ? entry("trash", `Delete ${at.workspace} …`, () => deleteWorkspace(api, at, onDeleted)) : null,
    api.key ? entry("key", "Remove key and conversations", onForget) : null,
  ].filter(Boolean);
  if (!entries.length) {
    return null;
  }
  const items = el("div", { class: "pop menu" }, entries);
  const opened = el(
    "details",
    { class: "popper end", data: { closes: "" } },
    el("summary", { class: "button quiet square", "aria-label": "Workspaces and key" }, icon("more")),
    items,
  );
  items.addEventListener("click", () => {
    opened.open = false;
  });
  return opened;
}

function entry(drawn, label, onClick) {
  return el("button", { type: "button", class: "menu-entry", on: { click: onClick } }, icon(drawn), label);
}

function look() {
  const names = Object.keys(LOOKS);
  const toggle = el("button", { type: "button", class: "button quiet square" });
  const say = (name) => {
    toggle.setAttribute("aria-label", `Colours: ${LOOKS[name]}`);
    toggle.title = `Colours: ${LOOKS[name]}`;
    replace(toggle, icon(name));
  };
  toggle.addEventListener("click", () => {
    const next = names[(names.indexOf(lookNow()) + 1) % names.length];
    if (next === "system") {
      localStorage.removeItem(LOOK);
      delete document.documentElement.dataset.theme;
    } else {
      localStorage.setItem(LOOK, next);
      document.documentElement.dataset.theme = next;
    }
    say(next);
  });
  say(lookNow());
  return toggle;
}

function lookNow() {
  return localStorage.getItem(LOOK) ?? "system";
}

/** Menus close with Escape and on a click elsewhere. */
function closeOthers(event) {
  for (const opened of document.querySelectorAll("details[data-closes][open]")) {
    if (event.type === "keydown" ? event.key === "Escape" : !opened.contains(event.target)) {
      opened.open = false;
      if (event.type === "keydown") {
        event.preventDefault();
        opened.querySelector("summary").focus();
      }
    }
  }
}
document.addEventListener("click", closeOthers);
document.addEventListener("keydown", closeOthers);
