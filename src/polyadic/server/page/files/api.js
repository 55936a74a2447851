/** The REST API as the page asks it. */

import { eventsIn } from "./events.js";

/** What went wrong, in words that are fit to be shown. */
export class Problem extends Error {
  /**
   * @param {number} status of HTTP; 0 where the server could not be reached
   * @param {string} kind the last part of the problem's type
   * @param {string} detail
   * @param {string} [requestId] by which the server's log has it
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
 * The path of a workspace's API.
 *
 * @param {string} name of the workspace
 * @param {string} [rest] as "query", "documents/ID/text"
 * @returns {string}
 */
export function workspacePath(name, rest = "") {
  const path = `/v1/workspaces/${encodeURIComponent(name)}`;
  return rest ? `${path}/${rest}` : path;
}

/** Asks the server, with the key where one is needed. */
export class Api {
  /**
   * @param {string} key empty where none is known
   * @param {(wrong: boolean) => Promise<string>} onKeyNeeded gives a key; told whether the last one was wrong. It
   *   rejects where none is given.
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
    return this.#told(withQuery(path, query), { method: "GET", signal });
  }

  /** @param {string} path @param {object} [body] @param {{signal?: AbortSignal}} [options] @returns {Promise<any>} */
  post(path, body = {}, { signal } = {}) {
    return this.#told(path, inJson("POST", body, signal));
  }

  /** @param {string} path @param {object} body @param {{signal?: AbortSignal}} [options] @returns {Promise<any>} */
  put(path, body, { signal } = {}) {
    return this.#told(path, inJson("PUT", body, signal));
  }

  /** @param {string} path @param {{signal?: AbortSignal}} [options] @returns {Promise<any>} null where nothing is said */
  del(path, { signal } = {}) {
    return this.#told(path, { method: "DELETE", signal });
  }

  /**
   * Hand in files.
   *
   * @param {string} path
   * @param {Iterable<File>} files
   * @param {(sent: number) => void} [onSent] told the part that has been sent, from 0 to 1
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
   * Server-sent events of a reply; ended by `signal`, or where whoever iterates stops.
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
   * A file of the server's, to be kept by the browser.
   *
   * @param {string} path
   * @param {object} [query]
   * @returns {Promise<Blob>}
   */
  async blob(path, query = {}) {
    return (await this.#response(withQuery(path, query), { method: "GET" })).blob();
  }

  async #told(path, options) {
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

  /** Many requests may learn at once that a key is needed: people are asked once. */
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
    return await fetch(path, { ...options, credentials: "omit", cache: "no-store" });
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
  const told = await response.json().catch(() => ({}));
  const kind = String(told.type ?? "").replace("urn:polyadic:problem:", "") || "unknown";
  const where = (told.errors ?? []).map((error) => `${error.where.replace(/^body\//, "")}: ${error.what}`).join("; ");
  const detail = told.detail || `the server answered with status ${response.status}`;
  throw new Problem(response.status, kind, where ? `${detail} (${where})` : detail, told.request_id);
}

async function content(response) {
  if (response.status === 204) {
    return null;
  }
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("json") && !type.includes("jsonl") && !type.includes("ndjson")) {
    return response.json();
  }
  // Spans count every character: a mark at the beginning as well, which text() would take away.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
}

/** fetch() does not tell how much has been sent. */
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
    for (const file of files) {
      form.append("files", file, file.name);
    }
    request.send(form);
  });
}

function sentence(detail) {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
