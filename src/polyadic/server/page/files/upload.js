/** Upload files and texts. */

import { workspacePath } from "./api.js";
import { el, replace } from "./dom.js";
import { button, notice, problemNotice } from "./parts.js";
import { counted } from "./words.js";

/** Suffixes of files that the server reads; a file without a suffix may be text. */
const KINDS = [
  "bash c cc cfg cjs cmake conf cpp cs css csv cxx dart docx eml epub go h hh hpp hs htm html ini java",
  "jl js json jsonl jsx kt log lua markdown mbox md mjs mk ndjson odt pdf php pl pm pptx properties",
  "proto ps1 py pyi r rb rs rst rtf scala scss sh sql swift tex text tf toml ts tsv tsx txt xlsx xml",
  "yaml yml zsh",
].flatMap((line) => line.split(" "));
const FILES_AT_ONCE = 100;
const SHOWN = 8;

/**
 * Drop zone, file chooser and text dialog.
 *
 * @param {object} ctx
 * @param {(job: object) => void} onJob called with each job that this starts
 * @returns {HTMLElement}
 */
export function uploadPanel(ctx, onJob) {
  const messages = el("div", { class: "stack close" });
  const pasting = pasteForm(ctx, onJob, () => show(false));
  const paste = button("Paste text", () => show(pasting.hidden), { "aria-expanded": "false" });
  const show = (open) => {
    pasting.hidden = !open;
    paste.setAttribute("aria-expanded", String(open));
    (open ? pasting.querySelector("input") : paste).focus();
  };
  const upload = (files) => uploadFiles(ctx, files, messages, onJob);
  return el("div", { class: "stack close" }, dropZone(upload, paste), messages, pasting);
}

function dropZone(upload, paste) {
  const picker = el("input", {
    type: "file",
    multiple: true,
    hidden: true,
    accept: KINDS.map((kind) => `.${kind}`).join(","),
    "aria-label": "Files to add",
  });
  picker.addEventListener("change", () => {
    upload([...picker.files]);
    picker.value = "";
  });
  const choose = button("Choose files", () => picker.click(), { class: "button primary" });
  const zone = el(
    "section",
    { class: "drop", "aria-label": "Add documents" },
    el("p", { class: "drop-lead" }, "Drop files here, or"),
    el("div", { class: "row centred" }, choose, paste),
    el(
      "p",
      { class: "muted small" },
      "Text, Markdown, HTML, PDF, Word, PowerPoint, Excel, EPUB, e-mail, CSV, JSON lines.",
    ),
    picker,
  );
  acceptDrops(zone, upload);
  return zone;
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
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    inside = 0;
    light();
    upload([...event.dataTransfer.files]);
  });
}

function isSupported(name) {
  return !name.includes(".") || KINDS.includes(name.toLowerCase().split(".").pop());
}

/**
 * Upload files in parts that the server accepts.
 *
 * The server refuses an upload with one unsupported file, so such files are skipped here and reported.
 */
async function uploadFiles(ctx, files, messages, onJob) {
  const supported = files.filter((file) => isSupported(file.name));
  const unsupported = files.filter((file) => !supported.includes(file));
  const skippedNotice = unsupported.length
    ? [notice("warning", `Skipped: unsupported file type (${names(unsupported)}).`)]
    : [];
  replace(messages, skippedNotice);
  if (supported.length) {
    await sendParts(ctx, distinct(supported), newIdentifier(), messages, skippedNotice, onJob);
  }
}

/** Number files of the same name: the server sees one part of the upload at a time. */
function distinct(files) {
  const taken = new Set(files.map((file) => file.name));
  const used = new Set();
  return files.map((file) => {
    const dot = file.name.lastIndexOf(".");
    let name = file.name;
    for (let number = 2; used.has(name); number += 1) {
      const next = `${file.name.slice(0, dot)} (${number})${file.name.slice(dot)}`;
      name = taken.has(next) ? name : next;
    }
    used.add(name);
    return name === file.name ? file : new File([file], name, { type: file.type });
  });
}

/** crypto.randomUUID() needs HTTPS, except on the same machine. */
function newIdentifier() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sendParts(ctx, files, identifier, messages, skippedNotice, onJob) {
  const bar = el("progress", { max: files.length, value: 0, "aria-label": "Upload progress" });
  const label = el("span", {}, `Uploading ${counted(files.length, "file")}`);
  replace(messages, skippedNotice, el("div", { class: "sending row", role: "status" }, label, bar));
  const path = `${workspacePath(ctx.workspace, "documents/files")}?upload=${identifier}`;
  for (let first = 0; first < files.length; first += FILES_AT_ONCE) {
    const part = files.slice(first, first + FILES_AT_ONCE);
    const onSent = (share) => {
      bar.value = first + share * part.length;
    };
    try {
      onJob(await ctx.api.upload(path, part, onSent, ctx.signal));
    } catch (error) {
      if (error.name !== "AbortError") {
        const again = () => sendParts(ctx, files.slice(first), identifier, messages, skippedNotice, onJob);
        replace(messages, skippedNotice, problemNotice(error, again));
      }
      return;
    }
  }
  replace(messages, skippedNotice);
}

function names(files) {
  const shown = files.slice(0, SHOWN).map((file) => file.name);
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
