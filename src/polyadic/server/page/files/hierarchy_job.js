/** What the card of a job says if the job builds the hierarchy. */

import { counted, lasting } from "./words.js";

/** @param {object} job @returns {boolean} whether the job builds the hierarchy */
export function isBuild(job) {
  return job.request.kind === "hierarchy";
}

/**
 * What a build did, in words.
 *
 * @param {object} report
 * @returns {string}
 */
export function buildResult(report) {
  if (report.stopped) {
    return "the hierarchy is unchanged";
  }
  if (!report.changed) {
    return report.entities ? "the hierarchy was up to date" : "there are no entities to cluster";
  }
  const parts = [
    `${counted(report.clusters_built, "cluster")} summarized`,
    `${counted(report.reports_written, "report")} written`,
    report.removed ? `${report.removed.toLocaleString("en")} removed` : "",
    `in ${lasting(report.seconds)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/**
 * How far a build has come, in words.
 *
 * @param {{step: string, pieces: number, pieces_written: number}} progress
 * @returns {string}
 */
export function buildStep({ step, pieces, pieces_written }) {
  if (!step) {
    return "Starting";
  }
  if (!pieces) {
    return step.charAt(0).toUpperCase() + step.slice(1);
  }
  return `${pieces_written.toLocaleString("en")} of ${pieces.toLocaleString("en")} ${step} written`;
}
