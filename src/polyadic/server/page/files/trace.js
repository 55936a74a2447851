/** The steps of an answer and their durations. */

import { el } from "./dom.js";

/**
 * Format a duration.
 *
 * @param {number} seconds
 * @returns {string}
 */
export function duration(seconds) {
  if (seconds < 0.0095) {
    return seconds < 0.001 ? "< 1 ms" : `${(seconds * 1000).toFixed(1)} ms`;
  }
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}

/**
 * Render the steps as a timeline.
 *
 * @param {Array<{name: string, detail: string, seconds: number}>} steps
 * @returns {HTMLElement}
 */
export function traceList(steps) {
  const whole = total(steps) || 1;
  let before = 0;
  const rows = steps.map((step) => {
    const left = (before / whole) * 100;
    before += step.seconds;
    return el(
      "li",
      { class: "step" },
      el("span", { class: "step-name" }, step.name),
      el("span", { class: "step-time mono" }, duration(step.seconds)),
      el("span", { class: "step-detail muted" }, step.detail),
      el(
        "span",
        { class: "step-bar", "aria-hidden": "true" },
        el("span", { style: { "margin-left": `${left}%`, width: `${Math.max((step.seconds / whole) * 100, 0.5)}%` } }),
      ),
    );
  });
  return el("ol", { class: "list trace", "aria-label": "Steps" }, rows);
}

/**
 * Return the total duration of all steps.
 *
 * @param {Array<{seconds: number}>} steps
 * @returns {number}
 */
export function total(steps) {
  return steps.reduce((sum, step) => sum + step.seconds, 0);
}
