// Initial positions of bodies before the force layout; good ones avoid local minima.

const RING = 42;
const NEAR = 24;
const TURN = 2.399963;

/**
 * Compute initial positions: known ones are kept, others are placed beside a neighbour; all-new graphs as a tree.
 * @param {number} count of bodies
 * @param {Int32Array} links pairs of a fact mark and an entity
 * @param {(body: number) => [number, number] | undefined} known position of a body
 * @returns {{x: Float32Array, y: Float32Array, fresh: number}} `fresh` is the number of bodies without a known position
 */
export function beginnings(count, links, known) {
  const [x, y] = [new Float32Array(count), new Float32Array(count)];
  const placed = [];
  for (let body = 0; body < count; body++) {
    const at = known(body);
    if (!at) continue;
    [x[body], y[body]] = at;
    placed.push(body);
  }
  const beside = neighbours(count, links);
  if (placed.length) spread(x, y, placed, beside);
  else radiate(x, y, beside);
  return { x, y, fresh: count - placed.length };
}

/** Place bodies from known neighbours outwards; disconnected ones last, farther out. */
function spread(x, y, placed, beside) {
  const waiting = [...placed];
  const there = new Set(placed);
  const put = (body, nearX, nearY, reach) => {
    const angle = TURN * there.size;
    [x[body], y[body]] = [nearX + reach * Math.cos(angle), nearY + reach * Math.sin(angle)];
    there.add(body);
    waiting.push(body);
  };
  for (let next = 0, lone = 0; next < waiting.length || lone < beside.length; ) {
    if (next < waiting.length) {
      const from = waiting[next++];
      for (const body of beside[from]) if (!there.has(body)) put(body, x[from], y[from], NEAR);
    } else {
      if (!there.has(lone)) put(lone, 0, 0, RING * Math.sqrt(there.size));
      lone += 1;
    }
  }
}

/** A radial tree from the best connected body; larger subtrees get wider sectors. */
function radiate(x, y, beside) {
  const { order, parent, size } = tree(beside);
  const sector = new Map();
  const used = new Map();
  for (const body of order) {
    const above = parent[body];
    const [from, to, ring] = above < 0 ? [0, 2 * Math.PI, 0] : sector.get(above);
    const all = above < 0 ? beside.length : size[above] - 1;
    const begin = used.get(above) ?? from;
    const end = begin + ((to - from) * size[body]) / all;
    used.set(above, end);
    sector.set(body, [begin, end, ring + 1]);
    const angle = (begin + end) / 2;
    // The root of all, if there is but one, is in the middle.
    const reach = RING * (size[body] === beside.length ? 0 : ring + 0.6);
    [x[body], y[body]] = [reach * Math.cos(angle), reach * Math.sin(angle)];
  }
}

/** Breadth first, from the best connected body of each part; `size` counts a body and all below it. */
function tree(beside) {
  const parent = new Int32Array(beside.length).fill(-2);
  const order = [];
  const roots = [...beside.keys()].sort((a, b) => beside[b].length - beside[a].length || a - b);
  for (const root of roots) {
    if (parent[root] !== -2) continue;
    parent[root] = -1;
    order.push(root);
    for (let next = order.length - 1; next < order.length; next++)
      for (const body of beside[order[next]])
        if (parent[body] === -2) {
          parent[body] = order[next];
          order.push(body);
        }
  }
  const size = new Int32Array(beside.length).fill(1);
  for (const body of order.toReversed()) if (parent[body] >= 0) size[parent[body]] += size[body];
  return { order, parent, size };
}

function neighbours(count, links) {
  const beside = Array.from({ length: count }, () => []);
  for (let link = 0; link < links.length; link += 2) {
    beside[links[link]].push(links[link + 1]);
    beside[links[link + 1]].push(links[link]);
  }
  return beside;
}
