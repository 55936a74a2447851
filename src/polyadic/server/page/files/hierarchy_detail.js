/** Details of a node of the hierarchy. */

import { workspacePath } from "./api.js";
import { entityChips, factRow } from "./browse_parts.js";
import { el } from "./dom.js";
import { button } from "./parts.js";
import { counted } from "./words.js";

const EXTRACTIVE = "extractive";
const TEXT = { summary: "summaries", community: "communities" };

/**
 * @param {object} ctx
 * @param {object} node as the API has it
 * @param {AbortSignal} signal
 * @returns {Promise<Array<Node|null>>}
 */
export async function nodeDetail(ctx, node, signal) {
  if (node.kind === "entity") {
    return entityDetail(ctx, node, signal);
  }
  const path = workspacePath(ctx.workspace, `hierarchy/${TEXT[node.kind]}/${node.id}`);
  const detail = await ctx.api.get(path, {}, { signal });
  return node.kind === "summary" ? summaryDetail(ctx, detail) : communityDetail(ctx, detail);
}

function summaryDetail(ctx, { node, description, covers }) {
  const entities = covers.filter((one) => one.kind === "entity");
  const summaries = covers.filter((one) => one.kind === "summary");
  const more = node.members - covers.length;
  return [
    head(node.name, [
      node.type,
      `layer ${node.level}`,
      `covers ${counted(node.members, "member")}`,
      counted(node.entities, "entity", "entities"),
      author(node.by),
    ]),
    description ? el("p", { class: "said prose" }, description) : null,
    summaries.length
      ? [el("h3", {}, "Summaries in it"), el("ul", { class: "list places" }, summaries.map(line))]
      : null,
    entities.length
      ? [el("h3", {}, "Entities in it"), entityChips(entities, (entity) => ctx.go("browse", { entity }))]
      : null,
    more > 0 ? el("p", { class: "muted small" }, `and ${more} more, in the tree`) : null,
  ];
}

function communityDetail(ctx, { node, summary, findings, entities }) {
  const openFact = (fact) => ctx.go("browse", { fact });
  const rating = `rated ${node.rating.toLocaleString("en", { maximumFractionDigits: 1 })} of 10`;
  return [
    head(node.name, [
      rating,
      `level ${node.level}`,
      counted(node.entities, "entity", "entities"),
      node.branches ? counted(node.branches, "part") : "",
      author(node.by),
    ]),
    summary ? el("p", { class: "said prose" }, summary) : null,
    findings.length ? el("h3", {}, counted(findings.length, "finding")) : null,
    el(
      "ol",
      { class: "list findings" },
      findings.map((finding) => findingItem(finding, openFact)),
    ),
    el("h3", {}, "Entities in it, most connected first"),
    entityChips(entities, (entity) => ctx.go("browse", { entity })),
  ];
}

function findingItem(finding, openFact) {
  const isItsFact = finding.facts.length === 1 && finding.facts[0].text === finding.text;
  if (isItsFact) {
    return el("li", { class: "finding" }, el("ul", { class: "list places" }, factRow(finding.facts[0], openFact)));
  }
  return el(
    "li",
    { class: "finding" },
    el("p", { class: "said" }, finding.text),
    finding.facts.length
      ? el(
          "details",
          { class: "fold" },
          el("summary", {}, `Based on ${counted(finding.facts.length, "fact")}`),
          el(
            "ul",
            { class: "list places" },
            finding.facts.map((fact) => factRow(fact, openFact)),
          ),
        )
      : el("p", { class: "muted small" }, "No supporting facts."),
  );
}

async function entityDetail(ctx, node, signal) {
  const path = workspacePath(ctx.workspace, `entities/${node.id}`);
  const { entity, facts } = await ctx.api.get(path, {}, { signal });
  return [
    head(entity.name, [entity.type, counted(entity.facts, "fact")]),
    entity.description ? el("p", {}, entity.description) : null,
    el(
      "div",
      {},
      button("Open in Browse", () => ctx.go("browse", { entity: node.id }), { class: "button small" }),
    ),
    el(
      "ul",
      { class: "list places" },
      facts.map((fact) => factRow(fact, (id) => ctx.go("browse", { fact: id }))),
    ),
  ];
}

function line(one) {
  return el(
    "li",
    { class: "plain-line" },
    el("span", {}, one.name),
    el("span", { class: "muted small" }, counted(one.entities, "entity", "entities")),
  );
}

function head(name, notes) {
  return el(
    "header",
    { class: "stack close" },
    el("h2", { class: "detail-title" }, name),
    el("p", { class: "muted small" }, notes.filter(Boolean).join(" · ")),
  );
}

function author(by) {
  return by === EXTRACTIVE ? "extractive" : `written by ${by}`;
}
