/** Uploads that are being sent: they go on while other views are shown. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { button, notice, problemNotice, toast } from "./parts.js";
import { counted } from "./words.js";

/** Uploads by workspace and key. */
const held = new Map();

/** The uploads to a workspace, with their progress and messages. */
class Uploads {
  constructor() {
    this.messages = el("div", { class: "stack close" });
    this.sending = 0;
    /** Called with each job that an upload starts; set by the view that is shown. */
    this.onJob = () => {};
  }

  /** Return a place for the messages of a new upload, in place of those of uploads that have ended. */
  begin() {
    for (const ended of this.messages.querySelectorAll(":scope > :not([data-sending])")) {
      ended.remove();
    }
    const place = el("div", { class: "stack close" });
    this.messages.append(place);
    return place;
  }
}

/**
 * Return the uploads to a workspace; messages of those that ended while the view was shown are dropped with it.
 *
 * @param {object} ctx
 * @param {(job: object) => void} onJob called with each job that an upload starts
 * @returns {Uploads}
 */
export function uploadsOf(ctx, onJob) {
  const key = JSON.stringify([ctx.workspace, ctx.api.key]);
  const uploads = held.get(key) ?? new Uploads();
  held.set(key, uploads);
  uploads.onJob = onJob;
  ctx.signal.addEventListener("abort", () => {
    if (!uploads.sending && held.get(key) === uploads) {
      held.delete(key);
    }
  });
  return uploads;
}

/**
 * Send the parts of an upload one after the other, with a progress bar.
 *
 * @param {object} ctx
 * @param {Uploads} uploads
 * @param {object[][]} parts files with their names
 * @param {HTMLElement} place for progress and messages
 * @param {HTMLElement[]} skipped messages about files that are not sent
 */
export async function sendParts(ctx, uploads, parts, place, skipped) {
  await send(ctx, uploads, { parts, identifier: newIdentifier() }, place, skipped);
}

async function send(ctx, uploads, { parts, identifier }, place, skipped) {
  const stopped = new AbortController();
  const all = parts.flat().length;
  const bar = el("progress", { max: all, value: 0, "aria-label": "Upload progress" });
  const label = el("span", { role: "status" }, `Uploading ${counted(all, "file")}`);
  const cancel = button("Cancel", () => stopped.abort(), { class: "button small" });
  replace(place, skipped, el("div", { class: "sending row" }, label, bar, cancel));
  hold(uploads, place);
  const path = `${workspacePath(ctx.workspace, "documents/files")}?folders=true&upload=${identifier}`;
  const unsent = [...parts];
  let sent = 0;
  try {
    while (unsent.length) {
      const [part] = unsent;
      const onSent = (share) => {
        bar.value = sent + share * part.length;
      };
      uploads.onJob(await ctx.api.upload(path, part, onSent, stopped.signal));
      unsent.shift();
      sent += part.length;
    }
    replace(place, skipped);
    tellElsewhere(uploads, `Uploaded: ${counted(all, "file")}`);
  } catch (error) {
    const rest = () => send(ctx, uploads, { parts: unsent, identifier }, place, skipped);
    replace(place, skipped, stopped.signal.aborted ? stoppedNotice(sent, all, rest) : problemNotice(error, rest));
    tellElsewhere(uploads, `Upload incomplete: ${sent.toLocaleString("en")} of ${counted(all, "file")} uploaded`);
  } finally {
    release(uploads, place);
  }
}

/** Closing or reloading the page would lose the files that are not sent yet, so the browser asks before. */
function hold(uploads, place) {
  uploads.sending += 1;
  place.dataset.sending = "";
  addEventListener("beforeunload", askBefore);
}

function release(uploads, place) {
  uploads.sending -= 1;
  delete place.dataset.sending;
  if (![...held.values()].some(({ sending }) => sending)) {
    removeEventListener("beforeunload", askBefore);
  }
}

function askBefore(event) {
  event.preventDefault();
}

/** While another view is shown, a toast says what the messages on Documents say. */
function tellElsewhere(uploads, text) {
  if (!uploads.messages.isConnected) {
    toast(text);
  }
}

function stoppedNotice(sent, all, rest) {
  const text = `Upload cancelled: ${sent.toLocaleString("en")} of ${counted(all, "file")} uploaded.`;
  return notice("warning", text, button("Upload the rest", rest));
}

/** crypto.randomUUID() needs HTTPS, except on the same machine. */
function newIdentifier() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
