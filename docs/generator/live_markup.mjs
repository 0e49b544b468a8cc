// What a lesson's page has to run its cells and to change their parameters. Only scripts show it: live_cells.js.
import { escapeHtml } from "./html.mjs";
import { wordsOfPictures } from "./pictures.mjs";

// `parameter("d_model", 512, 2, 1024)`, of which all arguments are literals; texts may stand in pieces.
const text = String.raw`"(?:\\.|[^"\\])*"(?:\s*"(?:\\.|[^"\\])*")*`;
const number = String.raw`-?[\d.]+(?:e[-+]?\d+)?`;
const call = new RegExp(String.raw`\bparameter\(\s*(${text}),\s*(?:(${text})(?:,\s*\{([^}]*)\})?|(${number}(?:,\s*${number}){2,3}))\s*\)`, "g");
const isComment = /^\s*\/\//;
const literal = (code) => [...code.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, piece]) => piece.replace(/\\(.)/g, "$1")).join("");

/**
 * The parameters in C++ code, as text: `{name, kind, initial}`, of which the kinds "whole" and "number" also have `least`
 * and `most`, "whole" a `step`, and "choice" its `choices`; the fourth kind is "text".
 */
export function parametersOf(code) {
  const lines = code.split("\n").filter((line) => !isComment.test(line)).join("\n");
  return [...lines.matchAll(call)].map(([, nameCode, initialCode, choices, numbers]) => {
    const name = literal(nameCode);
    if (choices !== undefined) return { name, kind: "choice", initial: literal(initialCode), choices: [...choices.matchAll(new RegExp(text, "g"))].map(([one]) => literal(one)) };
    if (initialCode) return { name, kind: "text", initial: literal(initialCode) };
    const [initial, least, most, step = "1"] = numbers.split(/,\s*/);
    return /[.e]/.test(initial) ? { name, kind: "number", initial, least, most } : { name, kind: "whole", initial, least, most, step };
  });
}

const attributes = (all) => Object.entries(all).map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`).join("");
const tag = (name, all) => `<${name}${attributes({ ...all, autocomplete: "off" })}`;

/** The places of a slider for numbers, which live_cells.js maps to values. */
const places = 200;

function fields({ name, kind, initial, least, most, step, choices }) {
  const field = { id: `parameter-${name}`, class: "value" };
  if (kind === "choice") return `${tag("select", field)}>${choices.map((one) => `<option${one === initial ? " selected" : ""}>${escapeHtml(one)}</option>`).join("")}</select>`;
  if (kind === "text") return `${tag("input", { ...field, type: "text", value: initial, maxlength: 200 })} required>`;
  const limits = kind === "whole" ? { min: least, max: most, step } : { min: 0, max: places, step: 1 };
  const slider = tag("input", { type: "range", "aria-label": name, ...limits });
  return `${slider}>${tag("input", { ...field, type: "number", min: least, max: most, step: kind === "whole" ? step : "any", value: initial })} required>`;
}

/** A slider, a list or a field for each parameter in the code of a row. */
export function parameterControls(code, label) {
  const rows = parametersOf(code).map(
    (one) => `<div class="parameter" data-name="${one.name}" data-kind="${one.kind}"><label for="parameter-${one.name}">${one.name}</label>${fields(one)}` +
      `<button type="button" class="reset" aria-label="${escapeHtml(label("Reset"))} ${one.name}" disabled>${escapeHtml(label("Reset"))}</button></div>`,
  );
  return rows.length ? `<div class="live parameters" hidden>${rows.join("\n")}</div>` : "";
}

/** The button of a cell, and beside it how its numbers agree. */
export const runControl = (id, label) =>
  `<span class="live" hidden><span class="badge"></span><button type="button" class="run" aria-describedby="${id}-title">${escapeHtml(label("Run"))}</button></span>`;

/** The button of a whole lesson, and beside it how many cells agree. */
export const runAllControl = (label) => `<p class="live run-all" hidden><button type="button" class="run">${escapeHtml(label("Run all cells here"))}</button> <span class="count"></span></p>\n`;

// What live_cells.js says; # stands for a number or a word.
const said = [
  "Run", "Stop", "Run all cells here", "your numbers", "differs", "stopped", "error", "ran here", "same bytes as PyTorch 1.13.1", "same layout as PyTorch 1.13.1",
  "# of PyTorch 1.13.1", "agrees with PyTorch 1.13.1", "# of # cells agree", "# with your numbers", "# differ", ", ",
  "This page was opened from a file, and browsers run no WebAssembly there. Start <code>python3 -m http.server</code> in the folder of the site and open <code></code>.",
];

/** An attribute with those texts that are others in the language of the page, for a script; none where all are the same. */
export function otherWords(texts, label) {
  const words = texts.map((text) => [text, label(text)]).filter(([text, translated]) => text !== translated);
  return words.length ? attributes({ "data-words": JSON.stringify(Object.fromEntries(words)) }) : "";
}

/** The elements that load symbols.js, and live_cells.js with what it says in the language of the page. */
export function liveScript(lesson, folder, label) {
  return `\n<script${attributes({ src: `${folder}live_cells.js`, "data-lesson": lesson })}${otherWords([...said, ...wordsOfPictures(lesson)], label)} defer></script>\n<script src="${folder}symbols.js" defer></script>`;
}
