// Two stacked canvases: all items, and the focused ones. The browser fades the lower one.

import { el } from "./dom.js";
import { Camera } from "./graph_camera.js";
import { Letters, placedLabels } from "./graph_labels.js";
import { lookOf, onLookChange } from "./graph_look.js";
import { paintAll, paintFocus } from "./graph_paint.js";

const ROOM_OF_A_NAME = 9000;
const FEWEST_NAMES = 14;
const NARROW = 600;
const BUTTONS = 48;
// Facts and outlines in sight from which on a frame takes too long, and times in milliseconds.
const HEAVY = 300;
const REST = 90;
const LONGEST_SHIFT = 350;

/** Shows a scene (see graph_paint.js) and updates it with its size, theme and camera. */
export class Stage {
  /**
   * @param {string} label for screen readers
   * @param {AbortSignal} signal ends it
   * @param {() => void} onMoved called when the view has moved
   */
  constructor(label, signal, onMoved) {
    this.all = el("canvas", { class: "graph-all", "aria-hidden": "true" });
    this.lifted = el("canvas", { class: "graph-lifted", tabindex: "0", role: "application", "aria-label": label });
    this.root = el("div", { class: "graph-stage" }, this.all, this.lifted);
    this.pens = [this.all, this.lifted].map((canvas) => canvas.getContext("2d"));
    this.camera = new Camera(() => {
      onMoved();
      this.draw("view");
    });
    this.focus = null;
    this.scene = { camera: this.camera, width: 0, height: 0, density: 1, labels: [], model: null };
    this.waiting = 0;
    const observer = new ResizeObserver(() => this.measure());
    observer.observe(this.root);
    onLookChange(() => this.#dress(), signal);
    signal.addEventListener("abort", () => {
      observer.disconnect();
      this.camera.stop();
      clearTimeout(this.resting);
      cancelAnimationFrame(this.waiting);
    });
    this.onResize = () => {};
    this.onFrame = () => {};
  }

  get aspect() {
    return this.scene.height ? this.scene.width / this.scene.height : 1.6;
  }

  /** Show a model, with its bodies at these places. */
  put(model, { x, y }) {
    Object.assign(this.scene, { model, x, y, labelled: 0 });
    this.draw();
  }

  /** Focus related items; null clears the focus. */
  lift(focus) {
    this.focus = focus;
    this.root.classList.toggle("focused", Boolean(focus));
    this.draw("focus");
  }

  /** @returns {number[]} left, top, right, bottom round what is shown of these bodies */
  box(bodies) {
    const { model, x, y } = this.scene;
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const body of bodies) {
      if (!model.shown[body]) continue;
      const radius = model.radius[body];
      box[0] = Math.min(box[0], x[body] - radius);
      box[1] = Math.min(box[1], y[body] - radius);
      box[2] = Math.max(box[2], x[body] + radius);
      box[3] = Math.max(box[3], y[body] + radius);
    }
    return box;
  }

  /** Fit these bodies, or all visible ones, into the view. */
  fit(slowly, bodies = this.scene.model?.bodies.keys() ?? [], nearest = 2.2) {
    const box = this.box(bodies);
    const { width, height } = this.scene;
    if (!width || box[0] === Infinity) return;
    // In a narrow room the buttons stand below the drawing, not beside it.
    this.camera.fit(box, width, width < NARROW ? height - BUTTONS : height, { slowly, nearest });
  }

  /**
   * Draw with the next frame.
   * @param {"all" | "focus" | "view"} what has changed: anything, what is in focus, or only where one looks from
   */
  draw(what = "all") {
    this.changed ||= what === "all";
    this.moved ||= what !== "focus";
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.#frame();
    });
  }

  #frame() {
    if (!this.scene.model || !this.scene.width) return;
    if (this.changed || (this.moved && !this.#shift())) this.#paint();
    this.changed = false;
    this.moved = false;
    if (this.focus) paintFocus(this.pens[1], this.scene, this.focus);
    else if (this.bare === false) this.pens[1].clearRect(0, 0, this.lifted.width, this.lifted.height);
    this.bare = !this.focus;
    this.onFrame();
  }

  #paint() {
    clearTimeout(this.resting);
    const { x, y, k } = this.camera;
    this.#name();
    this.heavy = paintAll(this.pens[0], this.scene) > HEAVY;
    this.painted = { x, y, k, time: performance.now() };
    this.all.style.transform = "";
  }

  /**
   * If painting is slow, transform the last frame instead while the view is moving.
   * @returns {boolean} whether that is enough
   */
  #shift() {
    const { painted, camera } = this;
    if (!this.heavy || performance.now() - painted.time > LONGEST_SHIFT) return false;
    const scale = camera.k / painted.k;
    const [dx, dy] = [camera.x - painted.x * scale, camera.y - painted.y * scale];
    this.all.style.transform = `translate(${dx}px, ${dy}px) scale(${scale})`;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.draw(), REST);
    return true;
  }

  /** Labels are placed again if bodies have moved or the scale has changed, not if only the view has moved. */
  #name() {
    const { scene, camera } = this;
    if (scene.labelled === camera.k) return;
    const [left, top, right, bottom] = this.box(scene.model.bodies.keys());
    const area = camera.k ** 2 * (right - left) * (bottom - top);
    const most = Math.max(FEWEST_NAMES, Math.round((area || 0) / ROOM_OF_A_NAME));
    scene.labels = placedLabels(scene.model, scene, camera.k, scene.letters, most, scene.model.rank);
    scene.labelled = camera.k;
  }

  /** Adapt to the size of the container. */
  measure() {
    const { width, height } = this.root.getBoundingClientRect();
    const density = Math.min(3, devicePixelRatio || 1);
    for (const canvas of [this.all, this.lifted]) {
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
    }
    Object.assign(this.scene, { width, height, density });
    this.#dress();
    this.onResize();
    // Redraw immediately: a cleared canvas would flicker.
    this.changed = true;
    this.#frame();
  }

  #dress() {
    this.scene.look = lookOf(this.root);
    this.scene.letters = new Letters(this.scene.look, this.scene.density);
    this.scene.labelled = 0;
    this.draw();
  }
}
