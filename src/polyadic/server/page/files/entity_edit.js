/** Change an entity: rename, merge and split it, and undo decisions about it. */

import { workspacePath } from "./api.js";
import { decisionWords, undone } from "./decisions.js";
import { el, replace } from "./dom.js";
import { busy, button, notice, problemNotice, toast } from "./parts.js";
import { sourceName } from "./words.js";

const LONGEST = 500;

/**
 * A section that is filled when it is opened.
 *
 * @param {object} ctx
 * @param {{id: string, name: string}} entity
 * @param {object[]} facts of the entity; the documents that state them can be chosen for a split
 * @param {(id: string) => void} onChanged called with the identifier of the entity to show now
 * @returns {HTMLElement}
 */
export function entityEdit(ctx, entity, facts, onChanged) {
  const body = el("div", { class: "stack" });
  const said = el("div", {});
  const decide = async (decision, text) => {
    try {
      const { decided } = await ctx.api.post(workspacePath(ctx.workspace, "resolution/decisions"), decision);
      toast(text);
      onChanged(decided[0]?.entity || entity.id);
    } catch (error) {
      replace(
        said,
        error.status === 409 || error.status === 404 ? notice("error", error.message) : problemNotice(error),
      );
    }
  };
  const fill = async () => {
    replace(body, busy("Loading"));
    try {
      const [decisions, documents] = await Promise.all([decisionsOf(ctx, entity), documentsOf(ctx, facts)]);
      replace(
        body,
        renameForm(entity, decide),
        mergeForm(entity, decide),
        documents.size ? splitForm(entity, documents, decide) : null,
        decisions.length ? decisionList(ctx, decisions, said, () => onChanged(null)) : null,
        said,
      );
    } catch (error) {
      replace(body, problemNotice(error, fill));
    }
  };
  const section = el("details", { class: "stack" }, el("summary", {}, "Edit entity"), body);
  section.addEventListener("toggle", () => section.open && fill(), { once: true });
  return section;
}

function renameForm(entity, decide) {
  const name = field("New name", entity.name);
  return form("Rename", [name], () => {
    const into = name.input.value.trim();
    return decide({ kind: "rename", name: entity.id, into }, `Renamed to ${into}.`);
  });
}

function mergeForm(entity, decide) {
  const other = field("Name of the same entity", "");
  return form("Merge", [other], () => {
    const names = [entity.id, other.input.value.trim()];
    return decide({ kind: "merge", names, into: entity.name }, `Merged into ${entity.name}.`);
  });
}

function splitForm(entity, documents, decide) {
  const name = field("Name in the documents", entity.name);
  const into = field("Name of the other entity", "");
  const boxes = [...documents].map(([id, title]) => {
    const box = el("input", { type: "checkbox", value: id });
    return { box, node: el("label", { class: "row" }, box, title) };
  });
  const chosen = el(
    "fieldset",
    { class: "stack close" },
    el("legend", { class: "small" }, "Documents with the other entity"),
    boxes.map(({ node }) => node),
  );
  return form("Split", [name, into, { node: chosen }], () => {
    const ids = boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
    const decision = { kind: "split", name: name.input.value.trim(), into: into.input.value.trim(), documents: ids };
    return decide(decision, `Split off ${decision.into}.`);
  });
}

function decisionList(ctx, decisions, said, onUndone) {
  const undo = async (id) => {
    try {
      await undone(ctx, { id });
      onUndone();
    } catch (error) {
      replace(said, problemNotice(error));
    }
  };
  return el(
    "div",
    { class: "stack close" },
    el("h3", {}, "Decisions"),
    decisions.map((one) =>
      el(
        "div",
        { class: "row" },
        decisionWords(one),
        button("Undo", () => undo(one.id), { class: "button small" }),
      ),
    ),
  );
}

/** Decisions that name the entity, or that keep it apart. */
async function decisionsOf(ctx, entity) {
  const path = workspacePath(ctx.workspace, "resolution/decisions");
  const { decisions } = await ctx.api.get(path, {}, { signal: ctx.signal });
  return decisions.filter((one) => one.entity === entity.id || one.names.includes(entity.name));
}

/** Titles of the documents that state the facts, by identifier. */
async function documentsOf(ctx, facts) {
  const details = await Promise.all(
    facts.map((fact) => ctx.api.get(workspacePath(ctx.workspace, `facts/${fact.id}`), {}, { signal: ctx.signal })),
  );
  const places = details.flatMap((one) => one.places);
  return new Map(places.map((place) => [place.document_id, place.title || sourceName(place.source)]));
}

function field(label, value) {
  const input = el("input", { class: "field", value, required: true, maxlength: LONGEST, autocomplete: "off" });
  return { input, node: el("label", { class: "stack close grow" }, el("span", { class: "small" }, label), input) };
}

function form(verb, fields, onSubmit) {
  const submit = el("button", { type: "submit", class: "button small" }, verb);
  const node = el(
    "form",
    { class: "stack close", "aria-label": verb },
    fields.map((one) => one.node),
    el("div", { class: "row" }, submit),
  );
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    await onSubmit();
    submit.disabled = false;
  });
  return node;
}
