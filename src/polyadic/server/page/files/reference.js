/** API reference: the routes of the server as its OpenAPI description lists them. */

import { Api } from "./api.js";
import { el, replace } from "./dom.js";
import { askForKey, keptKey } from "./key.js";
import { busy, problemNotice } from "./parts.js";

const root = document.getElementById("reference");

async function show() {
  replace(root, busy("Loading the API reference"));
  try {
    replace(root, reference(await new Api(keptKey(), askForKey).get("/v1/openapi.json")));
  } catch (error) {
    replace(root, el("h1", {}, "API reference"), problemNotice(error, show));
  }
}

function reference(api) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = "other"] = operation.tags ?? [];
      groups.set(tag, [...(groups.get(tag) ?? []), operationView(api, method, path, operation)]);
    }
  }
  return [
    el("h1", {}, "API reference"),
    el(
      "p",
      { class: "muted" },
      `${api.info.title} ${api.info.version}. The same description for programs: `,
      el("code", {}, "/v1/openapi.json"),
    ),
    [...groups].map(([tag, operations]) => el("section", {}, el("h2", {}, tag), operations)),
  ];
}

function operationView(api, method, path, operation) {
  return el(
    "details",
    { id: operation.operationId },
    el("summary", {}, el("code", {}, `${method.toUpperCase()} ${path}`), ` ${operation.summary}`),
    el("p", {}, operation.description),
    parameters(operation.parameters ?? []),
    example("Request", api, operation.requestBody?.content),
    responses(api, operation.responses),
  );
}

function parameters(all) {
  if (!all.length) {
    return null;
  }
  const rows = all.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("code", {}, one.name)),
      el("td", {}, one.required ? `${one.in}, required` : one.in),
      el("td", {}, one.description ?? ""),
    ),
  );
  return [el("h3", {}, "Parameters"), el("table", {}, el("tbody", {}, rows))];
}

function responses(api, all) {
  return Object.entries(all).map(([status, one]) =>
    Number(status) < 400
      ? example(`Response ${status}`, api, one.content)
      : el("p", { class: "muted small" }, `${status}: ${one.description}`),
  );
}

/** The first example of a body; nothing if it has none. */
function example(title, api, content) {
  for (const body of Object.values(content ?? {})) {
    const name = body.schema?.$ref?.split("/").at(-1);
    const shown = body.example ?? (name ? api.components.schemas[name].examples?.[0] : undefined);
    if (shown !== undefined) {
      return [
        el("h3", {}, title),
        el("pre", { tabindex: "0" }, typeof shown === "string" ? shown : JSON.stringify(shown, null, 2)),
      ];
    }
  }
  return null;
}

show();
