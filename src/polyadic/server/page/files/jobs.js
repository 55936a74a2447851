/** Jobs: running ones with progress, and incomplete ones. */

import { workspacePath } from "./api.js";
import { pause } from "./asking.js";
import { el, replace } from "./dom.js";
import { jobCard, pastJobs } from "./job_card.js";
import { problemNotice } from "./parts.js";

const GOING = ["queued", "running"];
const REMEMBERED = 30;
const SECONDS_TO_RECONNECT = 2;

/**
 * The jobs of a workspace.
 *
 * @param {object} ctx
 * @param {() => void} onPublished called when documents may have changed
 * @returns {{node: HTMLElement, load: () => Promise<void>, watch: (job: object) => void}}
 */
export function jobBoard(ctx, onPublished) {
  const board = new Board(ctx, onPublished);
  return { node: board.node, load: () => board.load(), watch: (job) => board.watch(job) };
}

class Board {
  constructor(ctx, onPublished) {
    this.ctx = ctx;
    this.onPublished = onPublished;
    this.cards = new Map();
    this.notice = el("div", {});
    this.shown = el("div", { class: "stack close" });
    this.past = el("div", {});
    this.node = el("section", { class: "stack close", "aria-label": "Jobs" }, this.notice, this.shown, this.past);
  }

  async load() {
    try {
      const { jobs } = await this.ctx.api.get(this.#path(), { limit: REMEMBERED }, { signal: this.ctx.signal });
      for (const job of jobs.filter((one) => GOING.includes(one.state)).reverse()) {
        this.watch(job);
      }
      this.#drawPast(jobs);
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(
          this.notice,
          problemNotice(error, () => this.load()),
        );
      }
    }
  }

  /** Follow a job until it ends; its result stays visible. */
  async watch(job) {
    const card = this.cards.get(job.id) ?? this.#added(job);
    card.update(job);
    while (GOING.includes(job.state)) {
      try {
        for await (const { data } of this.ctx.api.events(this.#path(job.id, "events"), { signal: this.ctx.signal })) {
          job = data;
          card.update(job);
        }
      } catch (error) {
        if (error.name === "AbortError") {
          return;
        }
        if (error.status === 404) {
          this.#forget(job.id);
          return;
        }
        card.lost(error);
      }
      // The stream ends early if the server stops; the job resumes when it is back.
      if (GOING.includes(job.state) && !(await pause(SECONDS_TO_RECONNECT * 1000, this.ctx.signal))) {
        return;
      }
    }
    this.onPublished();
  }

  #added(job) {
    const card = jobCard(job, {
      canWrite: this.ctx.canWrite,
      cancel: () => this.#asked(job.id, "cancel"),
      resume: () => this.#asked(job.id, "resume"),
      dismiss: () => this.#forget(job.id),
    });
    this.cards.set(job.id, card);
    this.shown.prepend(card.node);
    return card;
  }

  #forget(id) {
    this.cards.get(id)?.node.remove();
    this.cards.delete(id);
    this.load();
  }

  async #asked(id, what) {
    try {
      const job = await this.ctx.api.post(this.#path(id, what));
      if (what === "resume") {
        this.watch(job);
      }
    } catch (error) {
      this.cards.get(id)?.lost(error);
    }
  }

  #drawPast(jobs) {
    const ended = jobs.filter((one) => !GOING.includes(one.state) && !this.cards.has(one.id));
    replace(this.past, ended.length ? pastJobs(ended, (job) => this.watch(job)) : null);
  }

  #path(id = "", rest = "") {
    return workspacePath(this.ctx.workspace, ["jobs", id, rest].filter(Boolean).join("/"));
  }
}
