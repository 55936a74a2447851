/** Upload files, folders and texts. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { button, notice, problemNotice } from "./parts.js";
import { ACCEPTED, chosenFiles, distinct, droppedFiles, isPicture, isSupported, partsOf } from "./upload_files.js";
import { sendParts, uploadsOf } from "./upload_sending.js";

const SHOWN = 8;

/**
 * Drop zone, file chooser and text dialog.
 *
 * @param {object} ctx
 * @param {(job: object) => void} onJob called with each job that this starts
 * @returns {HTMLElement}
 */
export function uploadPanel(ctx, onJob) {
  const uploads = uploadsOf(ctx, onJob);
  const pasting = pasteForm(ctx, onJob, () => show(false));
  const paste = button("Paste text", () => show(pasting.hidden), { "aria-expanded": "false" });
  const show = (open) => {
    pasting.hidden = !open;
    paste.setAttribute("aria-expanded", String(open));
    (open ? pasting.querySelector("input") : paste).focus();
  };
  const upload = (files) => uploadFiles(ctx, files, uploads);
  return el("div", { class: "stack close" }, dropZone(upload, paste), uploads.messages, pasting);
}

function dropZone(upload, paste) {
  const files = picker(upload, { accept: ACCEPTED, "aria-label": "Files to add" });
  const folder = picker(upload, { webkitdirectory: true, "aria-label": "Folder to add" });
  const zone = el(
    "section",
    { class: "drop", "aria-label": "Add documents" },
    el("p", { class: "drop-lead" }, "Drop files or folders here, or"),
    el(
      "div",
      { class: "row centred" },
      button("Choose files", () => files.click(), { class: "button primary" }),
      button("Choose folder", () => folder.click(), { class: "button choose-folder" }),
      paste,
    ),
    el(
      "p",
      { class: "muted small" },
      "Text, Markdown, HTML, PDF, Word, PowerPoint, Excel, EPUB, e-mail, CSV, JSON lines.",
    ),
    files,
    folder,
  );
  acceptDrops(zone, upload);
  return zone;
}

function picker(upload, props) {
  const input = el("input", { type: "file", multiple: true, hidden: true, ...props });
  input.addEventListener("change", () => {
    upload(chosenFiles(input.files));
    input.value = "";
  });
  return input;
}

function acceptDrops(zone, upload) {
  let inside = 0;
  const light = () => zone.classList.toggle("over", inside > 0);
  const hasFiles = (event) => [...event.dataTransfer.types].includes("Files");
  zone.addEventListener("dragenter", () => {
    inside += 1;
    light();
  });
  zone.addEventListener("dragleave", () => {
    inside -= 1;
    light();
  });
  zone.addEventListener("dragover", (event) => {
    if (hasFiles(event)) {
      event.preventDefault();
    }
  });
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    inside = 0;
    light();
    upload(await droppedFiles(event.dataTransfer));
  });
}

/**
 * Upload files in parts that the server accepts.
 *
 * The server refuses an upload with one unsupported file, so such files are skipped here and reported.
 */
async function uploadFiles(ctx, files, uploads) {
  const unreadable = files.filter(({ file }) => !file);
  const withOcr = files.some(({ name }) => isPicture(name)) && (await hasOcr(ctx));
  const pictures = files.filter(({ file, name }) => file && !withOcr && isPicture(name));
  const unsupported = files.filter(({ file, name }) => file && !isPicture(name) && !isSupported(name, withOcr));
  const supported = files.filter((one) => one.file && isSupported(one.name, withOcr));
  const skipped = [
    pictures.length ? notice("warning", `Skipped: pictures need OCR, which is off (${names(pictures)}).`) : null,
    unsupported.length ? notice("warning", `Skipped: unsupported file type (${names(unsupported)}).`) : null,
    unreadable.length ? notice("warning", `Skipped: the browser cannot read them (${names(unreadable)}).`) : null,
    files.length ? null : notice("warning", "The folder contains no files."),
  ];
  const place = replace(uploads.begin(), skipped);
  if (supported.length) {
    await sendParts(ctx, uploads, partsOf(distinct(supported)), place, skipped);
  }
}

/** Whether the server reads pictures; not if it cannot be asked, because the upload then fails as well. */
async function hasOcr(ctx) {
  try {
    return (await ctx.api.get(workspacePath(ctx.workspace, "settings"))).ocr;
  } catch {
    return false;
  }
}

function names(files) {
  const shown = files.slice(0, SHOWN).map(({ name }) => name);
  return files.length > SHOWN ? `${shown.join(", ")} and ${files.length - SHOWN} more` : shown.join(", ");
}

function pasteForm(ctx, onJob, onDone) {
  const messages = el("div", {});
  const named = el("input", { id: "paste-title", class: "field", maxlength: 500, autocomplete: "off" });
  const text = el("textarea", { id: "paste-text", class: "field", rows: 8, required: true });
  const source = el("input", {
    id: "paste-source",
    class: "field",
    maxlength: 1000,
    autocomplete: "off",
    placeholder: "https://example.org/letters/7",
    "aria-describedby": "paste-source-hint",
  });
  const form = el(
    "form",
    { class: "panel stack", hidden: true, "aria-label": "Paste text" },
    labelled("paste-title", "Title", named),
    labelled("paste-text", "Text", text),
    labelled("paste-source", "Address (optional)", source),
    el(
      "p",
      { class: "muted small", id: "paste-source-hint" },
      "The address identifies the document: adding the same address again replaces it.",
    ),
    messages,
    el(
      "div",
      { class: "row end" },
      button("Cancel", onDone, { class: "button quiet" }),
      el("button", { type: "submit", class: "button primary" }, "Add"),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    replace(messages);
    try {
      const texts = [{ text: text.value, title: named.value.trim(), source: source.value.trim() }];
      const job = await ctx.api.post(
        workspacePath(ctx.workspace, "documents/texts"),
        { texts },
        { signal: ctx.signal },
      );
      form.reset();
      onDone();
      onJob(job);
    } catch (error) {
      replace(messages, problemNotice(error));
    }
  });
  return form;
}

function labelled(id, label, field) {
  return el("div", { class: "stack close" }, el("label", { for: id }, label), field);
}
