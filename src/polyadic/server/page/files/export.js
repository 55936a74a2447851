/** Export a workspace as a file. */

import { workspacePath } from "./api.js";
import { save } from "./copying.js";
import { el, replace } from "./dom.js";
import { busy, button, problemNotice } from "./parts.js";

const FORMATS = [
  { name: "hif", suffix: "hif.json", label: "HIF (JSON)", hint: "Everything; can be imported again." },
  { name: "graphml", suffix: "graphml", label: "GraphML", hint: "Entities and facts as a graph, for graph programs." },
  { name: "jsonl", suffix: "jsonl", label: "JSON Lines", hint: "Every piece of evidence, one a line." },
];

/**
 * A form with the format, and a button that downloads the file.
 *
 * @param {object} ctx
 * @returns {HTMLElement}
 */
export function exportSection(ctx) {
  const hint = el("p", { id: "export-hint", class: "muted small" });
  const said = el("div", {});
  const format = el(
    "select",
    { id: "export-format", class: "field", "aria-describedby": "export-hint" },
    FORMATS.map(({ name, label }) => el("option", { value: name }, label)),
  );
  const chosen = () => FORMATS[format.selectedIndex];
  const showHint = () => replace(hint, chosen().hint);
  const download = async () => {
    const { name, suffix } = chosen();
    start.disabled = true;
    replace(said, busy("Preparing the file"));
    try {
      // A plain link would not send the key.
      save(await ctx.api.blob(workspacePath(ctx.workspace, "export"), { format: name }), `${ctx.workspace}.${suffix}`);
      replace(said);
    } catch (error) {
      replace(said, problemNotice(error, download));
    } finally {
      start.disabled = false;
    }
  };
  const start = button("Export", download);
  format.addEventListener("change", showHint);
  showHint();
  const content = ctx.isFiltered ? "The export contains the documents that your key shows." : "";
  return el(
    "div",
    { class: "stack close" },
    el("div", { class: "row" }, el("label", { for: "export-format" }, "Format"), format, start),
    hint,
    content ? el("p", { class: "muted small" }, content) : null,
    said,
  );
}
