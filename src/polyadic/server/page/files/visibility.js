/** Pause streams of hidden tabs: a browser opens about six connections to a server, for all tabs together. */

/**
 * Return a signal that aborts when the tab is hidden, or when another signal aborts.
 *
 * @param {AbortSignal} whole
 * @returns {AbortSignal}
 */
export function whileVisible(whole) {
  const hidden = new AbortController();
  const signal = AbortSignal.any([hidden.signal, whole]);
  const check = () => document.hidden && hidden.abort();
  document.addEventListener("visibilitychange", check, { signal });
  check();
  return signal;
}

/**
 * Wait until the tab is visible, or until a signal aborts.
 *
 * @param {AbortSignal} whole
 * @returns {Promise<void>}
 */
export function untilVisible(whole) {
  return new Promise((resolve) => {
    const check = () => {
      if (!document.hidden || whole.aborted) {
        document.removeEventListener("visibilitychange", check);
        resolve();
      }
    };
    document.addEventListener("visibilitychange", check);
    whole.addEventListener("abort", check, { once: true });
    check();
  });
}
