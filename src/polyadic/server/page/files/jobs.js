/** Jobs: those that wait or run, with progress, and incomplete ones. One card for each upload and each build. */

import { workspacePath } from "./api.js";
import { pause } from "./asking.js";
import { el, replace } from "./dom.js";
import { jobCard, pastJobs } from "./job_card.js";
import { grouped, groupOf, isUnfinished, total } from "./job_group.js";
import { button, problemNotice } from "./parts.js";
import { untilVisible, whileVisible } from "./visibility.js";

const REMEMBERED = 200;
const SECONDS_TO_RECONNECT = 2;

/**
 * The jobs of a workspace.
 *
 * @param {object} ctx
 * @param {() => void} onEnded called when a job has ended: documents or the hierarchy may have changed
 * @param {(job: object) => boolean} [isShown] which jobs to show; all by default
 * @returns {{node: HTMLElement, load: () => Promise<void>, watch: (job: object) => void}}
 */
export function jobBoard(ctx, onEnded, isShown = () => true) {
  const board = new Board(ctx, onEnded, isShown);
  return { node: board.node, load: () => board.load(), watch: (job) => board.watch(job) };
}

class Board {
  constructor(ctx, onEnded, isShown) {
    this.ctx = ctx;
    this.onEnded = onEnded;
    this.isShown = isShown;
    /** Jobs that are shown, by identifier, in the order of their creation, and the card of each upload. */
    this.jobs = new Map();
    this.cards = new Map();
    this.isFollowing = false;
    this.notice = el("div", {});
    this.shown = el("div", { class: "stack close" });
    this.dismissAll = button("Dismiss all that have ended", () => this.#dismissEnded(), {
      class: "button small quiet",
    });
    this.dismissAll.hidden = true;
    this.past = el("div", {});
    this.node = el(
      "section",
      { class: "stack close", "aria-label": "Jobs" },
      this.notice,
      this.shown,
      el("div", { class: "row end" }, this.dismissAll),
      this.past,
    );
  }

  async load() {
    const before = [...this.jobs.keys()];
    try {
      const { jobs } = await this.ctx.api.get(this.#path(), { limit: REMEMBERED }, { signal: this.ctx.signal });
      replace(this.notice);
      this.#take(jobs.filter(this.isShown).reverse(), before);
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(
          this.notice,
          problemNotice(error, () => this.load()),
        );
      }
    }
  }

  /** Show a job until the user dismisses it, and follow it until it ends. */
  watch(job) {
    this.jobs.set(job.id, job);
    this.#draw(groupOf(job));
    this.#follow();
  }

  /**
   * Show the jobs of uploads that are unfinished or shown already; list the others as past jobs.
   *
   * @param {object[]} jobs
   * @param {string[]} before identifiers of the jobs that were shown when these were requested
   */
  #take(jobs, before) {
    const known = new Set(jobs.map((job) => job.id));
    const missing = before.filter((id) => !known.has(id)).map((id) => this.jobs.get(id));
    for (const job of missing.filter((one) => one && isUnfinished(one))) {
      // It was deleted meanwhile, with its workspace.
      this.jobs.delete(job.id);
      this.#draw(groupOf(job));
    }
    const past = [];
    for (const [key, group] of grouped(jobs)) {
      if (this.cards.has(key) || group.some(isUnfinished)) {
        for (const job of group) {
          this.#keep(job);
        }
        this.#draw(key);
      } else {
        past.push(group);
      }
    }
    this.#drawPast(past.reverse());
    this.#follow();
  }

  /** Follow all unfinished jobs through one stream: browsers open few connections to a server. */
  async #follow() {
    if (this.isFollowing) {
      return;
    }
    this.isFollowing = true;
    const { signal } = this.ctx;
    while (!signal.aborted && this.#unfinished().length) {
      await untilVisible(signal);
      try {
        for await (const { data } of this.ctx.api.events(this.#path("events"), { signal: whileVisible(signal) })) {
          this.#changed(data);
        }
      } catch (error) {
        if (error.name !== "AbortError") {
          this.#lost(error);
        }
      }
      // Jobs may have ended while there was no stream. It also ends if the server stops; jobs resume when it is back.
      await this.load();
      if (this.#unfinished().length) {
        await pause(SECONDS_TO_RECONNECT * 1000, signal);
      }
    }
    this.isFollowing = false;
  }

  #changed(job) {
    if (!this.isShown(job)) {
      return;
    }
    this.#keep(job);
    this.#draw(groupOf(job));
  }

  #keep(job) {
    const before = this.jobs.get(job.id);
    this.jobs.set(job.id, job);
    if (before && isUnfinished(before) && !isUnfinished(job)) {
      this.onEnded();
    }
  }

  #lost(error) {
    for (const job of this.#unfinished()) {
      this.cards.get(groupOf(job))?.lost(error);
    }
  }

  #unfinished() {
    return [...this.jobs.values()].filter(isUnfinished);
  }

  #of(key) {
    return [...this.jobs.values()].filter((job) => groupOf(job) === key);
  }

  #draw(key) {
    const group = this.#of(key);
    if (!group.length) {
      this.cards.get(key)?.node.remove();
      this.cards.delete(key);
      this.#offerDismissal();
      return;
    }
    const job = total(group);
    if (this.cards.has(key)) {
      this.cards.get(key).update(job);
    } else {
      this.#add(key, job);
    }
    this.#runningFirst(key, job);
    this.#offerDismissal();
  }

  #ended() {
    return [...this.cards.keys()].filter((key) => !this.#of(key).some(isUnfinished));
  }

  #offerDismissal() {
    this.dismissAll.hidden = this.#ended().length < 2;
  }

  #dismissEnded() {
    for (const key of this.#ended()) {
      this.#forget(key);
    }
    this.load();
  }

  #add(key, job) {
    const card = jobCard(job, {
      canWrite: this.ctx.canWrite,
      cancel: () => this.#cancel(key),
      resume: () => this.#resume(key),
      dismiss: () => this.#dismiss(key),
    });
    this.cards.set(key, card);
    this.shown.append(card.node);
  }

  /** Only a card that begins to run moves, so that focus elsewhere is not lost. */
  #runningFirst(key, job) {
    const { node } = this.cards.get(key);
    if (job.state === "running" && node !== this.shown.firstElementChild) {
      this.shown.prepend(node);
    }
  }

  #dismiss(key) {
    this.#forget(key);
    this.load();
  }

  #forget(key) {
    for (const job of this.#of(key)) {
      this.jobs.delete(job.id);
    }
    this.#draw(key);
  }

  /** Cancel the waiting jobs first, the last one first, so that none of them starts when the running one ends. */
  async #cancel(key) {
    const jobs = this.#of(key).filter(isUnfinished).reverse();
    for (const state of ["queued", "running"]) {
      await Promise.all(jobs.filter((job) => job.state === state).map((job) => this.#post(job, "cancel")));
    }
    // A job may have started meanwhile.
    await Promise.all(
      this.#of(key)
        .filter(isUnfinished)
        .map((job) => this.#post(job, "cancel")),
    );
  }

  async #resume(key) {
    const jobs = this.#of(key).filter((job) => ["partly", "failed", "cancelled"].includes(job.state));
    for (const job of jobs) {
      await this.#post(job, "resume");
    }
    this.#follow();
  }

  async #post(job, what) {
    try {
      this.#changed(await this.ctx.api.post(this.#path(job.id, what), {}, { signal: this.ctx.signal }));
    } catch (error) {
      if (error.name !== "AbortError") {
        this.cards.get(groupOf(job))?.lost(error);
      }
    }
  }

  #drawPast(groups) {
    const open = (group) => {
      for (const job of group) {
        this.watch(job);
      }
    };
    const past = groups.map((group) => ({ job: total(group), open: () => open(group) }));
    replace(this.past, past.length ? pastJobs(past) : null);
  }

  #path(id = "", rest = "") {
    return workspacePath(this.ctx.workspace, ["jobs", id, rest].filter(Boolean).join("/"));
  }
}
