// Mouse, pen and touch input, translated to a few callbacks.

const STILL = 5;
const TWICE = 380;

/**
 * Callbacks; positions are CSS pixels from the corner of the element.
 * @typedef {object} PointerActions
 * @property {(dx: number, dy: number) => void} pan
 * @property {(factor: number, x: number, y: number) => void} zoom
 * @property {(x: number, y: number) => void} hover
 * @property {() => void} leave
 * @property {(x: number, y: number, coarse: boolean) => void} press
 * @property {(x: number, y: number, coarse: boolean) => void} pressTwice
 */

/**
 * Listen until the signal aborts.
 * @param {HTMLElement} element
 * @param {PointerActions} actions
 * @param {AbortSignal} signal
 */
export function listen(element, actions, signal) {
  const gestures = new PointerGestures(element, actions);
  const on = (name, listener, options = {}) => element.addEventListener(name, listener, { signal, ...options });
  on("pointerdown", (event) => gestures.down(event));
  on("pointermove", (event) => gestures.move(event));
  on("pointerup", (event) => gestures.up(event));
  on("pointercancel", (event) => gestures.lost(event));
  on("pointerleave", () => actions.leave());
  on("wheel", (event) => gestures.wheel(event), { passive: false });
}

/** The active pointers and how far they have moved. */
class PointerGestures {
  constructor(element, actions) {
    this.element = element;
    this.actions = actions;
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
      if (event.pointerType !== "touch") this.actions.hover(x, y);
      return;
    }
    const [dx, dy] = [x - before[0], y - before[1]];
    this.way += Math.hypot(dx, dy);
    if (this.way <= STILL) return;
    if (this.downs.size === 2) this.#pinch(event.pointerId, before, [x, y]);
    this.actions.pan(dx / this.downs.size, dy / this.downs.size);
    this.downs.set(event.pointerId, [x, y]);
    this.element.classList.add("held");
  }

  #pinch(pointer, before, now) {
    const [other] = [...this.downs].filter(([id]) => id !== pointer).map(([, at]) => at);
    const apart = ([x, y]) => Math.max(10, Math.hypot(x - other[0], y - other[1]));
    this.actions.zoom(apart(now) / apart(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
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
    this.actions[twice ? "pressTwice" : "press"](x, y, coarse);
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
    this.actions.zoom(Math.exp(-turned * speed), ...this.#at(event));
  }
}
