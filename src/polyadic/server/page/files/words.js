/** Format numbers and times. */

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/**
 * Format a number with its noun.
 *
 * @param {number} number
 * @param {string} one the noun
 * @param {string} [many] its plural, if it does not just have an s
 * @returns {string}
 */
export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** @param {number} number of bytes @returns {string} */
export function bytes(number) {
  let [rest, unit] = [number, 0];
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${rest.toLocaleString("en", { maximumFractionDigits: unit ? 1 : 0 })} ${UNITS[unit]}`;
}

/** @param {number} seconds @returns {string} with milliseconds or minutes if appropriate */
export function lasting(seconds) {
  if (seconds < 10) {
    return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
  }
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** @param {string} time ISO 8601 @returns {string} the time of day today, else with its date */
export function moment(time) {
  const at = new Date(time);
  const isToday = at.toDateString() === new Date().toDateString();
  const day = isToday ? {} : { day: "numeric", month: "short", year: "numeric" };
  return at.toLocaleString("en-GB", { ...day, hour: "2-digit", minute: "2-digit" });
}

/** @param {number} money @returns {string} without a currency, which depends on the operator's prices */
export function money(money) {
  return money.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: money < 1 ? 4 : 2 });
}

/** @param {string} source of a document @returns {string} the file name of an upload, else the source */
export function sourceName(source) {
  return source.replace(/^upload:/, "");
}
