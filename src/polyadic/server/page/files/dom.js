/** Create elements. Text of documents, models and users only ever becomes text nodes. */

const SVG = "http://www.w3.org/2000/svg";
const LIVE = new Set(["value", "checked", "selected", "indeterminate", "open"]);

/**
 * Create an element with properties and children.
 *
 * @param {string} tag
 * @param {object} [props] `class`, `text`, `on: {click: f}`, `data: {}`, `style: {}`; all else are attributes, of
 *   which those that are false, null or undefined are left out
 * @param {...(Node|string|number|null|undefined|false|Array)} children strings become text; null and false are left out
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

/**
 * Create an SVG element.
 *
 * @param {string} tag
 * @param {object} [props]
 * @param {...(Node|string|null|undefined|false|Array)} children
 * @returns {SVGElement}
 */
export function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

/**
 * Remove all children of a node.
 *
 * @param {Node} node
 */
export function clear(node) {
  node.replaceChildren();
}

/**
 * Replace all children of a node.
 *
 * @template {Element} T
 * @param {T} node
 * @param {...(Node|string|null|undefined|false|Array)} children
 * @returns {T}
 */
export function replace(node, ...children) {
  node.replaceChildren(...nodes(children));
  return node;
}

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    set(node, name, value);
  }
  node.append(...nodes(children));
  return node;
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) {
    return;
  }
  if (name === "class") {
    node.setAttribute("class", value);
  } else if (name === "text") {
    node.append(String(value));
  } else if (name === "on") {
    for (const [event, listener] of Object.entries(value)) {
      node.addEventListener(event, listener);
    }
  } else if (name === "data") {
    Object.assign(node.dataset, value);
  } else if (name === "style") {
    setStyle(node, value);
  } else if (LIVE.has(name) && name in node) {
    node[name] = value;
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Set styles one by one: the content security policy refuses a `style` attribute. */
function setStyle(node, values) {
  for (const [name, value] of Object.entries(values)) {
    node.style.setProperty(name, String(value));
  }
}

function nodes(children) {
  return children
    .flat(Number.POSITIVE_INFINITY)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}
