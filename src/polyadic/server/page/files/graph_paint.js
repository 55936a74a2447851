// Paint one frame: outlines of facts, spokes, marks, entities, labels; less detail when zoomed out.

import { addHull } from "./graph_hulls.js";
import { placedLabels } from "./graph_labels.js";

const HULLS_WHOLE = 260;
const HULLS_NONE = 520;
const BATCH = 20;
const FEW = 200;
const WIDE = 150;
const MARKS_FROM = 0.3;
const MOST_LIFTED_NAMES = 60;
const FEW_CENTRES = 8;

/**
 * The scene to paint and its camera.
 * @typedef {object} Scene
 * @property {import("./graph_model.js").Model} model
 * @property {Float32Array} x
 * @property {Float32Array} y
 * @property {import("./graph_camera.js").Camera} camera
 * @property {number} width of the room, in pixels of CSS
 * @property {number} height
 * @property {number} density
 * @property {import("./graph_look.js").Look} look
 * @property {import("./graph_labels.js").Letters} letters
 * @property {{body: number, dx: number, dy: number}[]} labels
 */

/**
 * Paint all visible items.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 * @returns {number} the painting cost: visible facts, with outlines weighted higher
 */
export function paintAll(pen, scene) {
  const seen = inSight(scene);
  begin(pen, scene);
  const outlined = 1 - fraction(seen.joining.length, HULLS_WHOLE, HULLS_NONE);
  paintHulls(pen, scene, seen.joining, outlined);
  // Thousands of lines are drawn faintly, so that dense areas stand out.
  pen.globalAlpha = Math.max(0.28, 1 - fraction(seen.facts.length, 200, 1600));
  paintSpokes(pen, scene, seen.facts, scene.look.line, 1.1);
  pen.globalAlpha = 1;
  if (scene.camera.k > MARKS_FROM) paintMarks(pen, scene, seen.facts, scene.look.fact);
  paintEntities(pen, scene, seen.entities);
  begin(pen, scene, true);
  for (const { body, dx, dy } of scene.labels) if (scene.model.shown[body]) paintName(pen, scene, body, dx, dy, false);
  return seen.facts.length + (outlined > 0 ? 3 * seen.joining.length : 0);
}

/**
 * Paint the focused items above the faded rest.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 * @param {{entities: Set<number>, facts: Set<number>, centres: Set<number>}} focus
 */
export function paintFocus(pen, scene, focus) {
  const facts = [...focus.facts].filter((mark) => scene.model.shown[mark]);
  const joining = facts.filter((mark) => scene.model.members[mark].length !== 2);
  begin(pen, scene);
  paintHulls(pen, scene, joining, joining.length > 60 ? 0 : 1.6);
  paintSpokes(pen, scene, facts, scene.look.accent, facts.length > 60 ? 1 : 1.6);
  paintMarks(pen, scene, facts, scene.look.accent);
  paintEntities(pen, scene, focus.entities);
  paintRings(pen, scene, focus.centres);
  begin(pen, scene, true);
  paintLiftedNames(pen, scene, focus);
}

/** Clear the canvas and apply the camera; with `flat`, keep the canvas and do not scale. */
function begin(pen, { camera, width, height, density }, flat = false) {
  pen.setTransform(density, 0, 0, density, 0, 0);
  if (flat) return;
  pen.clearRect(0, 0, width, height);
  pen.setTransform(density * camera.k, 0, 0, density * camera.k, density * camera.x, density * camera.y);
  pen.lineCap = "round";
}

/** The visible items within the view; facts by the bounding box of their members. */
function inSight({ model, x, y, camera, width, height }) {
  const [left, top] = camera.toWorld(-30, -30);
  const [right, bottom] = camera.toWorld(width + 30, height + 30);
  const sees = (body) => x[body] > left && x[body] < right && y[body] > top && y[body] < bottom;
  const [entities, facts, joining] = [[], [], []];
  for (let body = 0; body < model.entities; body++) if (model.shown[body] && sees(body)) entities.push(body);
  for (let mark = model.entities; mark < model.bodies.length; mark++) {
    if (!model.shown[mark] || !(sees(mark) || model.members[mark].some(sees))) continue;
    facts.push(mark);
    if (model.members[mark].length !== 2) joining.push(mark);
  }
  return { entities, facts, joining };
}

