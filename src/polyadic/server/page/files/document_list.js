/** The list of documents. */

import { workspacePath } from "./api.js";
import { latest } from "./asking.js";
import { deleteDocuments } from "./document_delete.js";
import { Selection } from "./document_selection.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { busy, button, empty, notice, problemNotice } from "./parts.js";
import { openDocument } from "./source.js";
import { counted, sourceName } from "./words.js";

const PAGE = 50;
const TYPING = 250;
const METADATA_SHOWN = 3;

/**
 * Documents by source, with a search and pages.
 *
 * @param {object} ctx
 * @param {(job: object) => void} onJob called with each job that this starts
 * @returns {{node: HTMLElement, load: () => Promise<void>}}
 */
export function documentList(ctx, onJob) {
  const list = new List(ctx, onJob);
  return { node: list.node, load: () => list.load() };
}

class List {
  constructor(ctx, onJob) {
    this.ctx = ctx;
    this.onJob = onJob;
    /** Cursors of the previous pages. */
    this.before = [];
    this.after = "";
    this.count = el("p", { class: "muted small", role: "status" });
    this.notice = el("div", {});
    this.body = el("div", {}, busy("Loading documents"));
    this.search = el("input", {
      type: "search",
      class: "field",
      placeholder: "Part of a title or source",
      "aria-label": "Search documents",
    });
    this.refresh = latest((signal) => this.#load(signal), TYPING, ctx.signal);
    this.search.addEventListener("input", () => {
      this.before = [];
      this.after = "";
      this.refresh();
    });
    this.selection = new Selection((documents) => this.#delete(documents));
    this.bar = el("div", { class: "row apart list-bar" }, el("div", { class: "search-box" }, this.search), this.count);
    this.node = el(
      "section",
      { class: "stack close", "aria-label": "Documents", tabindex: -1 },
      this.bar,
      this.notice,
      this.body,
    );
  }

  load() {
    return this.refresh.now();
  }

  async #load(signal) {
    const words = this.search.value.trim();
    try {
      const page = await this.ctx.api.get(
        workspacePath(this.ctx.workspace, "documents"),
        { search: words, after: this.after, limit: PAGE },
        { signal },
      );
      if (!page.documents.length && this.before.length) {
        // All documents of the last page were deleted.
        this.after = this.before.pop();
        await this.#load(signal);
      } else {
        this.#draw(page, words);
      }
    } catch (error) {
      if (error.name === "AbortError") {
        throw error;
      }
      replace(
        this.body,
        problemNotice(error, () => this.load()),
      );
    }
  }

  #draw(page, words) {
    const isEmpty = !page.total && !words;
    this.bar.hidden = isEmpty;
    replace(this.count, words ? `${counted(page.total, "document")} found` : counted(page.total, "document"));
    if (!page.documents.length) {
      replace(this.body, this.#nothing(words));
      return;
    }
    const unread = page.documents.reduce((sum, one) => sum + one.failed, 0);
    this.selection.turnPage();
    replace(
      this.body,
      unread && this.ctx.canWrite ? this.#retryNotice(unread) : null,
      this.ctx.canWrite ? this.selection.bar : null,
      el(
        "ul",
        { class: "list rows" },
        page.documents.map((record) => this.#row(record)),
      ),
      this.#pager(page.next),
    );
  }

  #nothing(words) {
    if (words) {
      return empty(
        "No matching documents",
        "The search covers titles and sources only. Use Ask to search the contents.",
      );
    }
    const hint = this.ctx.canWrite
      ? "Documents appear here, and can be queried, as soon as they have been indexed."
      : "No documents have been added yet.";
    return empty("No documents yet", hint);
  }

  #retryNotice(unread) {
    const again = button("Retry failed chunks", async () => {
      try {
        this.onJob(await this.ctx.api.post(workspacePath(this.ctx.workspace, "jobs")));
        replace(this.notice);
      } catch (error) {
        replace(this.notice, problemNotice(error));
      }
    });
    return notice("warning", `${counted(unread, "chunk")} of these documents failed.`, again);
  }

  #row(record) {
    const name = record.title || sourceName(record.source);
    const metadata = Object.entries(record.metadata)
      .slice(0, METADATA_SHOWN)
      .map((pair) => pair.join(" "));
    const open = button(name, () => openDocument(this.ctx, record.id), { class: "link row-title" });
    const remove = el(
      "button",
      { type: "button", class: "button quiet square small", "aria-label": `Delete ${name}`, title: "Delete" },
      icon("trash"),
    );
    const row = el(
      "li",
      { class: "row-item" },
      this.ctx.canWrite ? this.selection.box(record.id, name) : null,
      el(
        "div",
        { class: "grow" },
        open,
        el(
          "p",
          { class: "muted small" },
          [record.title ? sourceName(record.source) : "", ...metadata].filter(Boolean).join(" · "),
        ),
      ),
      el(
        "p",
        { class: "row-numbers small muted" },
        el("span", {}, counted(record.facts, "fact")),
        el("span", {}, counted(record.chunks, "chunk")),
        record.failed ? el("span", { class: "warned" }, `${record.failed} failed`) : null,
      ),
      this.ctx.canWrite ? remove : null,
    );
    remove.addEventListener("click", () => this.#delete([{ id: record.id, name }]));
    return row;
  }

  #delete(documents) {
    return deleteDocuments(this.ctx, documents, this.notice, async (deleted) => {
      this.selection.drop(deleted);
      await this.load();
      if (document.activeElement === document.body) {
        // The button that was pressed is gone.
        this.node.focus({ preventScroll: true });
      }
    });
  }

  #pager(next) {
    if (!next && !this.before.length) {
      return null;
    }
    const move = (change) => {
      change();
      this.load();
      this.node.scrollIntoView({ block: "start" });
    };
    const back = button(
      "Previous",
      () =>
        move(() => {
          this.after = this.before.pop();
        }),
      { disabled: !this.before.length },
    );
    const on = button(
      "Next",
      () =>
        move(() => {
          this.before.push(this.after);
          this.after = next;
        }),
      { disabled: !next },
    );
    return el(
      "nav",
      { class: "row centred pager", "aria-label": "Pages of documents" },
      back,
      el("span", { class: "muted small" }, `Page ${this.before.length + 1}`),
      on,
    );
  }
}
