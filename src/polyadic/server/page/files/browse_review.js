/** Review pairs of entities that may be the same: merge them, keep them apart, or skip them. */

import { workspacePath } from "./api.js";
import { beside, choice } from "./browse_parts.js";
import { decisionList, decisionWords, undone } from "./decisions.js";
import { el, replace } from "./dom.js";
import { busy, button, empty, notice, problemNotice } from "./parts.js";
import { pairDetail } from "./review_pair.js";
import { counted } from "./words.js";

const PAIRS = 100;
/** The API returns at most this many. */
const MOST_PAIRS = 200;

/**
 * @param {object} ctx
 * @returns {Promise<HTMLElement>}
 */
export async function browseReview(ctx) {
  const review = new Review(ctx);
  await Promise.all([review.load(), review.decisions.load()]);
  return review.node;
}

class Review {
  constructor(ctx) {
    this.ctx = ctx;
    this.pairs = [];
    /** Identifiers of pairs that were skipped; they come back when the view is opened again. */
    this.skipped = new Set();
    this.total = 0;
    this.count = el("p", { class: "muted small", role: "status" });
    this.said = el("div", { role: "status" });
    this.list = el("ul", { class: "list choices", "aria-label": "Pairs" });
    this.foot = el("div", {});
    this.decisions = decisionList(ctx, () => this.load());
    const chooser = el("div", { class: "stack close chooser" }, this.count, this.list, this.foot);
    this.view = beside(chooser, "Choose a pair.", "Pair", ctx);
    this.node = el(
      "div",
      { class: "stack" },
      el("p", { class: "muted" }, "Pairs of entities that may be the same, the most likely first."),
      this.said,
      this.view.node,
      this.decisions.node,
    );
  }

  async load() {
    replace(this.foot, busy("Comparing entities"));
    try {
      const path = workspacePath(this.ctx.workspace, "resolution/review");
      // Skipped pairs are among the first that the API returns.
      const limit = Math.min(MOST_PAIRS, PAIRS + this.skipped.size);
      const review = await this.ctx.api.get(path, { limit }, { signal: this.ctx.signal });
      this.total = review.total;
      this.pairs = review.candidates.filter(({ id }) => !this.skipped.has(id));
      this.#draw();
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(
          this.foot,
          problemNotice(error, () => this.load()),
        );
      }
    }
  }

  #draw() {
    const words = this.skipped.size ? `, ${this.skipped.size.toLocaleString("en")} skipped` : "";
    const left = this.total - this.skipped.size;
    const shown = this.pairs.length < left ? `Showing ${this.pairs.length.toLocaleString("en")} of ` : "";
    replace(this.count, `${shown}${counted(this.total, "pair")}${words}`);
    replace(
      this.list,
      this.pairs.map((pair) => this.#row(pair)),
    );
    const again = this.skipped.size ? button("Show skipped pairs", () => this.#showSkipped()) : null;
    replace(
      this.foot,
      this.pairs.length ? null : empty("Nothing to review", this.#nothing(), ...[again].filter(Boolean)),
    );
    this.view.node.classList.toggle("only-list", !this.pairs.length);
  }

  #nothing() {
    if (!this.skipped.size) {
      return "No two entities look like the same one.";
    }
    return this.skipped.size >= this.total ? "All other pairs were skipped." : "Show skipped pairs to reach the rest.";
  }

  #row(pair) {
    const note = `${Math.round(pair.score * 100)}% likely · ${pair.why}`;
    return choice({ title: `${pair.one.name} – ${pair.other.name}`, note, class: "pair-title" }, () =>
      this.#open(pair),
    );
  }

  #open(pair) {
    const on = {
      merge: (into) => this.#decide(pair, { kind: "merge", names: [pair.one.id, pair.other.id], into }),
      separate: () => this.#decide(pair, { kind: "cannot-link", names: [pair.one.id, pair.other.id] }),
      skip: () => {
        this.skipped.add(pair.id);
        this.#next(pair);
      },
    };
    return this.view.show(async () => [pairDetail(this.ctx, pair, on)]);
  }

  /** Make a decision and go on to the next pair; throw if it is refused. */
  async #decide(pair, decision) {
    const path = workspacePath(this.ctx.workspace, "resolution/decisions");
    const { decided } = await this.ctx.api.post(path, decision, { signal: this.ctx.signal });
    this.#showMade(decided);
    this.decisions.load();
    this.total -= 1;
    if (decision.kind === "merge") {
      // The names, evidence and scores of other pairs with these entities have changed.
      const merged = new Set(decision.names);
      this.pairs = this.pairs.filter(
        (other) => other === pair || !(merged.has(other.one.id) || merged.has(other.other.id)),
      );
    }
    await this.#next(pair);
  }

  /** Remove a pair, and open the one after it; load more when none is left. */
  async #next(pair) {
    const at = this.pairs.indexOf(pair);
    this.pairs = this.pairs.filter((other) => other !== pair);
    if (this.pairs.length) {
      this.#draw();
    } else {
      await this.load();
    }
    const following = this.list.children[Math.min(at, this.pairs.length - 1)]?.querySelector("button");
    if (following) {
      following.click();
      this.view.node.querySelector(".detail").focus();
    } else {
      this.view.node.classList.remove("chosen");
      this.foot.querySelector("button")?.focus();
    }
  }

  /** What was decided, with a button that undoes it at once. */
  #showMade(decided) {
    if (!decided.length) {
      replace(this.said);
      return;
    }
    const [decision] = decided;
    const undo = button("Undo", async () => {
      undo.disabled = true;
      try {
        await undone(this.ctx, decision);
        replace(this.said);
        await Promise.all([this.load(), this.decisions.load()]);
      } catch (error) {
        replace(this.said, problemNotice(error));
      }
    });
    replace(this.said, notice("info", `${decisionWords(decision)}.`, undo));
  }

  #showSkipped() {
    this.skipped.clear();
    return this.load();
  }
}
