// The drawing as an image.

import { save } from "./copying.js";
import { el } from "./dom.js";
import { Letters } from "./graph_labels.js";
import { paintAll, paintFocus } from "./graph_paint.js";

const LEAST_DENSITY = 2;
const FADED = 0.22;

/**
 * Save what is in view as a PNG file, with the colours of the page.
 * @param {import("./graph_paint.js").Scene} scene
 * @param {{entities: Set<number>, facts: Set<number>, centres: Set<number>} | null} focus
 * @param {string} name of the file
 */
export async function savePicture(scene, focus, name) {
  const canvas = pictureOf(scene, focus);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  save(blob, name);
}

function pictureOf(scene, focus) {
  const density = Math.max(LEAST_DENSITY, scene.density);
  const printed = { ...scene, density, letters: new Letters(scene.look, density) };
  const whole = canvasFor(printed);
  const pen = whole.getContext("2d");
  pen.fillStyle = scene.look.ground;
  pen.fillRect(0, 0, whole.width, whole.height);
  pen.globalAlpha = focus ? FADED : 1;
  pen.drawImage(painted(printed, paintAll), 0, 0);
  pen.globalAlpha = 1;
  if (focus)
    pen.drawImage(
      painted(printed, (...args) => paintFocus(...args, focus)),
      0,
      0,
    );
  return whole;
}

function painted(scene, paint) {
  const canvas = canvasFor(scene);
  paint(canvas.getContext("2d"), scene);
  return canvas;
}

function canvasFor({ width, height, density }) {
  return el("canvas", { width: Math.round(width * density), height: Math.round(height * density) });
}
