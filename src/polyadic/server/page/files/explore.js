/** Explore view: walk through the hypergraph. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { readAddress, writeAddress } from "./explore_address.js";
import { detailPanel } from "./explore_panel.js";
import { PathEnds } from "./explore_path.js";
import { storeSearch } from "./explore_search.js";
import { Shown } from "./explore_shown.js";
import { trailOf } from "./explore_trail.js";
import { drawHypergraph } from "./graph.js";
import { busy, button, empty, problemNotice, toast } from "./parts.js";
import { counted } from "./words.js";

export const title = "Explore";
const LIMITS = [50, 150, 500, 1000, 2000, 5000, 10_000];
const LIMIT = 150;
const OVERVIEW = { kind: "overview", id: "", name: "Overview" };
const PATIENCE = 120;
const BEST = 8;

/**
 * @param {HTMLElement} root
 * @param {object} ctx see main.js
 * @returns {Promise<() => void>}
 */
export async function mount(root, ctx) {
  if (!ctx.info.counts.entities) {
    replace(root, nothingYet(ctx));
    return () => {};
  }
  const view = new Explore(root, ctx);
  const { place, selected } = readAddress(ctx.params);
  await view.begin(place);
  if (selected) await view.reach(selected.kind, selected.id);
  return () => view.leave();
}

function nothingYet(ctx) {
  const add = button("Add documents", () => ctx.go("documents"), { class: "button primary" });
  const hint = "The graph of facts and entities appears here once documents have been indexed.";
  return empty("Nothing to explore yet", hint, ctx.canWrite && add);
}

class Explore {
  constructor(root, ctx) {
    this.ctx = ctx;
    this.shown = new Shown();
    this.drawing = null;
    this.limit = LIMITS.find((limit) => String(limit) === ctx.params.get("limit")) ?? LIMIT;
    this.place = OVERVIEW;
    this.path = null;
    this.asked = 0;
    this.stage = el("div", { class: "explore-graph grow" });
    this.status = el("p", { class: "muted small", role: "status", "aria-live": "polite" });
    this.trail = trailOf(ctx.workspace, (place) => this.begin(place));
    this.panel = detailPanel(ctx, {
      reach: (kind, id) => this.reach(kind, id),
      expand: (id) => this.expand(id),
      begin: (place) => this.begin(place),
      best: () => this.shown.best(BEST),
      path: () => this.path,
      ends: new PathEnds((start, goal) => this.begin(pathPlace(start, goal))),
    });
    const search = storeSearch(ctx, (place) => this.begin(place));
    const amount = el("div", { class: "explore-amount" }, this.status, this.#limits());
    const head = el("div", { class: "explore-head" }, search, this.trail.root, amount);
    replace(root, head, el("div", { class: "explore" }, this.stage, this.panel.root));
  }

  #limits() {
    const choose = (event) => {
      this.limit = Number(event.target.value);
      this.begin(this.place);
    };
    const options = LIMITS.map((limit) =>
      el("option", { value: limit, selected: limit === this.limit }, `up to ${limit.toLocaleString("en")}`),
    );
    const label = { class: "field", "aria-label": "Maximum entities", on: { change: choose } };
    return el("select", label, options);
  }

