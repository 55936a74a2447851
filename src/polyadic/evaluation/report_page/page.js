"use strict";
// Everything that documents, questions and models said is shown as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const list = at("list");

function make(name, text, classes) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (classes) made.className = classes;
  return made;
}

function number(value, best) {
  return value === null ? "–" : best === 1 ? value.toFixed(2) : value.toFixed(1);
}

function disagree(question, column) {
  const scores = question.results.filter((one) => one).map((one) => one.scores[column]).filter((one) => one !== null);
  return scores.length > 1 && Math.max(...scores) > Math.min(...scores);
}

function matching() {
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const column = Number(at("measure").value);
  return data.questions.filter((question) => {
    const text = [question.id, question.text, question.kind, ...question.answers].join(" ").toLowerCase();
    return words.every((word) => text.includes(word)) && (!at("differ").checked || disagree(question, column));
  });
}

function fill() {
  const before = list.value;
  const column = Number(at("measure").value);
  const found = matching();
  list.replaceChildren(...found.map((question) => {
    const scores = question.results.map((one) => (one ? number(one.scores[column], data.columns[column]?.best) : "·"));
    const option = make("option", `${question.id}  ${question.text}${data.columns.length ? `   [${scores.join(" ")}]` : ""}`);
    option.value = String(data.questions.indexOf(question));
    return option;
  }));
  at("count").textContent = `${found.length.toLocaleString()} of ${data.questions.length.toLocaleString()} questions`;
  list.value = before;
  if (list.selectedIndex < 0 && found.length) list.selectedIndex = 0;
  show();
}

function itemOf(place, gold) {
  const [kind, text, tokens, passages] = data.items[place];
  const isGold = passages.some((passage) => gold.has(passage));
  const made = make("li", undefined, isGold ? "gold" : "");
  made.append(make("span", `${isGold ? "gold · " : ""}${kind} · ${passages.join(", ")} · ${tokens} tokens`, "tag"));
  made.append(make("span", text, "text"));
  return made;
}

function card(question, method, result) {
  const made = make("section", undefined, "card");
  const head = make("h3");
  head.append(make("span", data.methods[method], `series-${method % data.colours}`));
  made.append(head);
  if (!result) {
    made.append(make("p", "no result", "quiet"));
    return made;
  }
  const gold = new Set(question.gold);
  const found = result.passages.filter((passage) => gold.has(passage)).length;
  if (gold.size) head.append(make("span", `${found} of ${gold.size} gold`, found === gold.size ? "tag gold" : "tag"));
  const numbers = make("ul", undefined, "numbers");
  data.columns.forEach((column, place) => {
    if (result.scores[place] === null) return;
    const one = make("li", `${column.name} `);
    one.append(make("b", number(result.scores[place], column.best)));
    numbers.append(one);
  });
  made.append(numbers);
  const [retrieval, answering] = result.seconds.map((seconds) => Math.round(1000 * seconds).toLocaleString());
  const cut = result.items.length < result.count ? `, the first ${result.items.length} shown` : "";
  const money = result.money ? `, $${result.money.toFixed(4)}` : "";
  made.append(make("p", `${retrieval} ms to retrieve, ${answering} ms to answer · ${result.tokens.toLocaleString()} tokens in ` +
    `${result.count} items${cut}, ${result.omitted} did not fit${money}`, "quiet"));
  if (result.answer !== null) {
    made.append(make("div", result.answer || "(no answer)", "answer"));
    if (result.by) made.append(make("p", result.by, "quiet"));
  }
  if (result.reasoning) {
    const thoughts = make("details");
    thoughts.append(make("summary", "reasoning"), make("div", result.reasoning, "answer"));
    made.append(thoughts);
  }
  const items = make("ol");
  items.append(...result.items.map((place) => itemOf(place, gold)));
  made.append(items);
  return made;
}

function show() {
  const question = data.questions[Number(list.value)];
  at("detail").hidden = !question || list.selectedIndex < 0;
  if (at("detail").hidden) return;
  at("question").textContent = question.text;
  const about = [`id ${question.id}`, question.kind, question.arity ? `arity ${question.arity}` : "",
    question.hops ? `${question.hops} hops` : "", question.gold.length ? `gold ${question.gold.join(", ")}` : ""];
  at("about").textContent = about.filter(Boolean).join(" · ");
  at("gold-answer").textContent = question.answers.length ? `gold answer: ${question.answers.join(" / ")}` : "no gold answer";
  const wanted = [...document.querySelectorAll("[name=method]")].filter((box) => box.checked).map((box) => Number(box.value));
  at("cards").replaceChildren(...wanted.map((method) => card(question, method, question.results[method])));
}

data.columns.forEach((column, place) => {
  const option = make("option", column.name);
  option.value = String(place);
  at("measure").append(option);
});
data.methods.forEach((name, place) => {
  const label = make("label");
  const box = make("input");
  Object.assign(box, { type: "checkbox", name: "method", value: String(place), checked: place < data.shown });
  box.addEventListener("change", show);
  label.append(box, make("span", name));
  at("methods").append(label);
});
at("search").addEventListener("input", fill);
at("differ").addEventListener("change", fill);
at("measure").addEventListener("change", fill);
list.addEventListener("change", show);
fill();
