/** Hierarchy view: the trees of summaries and communities, with details of each node. */

import { workspacePath } from "./api.js";
import { beside } from "./browse_parts.js";
import { el, replace } from "./dom.js";
import { nodeDetail } from "./hierarchy_detail.js";
import { busy, button, empty, notice, problemNotice, tabs, toast } from "./parts.js";
import { tree } from "./tree.js";
import { counted } from "./words.js";

export const title = "Hierarchy";
const PAGE = 100;
const COMMAND = "polyadic hierarchy build";
const EXTRACTIVE = "extractive";

/**
 * @param {HTMLElement} root
 * @param {object} ctx
 */
export async function mount(root, ctx) {
  const body = el("div", { class: "stack" }, busy("Loading hierarchy"));
  replace(root, el("div", { class: "stack close" }, el("h1", {}, title), body));
  try {
    const path = workspacePath(ctx.workspace, "hierarchy");
    const hierarchy = await ctx.api.get(path, { limit: PAGE }, { signal: ctx.signal });
    const isThere = hierarchy.summaries.total || hierarchy.communities.total;
    replace(body, isThere ? trees(ctx, hierarchy) : nothing(ctx, hierarchy));
  } catch (error) {
    if (error.name !== "AbortError") {
      replace(body, problemNotice(error, ctx.reload));
    }
  }
}

function nothing(ctx, hierarchy) {
  if (!hierarchy.entities) {
    const go = button("Show documents", () => ctx.go("documents"), { class: "button primary" });
    return empty("No hierarchy yet", "The hierarchy is built from facts. Add documents first.", go);
  }
  const command = el("code", { class: "command" }, `${COMMAND} -w ${ctx.workspace}`);
  const how = hierarchy.installed
    ? "The server operator builds it in the folder of the server:"
    : "The server operator builds it, after pip install 'polyadic[hierarchy]', in the folder of the server:";
  const why = hierarchy.built
    ? "The documents have changed since the hierarchy was built, so it is not shown."
    : "The hierarchy summarizes related facts across documents and helps to answer broad questions.";
  const shown = empty(hierarchy.built ? "The hierarchy is stale" : "No hierarchy yet", why);
  shown.append(el("p", { class: "after" }, how), el("p", {}, command));
  return shown;
}

function trees(ctx, hierarchy) {
  const stale = hierarchy.layers.reduce((sum, layer) => sum + layer.stale, 0);
  const lacking = [
    stale ? `${counted(stale, "cluster")} changed since` : "",
    hierarchy.unplaced ? `${counted(hierarchy.unplaced, "entity", "entities")} added since` : "",
  ].filter(Boolean);
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
    lacking.length ? notice("warning", `${lacking.join(", ")}: not included until “${COMMAND}” is run again.`) : null,
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
