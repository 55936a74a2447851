// Colours and fonts of the drawing, read from CSS variables and again when the theme changes.

const TYPES = 9;

/**
 * @typedef {object} Look
 * @property {string} ground
 * @property {string} ink
 * @property {string} quiet
 * @property {string} accent
 * @property {string} line spokes and pairs
 * @property {string} fact marks
 * @property {string} hull
 * @property {string[]} types colours of entities: 0 without a type, then those of types
 * @property {string} family of letters
 */

/**
 * @param {HTMLElement} root
 * @returns {Look}
 */
export function lookOf(root) {
  const probe = document.createElement("span");
  probe.hidden = true;
  root.append(probe);
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const look = {
    ground: colour("graph-ground"),
    ink: colour("ink"),
    quiet: colour("quiet"),
    accent: colour("accent"),
    line: colour("graph-line"),
    fact: colour("graph-fact"),
    hull: colour("graph-hull"),
    types: Array.from({ length: TYPES }, (_, type) => colour(`graph-type-${type}`)),
    family: getComputedStyle(root).fontFamily,
  };
  probe.remove();
  return look;
}

/**
 * Call back whenever the theme has changed, until the signal says stop.
 * @param {() => void} changed
 * @param {AbortSignal} signal
 */
export function onLookChange(changed, signal) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed, { signal });
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class", "style"] });
  signal.addEventListener("abort", () => observer.disconnect());
}
