// The keyboard over the drawing: arrows go from one thing to what it is joined to.

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/**
 * Where an arrow leads: what is joined to a body and lies that way, else what lies nearest that way.
 * @param {import("./graph_paint.js").Scene} scene
 * @param {number | null} from a body; the best connected entity where there is none
 * @param {string} key of the event
 * @returns {number | null} null where nothing lies there, or the key is no arrow
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

/** The one that is nearest, of those that lie that way; what lies aside counts as farther. */
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
