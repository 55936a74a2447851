/** Documents view: upload, jobs, watched folders, and the list of documents. */

import { pause } from "./asking.js";
import { documentList } from "./document_list.js";
import { el } from "./dom.js";
import { jobBoard } from "./jobs.js";
import { uploadPanel } from "./upload.js";
import { isOfFolder, watchedFolders } from "./watched_folders.js";

export const title = "Documents";
/** The list appears with the jobs and folders above it, so that it does not move; but it does not wait for long. */
const MILLISECONDS_TO_WAIT = 3000;
const READ_ONLY = "Your key is read-only. Adding documents requires a key with write access.";
const FILTERED = "Your key is read-only and shows only some of the documents.";

/**
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const list = documentList(ctx, (job) => jobs.watch(job));
  const jobs = jobBoard(
    ctx,
    () => list.load(),
    (job) => !isOfFolder(job),
  );
  const folders = watchedFolders(ctx, () => list.load());
  const below = el(
    "div",
    { class: "stack wide-gap", hidden: true },
    ctx.isFiltered ? null : [jobs.node, folders.node],
    list.node,
  );
  root.append(
    el(
      "div",
      { class: "stack wide-gap" },
      el("h1", {}, title),
      ctx.canWrite
        ? uploadPanel(ctx, (job) => jobs.watch(job))
        : el("p", { class: "muted" }, ctx.isFiltered ? FILTERED : READ_ONLY),
      below,
    ),
  );
  const above = ctx.isFiltered ? [] : [jobs.load(), folders.load()];
  const listed = list.load();
  await Promise.race([Promise.all(above), pause(MILLISECONDS_TO_WAIT, ctx.signal)]);
  below.hidden = false;
  await Promise.all([...above, listed]);
}
