/** Decisions about entities: what they say, and a list of those in force, which can be undone. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { button, problemNotice, toast } from "./parts.js";
import { moment } from "./words.js";

const SHOWN = 20;

/**
 * @param {{kind: string, names: string[], into: string}} decision
 * @returns {string}
 */
export function decisionWords({ kind, names, into }) {
  if (kind === "cannot-link") {
    return `${names.join(" and ")} are different entities`;
  }
  if (kind === "keep") {
    return `${names[0]} is one entity`;
  }
  if (kind === "split") {
    return `${names[0]} means ${into} in some documents`;
  }
  return names.length > 1 ? `${names.join(", ")} are the same entity: ${into}` : `${names[0]} is called ${into}`;
}

/**
 * The decisions in force, the latest first.
 *
 * @param {object} ctx
 * @param {() => void} onUndone called when a decision has been undone
 * @returns {{node: HTMLElement, load: () => Promise<void>}}
 */
export function decisionList(ctx, onUndone) {
  const rows = el("ul", { class: "list rows" });
  const heading = el("summary", {}, "Decisions");
  const said = el("div", {});
  const node = el("details", { class: "fold", hidden: true }, heading, said, rows);
  const load = async (limit = SHOWN) => {
    try {
      const path = workspacePath(ctx.workspace, "resolution/decisions");
      const { decisions } = await ctx.api.get(path, {}, { signal: ctx.signal });
      replace(said);
      const latest = decisions.reverse();
      node.hidden = !latest.length;
      replace(heading, `Decisions (${latest.length.toLocaleString("en")})`);
      const more =
        latest.length > limit
          ? el(
              "li",
              {},
              button("Show all", () => load(latest.length), { class: "button small" }),
            )
          : null;
      replace(
        rows,
        latest.slice(0, limit).map((one) => row(one)),
        more,
      );
    } catch (error) {
      if (error.name !== "AbortError") {
        node.hidden = false;
        replace(
          said,
          problemNotice(error, () => load(limit)),
        );
      }
    }
  };
  const undo = async (decision, pressed) => {
    pressed.disabled = true;
    replace(said);
    try {
      await undone(ctx, decision);
      await load();
      heading.focus();
      onUndone();
    } catch (error) {
      pressed.disabled = false;
      replace(said, problemNotice(error));
    }
  };
  const row = (decision) => {
    const words = decisionWords(decision);
    const pressed = button("Undo", () => undo(decision, pressed), {
      class: "button small",
      "aria-label": `Undo: ${words}`,
    });
    return el(
      "li",
      { class: "row-item" },
      el("div", { class: "grow" }, words, el("p", { class: "muted small" }, decision.at ? moment(decision.at) : "")),
      ctx.canWrite ? pressed : null,
    );
  };
  return { node, load };
}

/**
 * Undo a decision.
 *
 * @param {object} ctx
 * @param {{id: string}} decision
 */
export async function undone(ctx, { id }) {
  try {
    await ctx.api.del(workspacePath(ctx.workspace, `resolution/decisions/${id}`), { signal: ctx.signal });
  } catch (error) {
    // Another user has undone it.
    if (error.status !== 404) {
      throw error;
    }
  }
  toast("Decision undone.");
}
