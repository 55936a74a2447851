// Mouse, pen and fingers over the drawing: what they do becomes a few plain wishes.

const STILL = 5;
const TWICE = 380;

/**
 * What the pointer is heard for; places are pixels of CSS from the corner of the element.
 * @typedef {object} Wishes
 * @property {(dx: number, dy: number) => void} pan
 * @property {(factor: number, x: number, y: number) => void} zoom
 * @property {(x: number, y: number) => void} hover
 * @property {() => void} leave
 * @property {(x: number, y: number, coarse: boolean) => void} press
 * @property {(x: number, y: number, coarse: boolean) => void} pressTwice
 */

/**
 * Listen until the signal says stop.
 * @param {HTMLElement} element
 * @param {Wishes} wishes
 * @param {AbortSignal} signal
 */
export function listen(element, wishes, signal) {
  const hand = new Hand(element, wishes);
  const on = (name, heard, options = {}) => element.addEventListener(name, heard, { signal, ...options });
  on("pointerdown", (event) => hand.down(event));
  on("pointermove", (event) => hand.move(event));
  on("pointerup", (event) => hand.up(event));
  on("pointercancel", (event) => hand.lost(event));
  on("pointerleave", () => wishes.leave());
  on("wheel", (event) => hand.wheel(event), { passive: false });
}

/** The pointers that are down, and how far they have gone. */
class Hand {
  constructor(element, wishes) {
    this.element = element;
    this.wishes = wishes;
    this.downs = new Map();
    this.way = 0;
    this.last = { time: 0, x: 0, y: 0 };
  }

  #at(event) {
    const { left, top } = this.element.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  down(event) {
    if (event.button > 0) return;
    this.element.setPointerCapture(event.pointerId);
    if (!this.downs.size) this.way = 0;
    // Two fingers are no press.
    else this.way = STILL + 1;
    this.downs.set(event.pointerId, this.#at(event));
  }

  move(event) {
    const [x, y] = this.#at(event);
    const before = this.downs.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") this.wishes.hover(x, y);
      return;
    }
    const [dx, dy] = [x - before[0], y - before[1]];
    this.way += Math.hypot(dx, dy);
    if (this.way <= STILL) return;
    if (this.downs.size === 2) this.#pinch(event.pointerId, before, [x, y]);
    this.wishes.pan(dx / this.downs.size, dy / this.downs.size);
    this.downs.set(event.pointerId, [x, y]);
    this.element.classList.add("held");
  }

  #pinch(pointer, before, now) {
    const [other] = [...this.downs].filter(([id]) => id !== pointer).map(([, at]) => at);
    const apart = ([x, y]) => Math.max(10, Math.hypot(x - other[0], y - other[1]));
    this.wishes.zoom(apart(now) / apart(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  up(event) {
    const was = this.downs.delete(event.pointerId);
    if (this.downs.size || !was) return;
    this.element.classList.remove("held");
    if (this.way > STILL) return;
    const [x, y] = this.#at(event);
    const coarse = event.pointerType === "touch";
    const near = Math.hypot(x - this.last.x, y - this.last.y) < (coarse ? 24 : 8);
    const twice = near && event.timeStamp - this.last.time < TWICE;
    this.last = { time: twice ? 0 : event.timeStamp, x, y };
    this.wishes[twice ? "pressTwice" : "press"](x, y, coarse);
  }

  lost(event) {
    this.downs.delete(event.pointerId);
    this.way = STILL + 1;
    this.element.classList.remove("held");
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    // A pinch on a touch pad comes as a wheel with the control key, in smaller steps.
    const speed = event.ctrlKey ? 0.01 : 0.0018;
    const turned = Math.max(-240, Math.min(240, event.deltaY * lines));
    this.wishes.zoom(Math.exp(-turned * speed), ...this.#at(event));
  }
}
