// Runs the layout in a worker; bodies with known positions stay near them.

import { beginnings } from "./graph_beginnings.js";

/** Runs layouts one after the other. */
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
   * Start the layout of a model.
   * @param {import("./graph_model.js").Model} model
   * @param {Map<string, [number, number]>} known places by identifier
   * @param {{aspect: number, quiet: boolean, reset: boolean}} how `quiet`: report only the final
   *   positions; `reset`: existing bodies may move far
   * @returns {{x: Float32Array, y: Float32Array}} initial positions
   */
  start(model, known, { aspect, quiet, reset }) {
    this.run += 1;
    const { bodies, links, radius, entities } = model;
    const { x, y, fresh } = beginnings(bodies.length, links, (body) => known.get(bodies[body].id));
    // Existing bodies should stay where the user saw them.
    const heat = fresh === bodies.length || reset ? 1 : fresh ? 0.3 : 0.05;
    this.worker.postMessage({ run: this.run, x, y, radius, links, entities, aspect, quiet, heat });
    return { x, y };
  }

  stop() {
    this.worker.terminate();
  }
}
