/** The jobs of one upload, or a job that builds the hierarchy: request, progress and failures. */

import { el, replace } from "./dom.js";
import { buildResult, buildStep, isBuild } from "./hierarchy_job.js";
import { icon } from "./icons.js";
import { isUnfinished } from "./job_group.js";
import { button } from "./parts.js";
import { counted, lasting, moment, money, sourceName } from "./words.js";

const RESUMABLE = ["partly", "failed", "cancelled"];
const SHOWN = 50;
const STATES = { succeeded: "Done", partly: "Partially done", failed: "Failed", cancelled: "Cancelled" };

/**
 * The card of an upload or a build.
 *
 * @param {object} job the total of its jobs
 * @param {{canWrite: boolean, cancel: () => void, resume: () => void, dismiss: () => void}} can
 * @returns {{node: HTMLElement, update: (job: object) => void, lost: (error: Error) => void}}
 */
export function jobCard(job, can) {
  const heading = el("h3", { class: "grow", "aria-live": "polite" });
  const actions = el("div", { class: "row" });
  const bar = el("progress", { class: "job-bar", "aria-label": "Progress" });
  const progress = el("p", { class: "muted small" });
  const report = el("div", { class: "stack close" });
  const node = el(
    "article",
    { class: "panel job stack close" },
    el("div", { class: "row apart" }, heading, actions),
    bar,
    progress,
    report,
  );
  let state = "";
  const update = (now) => {
    node.dataset.state = now.state;
    drawReached(now, bar, progress);
    // Elements that did not change stay, so that focus and screen readers are not interrupted.
    if (heading.textContent !== said(now)) {
      replace(heading, said(now));
    }
    if (now.state !== state) {
      state = now.state;
      replace(actions, actionsOf(now, can));
      replace(report, reportOf(now));
    }
  };
  const lost = (error) => replace(progress, `${error.message} Retrying.`);
  update(job);
  return { node, update, lost };
}

/**
 * Finished jobs, collapsed.
 *
 * @param {{job: object, open: () => void}[]} past totals of jobs, and what shows their cards
 * @returns {HTMLElement}
 */
export function pastJobs(past) {
  const rows = past.map(({ job, open }) => {
    const node = el(
      "li",
      { class: "past-job" },
      el("time", { class: "muted small", datetime: job.ended }, moment(job.ended || job.created)),
      el(
        "span",
        { class: "grow" },
        said(job),
        nameOf(job) ? el("span", { class: "muted" }, ` · ${nameOf(job)}`) : null,
      ),
      job.state === "succeeded" ? null : button("Details", () => opened(node, open), { class: "button small" }),
    );
    return node;
  });
  const lacking = past.filter(({ job }) => job.state === "partly" || job.state === "failed").length;
  const note = lacking ? `, ${lacking} incomplete` : "";
  return el(
    "details",
    { class: "fold" },
    el("summary", {}, `${counted(past.length, "earlier job")}${note}`),
    el("ul", { class: "list" }, rows),
  );
}

function opened(node, open) {
  node.remove();
  open();
}

function said(job) {
  const documents = nameOf(job) || counted(job.documents, "document");
  const what = job.request.kind === "retry" ? "failed chunks" : documents;
  if (job.state === "queued") {
    return isBuild(job) ? "Waiting to build the hierarchy" : `Waiting to read ${what}`;
  }
  if (job.state === "running") {
    return isBuild(job) ? "Building the hierarchy" : `Reading ${what}`;
  }
  return [STATES[job.state], sums(job), job.state === "cancelled" ? "" : job.problem].filter(Boolean).join(": ");
}

/** The name of the file or text if there is only one; of a job that has ended, the heading does not contain it. */
function nameOf(job) {
  return job.documents === 1 ? job.request.name : "";
}

function sums(job) {
  const { report } = job;
  if (!report) {
    return isBuild(job) ? "the hierarchy was not built" : "";
  }
  if (isBuild(job)) {
    return buildResult(report);
  }
  const counts = ["added", "changed", "resumed", "unchanged"].filter((name) => report[name]);
  const parts = counts.map((name) => `${report[name].toLocaleString("en")} ${name}`);
  if (report.evidence) {
    const stated = report.evidence - report.without_fact - report.unsupported_evidence;
    parts.push(counted(stated, "statement with a fact", "statements with a fact"));
  }
  return [...(parts.length ? parts : ["nothing added"]), `in ${lasting(report.seconds)}`].join(", ");
}

function drawReached(job, bar, line) {
  const { state, progress, report } = job;
  const going = state === "queued" || state === "running";
  bar.hidden = state !== "running";
  line.hidden = !going && !report?.usage?.calls;
  if (!going) {
    replace(line, report?.usage?.calls ? `Model usage: ${paid(tokensOf(report.usage), report.usage.money)}` : null);
    return;
  }
  drawBar(job, bar);
  const done = isBuild(job) ? [buildStep(progress), tokensPaid(progress)] : readSoFar(job);
  replace(line, state === "queued" ? "Waiting for the previous job" : done.filter(Boolean).join(" · "));
}

