/** Answers in the form that is kept in the browser, and back: without quotations, which are looked up again. */

import { workspacePath } from "./api.js";
import { fingerprint } from "./conversation_store.js";

/**
 * Return an answer without what it took from documents, apart from its text.
 *
 * @param {object} answer
 * @returns {object}
 */
export function slim({ question, text, answered, note, confidence, usage, claims, citations, knowledge }) {
  return {
    ...{ question, text, answered, note, confidence, usage, claims },
    method: knowledge.method,
    citations: citations.map(({ marker, at, score, place, whole_item }) => ({
      ...{ marker, at, score, whole_item, document_id: place.document_id, span: place.span },
      quote: fingerprint(place.quote),
    })),
  };
}

/**
 * Restore a kept answer; its places have no text yet.
 *
 * @param {object} kept
 * @returns {object}
 */
export function restored({ method, citations, ...rest }) {
  const place = ({ document_id, span, quote }) => ({ document_id, span, fingerprint: quote, headings: [], quote: "" });
  return {
    ...rest,
    knowledge: { method, items: [], tokens: 0, omitted: 0, note: "" },
    citations: citations.map((one) => ({
      ...{ marker: one.marker, at: one.at, score: one.score, whole_item: one.whole_item, place: place(one) },
    })),
    trace: [],
    reasoning: "",
  };
}

/**
 * Look up what an answer quotes, and leave out knowledge from documents that are gone.
 *
 * @param {object} ctx
 * @param {object} answer its places get their current text
 * @param {Map<string, Promise<object|null>>} known replies by path
 * @returns {Promise<boolean>} false if a cited document is gone, or has another text there
 */
export async function lookUp(ctx, answer, known) {
  const { items } = answer.knowledge;
  const ids = [...new Set(items.flatMap(({ places }) => places.map((place) => place.document_id)))];
  const places = answer.citations.map(({ place }) => place);
  const views = await Promise.all(places.map(({ document_id: id, span }) => got(ctx, known, `${id}/span`, span)));
  const records = await Promise.all(ids.map((id) => got(ctx, known, id)));
  const gone = new Set(ids.filter((_, n) => !records[n]));
  answer.knowledge.items = items.filter((item) => !item.places.some((place) => gone.has(place.document_id)));
  places.forEach((place, n) => {
    place.fingerprint ??= fingerprint(place.quote);
    const { source, title, page, text } = views[n] ?? { text: "" };
    Object.assign(place, { source, title, page, quote: text });
  });
  return places.every((place, n) => views[n] && fingerprint(place.quote) === place.fingerprint);
}

/** The reply for a document or a span; null if there is none. */
function got(ctx, known, rest, span = {}) {
  const name = JSON.stringify([rest, span]);
  if (!known.has(name)) {
    const path = workspacePath(ctx.workspace, `documents/${rest}`);
    known.set(name, ctx.api.get(path, span, { signal: ctx.signal }).catch(goneOrThrow));
  }
  return known.get(name);
}

function goneOrThrow(error) {
  if (error.status === 404 || error.status === 422) {
    return null;
  }
  throw error;
}
