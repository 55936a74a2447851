/** The jobs of one upload as one: the server reads an upload in parts. */

import { isBuild } from "./hierarchy_job.js";

const COUNTS = [
  "added",
  "changed",
  "resumed",
  "unchanged",
  "evidence",
  "without_fact",
  "unsupported_evidence",
  "seconds",
];
const USAGE = ["calls", "prompt_tokens", "completion_tokens", "money"];
const PROGRESS = ["documents", "chunks", "chunks_read", "texts_embedded", "tokens", "money"];
/** The state of several jobs that have ended is the first of these that one of them has. */
const ENDED = ["cancelled", "failed", "partly", "succeeded"];
const UNFINISHED = ["running", "queued"];

/** @param {object} job @returns {boolean} whether it waits or runs */
export function isUnfinished(job) {
  return UNFINISHED.includes(job.state);
}

/** @param {object} job @returns {string} the identifier that all parts of an upload share */
export function groupOf(job) {
  return job.request.upload || job.id;
}

/**
 * Return the jobs of each upload, in the order of its first job.
 *
 * @param {object[]} jobs
 * @returns {Map<string, object[]>}
 */
export function grouped(jobs) {
  const groups = new Map();
  for (const job of jobs) {
    const key = groupOf(job);
    groups.set(key, [...(groups.get(key) ?? []), job]);
  }
  return groups;
}

/**
 * Return the total of jobs, in the form of a job.
 *
 * `renamed` and `replaces` are those of the requests. `parts` counts the jobs, `parts_ended` those that have ended, and
 * `documents_done` is the number of documents that have been read. The report of a job that builds the hierarchy stays
 * as it is.
 *
 * @param {object[]} jobs at least one
 * @returns {object}
 */
export function total(jobs) {
  const reports = jobs.map((job) => job.report).filter(Boolean);
  const ended = jobs.filter((job) => !isUnfinished(job));
  return {
    ...jobs[0],
    state: stateOf(jobs, ended),
    documents: sum(jobs, "documents"),
    ended:
      ended
        .map((job) => job.ended)
        .sort()
        .at(-1) ?? "",
    progress: {
      ...jobs[0].progress,
      ...sums(
        jobs.map((job) => job.progress),
        PROGRESS,
      ),
    },
    report: reports.length && !isBuild(jobs[0]) ? totalReport(reports) : (reports[0] ?? null),
    renamed: Object.assign({}, ...jobs.map((job) => job.request.renamed)),
    replaces: jobs.flatMap((job) => job.request.replaces),
    problem: [...new Set(jobs.map((job) => job.problem).filter(Boolean))].join("; "),
    parts: jobs.length,
    parts_ended: ended.length,
    documents_done: sum(ended, "documents") + doneOf(jobs.find((job) => job.state === "running")),
  };
}

function stateOf(jobs, ended) {
  if (ended.length < jobs.length) {
    return ended.length || jobs.some((job) => job.state === "running") ? "running" : "queued";
  }
  return ENDED.find((state) => ended.some((job) => job.state === state));
}

function doneOf(running) {
  return running ? Math.min(running.documents, running.progress.documents) : 0;
}

function totalReport(reports) {
  return {
    ...sums(reports, COUNTS),
    usage: sums(
      reports.map((report) => report.usage),
      USAGE,
    ),
    skipped: reports.flatMap((report) => report.skipped),
    failed: reports.flatMap((report) => report.failed),
    unsupported: summed(reports.map((report) => report.unsupported)),
    problems: summed(reports.map((report) => report.problems)),
  };
}

function sum(items, name) {
  return items.reduce((before, item) => before + item[name], 0);
}

function sums(items, names) {
  return Object.fromEntries(names.map((name) => [name, sum(items, name)]));
}

/** Add up objects of counts by name. */
function summed(counts) {
  const all = {};
  for (const [name, count] of counts.flatMap(Object.entries)) {
    all[name] = (all[name] ?? 0) + count;
  }
  return all;
}
