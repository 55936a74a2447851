/** Icons in the text colour; decorative only. */

import { svg } from "./dom.js";

const PATHS = {
  ask: "M4 5h16v11H10l-4 4v-4H4z",
  explore:
    "M6 6m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M18 8m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M10 18m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M8.5 6.5l7 1M7 8.3l2.2 7.3M16.5 10l-5 6",
  documents: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  plus: "M12 5v14M5 12h14",
  more: "M5 11.3a.7 .7 0 1 0 0 1.4a.7 .7 0 1 0 0-1.4M12 11.3a.7 .7 0 1 0 0 1.4a.7 .7 0 1 0 0-1.4M19 11.3a.7 .7 0 1 0 0 1.4a.7 .7 0 1 0 0-1.4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  light:
    "M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19",
  dark: "M20 14.5A8 8 0 0 1 9.5 4A8 8 0 1 0 20 14.5z",
  system: "M3 5h18v11H3zM9 20h6M12 16v4",
  key: "M8 11m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 11h9M18 11v3",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L20 20",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  again: "M19 12a7 7 0 1 1-2-4.9M17 3v4.5h-4.5",
  history: "M5 12a7 7 0 1 0 2-4.9M7 3v4.5h4.5M12 8v4l3 2",
  check: "M5 12l5 5L19 7",
};

/**
 * @param {keyof typeof PATHS} name
 * @param {number} [size] in pixels
 * @returns {SVGElement}
 */
export function icon(name, size = 18) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] }),
  );
}