function paintHulls(pen, scene, marks, strength) {
  if (strength <= 0) return;
  const { look, camera } = scene;
  pen.fillStyle = look.hull;
  pen.strokeStyle = look.hull;
  pen.lineWidth = 1 / camera.k;
  for (const mark of marks) {
    pen.beginPath();
    addOutline(pen, scene, mark);
    // Larger outlines are fainter, so that they do not hide everything else.
    const shade = strength * Math.min(1, WIDE / reachOf(scene, mark));
    pen.globalAlpha = Math.min(1, 0.1 * shade);
    pen.fill();
    pen.globalAlpha = Math.min(1, 0.34 * shade);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** How far the farthest entity of a fact is from its mark. */
export function reachOf({ model, x, y }, mark) {
  return Math.max(...model.members[mark].map((body) => Math.hypot(x[body] - x[mark], y[body] - y[mark])));
}

/** Add the outline of a fact; one with a single entity is a halo round it. */
export function addOutline(path, { model, x, y }, mark) {
  const members = model.members[mark].map((body) => ({ x: x[body], y: y[body], radius: model.radius[body] }));
  if (members.length > 2) addHull(path, [x[mark], y[mark]], members);
  else for (const one of members) path.arc(one.x, one.y, one.radius + 7, 0, 2 * Math.PI);
}

function paintSpokes(pen, { model, x, y, camera, density }, marks, colour, width) {
  pen.strokeStyle = colour;
  // Lines up to one device pixel wide are drawn many times faster.
  pen.lineWidth = (marks.length > FEW ? Math.min(width, 0.99 / density) : width) / camera.k;
  const straight = camera.k <= MARKS_FROM;
  // One path with thousands of lines is slower than several shorter ones.
  for (let from = 0; from < marks.length; from += BATCH) {
    pen.beginPath();
    for (const mark of marks.slice(from, from + BATCH)) addSpokes(pen, model.members[mark], mark, x, y, straight);
    pen.stroke();
  }
}

function addSpokes(pen, members, mark, x, y, straight) {
  if (members.length === 2) {
    const [a, b] = members;
    pen.moveTo(x[a], y[a]);
    if (straight) {
      pen.lineTo(x[b], y[b]);
      return;
    }
    // A pair is one line, bent so that it passes through its mark.
    pen.quadraticCurveTo(2 * x[mark] - (x[a] + x[b]) / 2, 2 * y[mark] - (y[a] + y[b]) / 2, x[b], y[b]);
    return;
  }
  for (const body of members) {
    pen.moveTo(x[mark], y[mark]);
    pen.lineTo(x[body], y[body]);
  }
}

/** Fact marks are diamonds, to distinguish them from entities. */
function paintMarks(pen, { model, x, y }, marks, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  for (const mark of marks) {
    const size = model.radius[mark] + 0.5;
    pen.moveTo(x[mark], y[mark] - size);
    pen.lineTo(x[mark] + size, y[mark]);
    pen.lineTo(x[mark], y[mark] + size);
    pen.lineTo(x[mark] - size, y[mark]);
    pen.closePath();
  }
  pen.fill();
}

function paintEntities(pen, { model, x, y, look, camera }, entities) {
  const byColour = look.types.map(() => []);
  for (const body of entities) byColour[model.colour[body]].push(body);
  const least = 1.6 / camera.k;
  byColour.forEach((bodies, colour) => {
    pen.fillStyle = look.types[colour];
    pen.strokeStyle = look.ground;
    pen.lineWidth = 1.5 / Math.max(camera.k, 0.6);
    for (let from = 0; from < bodies.length; from += BATCH) {
      pen.beginPath();
      for (const body of bodies.slice(from, from + BATCH)) {
        const radius = Math.max(least, model.radius[body]);
        pen.moveTo(x[body] + radius, y[body]);
        pen.arc(x[body], y[body], radius, 0, 2 * Math.PI);
      }
      pen.fill();
      if (camera.k > MARKS_FROM) pen.stroke();
    }
  });
}

function paintRings(pen, { model, x, y, look, camera }, bodies) {
  pen.strokeStyle = look.accent;
  pen.lineWidth = 2 / camera.k;
  for (const body of bodies) {
    pen.beginPath();
    pen.arc(x[body], y[body], Math.max(model.radius[body], 2 / camera.k) + 3.5 / camera.k, 0, 2 * Math.PI);
    pen.stroke();
  }
}

/** Labels of the focused items, placed independently of the faded ones. */
function paintLiftedNames(pen, scene, focus) {
  const { model, letters, camera } = scene;
  const named = model.rank.filter((body) => focus.entities.has(body));
  const order = [
    ...named.filter((body) => focus.centres.has(body)),
    ...named.filter((body) => !focus.centres.has(body)),
  ];
  if (focus.labelled !== camera.k || focus.x !== scene.x) {
    focus.labels = placedLabels(model, scene, camera.k, letters, MOST_LIFTED_NAMES, order);
    Object.assign(focus, { labelled: camera.k, x: scene.x });
  }
  const strong = focus.centres.size <= FEW_CENTRES;
  for (const { body, dx, dy } of focus.labels) paintName(pen, scene, body, dx, dy, strong && focus.centres.has(body));
}

function paintName(pen, { model, letters, camera, x, y, width, height, density }, body, dx, dy, strong) {
  const { text } = model.bodies[body];
  const size = letters.sizeOf(text);
  const [bodyX, bodyY] = camera.toScreen(x[body], y[body]);
  const [middleX, middleY] = [bodyX + dx, bodyY + dy];
  const isOutside = Math.abs(middleX - width / 2) > (width + size.width) / 2;
  if (isOutside || Math.abs(middleY - height / 2) > (height + size.height) / 2) return;
  const picture = letters.of(text, strong);
  const [wide, high] = [picture.width / density, picture.height / density];
  // A label is moved inside as long as its entity is.
  const inside = (middle, length, place, room) =>
    place >= 0 && place <= room ? Math.max(length / 2, Math.min(room - length / 2, middle)) : middle;
  // Aligned to device pixels, as text would be blurred otherwise.
  const at = (place) => Math.round(place * density) / density;
  const [left, top] = [inside(middleX, wide, bodyX, width) - wide / 2, inside(middleY, high, bodyY, height) - high / 2];
  pen.drawImage(picture, at(left), at(top), wide, high);
}

function fraction(value, from, to) {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}
