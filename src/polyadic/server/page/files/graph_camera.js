// Camera: a point of the drawing at (wx, wy) appears at (k·wx + x, k·wy + y), in CSS pixels.

const NEAREST = 5;
const FARTHEST = 0.04;
const MILLISECONDS = 320;

/** View transform; every change calls `onChange`. */
export class Camera {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.x = 0;
    this.y = 0;
    this.k = 1;
    this.onChange = onChange;
    this.flight = 0;
  }

  /** @returns {[number, number]} the point of the drawing at a screen position */
  toWorld(x, y) {
    return [(x - this.x) / this.k, (y - this.y) / this.k];
  }

  /** @returns {[number, number]} the screen position of a point of the drawing */
  toScreen(x, y) {
    return [x * this.k + this.x, y * this.k + this.y];
  }

  pan(dx, dy) {
    this.#set(this.x + dx, this.y + dy, this.k);
  }

  /** Zoom by a factor around the screen position (x, y). */
  zoom(factor, x, y) {
    const { x: toX, y: toY, k } = this.#zoomed(factor, x, y);
    this.#set(toX, toY, k);
  }

  /** The same, smoothly. */
  zoomSlowly(factor, x, y) {
    this.fly(this.#zoomed(factor, x, y));
  }

  #zoomed(factor, x, y) {
    const k = clamped(this.k * factor);
    return { x: x - ((x - this.x) * k) / this.k, y: y - ((y - this.y) * k) / this.k, k };
  }

  #set(x, y, k) {
    cancelAnimationFrame(this.flight);
    Object.assign(this, { x, y, k });
    this.onChange();
  }

  /**
   * Fit a box of the drawing into the view.
   * @param {number[]} box left, top, right, bottom
   * @param {number} width of the room
   * @param {number} height
   * @param {{slowly?: boolean, nearest?: number}} how
   */
  fit([left, top, right, bottom], width, height, { slowly = false, nearest = 2.2 } = {}) {
    const room = Math.min(80, width / 10);
    const k = Math.min((width - 2 * room) / (right - left || 1), (height - 1.1 * room) / (bottom - top || 1), nearest);
    const to = { k: clamped(k) };
    to.x = width / 2 - (to.k * (left + right)) / 2;
    to.y = height / 2 - (to.k * (top + bottom)) / 2;
    if (slowly) this.fly(to);
    else this.#set(to.x, to.y, to.k);
  }

  /** Animate to a view; immediately if the user prefers reduced motion. */
  fly(to) {
    cancelAnimationFrame(this.flight);
    if (prefersStillness()) {
      this.#set(to.x, to.y, to.k);
      return;
    }
    const from = { x: this.x, y: this.y, k: this.k };
    const began = performance.now();
    const step = (now) => {
      const part = Math.min(1, Math.max(0, (now - began) / MILLISECONDS));
      const eased = 1 - (1 - part) ** 3;
      this.k = from.k * (to.k / from.k) ** eased;
      // The offset follows the scale, so that the motion is straight while zooming.
      const way = Math.abs(to.k - from.k) < 1e-6 ? eased : (this.k - from.k) / (to.k - from.k);
      this.x = from.x + (to.x - from.x) * way;
      this.y = from.y + (to.y - from.y) * way;
      if (part < 1) this.flight = requestAnimationFrame(step);
      this.onChange();
    };
    this.flight = requestAnimationFrame(step);
  }

  stop() {
    cancelAnimationFrame(this.flight);
  }
}

/** @returns {boolean} whether the user prefers reduced motion */
export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function clamped(k) {
  return Math.min(NEAREST, Math.max(FARTHEST, k));
}
