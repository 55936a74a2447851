// Labels of entities: the best connected first, without overlaps.

const LONGEST = 30;
const SIZE = 12;
const CELL = 48;
const GAP = 3;
const LARGE = 4;
// Candidate positions of a label: below, above, right or left of its entity.
const SIDES = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
];

/** Cache of rendered labels: outlined text is slow to draw in every frame. */
export class Letters {
  /**
   * @param {import("./graph_look.js").Look} look
   * @param {number} density pixels of the device for one of CSS
   */
  constructor(look, density) {
    this.look = look;
    this.density = density;
    this.pictures = new Map();
    this.widths = new Map();
    this.pen = document.createElement("canvas").getContext("2d");
  }

  /** @returns {HTMLCanvasElement} */
  of(text, strong) {
    const key = `${strong ? "!" : " "}${text}`;
    let picture = this.pictures.get(key);
    if (!picture) {
      picture = this.#drawn(shortened(text), strong);
      this.pictures.set(key, picture);
    }
    return picture;
  }

  /** @returns {{width: number, height: number}} the size of a label, without drawing it */
  sizeOf(text) {
    let width = this.widths.get(text);
    if (width === undefined) {
      width = this.#widthOf(shortened(text), this.#font(false));
      this.widths.set(text, width);
    }
    return { width, height: SIZE + 2 * GAP };
  }

  #font(strong) {
    return `${strong ? 600 : 450} ${SIZE}px ${this.look.family}`;
  }

  #widthOf(text, font) {
    this.pen.font = font;
    return Math.ceil(this.pen.measureText(text).width) + 2 * GAP;
  }

  #drawn(text, strong) {
    const font = this.#font(strong);
    const [width, height] = [this.#widthOf(text, font), SIZE + 2 * GAP];
    const picture = document.createElement("canvas");
    picture.width = Math.ceil(width * this.density);
    picture.height = Math.ceil(height * this.density);
    const pen = picture.getContext("2d");
    pen.scale(this.density, this.density);
    Object.assign(pen, { font, textBaseline: "middle", textAlign: "center", lineJoin: "round", lineWidth: 3.5 });
    pen.strokeStyle = this.look.ground;
    pen.fillStyle = this.look.ink;
    pen.strokeText(text, width / 2, height / 2 + 0.5);
    pen.fillText(text, width / 2, height / 2 + 0.5);
    return picture;
  }
}

/**
 * Place labels for one scale, independent of the view position.
 * @param {import("./graph_model.js").Model} model
 * @param {{x: Float32Array, y: Float32Array}} places
 * @param {number} k the scale
 * @param {Letters} letters
 * @param {number} most labels
 * @param {number[]} order priority of entities
 * @returns {{body: number, dx: number, dy: number}[]} the middle of each, from its entity, in pixels
 */
export function placedLabels(model, { x, y }, k, letters, most, order) {
  const taken = new Taken();
  const placed = [];
  const first = order.slice(0, 6 * most).filter((body) => model.shown[body]);
  // Labels do not cover large circles.
  for (const body of first) {
    const reach = model.radius[body] * k;
    if (reach < LARGE) continue;
    taken.add(x[body] * k - reach, y[body] * k - reach, 2 * reach, 2 * reach);
  }
  for (const body of first) {
    const { width, height } = letters.sizeOf(model.bodies[body].text);
    const side = SIDES.find(([right, down]) => {
      const [dx, dy] = beside(right, down, model.radius[body] * k, width, height);
      return taken.isFree(x[body] * k + dx - width / 2, y[body] * k + dy - height / 2, width, height);
    });
    if (!side) continue;
    const [dx, dy] = beside(...side, model.radius[body] * k, width, height);
    taken.add(x[body] * k + dx - width / 2, y[body] * k + dy - height / 2, width, height);
    placed.push({ body, dx, dy });
    if (placed.length === most) break;
  }
  return placed;
}

/** Center of a label beside a body of this radius. */
function beside(right, down, radius, width, height) {
  return [right * (radius + 2 + width / 2), down * (radius + height / 2 - 1)];
}

/** Rectangles in a grid. */
class Taken {
  constructor() {
    this.cells = new Map();
  }

  *#keys(left, top, width, height) {
    for (let column = Math.floor(left / CELL); column <= Math.floor((left + width) / CELL); column++)
      for (let row = Math.floor(top / CELL); row <= Math.floor((top + height) / CELL); row++)
        yield column * 65536 + row;
  }

  add(left, top, width, height) {
    const box = [left, top, left + width, top + height];
    for (const key of this.#keys(left, top, width, height)) {
      const there = this.cells.get(key);
      if (there) there.push(box);
      else this.cells.set(key, [box]);
    }
  }

  isFree(left, top, width, height) {
    // Touching edges do not count: a label touches the circle of its entity.
    for (const key of this.#keys(left, top, width, height))
      for (const [l, t, r, b] of this.cells.get(key) ?? [])
        if (left < r - 2 && left + width > l + 2 && top < b - 2 && top + height > t + 2) return false;
    return true;
  }
}

function shortened(name) {
  const text = [...name];
  return text.length <= LONGEST
    ? name
    : `${text
        .slice(0, LONGEST - 1)
        .join("")
        .trimEnd()}…`;
}
