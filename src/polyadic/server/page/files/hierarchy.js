/** Hierarchy view: build it, and the trees of summaries and communities, with details of each node. */

import { workspacePath } from "./api.js";
import { beside } from "./browse_parts.js";
import { el, replace } from "./dom.js";
import { buildPanel } from "./hierarchy_build.js";
import { nodeDetail } from "./hierarchy_detail.js";
import { isBuild } from "./hierarchy_job.js";
import { jobBoard } from "./jobs.js";
import { busy, button, empty, problemNotice, tabs, toast } from "./parts.js";
import { tree } from "./tree.js";
import { counted } from "./words.js";

export const title = "Hierarchy";
const PAGE = 100;
const EXTRACTIVE = "extractive";

/**
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const jobs = jobBoard(ctx, () => load(), isBuild);
  const panel = buildPanel(ctx, (job) => jobs.watch(job));
  const body = el("div", { class: "stack" }, busy("Loading hierarchy"));
  panel.node.hidden = true;
  replace(
    root,
    el("div", { class: "stack" }, el("h1", {}, title), panel.node, ctx.isFiltered ? null : jobs.node, body),
  );
  const load = async () => {
    try {
      const [hierarchy, settings] = await Promise.all([
        ctx.api.get(workspacePath(ctx.workspace, "hierarchy"), { limit: PAGE }, { signal: ctx.signal }),
        ctx.api.get(workspacePath(ctx.workspace, "settings"), {}, { signal: ctx.signal }),
      ]);
      panel.node.hidden = ctx.isFiltered || !hierarchy.entities;
      panel.update(hierarchy, settings);
      const isThere = hierarchy.summaries.total || hierarchy.communities.total;
      replace(body, isThere ? trees(ctx, hierarchy) : nothing(ctx, hierarchy));
    } catch (error) {
      if (error.name !== "AbortError") {
        replace(body, problemNotice(error, load));
      }
    }
  };
  await Promise.all([ctx.isFiltered ? null : jobs.load(), load()]);
}

function nothing(ctx, hierarchy) {
  if (!hierarchy.entities) {
    const go = button("Show documents", () => ctx.go("documents"), { class: "button primary" });
    return empty("No hierarchy yet", "The hierarchy is built from facts. Add documents first.", go);
  }
  return hierarchy.built
    ? empty("Nothing to show", "The documents have changed since the hierarchy was built.")
    : empty("No hierarchy yet", "Summaries and communities appear here when the hierarchy has been built.");
}

function trees(ctx, hierarchy) {
  const panels = [
    {
      label: `Summaries (${hierarchy.summaries.total.toLocaleString("en")})`,
      panel: () => panel(ctx, "summaries", hierarchy),
    },
    {
      label: `Communities (${hierarchy.communities.total.toLocaleString("en")})`,
      panel: () => panel(ctx, "communities", hierarchy),
    },
  ];
  return [
    el("p", { class: "muted" }, authors([...hierarchy.summaries.nodes, ...hierarchy.communities.nodes])),
    layers(hierarchy.layers),
    tabs(panels, { label: "Tree", selected: hierarchy.summaries.total ? 0 : 1 }),
  ];
}

function authors(nodes) {
  const by = [...new Set(nodes.map((node) => node.by))];
  const models = by.filter((one) => one && one !== EXTRACTIVE);
  if (!models.length) {
    return "These texts are extractive: composed of names and facts, without a language model.";
  }
  const rest = by.includes(EXTRACTIVE) ? "; some are extractive, composed of names and facts" : "";
  return `These texts were written by ${models.join(", ")}${rest}.`;
}

function layers(found) {
  const rows = found.map((layer) => {
    const items = layer.layer
      ? counted(layer.items, "summary", "summaries")
      : counted(layer.items, "entity", "entities");
    const made = layer.clusters
      ? `in ${counted(layer.clusters, "cluster")} with ${counted(layer.summaries, "summary", "summaries")}`
      : "not clustered further";
    const sparsity = layer.sparsity === null ? "" : `, sparsity ${layer.sparsity.toFixed(3)}`;
    return el("li", {}, `Layer ${layer.layer}: ${items} ${made}${sparsity}`);
  });
  return el(
    "details",
    { class: "fold" },
    el("summary", {}, counted(found.length, "layer")),
    el("ul", { class: "list small muted" }, rows),
  );
}

function panel(ctx, name, hierarchy) {
  const page = hierarchy[name];
  if (!page.total) {
    return el("p", { class: "muted" }, name === "summaries" ? "There are no summaries." : "There are no communities.");
  }
  const holder = el("div", { class: "chooser tree-holder" });
  const hint = name === "summaries" ? "Choose a summary to read it." : "Choose a community to read its report.";
  const view = beside(holder, hint, name === "summaries" ? "Summary" : "Community", ctx);
  const handlers = {
    below: (node) => (node.item.more ? Promise.resolve([]) : below(ctx, name, node.item.id)),
    choose: (node) => view.show((signal) => nodeDetail(ctx, node.item, signal)),
    failed: (error) => error.name !== "AbortError" && toast(error.message),
  };
  const label = name === "summaries" ? "Summaries" : "Communities";
  holder.append(tree(label, page.nodes.map(treeNode), handlers));
  if (page.next !== null) {
    holder.append(
      el("p", { class: "muted small" }, `The first ${page.nodes.length} of ${page.total.toLocaleString("en")}.`),
    );
  }
  return view.node;
}

/** All children of a node, page by page. */
async function below(ctx, name, under) {
  const found = [];
  let start = 0;
  while (start !== null) {
    const path = workspacePath(ctx.workspace, "hierarchy/nodes");
    const page = await ctx.api.get(path, { tree: name, under, start, limit: PAGE }, { signal: ctx.signal });
    found.push(...page.nodes.map(treeNode));
    start = page.next;
  }
  return found;
}

function treeNode(node) {
  const holds = node.kind === "entity" ? node.type : counted(node.entities, "entity", "entities");
  const layer = node.kind === "summary" ? `layer ${node.level}` : "";
  const rating = node.rating === null ? "" : `rated ${node.rating.toLocaleString("en", { maximumFractionDigits: 1 })}`;
  const note = [layer, holds, rating].filter(Boolean).join(" · ");
  return {
    id: node.id,
    name: node.name || "unnamed",
    note: el("span", { class: "muted small tree-note" }, note),
    opens: node.branches > 0,
    item: node,
  };
}
