import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { apiEntry, bareText, guideEntries, lessonEntries, searchScripts, sourceEntry } from "../search_index.mjs";
import { indexWords, queryWords } from "../search_terms.mjs";
import { typedFormula } from "../tex.mjs";

const lesson = {
  name: "08_attention",
  title: "Attention by hand",
  intro: "Of `softmax` and [masks](09_masks.cpp).",
  facts: { outcomes: ["write it down"] },
  cells: [{ id: "divided", title: "The *scores*", rows: [{ text: "Divided by $\\sqrt{d}$.", code: "scale(scores);" }], answer: [{ text: "A layer norm." }] }],
  summary: { text: "1. Words look at words." },
};
const japanese = { ...lesson, title: "注意機構", intro: "位置の列とmaskを計算する。", cells: [] };
const guide = { name: "layers", title: "Layers", text: "# Layers\n\nAll of them.\n\n## The norm\n\nCentres.\n" };
const errors = ["`Dimension out of range (expected to be in range of [-1, 0], but got 1)`"];
const api = ["attention", "softmax", "log_softmax", "nn::Linear", "nn::functional::linear", "nn::LayerNorm"].map((name) =>
  apiEntry({ name: `etude::${name}`, page: "api_x", anchor: name.replace(/\W+/g, "_"), text: `Of ${name}.`, errors: name === "softmax" ? errors : ["none of its own"] }),
);
const source = sourceEntry({ name: "source_layers_etude_linear", files: [{ file: "layers/etude/linear.h", text: "\nclass ETUDE_API LinearImpl {};\n" }] });
const entries = [...lessonEntries(lesson, 8, { outputs: { divided: "0.5 halves\n" } }), ...lessonEntries(japanese, 8, { language: "ja", word: "レッスン" }), ...guideEntries(guide), ...api, source];

// As the browser has it: the scripts one after the other, up to the dialog.
const scripts = searchScripts(entries);
const browser = vm.createContext({});
vm.runInContext(scripts["search_index.js"], browser);
vm.runInContext(`${scripts["search.js"].split("// The search, in the dialog")[0]}
const index = MiniSearch.loadJS(searchIndex, indexOptions);
globalThis.search = (query, language) => find(index, query, language); }`, browser);
const hrefs = (query, language = "en") => Array.from(browser.search(query, language), ({ href }) => href);

test("names are words as a whole and in parts", () => {
  assert.deepEqual(indexWords("nn::LayerNorm layer_norm GPTBlock Conv1d x"), ["nn", "LayerNorm", "Layer", "Norm", "layernorm", "layer", "norm", "GPTBlock", "GPT", "Block", "Conv1d", "x"]);
  assert.deepEqual(queryWords("nn::Linear log_softmax"), ["nn", "Linear", "log", "softmax"]);
});

test("where words are not set apart, pairs of letters are words", () => {
  assert.deepEqual(indexWords("位置の列とGPT"), ["位置", "置の", "の列", "列と", "GPT"]);
  assert.deepEqual(queryWords("列"), ["列"]);
});

test("an entry leads to its cell, section, name or file", () => {
  assert.deepEqual(entries.map(({ href }) => href).slice(0, 5),
                   ["08_attention.html", "08_attention.html#divided", "ja/08_attention.html", "layers.html", "layers.html#the-norm"]);
  assert.equal(entries[1].title, "The scores");
  assert.equal(entries[1].context, "Lesson 8 · Attention by hand");
  assert.equal(entries[1].text, "Divided by √d. A layer norm.");
  assert.deepEqual([source.title, source.context, source.text], ["linear.h", "layers/etude", "LinearImpl"]);
});

test("markup is no text", () => {
  assert.equal(bareText("- a `b_c`, *d*\n- [e](f.md)\n\n```diagram T\nx: y\n```\n```python\nz = 2 * 3\n```\n1. $x$"), "a b_c, d e z = 2 * 3 x");
  assert.equal(bareText("| `a|b` | c\\_d |\n|---|---|\n| **e** | f |"), "a|b c_d e f");
});

test("a formula is read in one line", () => {
  const formulas = {
    "\\operatorname{softmax}\\Big(\\frac{Q K^\\top}{\\sqrt{d}}\\Big)\\, V": "softmax((Q Kᵀ)/√d) V",
    "10000^{-2i/d_{model}} \\approx 2.5 \\cdot 10^{-5}": "10000^(-2i/d_model) ≈ 2.5 · 10^-5",
    "\\bar{V} = P^\\top \\bar{O} \\qquad -\\ln p": "V̄ = Pᵀ Ō -ln p",
    "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}": "a b c d",
    "\\text{step} = \\tfrac12 \\sum_{i=1}^{16} g_i": "step = 1/2 Σ_(i=1)^16 g_i",
  };
  for (const [tex, text] of Object.entries(formulas)) assert.equal(typedFormula(tex), text);
});

test("who writes code finds its name first, who writes a word the lesson that is about it", () => {
  for (const query of ["nn::Linear", "etude::nn::Linear", "torch.nn.Linear(2, 3)", "nn.linear"]) assert.equal(hrefs(query)[0], "api_x.html#nn_Linear", query);
  for (const query of ["LayerNorm", "layer_norm", "layer norm", "layernorm"]) assert.equal(hrefs(query)[0], "api_x.html#nn_LayerNorm", query);
  for (const query of ["attention", "what is attention?", "etude::Error: attention", "  what():  attention"]) assert.deepEqual(hrefs(query).slice(0, 2), ["08_attention.html", "api_x.html#attention"], query);
  assert.deepEqual(hrefs("softmax"), ["api_x.html#softmax", "api_x.html#log_softmax", "08_attention.html"]);
  assert.equal(hrefs("functional::linear")[0], "api_x.html#nn_functional_linear");
  assert.equal(hrefs("linear.h")[0], "source_layers_etude_linear.html");
});

test("names of cells, code, outputs, summaries and errors are found", () => {
  for (const query of ["divided", "scale", "halves"]) assert.equal(hrefs(query)[0], "08_attention.html#divided", query);
  assert.equal(hrefs("words look")[0], "08_attention.html");
  assert.equal(hrefs("IndexError: Dimension out of range (expected to be in range of [-3, 2], but got 3)")[0], "api_x.html#softmax");
  assert.deepEqual(hrefs("none of its own"), []);
});

test("beginnings and small mistakes are understood; what is nowhere is not found", () => {
  for (const query of ["softm", "sofmax"]) assert.ok(hrefs(query).includes("api_x.html#softmax") && hrefs(query).includes("08_attention.html"), query);
  assert.equal(hrefs("dividing the score")[0], "08_attention.html#divided");
  assert.equal(hrefs("atention")[0], "08_attention.html");
  assert.deepEqual(hrefs("zyzzyva"), []);
});

test("a page in the reader's language comes first, one in another language last", () => {
  assert.deepEqual(hrefs("位置", "en"), ["ja/08_attention.html"]);
  assert.deepEqual(hrefs("mask", "en"), ["08_attention.html", "ja/08_attention.html"]);
  assert.deepEqual(hrefs("mask", "ja"), ["ja/08_attention.html", "08_attention.html"]);
});