  #get(rest, query) {
    return this.ctx.api.get(workspacePath(this.ctx.workspace, rest), query, { signal: this.ctx.signal });
  }

  /** Draw the neighbourhood of a place instead of the current drawing. */
  async begin(place) {
    this.asked += 1;
    const { asked } = this;
    if (!this.drawing) replace(this.stage, busy("Loading graph"));
    try {
      const found = await this.#contents(place);
      if (asked !== this.asked) return;
      if (!found.entities.length) {
        await this.#noPath();
        return;
      }
      this.place = { ...place, name: place.name || nameIn(found, place.id) };
      this.path = found.path ? found : null;
      this.trail.arrive(this.place);
      this.#address(null, this.drawing !== null);
      this.shown.begin(found);
      this.#draw(true);
      this.drawing.select(this.shown.has(place.id) ? place.id : null, false);
    } catch (error) {
      this.#failed(error, () => this.begin(place));
    }
  }

  async #contents({ kind, id }) {
    if (kind === "overview") return this.#get("overview", { limit: this.limit });
    if (kind !== "path") return this.#get("neighbourhood", { kind, id, hops: 2, limit: this.limit });
    const [from, to] = id.split(".");
    return { ...(await this.#get("path", { from, to })), complete: true };
  }

  async #noPath() {
    toast("No path through at most 8 facts was found.");
    if (!this.drawing) await this.begin(OVERVIEW);
  }

  #address(selected, isNewPlace) {
    const { place } = this;
    writeAddress(this.ctx.workspace, { place, limit: this.limit === LIMIT ? null : this.limit, selected }, isNewPlace);
  }

  /** Add the neighbourhood of an entity. */
  async expand(id) {
    try {
      const { room, limit } = this.shown.roomToExpand(id);
      if (!room) {
        toast(`At most ${LIMITS.at(-1).toLocaleString("en")} entities can be shown. Start from one of them instead.`);
        return;
      }
      const neighbourhood = await this.#get("neighbourhood", { kind: "entity", id, hops: 1, limit });
      const more = this.shown.add(neighbourhood);
      this.#draw();
      this.drawing.select(id);
      toast(
        more.facts
          ? `${counted(more.entities, "entity", "entities")} and ${counted(more.facts, "fact")} more`
          : "All neighbours are shown already.",
      );
    } catch (error) {
      this.#failed(error, () => this.expand(id));
    }
  }

  /** Select an item; draw its neighbourhood first if it is not shown. */
  async reach(kind, id) {
    try {
      if (!this.shown.has(id)) {
        this.shown.add(await this.#get("neighbourhood", { kind, id, hops: kind === "fact" ? 0 : 1, limit: 30 }));
        this.#draw();
      }
      this.drawing.select(id);
    } catch (error) {
      this.#failed(error, () => this.reach(kind, id));
    }
  }

  #draw(reset = false) {
    const { contents, complete } = this.shown;
    const { counts } = this.ctx.info;
    const all = contents.entities.length === counts.entities && contents.facts.length === counts.facts;
    const drawn = `${of(contents.entities.length, counts.entities)} entities, ${of(contents.facts.length, counts.facts)} facts`;
    this.status.textContent = all ? `Showing all ${drawn}` : `Showing ${drawn}${complete ? "" : "; more available"}`;
    if (this.drawing) {
      this.drawing.update(contents, reset);
      return;
    }
    replace(this.stage);
    this.drawing = drawHypergraph(this.stage, contents, {
      onExpand: (id) => this.expand(id),
      onOpenFact: (id) => this.panel.openFirstPlace(id),
      onSelect: (item) => this.#chosen(item),
    });
    this.panel.show(null);
  }

  /** While the user moves with the arrow keys, items that are only passed are not requested. */
  #chosen(item) {
    clearTimeout(this.choosing);
    const show = () => {
      this.#address(item, false);
      this.panel.show(item);
    };
    this.choosing = setTimeout(show, item ? PATIENCE : 0);
  }

  #failed(error, retry) {
    if (error.name === "AbortError") return;
    if (this.drawing) this.panel.fail(error, retry);
    else replace(this.stage, problemNotice(error, retry));
  }

  leave() {
    clearTimeout(this.choosing);
    this.drawing?.destroy();
  }
}

function nameIn({ entities, facts, path }, id) {
  if (path) return [path[0], path.at(-1)].map((end) => entities.find((one) => one.id === end).name).join(" – ");
  return entities.find((one) => one.id === id)?.name ?? facts.find(({ fact }) => fact.id === id)?.fact.text ?? "";
}

function pathPlace(start, goal) {
  return { kind: "path", id: `${start.id}.${goal.id}`, name: `${start.name} – ${goal.name}` };
}

function of(some, all) {
  return some < all ? `${some.toLocaleString("en")} of ${all.toLocaleString("en")}` : all.toLocaleString("en");
}
