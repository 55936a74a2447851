/** Source panel: the text of a document, scrolled to the cited span. */

import { workspacePath } from "./api.js";
import { copyText } from "./copying.js";
import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { busy, button, notice, problemNotice } from "./parts.js";
import { rendered } from "./rendered.js";
import { pagePane } from "./source_page.js";
import { unitOf, unitsOf } from "./spans.js";
import { sourceName } from "./words.js";

const MARKDOWN = /\.(md|markdown)$/i;
const PAGED = /\.(pdf|png|jpe?g|tiff?|webp)$/i;
const LONGEST_RENDERED = 100_000;
const NARROW = "(max-width: 60rem)";
const AROUND = 20_000;
const open = { dialog: null, opener: null, asked: null };

/**
 * Open a document at a span.
 *
 * @param {{api: object, workspace: string}} ctx
 * @param {{document_id: string, source: string, title: string, span: {start: number, end: number}, quote?: string,
 *   page?: number|null}} place
 */
export async function openPlace(ctx, place) {
  await shown(ctx, place, place.document_id);
}

/**
 * Open a document at its beginning.
 *
 * @param {{api: object, workspace: string}} ctx
 * @param {string} documentId
 */
export async function openDocument(ctx, documentId) {
  await shown(ctx, null, documentId);
}

/** Close the panel. */
export function closeSource() {
  open.dialog?.close();
}

async function shown(ctx, place, documentId) {
  const panel = panelNow();
  open.asked?.abort();
  const asked = new AbortController();
  open.asked = asked;
  replace(panel, head(place?.title || sourceName(place?.source ?? "") || "Document", place), busy("Loading document"));
  const path = workspacePath(ctx.workspace, `documents/${documentId}`);
  try {
    const [record, text] = await Promise.all([
      ctx.api.get(path, {}, { signal: asked.signal }),
      ctx.api.get(`${path}/text`, {}, { signal: asked.signal }),
    ]);
    const blocks = await renderedOf(ctx, record, text, place, asked.signal);
    const pages = PAGED.test(record.source) ? await pagePane(ctx, path, place?.page ?? 1, asked.signal) : null;
    panel.classList.toggle("with-page", pages !== null);
    const words = el("div", { class: "source-body" }, body(text, place, blocks));
    replace(panel, head(record.title || sourceName(record.source), place, record.source), pages, words);
    inSight(panel);
  } catch (error) {
    if (error.name !== "AbortError") {
      const gone = error.status === 404 ? notice("warning", "This document has been deleted.") : null;
      replace(
        panel,
        head(place?.title || "Document", place),
        gone ?? problemNotice(error, () => shown(ctx, place, documentId)),
      );
    }
  }
}

/** The open panel: beside the page, or over it on narrow screens. */
function panelNow() {
  if (open.dialog?.open) {
    return open.dialog;
  }
  const dialog = el("dialog", { class: "source", "aria-labelledby": "source-title" });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      dialog.close();
    }
  });
  dialog.addEventListener("close", () => left(dialog));
  open.opener = document.activeElement;
  open.dialog = dialog;
  document.body.append(dialog);
  if (matchMedia(NARROW).matches) {
    dialog.showModal();
  } else {
    document.body.classList.add("source-open");
    dialog.show();
  }
  return dialog;
}

function left(dialog) {
  document.body.classList.remove("source-open");
  dialog.remove();
  open.asked?.abort();
  if (open.opener?.isConnected) {
    open.opener.focus({ preventScroll: true });
  }
  if (open.dialog === dialog) {
    open.dialog = null;
  }
}

function head(title, place, source = place?.source ?? "") {
  const where = [place?.headings?.join(" › "), place?.page ? `Page ${place.page}` : null, address(source)].filter(
    Boolean,
  );
  return el(
    "header",
    { class: "source-head" },
    el(
      "div",
      { class: "grow" },
      el("h2", { id: "source-title" }, title),
      el(
        "p",
        { class: "muted small" },
        where.flatMap((part, n) => [n ? " · " : null, part]),
      ),
    ),
    place?.quote ? copyButton(place.quote) : null,
    button(icon("close"), closeSource, { class: "button quiet square", "aria-label": "Close the source" }),
  );
}

/** Web addresses are links; other sources are shown as text. */
function address(source) {
  if (/^https?:\/\//i.test(source)) {
    return el("a", { href: source, target: "_blank", rel: "noopener noreferrer" }, source);
  }
  return sourceName(source);
}

function copyButton(quote) {
  return button(icon("copy"), () => copyText(quote, "Quotation copied."), {
    class: "button quiet square",
    "aria-label": "Copy quotation",
  });
}

/** The rendered blocks of a Markdown document; null if it is shown as text. */
async function renderedOf(ctx, record, text, place, signal) {
  const units = place ? unitsOf(text, place) : { start: 0, end: 0 };
  const moved = place && units?.start !== unitOf(text, place.span.start);
  if (!MARKDOWN.test(record.source) || text.length > LONGEST_RENDERED || !units || moved) {
    return null;
  }
  const { start, end } = place?.span ?? units;
  const path = workspacePath(ctx.workspace, `documents/${record.id}/rendered`);
  const { blocks, marked } = await ctx.api.get(path, { start, end }, { signal });
  return marked || !place ? blocks : null;
}

/** The document as it is written and, if it was rendered, formatted, with a button to change between both. */
function body(text, place, blocks) {
  const written = asWritten(text, place);
  if (!blocks) {
    return written;
  }
  const formatted = el(
    "div",
    { class: "source-text formatted rendered said", tabindex: "0" },
    rendered(blocks, () => null),
  );
  const shown = el("div", { class: "source-body" }, formatted);
  const change = button("Show as text", () => {
    const isFormatted = shown.contains(formatted);
    replace(shown, isFormatted ? written : formatted);
    change.textContent = isFormatted ? "Show formatted" : "Show as text";
    inSight(shown);
  });
  change.className = "button quiet small source-change";
  return [change, shown];
}

function asWritten(text, place) {
  const units = place ? unitsOf(text, place) : { start: 0, end: 0 };
  const changed = units
    ? null
    : notice("warning", `The document has changed since. The quotation was: “${place.quote.slice(0, 600)}”`);
  return [
    changed,
    el("div", { class: "source-text said", tabindex: "0" }, around(text, units ?? { start: 0, end: 0 })),
  ];
}

/** The cited text with its surroundings; long documents are loaded in parts. */
function around(text, { start, end }) {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, end + AROUND);
  const before = el("span", {}, text.slice(from, start));
  const after = el("span", {}, text.slice(end, to));
  return [
    from > 0 ? rest("Show the text before", (more) => before.prepend(more), text.slice(0, from)) : null,
    before,
    end > start ? el("mark", { class: "meant" }, text.slice(start, end)) : null,
    after,
    to < text.length ? rest("Show the text after", (more) => after.append(more), text.slice(to)) : null,
  ];
}

function rest(label, put, text) {
  const more = button(label, () => {
    put(text);
    more.remove();
  });
  return more;
}

function inSight(panel) {
  const meant = panel.querySelector(".meant");
  const scrolled = panel.querySelector(".source-text");
  const top = (node) => node.getBoundingClientRect().top;
  scrolled.scrollTop += meant ? top(meant) - top(scrolled) - scrolled.clientHeight / 3 : 0;
}
