// Layout worker, so that the page stays responsive during the layout.
// In: the bodies (see graph_forces.js) with `heat`, `quiet` and `run`. Out: {run, x, y, settled}, until all is settled.

import { Forces } from "./graph_forces.js";

const MILLISECONDS = 60;
const MOST_TICKS = 4;
let run = 0;

addEventListener("message", ({ data }) => {
  run = data.run;
  step(new Forces(data, data.heat), data.run, data.quiet);
});

function step(forces, mine, quiet) {
  if (mine !== run) return;
  const until = performance.now() + MILLISECONDS;
  for (let tick = 0; (quiet || tick < MOST_TICKS) && !forces.settled; tick++) {
    forces.tick();
    if (performance.now() > until) break;
  }
  const { x, y, settled } = forces;
  if (settled || !quiet) postMessage({ run: mine, x: x.slice(), y: y.slice(), settled });
  // Yield to the event loop, so that a message with a newer drawing is received.
  if (!settled) setTimeout(() => step(forces, mine, quiet));
}
