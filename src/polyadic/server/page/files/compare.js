/** Compare two methods on one question: answers, knowledge, and what both found. */

import { workspacePath } from "./api.js";
import { Side } from "./compare_side.js";
import { compareItems } from "./compare_sum.js";
import { el, replace } from "./dom.js";
import { button, empty, problemNotice } from "./parts.js";

export const title = "Compare";
const OTHER = "chunks";
const WHICH = { all: "All", both: "In both", one: "Only in one" };

/**
 * `params` may have the `question`, and the methods `left` and `right`.
 *
 * @param {HTMLElement} root
 * @param {object} ctx
 * @returns {Promise<() => void>}
 */
export async function mount(root, ctx) {
  if (!ctx.info.counts.documents) {
    const go = button("Show documents", () => ctx.go("documents"), { class: "button primary" });
    replace(root, el("h1", {}, title), empty("No documents yet", "Add documents to compare methods on them.", go));
    return () => {};
  }
  try {
    const path = workspacePath(ctx.workspace, "settings");
    const { methods, method } = await ctx.api.get(path, {}, { signal: ctx.signal });
    return new Comparison(root, ctx, methods, method).leave;
  } catch (error) {
    if (error.name !== "AbortError") {
      replace(root, el("h1", {}, title), problemNotice(error, ctx.reload));
    }
    return () => {};
  }
}

class Comparison {
  constructor(root, ctx, methods, method) {
    this.ctx = ctx;
    this.running = new AbortController();
    this.leave = () => this.running.abort();
    const [left, right] = [ctx.params.get("left") ?? method, ctx.params.get("right") ?? OTHER];
    this.sides = [new Side(ctx, "First method", methods, left), new Side(ctx, "Second method", methods, right)];
    this.question = el("input", {
      id: "compared",
      class: "field",
      required: true,
      maxlength: 2000,
      autocomplete: "off",
      placeholder: "Question to compare",
      value: ctx.params.get("question") ?? "",
    });
    this.submit = el("button", { type: "submit", class: "button primary" }, "Compare");
    this.sum = el("div", { role: "status" });
    replace(
      root,
      el(
        "div",
        { class: "stack" },
        el(
          "div",
          {},
          el("h1", {}, title),
          el("p", { class: "muted" }, "One question, two methods: same documents, same token budget."),
        ),
        this.#form(),
        this.sum,
        el(
          "div",
          { class: "two" },
          this.sides.map((side) => side.node),
        ),
      ),
    );
    if (this.question.value) {
      this.#compare();
    }
  }

  #form() {
    const form = el(
      "form",
      { class: "row compare-form" },
      el("label", { for: "compared", class: "visually-hidden" }, "Question"),
      el("div", { class: "grow" }, this.question),
      this.submit,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#compare();
    });
    return form;
  }

  async #compare() {
    this.running.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    const question = this.question.value.trim();
    this.#remember(question);
    replace(this.sum);
    const answers = await Promise.all(this.sides.map((side) => side.ask(question, signal)));
    if (!signal.aborted && answers.every(Boolean)) {
      const compared = compareItems(...answers.map((answer) => answer.knowledge.items));
      this.sides.forEach((side) => {
        side.mark(compared.common);
      });
      replace(this.sum, this.#summary(compared, answers));
    }
  }

  /** Write the comparison into the address. */
  #remember(question) {
    const [left, right] = this.sides.map((side) => side.method);
    const query = new URLSearchParams({ question, left, right });
    history.replaceState(null, "", `#/${encodeURIComponent(this.ctx.workspace)}/compare?${query}`);
  }

  #summary({ describe }, answers) {
    const names = answers.map((answer) => answer.knowledge.method);
    const choices = Object.entries(WHICH).map(([which, label]) =>
      button(label, () => this.#show(which, choices), {
        class: "chip",
        "aria-pressed": String(which === "all"),
        data: { which },
      }),
    );
    return el(
      "div",
      { class: "panel row apart" },
      el("p", {}, describe(...names)),
      el("div", { class: "row", role: "group", "aria-label": "Knowledge to show" }, choices),
    );
  }

  #show(which, choices) {
    for (const choice of choices) {
      choice.setAttribute("aria-pressed", String(choice.dataset.which === which));
    }
    for (const side of this.sides) {
      side.node.dataset.which = which;
    }
  }
}
