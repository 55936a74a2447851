/** Parse server-sent events from a response stream. */

/**
 * Yield each event with its data parsed as JSON; skip comments.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(error: Error) => Error} translated maps the error that broke the stream off to the one that is thrown
 * @returns {AsyncGenerator<{event: string, data: any}>}
 */
export async function* eventsIn(stream, translated = (error) => error) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw translated(error);
      });
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = done ? "" : blocks.pop();
      yield* blocks.map(eventOf).filter(Boolean);
      if (done) {
        return;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Parse one event; null for a comment.
 *
 * @param {string} block
 * @returns {{event: string, data: any}|null}
 */
export function eventOf(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) {
      event = line.slice(6).trim();
    } else if (line.startsWith("data:")) {
      data.push(line.slice(5).trim());
    }
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}
