/** Conversations kept in this browser, without words of documents except in the texts of answers. */

const PREFIX = "polyadic-conversation";
const OPEN = "polyadic-open-conversation";
const MOST = 50;

/** Keeps the conversations of one workspace; those of each API key are kept apart. */
export class ConversationStore {
  /**
   * @param {string} workspace
   * @param {string} key API key; empty if none is needed
   */
  constructor(workspace, key) {
    this.workspace = workspace;
    this.prefix = `${PREFIX}:${fingerprint(key)}:${workspace}:`;
  }

  /** @returns {object[]} the saved conversations, newest first; those that cannot be read are left out */
  all() {
    return names(this.prefix)
      .map((name) => parsed(localStorage.getItem(name)))
      .filter((one) => one && typeof one.id === "string" && Array.isArray(one.turns))
      .sort((one, other) => (one.changed < other.changed ? 1 : -1));
  }

  /** @param {string} id @returns {object|null} */
  get(id) {
    return this.all().find((one) => one.id === id) ?? null;
  }

  /**
   * Save a conversation; the oldest ones make room for it.
   *
   * @param {{id: string, changed: string, turns: object[]}} saved
   * @returns {boolean} whether the browser has kept it
   */
  put(saved) {
    const older = this.all().filter(({ id }) => id !== saved.id);
    older.splice(MOST - 1).forEach(({ id }) => {
      this.delete(id);
    });
    for (;;) {
      try {
        localStorage.setItem(this.prefix + saved.id, JSON.stringify(saved));
        return true;
      } catch {
        if (!older.length) {
          return false;
        }
        this.delete(older.pop().id);
      }
    }
  }

  /** @param {string} id */
  delete(id) {
    localStorage.removeItem(this.prefix + id);
  }

  /** Delete all conversations of the workspace. */
  clear() {
    deleteNames(this.prefix);
  }

  /** Identifier of the conversation that is open in this tab; empty if none is. */
  get open() {
    return sessionStorage.getItem(`${OPEN}:${this.workspace}`) ?? "";
  }

  set open(id) {
    sessionStorage.setItem(`${OPEN}:${this.workspace}`, id);
  }
}

/**
 * Delete all conversations that were held with a key.
 *
 * @param {string} key
 */
export function deleteConversations(key) {
  deleteNames(`${PREFIX}:${fingerprint(key)}:`);
}

/**
 * Return a short hash of a text (FNV-1a), to detect whether a text has changed.
 *
 * @param {string} text
 * @returns {string}
 */
export function fingerprint(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

function names(prefix) {
  return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
}

function deleteNames(prefix) {
  for (const name of names(prefix)) {
    localStorage.removeItem(name);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
