// Keyboard navigation: arrow keys move between connected items.

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/**
 * Return the target of an arrow key: a connected body in that direction, else the nearest one.
 * @param {import("./graph_paint.js").Scene} scene
 * @param {number | null} from current body; null starts at the best connected entity
 * @param {string} key of the event
 * @returns {number | null} null if there is none, or the key is no arrow
 */
export function bodyToward(scene, from, key) {
  const way = ARROWS[key];
  if (!way) return null;
  const { model } = scene;
  if (from === null || !model.shown[from]) return model.rank.find((body) => model.shown[body]) ?? null;
  const all = [...model.bodies.keys()].filter((body) => model.shown[body] && body !== from);
  return best(scene, from, way, model.beside(from), 0.25) ?? best(scene, from, way, all, 0.6);
}

/** @returns {boolean} whether the key is an arrow */
export function isArrow(key) {
  return key in ARROWS;
}

/** The nearest body in a direction; sideways distance counts more. */
function best({ x, y }, from, [right, down], bodies, straight) {
  let [found, least] = [null, Infinity];
  for (const body of bodies) {
    const [dx, dy] = [x[body] - x[from], y[body] - y[from]];
    const length = Math.hypot(dx, dy) || 1e-3;
    const along = (dx * right + dy * down) / length;
    if (along > straight && length / along < least) [found, least] = [body, length / along];
  }
  return found;
}
