// Hit testing for pointers and fingers.

import { addOutline, reachOf } from "./graph_paint.js";

const FINGER = 18;
const POINTER = 5;
const MOST_OUTLINES = 400;

/**
 * Return the entity at a position, else the mark, spoke or outline of a fact.
 * @param {import("./graph_paint.js").Scene} scene
 * @param {CanvasRenderingContext2D} pen used to test whether a point is in a path
 * @param {number} px in pixels of CSS
 * @param {number} py
 * @param {boolean} coarse whether it is a finger
 * @returns {number | null} a body
 */
export function bodyAt(scene, pen, px, py, coarse) {
  const [wx, wy] = scene.camera.toWorld(px, py);
  const reach = (coarse ? FINGER : POINTER) / scene.camera.k;
  const { model } = scene;
  const point =
    nearest(scene, wx, wy, 0, model.entities, reach) ??
    nearest(scene, wx, wy, model.entities, model.bodies.length, reach);
  return point ?? spokeAt(scene, wx, wy, reach * 0.8) ?? outlineAt(scene, pen, wx, wy);
}

function nearest({ model, x, y }, wx, wy, from, to, reach) {
  let [best, least] = [null, 0];
  for (let body = from; body < to; body++) {
    if (!model.shown[body]) continue;
    // Distance outside of the circle, so that small entities are hit as easily as large ones.
    const outside = Math.hypot(x[body] - wx, y[body] - wy) - model.radius[body] - reach;
    if (outside < least) [best, least] = [body, outside];
  }
  return best;
}

function spokeAt({ model, x, y }, wx, wy, reach) {
  let [best, least] = [null, reach];
  for (let mark = model.entities; mark < model.bodies.length; mark++) {
    if (!model.shown[mark]) continue;
    for (const body of model.members[mark]) {
      const away = distance(wx, wy, x[mark], y[mark], x[body], y[body]);
      if (away < least) [best, least] = [mark, away];
    }
  }
  return best;
}

function distance(px, py, ax, ay, bx, by) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(px - ax - along * dx, py - ay - along * dy);
}

/** The smallest fact whose outline contains the point; it is drawn on top. */
function outlineAt(scene, pen, wx, wy) {
  const { model, x, y } = scene;
  const found = [];
  for (let mark = model.entities; mark < model.bodies.length; mark++) {
    if (!model.shown[mark] || model.members[mark].length === 2) continue;
    const far = reachOf(scene, mark);
    if (Math.hypot(x[mark] - wx, y[mark] - wy) < far + 20) found.push([far, mark]);
  }
  if (found.length > MOST_OUTLINES) return null;
  found.sort(([a], [b]) => a - b);
  const holds = ([, mark]) => {
    const path = new Path2D();
    addOutline(path, scene, mark);
    return inPath(pen, path, wx, wy);
  };
  return found.find(holds)?.[1] ?? null;
}

function inPath(pen, path, wx, wy) {
  pen.save();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  const inside = pen.isPointInPath(path, wx, wy);
  pen.restore();
  return inside;
}
