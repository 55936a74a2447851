// A quadtree over bodies in flat arrays (Barnes and Hut): what is far away repels as one.

const EMPTY = -1;
const DEEPEST = 40;

/** Cells are numbered as they are made, so that each comes before its children; a body b stands as -2 - b. */
export class Tree {
  /** @param {number} bodies how many there are at most */
  constructor(bodies) {
    const cells = 4 * bodies + 64;
    this.children = new Int32Array(4 * cells);
    this.mass = new Float64Array(cells);
    this.x = new Float64Array(cells);
    this.y = new Float64Array(cells);
    this.width = new Float64Array(cells);
    this.middleX = new Float64Array(cells);
    this.middleY = new Float64Array(cells);
    this.next = new Int32Array(bodies);
    this.stack = new Int32Array(cells);
  }

  /**
   * Rebuild the tree.
   * @param {Float32Array} x
   * @param {Float32Array} y
   * @param {Float32Array} weight how strongly each body repels
   */
  build(x, y, weight) {
    this.cells = 0;
    this.bodyX = x;
    this.bodyY = y;
    this.weight = weight;
    this.next.fill(EMPTY);
    const [left, top, width] = square(x, y);
    this.#cell(left + width / 2, top + width / 2, width);
    for (let body = 0; body < x.length; body++) this.#insert(body);
    this.#sumUp();
  }

  #cell(middleX, middleY, width) {
    const cell = this.cells++;
    this.children.fill(EMPTY, 4 * cell, 4 * cell + 4);
    this.middleX[cell] = middleX;
    this.middleY[cell] = middleY;
    this.width[cell] = width;
    return cell;
  }

  #slot(cell, body) {
    const right = this.bodyX[body] >= this.middleX[cell] ? 1 : 0;
    const below = this.bodyY[body] >= this.middleY[cell] ? 2 : 0;
    return 4 * cell + right + below;
  }

  #below(slot) {
    const cell = slot >> 2;
    const quarter = this.width[cell] / 4;
    const middleX = this.middleX[cell] + (slot & 1 ? quarter : -quarter);
    const middleY = this.middleY[cell] + (slot & 2 ? quarter : -quarter);
    return this.#cell(middleX, middleY, 2 * quarter);
  }

  #insert(body) {
    let slot = this.#slot(0, body);
    for (let depth = 0; this.children[slot] !== EMPTY; depth++) {
      let below = this.children[slot];
      if (below < EMPTY) {
        const there = -2 - below;
        if (depth >= DEEPEST || this.cells >= this.mass.length - 1) {
          // Bodies at almost the same position form a chain.
          this.next[body] = this.next[there];
          this.next[there] = body;
          return;
        }
        below = this.#below(slot);
        this.children[slot] = below;
        this.children[this.#slot(below, there)] = -2 - there;
      }
      slot = this.#slot(below, body);
    }
    this.children[slot] = -2 - body;
  }

  #sumUp() {
    for (let cell = this.cells - 1; cell >= 0; cell--) {
      let mass = 0;
      let x = 0;
      let y = 0;
      for (let slot = 4 * cell; slot < 4 * cell + 4; slot++) {
        const below = this.children[slot];
        if (below >= 0) {
          mass += this.mass[below];
          x += this.mass[below] * this.x[below];
          y += this.mass[below] * this.y[below];
        } else {
          for (let body = -2 - below; body >= 0; body = this.next[body]) {
            mass += this.weight[body];
            x += this.weight[body] * this.bodyX[body];
            y += this.weight[body] * this.bodyY[body];
          }
        }
      }
      this.mass[cell] = mass;
      this.x[cell] = mass ? x / mass : 0;
      this.y[cell] = mass ? y / mass : 0;
    }
  }

  /**
   * Compute the repulsion of each body from all others.
   * @param {Float32Array} forceX filled with the force
   * @param {Float32Array} forceY
   * @param {number} theta opening angle in radians up to which a cell counts as one body
   */
  push(forceX, forceY, theta) {
    const square = theta * theta;
    for (let body = 0; body < this.bodyX.length; body++) this.#pushOne(body, forceX, forceY, square);
  }

  #pushOne(body, forceX, forceY, theta) {
    const { children, stack, mass, x, y, width, weight, bodyX, bodyY, next } = this;
    const [hereX, hereY] = [bodyX[body], bodyY[body]];
    let [pushX, pushY, top] = [0, 0, 1];
    stack[0] = 0;
    while (top) {
      const cell = stack[--top];
      const dx = hereX - x[cell];
      const dy = hereY - y[cell];
      const distance = dx * dx + dy * dy;
      if (width[cell] * width[cell] < theta * distance) {
        pushX += (dx * mass[cell]) / distance;
        pushY += (dy * mass[cell]) / distance;
        continue;
      }
      for (let slot = 4 * cell; slot < 4 * cell + 4; slot++) {
        const below = children[slot];
        if (below >= 0) stack[top++] = below;
        else
          for (let other = -2 - below; other >= 0; other = next[other]) {
            if (other === body) continue;
            // Never zero and different for both, so that coinciding bodies separate.
            const ox = hereX - bodyX[other] || (body - other) * 1e-3;
            const oy = hereY - bodyY[other] || (body % 7) * 1e-3 + 1e-4;
            const near = Math.max(ox * ox + oy * oy, 4);
            pushX += (ox * weight[other]) / near;
            pushY += (oy * weight[other]) / near;
          }
      }
    }
    forceX[body] = pushX;
    forceY[body] = pushY;
  }
}

function square(x, y) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let body = 0; body < x.length; body++) {
    left = Math.min(left, x[body]);
    right = Math.max(right, x[body]);
    top = Math.min(top, y[body]);
    bottom = Math.max(bottom, y[body]);
  }
  return [left, top, Math.max(right - left, bottom - top, 1) * 1.0001];
}
