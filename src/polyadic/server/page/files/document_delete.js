/** Delete documents: one after the other, with progress and a list of those that could not be deleted. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { button, confirmed, notice, toast } from "./parts.js";
import { counted } from "./words.js";

const BUSY = "A job is writing to this workspace. Wait until it has finished, or cancel it, then try again.";

/**
 * Delete documents after confirmation.
 *
 * @param {object} ctx
 * @param {{id: string, name: string}[]} documents
 * @param {HTMLElement} messages shows the progress and what failed
 * @param {(deleted: string[]) => void} onDeleted called at the end with the identifiers of those that are gone
 */
export async function deleteDocuments(ctx, documents, messages, onDeleted) {
  const one = documents.length === 1;
  const what = one ? `“${documents[0].name}”` : counted(documents.length, "document");
  const label = one ? "Delete document" : `Delete ${counted(documents.length, "document")}`;
  if (await confirmed(`Delete ${what}? Facts that no other document supports are deleted too.`, label)) {
    await deleted(ctx, documents, messages, onDeleted);
  }
}

async function deleted(ctx, documents, messages, onDeleted) {
  const stopped = new AbortController();
  const bar = el("progress", { max: documents.length, value: 0, "aria-label": "Deletion progress" });
  const label = el("span", { role: "status" }, `Deleting ${counted(documents.length, "document")}`);
  const cancel = button("Cancel", () => stopped.abort(), { class: "button small" });
  replace(messages, documents.length > 1 ? el("div", { class: "sending row" }, label, bar, cancel) : null);
  const gone = [];
  const failed = [];
  for (const one of documents) {
    if (ctx.signal.aborted) {
      return;
    }
    const problem = stopped.signal.aborted ? "Cancelled." : await problemOf(ctx, one);
    if (problem) {
      failed.push({ ...one, problem });
    } else {
      gone.push(one);
    }
    bar.value = gone.length + failed.length;
  }
  const again = () => deleted(ctx, failed, messages, onDeleted);
  replace(messages, failed.length ? failedNotice(gone.length, failed, again) : null);
  if (!failed.length) {
    toast(gone.length === 1 ? `${gone[0].name} deleted.` : `${counted(gone.length, "document")} deleted.`);
  }
  onDeleted(gone.map(({ id }) => id));
  if (failed.length) {
    messages.scrollIntoView({ block: "nearest" });
  }
}

/** Delete a document; return why that was not possible, or nothing if it is gone. */
async function problemOf(ctx, { id }) {
  try {
    await ctx.api.del(workspacePath(ctx.workspace, `documents/${id}`), { signal: ctx.signal });
    return "";
  } catch (error) {
    if (error.status === 404) {
      return "";
    }
    return error.status === 409 ? BUSY : error.message;
  }
}

function failedNotice(gone, failed, again) {
  const [{ name, problem }] = failed;
  const retry = button("Try again", again);
  if (!gone && failed.length === 1) {
    return notice("warning", `${name} was not deleted. ${problem}`, retry);
  }
  const text = `${counted(gone, "document")} deleted, ${failed.length.toLocaleString("en")} not deleted.`;
  const items = failed.map((one) =>
    el("li", {}, el("strong", {}, one.name), el("p", { class: "muted small" }, one.problem)),
  );
  return el(
    "div",
    { class: "stack close" },
    notice("warning", text, retry),
    el("ul", { class: "list unread", "aria-label": "Documents that were not deleted", tabindex: 0 }, items),
  );
}
