/** Browse entities and facts. */

import { browseEntities } from "./browse_entities.js";
import { browseFacts } from "./browse_facts.js";
import { browseReview } from "./browse_review.js";
import { el, replace } from "./dom.js";
import { button, empty, tabs } from "./parts.js";
import { counted } from "./words.js";

export const title = "Browse";
const TABS = ["entities", "facts", "review"];

/**
 * `params` may have `tab`, and the identifier of an `entity` or a `fact` to show first.
 *
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const { facts, entities } = ctx.info.counts;
  if (!entities) {
    replace(
      root,
      el("h1", {}, title),
      empty(
        "Nothing to browse yet",
        "Entities and facts come from documents.",
        button(ctx.canWrite ? "Add documents" : "Show documents", () => ctx.go("documents"), {
          class: "button primary",
        }),
      ),
    );
    return;
  }
  const wanted = ctx.params.get("fact") ? "facts" : (ctx.params.get("tab") ?? "entities");
  const panels = [
    { label: `Entities (${entities.toLocaleString("en")})`, panel: () => browseEntities(ctx) },
    { label: `Facts (${facts.toLocaleString("en")})`, panel: () => browseFacts(ctx) },
    // Keys that show only some documents have no access to the decisions about all.
    ctx.isFiltered ? null : { label: "Review pairs", panel: () => browseReview(ctx) },
  ].filter(Boolean);
  replace(
    root,
    el(
      "div",
      { class: "stack" },
      el(
        "div",
        {},
        el("h1", {}, title),
        el("p", { class: "muted" }, `Entities and facts from ${counted(ctx.info.counts.documents, "document")}.`),
      ),
      tabs(panels, { label: "What to browse", selected: Math.max(0, TABS.indexOf(wanted)) }),
    ),
  );
}
