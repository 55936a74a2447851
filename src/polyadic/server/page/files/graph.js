// Interactive drawing of a hypergraph: entities are points, facts connect any number of them.

import { el } from "./dom.js";
import { prefersStillness } from "./graph_camera.js";
import { finder, lookButtons, typeChips } from "./graph_controls.js";
import { bodyAt } from "./graph_hit.js";
import { bodyToward, isArrow } from "./graph_keys.js";
import { drawnList } from "./graph_list.js";
import { Model } from "./graph_model.js";
import { savePicture } from "./graph_picture.js";
import { listen } from "./graph_pointer.js";
import { Settling } from "./graph_settling.js";
import { Stage } from "./graph_stage.js";
import { spoken, tooltip } from "./graph_tip.js";

const PICTURE = "polyadic-graph.png";
const LABEL =
  "Graph of entities and the facts that join them. Arrow keys move the selection, Enter opens it, " +
  "plus and minus zoom, F fits everything into view. The same content is below as a list.";

/**
 * Options of a drawing.
 * @typedef {object} Options
 * @property {(entityId: string) => void} [onExpand] the user requests more neighbours of an entity
 * @property {(factId: string) => void} [onOpenFact]
 * @property {(item: {kind: "entity" | "fact", id: string} | null) => void} [onSelect]
 * @property {Map<string, number>} [relevant] scores of entities and facts by identifier, by which they are sized
 * @property {number | string} [height] of the drawing, in pixels or as CSS has it
 */

/**
 * Draw a hypergraph into an element.
 * @param {HTMLElement} root
 * @param {import("./graph_model.js").Neighbourhood} neighbourhood
 * @param {Options} [options]
 * @returns {{update: (neighbourhood: object, reset?: boolean) => void, select: (id: string | null, look?: boolean) => void, destroy: () => void,
 *   filter: (what: {types?: Iterable<string> | null, words?: string}) => void}}
 */
export function drawHypergraph(root, neighbourhood, options = {}) {
  const drawing = new Drawing(root, options);
  drawing.update(neighbourhood);
  return {
    update: (next, reset) => drawing.update(next, reset),
    select: (id, look = true) => drawing.selectId(id, look),
    filter: (what) => drawing.filter(what),
    destroy: () => drawing.destroy(),
  };
}

class Drawing {
  constructor(root, options) {
    this.root = root;
    this.options = options;
    this.end = new AbortController();
    this.types = new Set();
    this.words = "";
    this.found = [];
    this.selected = null;
    this.hovered = null;
    this.following = true;
    this.stage = new Stage(LABEL, this.end.signal, () => this.tip.hide());
    this.settling = new Settling((places, settled) => this.#moved(places, settled));
    this.#furnish();
    this.#hear();
  }

  #furnish() {
    this.tip = tooltip();
    this.find = finder({ onWords: (words) => this.#search(words), onNext: (step) => this.#next(step) });
    this.chips = typeChips((types) => this.filter({ types }));
    this.list = drawnList((id) => this.selectId(id, true));
    this.aloud = el("p", { class: "visually-hidden", role: "status" });
    const buttons = lookButtons({
      nearer: () => this.#scale(1.5),
      farther: () => this.#scale(1 / 1.5),
      fit: () => this.#fit(),
      reset: () => this.#reset(),
      save: () => savePicture(this.stage.scene, this.stage.focus, PICTURE),
    });
    const { height } = this.options;
    if (height) this.stage.root.style.height = typeof height === "number" ? `${height}px` : height;
    this.stage.root.append(this.tip.root, buttons, this.aloud);
    this.root.classList.add("graph");
    const bar = el("div", { class: "graph-bar" }, this.find.root, this.chips.root);
    this.root.replaceChildren(bar, this.stage.root, this.list.root);
    this.stage.measure();
    this.stage.onResize = () => {
      if (this.following) this.stage.fit(false);
    };
    this.stage.onFrame = () => this.#tellPlace();
  }

  #hear() {
    const { signal } = this.end;
    const { camera, lifted } = this.stage;
    const at = (x, y, coarse) => bodyAt(this.stage.scene, this.stage.pens[1], x, y, coarse);
    const actions = {
      pan: (dx, dy) => {
        this.following = false;
        camera.pan(dx, dy);
      },
      zoom: (factor, x, y) => {
        this.following = false;
        camera.zoom(factor, x, y);
      },
      hover: (x, y) => this.#hover(at(x, y, false), x, y),
      leave: () => this.#hover(null),
      press: (x, y, coarse) => this.#select(at(x, y, coarse)),
      pressTwice: (x, y, coarse) => this.#open(at(x, y, coarse)) || camera.zoomSlowly(1.8, x, y),
    };
    listen(lifted, actions, signal);
    lifted.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /**
   * Show another hypergraph; common items keep their positions approximately, and the selection is kept.
   * @param {import("./graph_model.js").Neighbourhood} neighbourhood
   * @param {boolean} [reset] another drawing rather than an extension: fit all of it into view
   */
  update(neighbourhood, reset = false) {
    const { model, x, y } = this.stage.scene;
    const known = new Map(model?.bodies.map(({ id }, body) => [id, [x[body], y[body]]]));
    const selected = this.selected === null ? null : model.bodies[this.selected].id;
    this.model = new Model(neighbourhood, this.options.relevant);
    this.hovered = null;
    this.selected = this.model.byId.get(selected) ?? null;
    const replaced = !this.model.bodies.some(({ id }) => known.has(id));
    this.following ||= replaced || reset;
    const there = new Set(this.model.types.map(({ type }) => type));
    this.types = new Set([...this.types].filter((type) => !replaced && there.has(type)));
    this.root.dataset.settled = "false";
    const how = { aspect: this.stage.aspect, quiet: prefersStillness(), reset };
    this.#showTypes();
    this.stage.put(this.model, this.settling.start(this.model, known, how));
    this.stage.root.classList.toggle("settling", how.quiet && replaced);
    if (this.following) this.stage.fit(false);
    if (selected && this.selected === null) this.#select(null);
    this.#seek();
  }

  #moved(places, settled) {
    this.stage.put(this.model, places);
    if (this.following) this.stage.fit(false);
    if (settled) this.stage.root.classList.remove("settling");
    this.root.dataset.settled = String(settled);
  }

  /** Show entities of some types only (null: all); highlight items with words. */
  filter({ types, words }) {
    if (types !== undefined) {
      this.types = new Set(types ?? []);
      this.#showTypes();
      this.stage.put(this.model, this.stage.scene);
    }
    if (words !== undefined) this.words = words;
    this.#seek();
  }

  #showTypes() {
    this.model.show(this.types.size ? this.types : null);
    if (this.selected !== null && !this.model.shown[this.selected]) this.#select(null);
    const { entities, facts, joining } = this.model.counts;
    Object.assign(this.root.dataset, { entities, facts, joining });
    this.chips.show(this.model, this.types);
    this.list.show(this.model);
  }

