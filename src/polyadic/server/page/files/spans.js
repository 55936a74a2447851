/** Convert spans, which count code points, to JavaScript's UTF-16 units. */

/**
 * Return the UTF-16 offset of a code point.
 *
 * @param {string} text
 * @param {number} character
 * @returns {number}
 */
export function unitOf(text, character) {
  if (!/[\ud800-\udbff]/.test(text.slice(0, character * 2))) {
    return Math.min(character, text.length);
  }
  let unit = 0;
  for (let passed = 0; passed < character && unit < text.length; passed += 1) {
    unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
  }
  return unit;
}

/**
 * Locate a cited span in a text: by its offsets or, if the text has changed, by the quoted words.
 *
 * @param {string} text of the document
 * @param {{span: {start: number, end: number}, quote?: string}} place
 * @returns {{start: number, end: number}|null} in UTF-16 units; null if the words are gone
 */
export function unitsOf(text, { span, quote }) {
  const start = unitOf(text, span.start);
  const end = unitOf(text, span.end);
  if (!quote || text.slice(start, end) === quote) {
    return { start, end };
  }
  const found = text.indexOf(quote);
  return found < 0 ? null : { start: found, end: found + quote.length };
}
