/** Pages of a PDF as images, beside the text of the source. */

import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { busy, button, problemNotice } from "./parts.js";

/**
 * Return a pane that shows the pages of a document; null if there are no images of them.
 *
 * @param {object} ctx
 * @param {string} path of the document in the API
 * @param {number} first number of the page to show first
 * @param {AbortSignal} signal aborts requests, and releases the image
 * @returns {Promise<HTMLElement|null>}
 */
export async function pagePane(ctx, path, first, signal) {
  const { starts, has_images } = await ctx.api.get(`${path}/pages`, {}, { signal });
  return has_images ? new PagePane(ctx, `${path}/pages`, starts.length, signal).show(first) : null;
}

class PagePane {
  constructor(ctx, path, count, signal) {
    Object.assign(this, { ctx, path, count, signal, shown: 0, image: "" });
    this.before = button(icon("right"), () => this.show(this.shown - 1), {
      class: "button quiet square source-before",
      "aria-label": "Previous page",
    });
    this.after = button(icon("right"), () => this.show(this.shown + 1), {
      class: "button quiet square",
      "aria-label": "Next page",
    });
    this.size = button("Enlarge", () => this.#resize(), { class: "button quiet small" });
    this.label = el("span", { class: "small", role: "status" });
    this.frame = el("div", { class: "source-frame", tabindex: "0", role: "region", "aria-label": "Page of the file" });
    const bar = el("div", { class: "source-pages" }, this.before, this.label, this.after, this.size);
    this.root = el("div", { class: "source-page" }, bar, this.frame);
    signal.addEventListener("abort", () => URL.revokeObjectURL(this.image));
  }

  /** Show a page; its image is loaded meanwhile. */
  show(number) {
    this.shown = number;
    this.label.textContent = `Page ${number} of ${this.count}`;
    this.before.disabled = number <= 1;
    this.after.disabled = number >= this.count;
    this.#load(number);
    return this.root;
  }

  async #load(number) {
    // The user has passed the page that is still loading.
    this.loading?.abort();
    this.loading = new AbortController();
    const signal = AbortSignal.any([this.signal, this.loading.signal]);
    const waiting = setTimeout(() => signal.aborted || replace(this.frame, busy("Loading page")), 250);
    let shown;
    try {
      const image = await this.ctx.api.blob(`${this.path}/${number}`, {}, { signal, cache: "no-cache" });
      shown = () => this.#imageOf(image, number);
    } catch (error) {
      shown = () => problemNotice(error, () => this.show(number));
    }
    clearTimeout(waiting);
    if (!signal.aborted) {
      replace(this.frame, shown());
      this.frame.scrollTop = 0;
    }
  }

  #imageOf(blob, number) {
    URL.revokeObjectURL(this.image);
    this.image = URL.createObjectURL(blob);
    return el("img", { src: this.image, alt: `Page ${number}; its text is below or beside it` });
  }

  #resize() {
    const isEnlarged = this.frame.classList.toggle("enlarged");
    this.size.textContent = isEnlarged ? "Fit width" : "Enlarge";
  }
}
