// Places of bodies while the layout settles, in a worker; those that had a place keep to it as far as they can.

import { beginnings } from "./graph_beginnings.js";

/** Runs the layout of one drawing after the other. */
export class Settling {
  /**
   * @param {(places: {x: Float32Array, y: Float32Array}, settled: boolean) => void} onPlaces
   */
  constructor(onPlaces) {
    this.run = 0;
    this.worker = new Worker(new URL("./graph_layout.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.run === this.run) onPlaces(data, data.settled);
    };
  }

  /**
   * Lay out a model anew.
   * @param {import("./graph_model.js").Model} model
   * @param {Map<string, [number, number]>} known places by identifier
   * @param {{aspect: number, quiet: boolean, anew: boolean}} how `quiet`: tell only when all is settled; `anew`: what is
   *   there may move far
   * @returns {{x: Float32Array, y: Float32Array}} where bodies begin
   */
  start(model, known, { aspect, quiet, anew }) {
    this.run += 1;
    const { bodies, links, radius, entities } = model;
    const { x, y, fresh } = beginnings(bodies.length, links, (body) => known.get(bodies[body].id));
    // What is there already should be found again where it was.
    const heat = fresh === bodies.length || anew ? 1 : fresh ? 0.3 : 0.05;
    this.worker.postMessage({ run: this.run, x, y, radius, links, entities, aspect, quiet, heat });
    return { x, y };
  }

  stop() {
    this.worker.terminate();
  }
}