  /** Highlight items with these words. */
  #search(words) {
    this.words = words;
    if (this.selected !== null) this.#select(null);
    this.#seek();
  }

  #seek() {
    this.found = this.model.find(this.words);
    this.find.setCount(this.words.trim() ? this.found.length : null);
    this.#focus();
  }

  #next(step) {
    if (!this.found.length) return;
    const now = this.found.indexOf(this.selected);
    this.#select(this.found[(now + step + this.found.length) % this.found.length] ?? this.found[0]);
    this.#look(this.selected);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const does = {
      "+": () => this.#scale(1.5),
      "=": () => this.#scale(1.5),
      "-": () => this.#scale(1 / 1.5),
      f: () => this.#fit(),
      0: () => this.#reset(),
      Escape: () => this.#select(null),
      Enter: () => this.#open(this.selected),
    }[event.key];
    if (!does && !isArrow(event.key)) return;
    event.preventDefault();
    if (does) does();
    else this.#walk(event.key);
  }

  #walk(key) {
    const next = bodyToward(this.stage.scene, this.selected, key);
    if (next === null) return;
    this.#select(next);
    this.#look(next);
  }

  /** Select by identifier and optionally move the view there; null clears the selection. */
  selectId(id, look) {
    const body = this.model.byId.get(id) ?? null;
    this.#select(body);
    if (look && body !== null) this.#look(body);
  }

  #select(body) {
    this.selected = body;
    const chosen = body === null ? null : this.model.bodies[body];
    this.root.dataset.selected = chosen?.id ?? "";
    this.aloud.textContent = chosen ? spoken(chosen) : "";
    this.#focus();
    this.options.onSelect?.(chosen && { kind: chosen.kind, id: chosen.id });
  }

  #open(body) {
    if (body === null) return false;
    const { kind, id } = this.model.bodies[body];
    if (kind === "entity") this.options.onExpand?.(id);
    else this.options.onOpenFact?.(id);
    return true;
  }

  #hover(body, x, y) {
    if (body !== this.hovered) {
      this.hovered = body;
      this.stage.lifted.classList.toggle("over", body !== null);
      this.#focus();
    }
    if (body === null) this.tip.hide();
    else this.tip.show(this.model, body, x, y);
  }

  #focus() {
    const centre = this.hovered ?? this.selected;
    const centres = centre === null ? this.found.filter((body) => this.model.shown[body]) : [centre];
    this.stage.lift(centres.length ? this.model.around(centres) : null);
  }

  /** Screen position of the selected item. */
  #tellPlace() {
    const { scene, camera } = this.stage;
    const at = this.selected === null ? [] : camera.toScreen(scene.x[this.selected], scene.y[this.selected]);
    this.root.dataset.at = at.map((place) => place.toFixed(1)).join(" ");
  }

  /** Move the view so that a body is visible. */
  #look(body) {
    const { scene, camera } = this.stage;
    const [x, y] = camera.toScreen(scene.x[body], scene.y[body]);
    const [room, high] = [scene.width * 0.15, scene.height * 0.15];
    this.following = false;
    if (x > room && x < scene.width - room && y > high && y < scene.height - high && camera.k > 0.5) return;
    const k = Math.max(camera.k, 0.9);
    camera.fly({ k, x: scene.width / 2 - k * scene.x[body], y: scene.height / 2 - k * scene.y[body] });
  }

  #scale(factor) {
    this.following = false;
    this.stage.camera.zoomSlowly(factor, this.stage.scene.width / 2, this.stage.scene.height / 2);
  }

  #fit() {
    this.following = true;
    this.stage.fit(true);
  }

  #reset() {
    this.find.empty();
    this.#select(null);
    this.filter({ types: null, words: "" });
    this.#fit();
  }

  destroy() {
    this.end.abort();
    this.settling.stop();
    this.root.replaceChildren();
    this.root.classList.remove("graph");
  }
}
