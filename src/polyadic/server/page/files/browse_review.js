/** Review pairs of entities that may be the same (merge, keep apart, skip), and ambiguous names (split, keep, skip). */

import { workspacePath } from "./api.js";
import { beside, choice } from "./browse_parts.js";
import { decisionList, decisionWords, undone } from "./decisions.js";
import { el, replace } from "./dom.js";
import { busy, button, empty, notice, problemNotice } from "./parts.js";
import { homonymDetail } from "./review_homonym.js";
import { pairDetail } from "./review_pair.js";
import { counted } from "./words.js";

const PAIRS = 100;

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
    this.homonyms = [];
    /** Identifiers of pairs and names that were skipped; they come back when the view is opened again. */
    this.skipped = new Set();
    this.skippedNames = new Set();
    /** Identifiers of the undecided pairs that were received since the entities were compared. */
    this.seen = new Set();
    this.hasMore = false;
    this.total = 0;
    this.count = el("p", { class: "muted small", role: "status" });
    this.said = el("div", { role: "status" });
    this.list = el("ul", { class: "list choices", "aria-label": "Pairs" });
    this.foot = el("div", {});
    this.names = el("ul", { class: "list choices", "aria-label": "Ambiguous names" });
    this.namesPart = el("section", { class: "stack close", hidden: true }, el("h3", {}, "Ambiguous names"), this.names);
    this.decisions = decisionList(ctx, () => this.load());
    const chooser = el("div", { class: "stack close chooser" }, this.count, this.list, this.foot, this.namesPart);
    this.view = beside(chooser, "Choose a pair or a name.", "Pair", ctx);
    this.node = el(
      "div",
      { class: "stack" },
      el(
        "p",
        { class: "muted" },
        "Pairs of entities that may be the same, the most likely first, and names that may refer to several.",
      ),
      this.said,
      this.view.node,
      this.decisions.node,
    );
  }

  /** Compare all entities again. */
  load() {
    this.pairs = [];
    this.seen.clear();
    return this.#loadMore();
  }

  /** Show the next pairs that were not skipped. */
  async #loadMore() {
    replace(this.foot, busy("Comparing entities"));
    try {
      do {
        await this.#loadPage();
      } while (!this.pairs.length && this.hasMore);
      this.#draw();
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(
          this.foot,
          problemNotice(error, () => this.#loadMore()),
        );
      }
    }
  }

  /** Decided pairs are gone from the list of the API, so the number of the others is where the next page starts. */
  async #loadPage() {
    const path = workspacePath(this.ctx.workspace, "resolution/review");
    const start = this.seen.size;
    const review = await this.ctx.api.get(path, { start, limit: PAIRS }, { signal: this.ctx.signal });
    this.total = review.total;
    this.hasMore = review.next !== null;
    this.pairs.push(...review.candidates.filter(({ id }) => !this.seen.has(id) && !this.skipped.has(id)));
    for (const { id } of review.candidates) {
      this.seen.add(id);
    }
    if (!start) {
      this.homonyms = review.homonyms.filter(({ name }) => !this.skippedNames.has(name));
    }
  }

  #draw() {
    const words = this.skipped.size ? `, ${this.skipped.size.toLocaleString("en")} skipped` : "";
    const shown = this.hasMore ? `Showing ${this.pairs.length.toLocaleString("en")} of ` : "";
    replace(this.count, `${shown}${counted(this.total, "pair")}${words}`);
    replace(
      this.list,
      this.pairs.map((pair) => this.#row(pair)),
    );
    replace(this.foot, this.pairs.length ? this.#more() : this.#none());
    this.namesPart.hidden = !this.homonyms.length;
    replace(
      this.names,
      this.homonyms.map((homonym) => choice({ title: homonym.name, note: homonym.why }, () => this.#openName(homonym))),
    );
    this.view.node.classList.toggle("only-list", !this.pairs.length && !this.homonyms.length);
  }

  #more() {
    return this.hasMore ? button("Show more pairs", () => this.#loadMore()) : null;
  }

  #none() {
    const isSkipped = this.skipped.size || this.skippedNames.size;
    const again = isSkipped ? [button("Show skipped pairs", () => this.#showSkipped())] : [];
    const title = this.homonyms.length ? "No pairs to review" : "Nothing to review";
    return empty(title, this.#nothing(), ...again);
  }

  #nothing() {
    if (!this.skipped.size) {
      return "No two entities look like the same one.";
    }
    return "All other pairs were skipped.";
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

  #openName(homonym) {
    const on = {
      split: async (decisions) => {
        const made = [];
        try {
          for (const decision of decisions) {
            made.push(...(await this.#made(decision)));
          }
        } finally {
          this.#showMade(made);
          this.decisions.load();
        }
        await this.#nextName(homonym);
      },
      keep: async () => {
        this.#showMade(await this.#made({ kind: "keep", name: homonym.name }));
        this.decisions.load();
        await this.#nextName(homonym);
      },
      skip: () => {
        this.skippedNames.add(homonym.name);
        return this.#nextName(homonym);
      },
    };
    return this.view.show(async () => [homonymDetail(this.ctx, homonym, on)]);
  }

  async #made(decision) {
    const path = workspacePath(this.ctx.workspace, "resolution/decisions");
    const { decided } = await this.ctx.api.post(path, decision, { signal: this.ctx.signal });
    return decided;
  }

  /** Make a decision and go on to the next pair; throw if it is refused. */
  async #decide(pair, decision) {
    this.#showMade(await this.#made(decision));
    this.decisions.load();
    this.total -= 1;
    this.seen.delete(pair.id);
    if (decision.kind === "merge") {
      // The names, evidence and scores of other pairs with these entities have changed; the API lists them last.
      const merged = new Set(decision.names);
      const isStale = (other) => other !== pair && (merged.has(other.one.id) || merged.has(other.other.id));
      for (const { id } of this.pairs.filter(isStale)) {
        this.seen.delete(id);
      }
      this.pairs = this.pairs.filter((other) => !isStale(other));
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
    this.#openFollowing(this.list, at, this.names);
  }

  #nextName(homonym) {
    const at = this.homonyms.indexOf(homonym);
    this.homonyms = this.homonyms.filter((other) => other !== homonym);
    this.#draw();
    this.#openFollowing(this.names, at, this.list);
  }

  /** Open what follows in a list, or else the first of the other list. */
  #openFollowing(list, at, other) {
    const following = list.children[Math.min(at, list.children.length - 1)] ?? other.children[0];
    if (following) {
      following.querySelector("button").click();
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
    const undo = button("Undo", async () => {
      undo.disabled = true;
      try {
        for (const decision of decided) {
          await undone(this.ctx, decision);
        }
        replace(this.said);
        await Promise.all([this.load(), this.decisions.load()]);
      } catch (error) {
        replace(this.said, problemNotice(error));
      }
    });
    replace(this.said, notice("info", `${decided.map(decisionWords).join("; ")}.`, undo));
  }

  #showSkipped() {
    this.skipped.clear();
    this.skippedNames.clear();
    return this.load();
  }
}