function readSoFar(job) {
  const { progress } = job;
  return [
    job.parts > 1
      ? `${job.documents_done.toLocaleString("en")} of ${counted(job.documents, "document")} processed`
      : "",
    progress.chunks ? `${progress.chunks_read.toLocaleString("en")} of ${counted(progress.chunks, "chunk")} read` : "",
    job.parts === 1 && progress.documents ? `${counted(progress.documents, "document")} processed` : "",
    progress.texts_embedded ? `${counted(progress.texts_embedded, "text")} embedded` : "",
    tokensPaid(progress),
  ];
}

function tokensPaid({ tokens, money }) {
  return tokens ? paid(tokens, money) : "";
}

/** The number of chunks of jobs that have not begun is not known, so several jobs are measured in documents. */
function drawBar(job, bar) {
  const { progress } = job;
  const ofOne = isBuild(job) ? [progress.pieces, progress.pieces_written] : [progress.chunks, progress.chunks_read];
  const [most, done] = job.parts > 1 ? [job.documents, job.documents_done] : ofOne;
  if (most) {
    bar.max = most;
    bar.value = done;
  } else {
    bar.removeAttribute("value");
  }
}

function tokensOf(usage) {
  return usage.prompt_tokens + usage.completion_tokens;
}

function paid(tokens, price) {
  return `${counted(tokens, "token")}${price ? `, ${money(price)}` : ""}`;
}

function actionsOf({ state }, can) {
  const small = { class: "button small" };
  const made = [];
  if (can.canWrite && (state === "queued" || state === "running")) {
    made.push(button("Cancel", pressedOnce(can.cancel), small));
  }
  if (can.canWrite && RESUMABLE.includes(state)) {
    made.push(button(state === "cancelled" ? "Resume" : "Try again", pressedOnce(can.resume), small));
  }
  if (state !== "queued" && state !== "running") {
    made.push(
      el(
        "button",
        {
          ...small,
          type: "button",
          class: "button quiet square small",
          "aria-label": "Dismiss",
          on: { click: can.dismiss },
        },
        icon("close", 16),
      ),
    );
  }
  return made;
}

/** Disable a button while its request is running. */
function pressedOnce(act) {
  return (event) => {
    event.currentTarget.disabled = true;
    act();
  };
}

function reportOf(job) {
  const name = isUnfinished(job) ? "" : nameOf(job);
  return [name ? el("p", { class: "muted small" }, name) : null, ...namesOf(job), ...resultOf(job)];
}

/** Files that were stored under another name, and documents that existed before. */
function namesOf({ renamed, replaces }) {
  const names = Object.entries(renamed).map(([name, sent]) => el("li", {}, `${sent} is stored as ${name}`));
  const replaced = replaces.map((source) => el("li", {}, `replaces ${sourceName(source)}`));
  const heading = (items, one, many) => counted(items.length, one, many);
  return [
    names.length ? folded(heading(names, "file renamed", "files renamed"), shortened(names), names.length <= 5) : null,
    replaced.length
      ? folded(
          heading(replaced, "document existed already", "documents existed already"),
          shortened(replaced),
          replaced.length <= 5,
        )
      : null,
  ];
}

function shortened(items) {
  const more = items.length - SHOWN;
  return more > 0 ? [...items.slice(0, SHOWN), el("li", { class: "muted" }, `and ${more} more`)] : items;
}

/**
 * What a job could not read or extract, in folds.
 *
 * @param {object} job
 * @returns {Array<HTMLElement|null>}
 */
export function resultOf(job) {
  const { report } = job;
  if (!report) {
    return [];
  }
  if (isBuild(job)) {
    return [
      counts(report.failed, "Extractive instead, because the model gave no usable reply"),
      counts(report.dropped, "Dropped or corrected in model replies"),
    ];
  }
  const left = report.skipped.map((one) => [`${sourceName(one.source)}${one.line ? `, line ${one.line}` : ""}`, one]);
  const failed = report.failed.map((one) => [
    `${sourceName(one.source)}, characters ${one.span.start.toLocaleString("en")}–${one.span.end.toLocaleString("en")}`,
    { reason: one.reason, next_step: "" },
  ]);
  const unsupported = Object.entries(report.unsupported);
  return [
    unread(`${counted(left.length, "file or row", "files and rows")} could not be read`, left),
    unread(`${counted(failed.length, "chunk")} failed`, failed),
    unsupported.length
      ? folded(
          "Skipped: unsupported file type",
          unsupported.map(([type, files]) => el("li", {}, `${type} ${files.toLocaleString("en")}`)),
        )
      : null,
    counts(report.problems, "Dropped or corrected in model replies"),
  ];
}

function counts(byReason, heading) {
  const items = Object.entries(byReason).map(([what, times]) =>
    el("li", {}, `${times.toLocaleString("en")} × ${what}`),
  );
  return items.length ? folded(heading, items) : null;
}

function unread(heading, rows) {
  if (!rows.length) {
    return null;
  }
  const items = rows.map(([where, { reason, next_step }]) =>
    el(
      "li",
      {},
      el("strong", {}, where),
      el("p", { class: "muted small" }, [reason, next_step].filter(Boolean).join("; ")),
    ),
  );
  return folded(heading, shortened(items), rows.length <= 5);
}

function folded(heading, items, open = false) {
  return el("details", { class: "fold", open }, el("summary", {}, heading), el("ul", { class: "list unread" }, items));
}
