/** Client of the REST API. */

import { eventsIn } from "./events.js";

/** An error with a message for users. */
export class Problem extends Error {
  /**
   * @param {number} status HTTP status; 0 if the server could not be reached
   * @param {string} kind the last part of the problem's type
   * @param {string} detail
   * @param {string} [requestId] identifier of the request in the server log
   */
  constructor(status, kind, detail, requestId = "") {
    super(sentence(detail));
    this.name = "Problem";
    this.status = status;
    this.kind = kind;
    this.detail = detail;
    this.requestId = requestId;
  }
}

/**
 * Return the API path of a workspace.
 *
 * @param {string} name of the workspace
 * @param {string} [rest] as "query", "documents/ID/text"
 * @returns {string}
 */
export function workspacePath(name, rest = "") {
  const path = `/v1/workspaces/${encodeURIComponent(name)}`;
  return rest ? `${path}/${rest}` : path;
}

/** Sends requests to the server, with the key if one is needed. */
export class Api {
  /**
   * @param {string} key empty if none is known
   * @param {(wrong: boolean) => Promise<string>} onKeyNeeded returns a key; called with whether the last one was
   *   wrong. It rejects if none is given.
   */
  constructor(key, onKeyNeeded) {
    this.key = key;
    this.onKeyNeeded = onKeyNeeded;
    this.asking = null;
  }

  /**
   * @param {string} path
   * @param {Object<string, string|number|boolean|Array|null|undefined>} [query] null, undefined and "" are left out
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<any>} JSON as it is, anything else as text
   */
  get(path, query = {}, { signal } = {}) {
    return this.#json(withQuery(path, query), { method: "GET", signal });
  }

  /** @param {string} path @param {object} [body] @param {{signal?: AbortSignal}} [options] @returns {Promise<any>} */
  post(path, body = {}, { signal } = {}) {
    return this.#json(path, inJson("POST", body, signal));
  }

  /** @param {string} path @param {object} body @param {{signal?: AbortSignal}} [options] @returns {Promise<any>} */
  put(path, body, { signal } = {}) {
    return this.#json(path, inJson("PUT", body, signal));
  }

  /** @param {string} path @param {{signal?: AbortSignal}} [options] @returns {Promise<any>} null if the response is empty */
  del(path, { signal } = {}) {
    return this.#json(path, { method: "DELETE", signal });
  }

  /**
   * Upload files.
   *
   * @param {string} path
   * @param {Iterable<{name: string, file: File}>} files
   * @param {(sent: number) => void} [onSent] called with the share sent so far, from 0 to 1
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async upload(path, files, onSent = () => {}, signal = undefined) {
    const all = [...files];
    let reply = await sentByForm(path, all, this.key, onSent, signal);
    while (reply.status === 401) {
      await this.#newKey(reply.key);
      reply = await sentByForm(path, all, this.key, onSent, signal);
    }
    const response = new Response(reply.text || null, { status: reply.status, headers: reply.headers });
    return content(await checked(response));
  }

  /**
   * Iterate over the server-sent events of a response, until `signal` aborts or the iteration stops.
   *
   * @param {string} path
   * @param {{method?: string, body?: object, signal?: AbortSignal}} [options]
   * @returns {AsyncGenerator<{event: string, data: any}>}
   */
  async *events(path, { method = "GET", body = undefined, signal = undefined } = {}) {
    const response = await this.#response(path, body ? inJson(method, body, signal) : { method, signal });
    yield* eventsIn(response.body, (error) => unreachable(error));
  }

  /**
   * Download a file.
   *
   * @param {string} path
   * @param {object} [query]
   * @param {{signal?: AbortSignal, cache?: RequestCache}} [options] by default, the browser keeps no copy
   * @returns {Promise<Blob>}
   */
  async blob(path, query = {}, { signal, cache } = {}) {
    return (await this.#response(withQuery(path, query), { method: "GET", signal, cache })).blob();
  }

  async #json(path, options) {
    return content(await this.#response(path, options));
  }

  async #response(path, options) {
    for (;;) {
      const { key } = this;
      const response = await reached(path, { ...options, headers: { ...options.headers, ...authorization(key) } });
      if (response.status !== 401) {
        return checked(response);
      }
      await this.#newKey(key);
    }
  }

  /** Several requests may find at once that a key is needed; the user is asked once. */
  async #newKey(refused) {
    if (this.key !== refused) {
      return;
    }
    this.asking ??= this.onKeyNeeded(refused !== "").finally(() => {
      this.asking = null;
    });
    this.key = await this.asking;
  }
}

function authorization(key) {
  return key ? { Authorization: `Bearer ${key}` } : {};
}

function inJson(method, body, signal) {
  return { method, signal, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

function withQuery(path, query) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== null && one !== undefined && one !== "") {
        said.append(name, String(one));
      }
    }
  }
  return said.size ? `${path}?${said}` : path;
}

async function reached(path, options) {
  try {
    return await fetch(path, { ...options, credentials: "omit", cache: options.cache ?? "no-store" });
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error) {
  if (error.name === "AbortError") {
    return error;
  }
  return new Problem(0, "unreachable", "the server does not answer: is it still running?");
}

async function checked(response) {
  if (response.ok) {
    return response;
  }
  const problem = await response.json().catch(() => ({}));
  const kind = String(problem.type ?? "").replace("urn:polyadic:problem:", "") || "unknown";
  const where = (problem.errors ?? [])
    .map((error) => `${error.where.replace(/^body\//, "")}: ${error.what}`)
    .join("; ");
  const detail = problem.detail || `the server answered with status ${response.status}`;
  throw new Problem(response.status, kind, where ? `${detail} (${where})` : detail, problem.request_id);
}

async function content(response) {
  if (response.status === 204) {
    return null;
  }
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("json") && !type.includes("jsonl") && !type.includes("ndjson")) {
    return response.json();
  }
  // Spans count every character, including a byte order mark, which text() would remove.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
}

/** XMLHttpRequest, as fetch() reports no upload progress. */
function sentByForm(path, files, key, onSent, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    for (const [name, value] of Object.entries(authorization(key))) {
      request.setRequestHeader(name, value);
    }
    request.upload.addEventListener("progress", (event) => onSent(event.total ? event.loaded / event.total : 0));
    request.addEventListener("load", () => {
      const headers = { "Content-Type": request.getResponseHeader("content-type") ?? "" };
      resolve({ status: request.status, text: request.responseText, headers, key });
    });
    request.addEventListener("error", () => reject(unreachable(new TypeError())));
    request.addEventListener("abort", () => reject(new DOMException("ended by the page", "AbortError")));
    signal?.addEventListener("abort", () => request.abort());
    const form = new FormData();
    for (const { name, file } of files) {
      form.append("files", file, name);
    }
    request.send(form);
  });
}

function sentence(detail) {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
