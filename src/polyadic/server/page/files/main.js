/** The shell: routes to a workspace and a view, and creates the context of views. */

import { Api, Problem, workspacePath } from "./api.js";
import { deleteConversations } from "./conversation_store.js";
import { el, replace } from "./dom.js";
import { askForKey, forgetKey, keptKey } from "./key.js";
import { busy, button, empty, problemNotice } from "./parts.js";
import { header, VIEWS } from "./shell.js";
import { closeSource } from "./source.js";
import { welcome } from "./workspaces.js";

const LAST = "polyadic-workspace";
const root = document.getElementById("view");
const head = document.getElementById("head");
const api = new Api(keptKey(), askForKey);
const shown = { turn: 0, leave: () => {}, workspaces: [], stale: true, at: null };

/**
 * Parse the address: `#/WORKSPACE/VIEW?x=y`.
 *
 * @returns {{workspace: string, view: string, params: URLSearchParams}}
 */
function addressed() {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  const [, workspace = "", view = ""] = path.split("/").map(decoded);
  return { workspace, view: view || VIEWS[0].name, params: new URLSearchParams(query ?? "") };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function go(workspace, view, params = {}) {
  const query = new URLSearchParams(params).toString();
  const hash = `#/${encodeURIComponent(workspace)}/${view}${query ? `?${query}` : ""}`;
  if (location.hash === hash) {
    show();
  } else {
    location.hash = hash;
  }
}

async function show() {
  shown.turn += 1;
  const { turn } = shown;
  shown.leave();
  closeSource();
  // The previous view stays visible until the next one is ready, but its requests are aborted.
  root.inert = root.hasChildNodes();
  const left = new AbortController();
  shown.leave = () => left.abort();
  try {
    const at = await place(left.signal);
    const module = await moduleOf(at);
    if (turn === shown.turn) {
      root.inert = false;
      await mounted(at, module, left);
    }
  } catch (error) {
    if (error.name !== "AbortError" && turn === shown.turn) {
      root.inert = false;
      showError(error);
    }
  }
}

function showError(error) {
  replace(root, problemNotice(error, redraw));
  const { workspace, view } = addressed();
  drawHeader(shown.at?.workspace === workspace ? { ...shown.at, view } : null);
  if (!(error instanceof Problem)) {
    reportError(error);
  }
}

/** The current place with the workspace info; `info` is null if there is no such workspace. */
async function place(signal) {
  const at = addressed();
  if (!root.hasChildNodes()) {
    replace(root, busy("Loading workspaces"));
  }
  if (shown.stale || !shown.workspaces.includes(at.workspace)) {
    shown.workspaces = (await api.get("/v1/workspaces", {}, { signal })).workspaces;
    shown.stale = false;
  }
  if (!at.workspace && shown.workspaces.length) {
    const last = localStorage.getItem(LAST);
    at.workspace = shown.workspaces.includes(last) ? last : shown.workspaces[0];
    history.replaceState(null, "", `#/${at.workspace}/${at.view}`);
  }
  const known = shown.workspaces.includes(at.workspace);
  const info = known ? await api.get(workspacePath(at.workspace), {}, { signal }) : null;
  return { ...at, info };
}

/** The function that draws a view; null if there is no such view or workspace. */
async function moduleOf({ view, info }) {
  const known = info && VIEWS.some(({ name }) => name === view);
  return known ? import(`./${view}.js`).catch(notLoaded) : null;
}

async function mounted(at, module, left) {
  shown.at = at;
  drawHeader(at);
  if (!at.info) {
    document.title = "Polyadic";
    replace(root, shown.workspaces.length ? unknown(at.workspace) : welcome(api, made));
    return;
  }
  localStorage.setItem(LAST, at.workspace);
  if (!module) {
    replace(
      root,
      empty(
        "Page not found",
        "",
        button("Ask a question", () => go(at.workspace, "ask")),
      ),
    );
    return;
  }
  document.title = `${module.title} · ${at.workspace} · Polyadic`;
  const body = el("div", { class: `page page-${at.view}` });
  replace(root, body);
  const cleanup = await module.mount(body, contextFor(at, left.signal));
  if (!body.querySelector("h1")) {
    body.prepend(el("h1", { class: "visually-hidden" }, module.title));
  }
  if (typeof cleanup === "function") {
    left.signal.addEventListener("abort", cleanup);
    if (left.signal.aborted) {
      cleanup();
    }
  }
}

function unknown(name) {
  const others = shown.workspaces.map((other) => button(other, () => go(other, VIEWS[0].name)));
  return empty(`There is no workspace ${name}`, "Or your key does not allow access. Available workspaces:", ...others);
}

/** Error messages of browsers for modules that cannot be loaded differ from those for faulty modules. */
function notLoaded(error) {
  throw error instanceof TypeError
    ? new Problem(0, "unreachable", "the server does not answer: is it still running?")
    : error;
}

function contextFor(at, signal) {
  return {
    api,
    workspace: at.workspace,
    info: at.info,
    canWrite: at.info.access === "write",
    isFiltered: at.info.filtered,
    params: at.params,
    go: (view, params) => go(at.workspace, view, params),
    reload: redraw,
    signal,
  };
}

/** Keep keyboard focus in the header when it is redrawn. */
function drawHeader(at) {
  const held = head.contains(document.activeElement) ? document.activeElement : null;
  const [name, value] =
    ["href", "aria-label"].map((one) => [one, held?.getAttribute(one)]).find(([, one]) => one) ?? [];
  putHeader(at);
  if (name) {
    head.querySelector(`[${name}="${CSS.escape(value)}"]`)?.focus();
  }
}

function putHeader(at) {
  replace(
    head,
    header({
      api,
      at,
      workspaces: shown.workspaces,
      go,
      onMade: made,
      onDeleted: () => {
        shown.stale = true;
        localStorage.removeItem(LAST);
        location.hash = "";
      },
      onForget: () => {
        deleteConversations(api.key);
        forgetKey();
        api.key = "";
        location.reload();
      },
    }),
  );
}

function made(name) {
  shown.stale = true;
  go(name, "documents");
}

function redraw() {
  shown.stale = true;
  show();
}

addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  root.focus();
});
show();
