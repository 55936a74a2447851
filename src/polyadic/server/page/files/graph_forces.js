// Deterministic force layout of entities and fact marks.

import { Tree } from "./graph_tree.js";

const TICKS = 300;
const SLOWING = 0.62;
const COLDEST = 0.002;
const THETA = 1.05;
const MANY = 600;
const SELDOM = 3;
const REPULSION = 0.6;
const APART = 5;

/**
 * Bodies to lay out: entities first, then fact marks.
 * @typedef {object} Bodies
 * @property {number} entities how many of the bodies are entities
 * @property {Float32Array} x
 * @property {Float32Array} y
 * @property {Float32Array} radius
 * @property {Int32Array} links pairs of a fact mark and an entity, as bodies
 * @property {number} aspect width of the room by its height
 */

/** Springs along links, repulsion between all, a pull to the middle, and no overlap. */
export class Forces {
  /**
   * @param {Bodies} bodies
   * @param {number} heat from 0 to 1: how far bodies may move
   */
  constructor({ entities, x, y, radius, links, aspect }, heat = 1) {
    this.x = x;
    this.y = y;
    this.heat = heat;
    this.entities = entities;
    this.radius = radius;
    this.vx = new Float32Array(x.length);
    this.vy = new Float32Array(x.length);
    this.tree = new Tree(x.length);
    this.pushX = new Float32Array(x.length);
    this.pushY = new Float32Array(x.length);
    this.apart = new Apart(radius);
    this.ticks = 0;
    const lean = Math.min(2.5, Math.max(0.4, aspect)) ** 0.8;
    this.pullX = 0.035 / lean;
    this.pullY = 0.035 * lean;
    this.#weigh(links);
  }

  get settled() {
    return this.heat < COLDEST || !this.x.length;
  }

  #weigh(links) {
    const many = new Uint16Array(this.x.length);
    for (const body of links) many[body] += 1;
    this.links = links;
    this.weight = this.radius.map((radius, body) => (body < this.entities ? 26 + 2.5 * radius : 14 + many[body]));
    const count = links.length / 2;
    // Small graphs are spread further.
    const roomy = 1 + 0.8 * Math.exp(-this.x.length / 50);
    this.rest = new Float32Array(count);
    this.stiff = new Float32Array(count);
    this.share = new Float32Array(count);
    for (let link = 0; link < count; link++) {
      const [mark, entity] = [links[2 * link], links[2 * link + 1]];
      this.rest[link] = roomy * (16 + this.radius[entity] + 2.2 * Math.min(10, many[mark]));
      this.stiff[link] = 1 / Math.min(many[mark], many[entity]);
      // The better connected of the two moves less.
      this.share[link] = many[mark] / (many[mark] + many[entity]);
    }
  }

  /** One step; lowers the heat. */
  tick() {
    const { x, y, vx, vy } = this;
    this.heat *= 1 - (1 - COLDEST ** (1 / TICKS));
    this.#springs();
    // With many bodies the repulsion changes little between steps and is most of the work.
    if (x.length < MANY || this.ticks % SELDOM === 0) {
      this.tree.build(x, y, this.weight);
      this.tree.push(this.pushX, this.pushY, THETA);
    }
    this.ticks += 1;
    const push = REPULSION * this.heat;
    for (let body = 0; body < x.length; body++) {
      vx[body] = (vx[body] + push * this.pushX[body] - x[body] * this.pullX * this.heat) * SLOWING;
      vy[body] = (vy[body] + push * this.pushY[body] - y[body] * this.pullY * this.heat) * SLOWING;
      x[body] += vx[body];
      y[body] += vy[body];
    }
    this.apart.move(x, y, vx, vy);
  }

  #springs() {
    const { x, y, vx, vy, links, rest, stiff, share, heat } = this;
    for (let link = 0; link < rest.length; link++) {
      const [mark, entity] = [links[2 * link], links[2 * link + 1]];
      const dx = x[entity] + vx[entity] - x[mark] - vx[mark] || 1e-3;
      const dy = y[entity] + vy[entity] - y[mark] - vy[mark] || 1e-3;
      const length = Math.sqrt(dx * dx + dy * dy);
      const pull = ((length - rest[link]) / length) * heat * stiff[link];
      vx[entity] -= dx * pull * share[link];
      vy[entity] -= dy * pull * share[link];
      vx[mark] += dx * pull * (1 - share[link]);
      vy[mark] += dy * pull * (1 - share[link]);
    }
  }
}

/** Separate overlapping bodies, found by a grid. */
class Apart {
  constructor(radius) {
    this.radius = radius;
    this.size = 2 * (radius.reduce((most, r) => Math.max(most, r), 0) + APART);
    this.next = new Int32Array(radius.length);
    this.first = new Int32Array(0);
  }

  move(x, y, vx, vy) {
    const [left, top, columns, rows] = this.#grid(x, y);
    if (this.first.length < columns * rows) this.first = new Int32Array(columns * rows);
    this.first.fill(-1);
    for (let body = 0; body < x.length; body++) {
      const column = Math.floor((x[body] - left) / this.size);
      const row = Math.floor((y[body] - top) / this.size);
      // Compare with bodies already in this cell and its neighbours, so that each pair is tested once.
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++)
        for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c++)
          for (let other = this.first[r * columns + c]; other >= 0; other = this.next[other])
            this.#part(body, other, x, y, vx, vy);
      this.next[body] = this.first[row * columns + column];
      this.first[row * columns + column] = body;
    }
  }

  #grid(x, y) {
    let [left, right, top, bottom] = [x[0], x[0], y[0], y[0]];
    for (let body = 1; body < x.length; body++) {
      left = Math.min(left, x[body]);
      right = Math.max(right, x[body]);
      top = Math.min(top, y[body]);
      bottom = Math.max(bottom, y[body]);
    }
    return [left, top, Math.floor((right - left) / this.size) + 1, Math.floor((bottom - top) / this.size) + 1];
  }

  #part(one, two, x, y, vx, vy) {
    const room = this.radius[one] + this.radius[two] + APART;
    const dx = x[two] + vx[two] - x[one] - vx[one] || 1e-3;
    const dy = y[two] + vy[two] - y[one] - vy[one] || 1e-3;
    const square = dx * dx + dy * dy;
    if (square >= room * room) return;
    const length = Math.sqrt(square);
    const push = ((room - length) / length) * 0.5;
    // The larger body moves less.
    const share = this.radius[two] ** 2 / (this.radius[one] ** 2 + this.radius[two] ** 2);
    vx[one] -= dx * push * share;
    vy[one] -= dy * push * share;
    vx[two] += dx * push * (1 - share);
    vy[two] += dy * push * (1 - share);
  }
}
