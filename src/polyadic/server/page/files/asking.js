/** Debounce repeated requests, of which only the last counts. */

/**
 * Return a debounced function; each call aborts the work of the previous one.
 *
 * @param {(signal: AbortSignal, ...given: any[]) => Promise<void>} work called with a signal that a later call aborts
 * @param {number} wait in milliseconds
 * @param {AbortSignal} whole ends all of it
 * @returns {((...given: any[]) => void) & {now: (...given: any[]) => Promise<void>}} `now` does not wait
 */
export function latest(work, wait, whole) {
  let timer = 0;
  let running = new AbortController();
  const now = async (...given) => {
    clearTimeout(timer);
    running.abort();
    running = new AbortController();
    try {
      await work(AbortSignal.any([running.signal, whole]), ...given);
    } catch (error) {
      if (error.name !== "AbortError") {
        throw error;
      }
    }
  };
  const soon = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => now(...given), wait);
  };
  whole.addEventListener("abort", () => clearTimeout(timer));
  return Object.assign(soon, { now });
}

/**
 * Wait, unless the user leaves the view meanwhile.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether it is still there
 */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
