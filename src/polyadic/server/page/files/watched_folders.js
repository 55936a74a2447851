/** The folders that the server watches for a workspace, with their state. */

import { workspacePath } from "./api.js";
import { pause } from "./asking.js";
import { el, replace } from "./dom.js";
import { resultOf } from "./job_card.js";
import { isUnfinished } from "./job_group.js";
import { button, problemNotice } from "./parts.js";
import { untilVisible } from "./visibility.js";
import { counted, moment } from "./words.js";

const SECONDS_BETWEEN_REQUESTS = 3;
const STATES = {
  watching: "Watching",
  missing: "Folder missing, its documents are kept",
  failed: "Cannot be watched, the server log says why",
};

/** @param {object} job @returns {boolean} whether it reads the changes of a watched folder */
export function isOfFolder(job) {
  return job.request.kind === "folder";
}

/**
 * The watched folders, kept up to date; empty if there are none.
 *
 * @param {object} ctx
 * @param {() => void} onRead called when changes have been read
 * @returns {{node: HTMLElement, load: () => Promise<void>}}
 */
export function watchedFolders(ctx, onRead) {
  const folders = new WatchedFolders(ctx, onRead);
  return { node: folders.node, load: () => folders.load() };
}

class WatchedFolders {
  constructor(ctx, onRead) {
    this.ctx = ctx;
    this.onRead = onRead;
    this.rows = el("ul", { class: "list rows" });
    this.said = el("div", {});
    this.node = el(
      "section",
      { class: "stack close", "aria-label": "Watched folders", hidden: true },
      el("h2", {}, "Watched folders"),
      this.said,
      this.rows,
    );
    this.folders = [];
    this.isFollowing = false;
  }

  /** Show the folders, and then their changes. */
  async load() {
    await this.#load();
    if (this.folders.length && !this.isFollowing) {
      this.#follow();
    }
  }

  async #follow() {
    this.isFollowing = true;
    const { signal } = this.ctx;
    while (!signal.aborted) {
      await pause(SECONDS_BETWEEN_REQUESTS * 1000, signal);
      await untilVisible(signal);
      await this.#load();
    }
  }

  async #load() {
    try {
      const path = workspacePath(this.ctx.workspace, "watched-folders");
      const { folders } = await this.ctx.api.get(path, {}, { signal: this.ctx.signal });
      replace(this.said);
      this.#take(folders);
    } catch (error) {
      if (error.name !== "AbortError") {
        this.node.hidden = false;
        replace(this.said, problemNotice(error));
      }
    }
  }

  /** Only rows that changed are drawn again, so that focus elsewhere is not lost. */
  #take(folders) {
    const before = this.folders;
    this.folders = folders;
    this.node.hidden = !folders.length;
    folders.forEach((folder, n) => {
      if (JSON.stringify(folder) !== JSON.stringify(before[n])) {
        const row = this.#row(folder);
        n < this.rows.children.length ? this.rows.children[n].replaceWith(row) : this.rows.append(row);
      }
    });
    const ended = (all) => all.map(({ job }) => (job && !isUnfinished(job) ? job.id : "")).join();
    if (before.length && ended(folders) !== ended(before)) {
      this.onRead();
    }
  }

  #row({ name, state, documents, failed_chunks, job }) {
    const facts = [
      counted(documents, "document"),
      failed_chunks ? counted(failed_chunks, "failed chunk") : "",
      job ? `last change ${moment(job.created)}` : "",
      job?.ended ? `read ${moment(job.ended)}` : "",
    ];
    return el(
      "li",
      { class: "row-item folder-row" },
      el(
        "div",
        { class: "grow stack close" },
        el("h3", {}, name),
        el("p", { class: "small" }, said(state, job)),
        el("p", { class: "muted small" }, facts.filter(Boolean).join(" · ")),
        job ? resultOf(job) : null,
      ),
      this.ctx.canWrite && job ? this.#action(job) : null,
    );
  }

  #action(job) {
    if (isUnfinished(job)) {
      return this.#button("Cancel", job, "cancel");
    }
    return job.problem ? this.#button("Try again", job, "resume") : null;
  }

  #button(label, job, what) {
    const pressed = button(
      label,
      async () => {
        pressed.disabled = true;
        try {
          await this.ctx.api.post(
            workspacePath(this.ctx.workspace, `jobs/${job.id}/${what}`),
            {},
            { signal: this.ctx.signal },
          );
          await this.#load();
        } catch (error) {
          pressed.disabled = false;
          if (error.name !== "AbortError") {
            replace(this.said, problemNotice(error));
          }
        }
      },
      { class: "button small" },
    );
    return pressed;
  }
}

function said(state, job) {
  if (state !== "watching" || !job) {
    return STATES[state];
  }
  if (job.state === "queued") {
    return "Changes are waiting to be read";
  }
  if (job.state === "running") {
    const { documents } = job.progress;
    return documents ? `Reading changes: ${counted(documents, "document")} so far` : "Reading changes";
  }
  return job.problem ? `${STATES.watching}, but changes were not read: ${job.problem}` : STATES.watching;
}
