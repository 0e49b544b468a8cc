import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { apiEntry, bareText, guideEntries, lessonEntries, searchScripts, sourceEntry } from "../search_index.mjs";
import { indexWords, queryWords } from "../search_terms.mjs";

const lesson = {
  name: "08_attention",
  title: "Attention by hand",
  intro: "Of `softmax` and [masks](09_masks.cpp).",
  facts: { outcomes: ["write it down"] },
  cells: [{ id: "In08", title: "The *scores*", rows: [{ text: "Divided by $\\sqrt{d}$." }], answer: [{ text: "A layer norm." }] }],
};
const japanese = { ...lesson, title: "注意機構", intro: "位置の列とmaskを計算する。", cells: [] };
const guide = { name: "layers", title: "Layers", text: "# Layers\n\nAll of them.\n\n## The norm\n\nCentres.\n" };
const api = ["softmax", "log_softmax", "nn::Linear", "nn::functional::linear", "nn::LayerNorm"].map((name) =>
  apiEntry({ name: `etude::${name}`, page: "api_x", anchor: name.replace(/\W+/g, "_"), text: `Of ${name}.` }),
);
const source = sourceEntry({ name: "source_layers_etude_linear", files: [{ file: "layers/etude/linear.h", text: "\nclass ETUDE_API LinearImpl {};\n" }] });
const entries = [...lessonEntries(lesson, 8), ...lessonEntries(japanese, 8, "ja", "レッスン"), ...guideEntries(guide), ...api, source];

// As the browser has it: the scripts one after the other, up to the dialog.
const scripts = searchScripts(entries);
const browser = vm.createContext({});
vm.runInContext(scripts["search_index.js"], browser);
vm.runInContext(`${scripts["search.js"].split("// The dialog")[0]}
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
                   ["08_attention.html", "08_attention.html#In08", "ja/08_attention.html", "layers.html", "layers.html#the-norm"]);
  assert.equal(entries[1].title, "The scores");
  assert.equal(entries[1].context, "Lesson 8 · Attention by hand");
  assert.equal(entries[1].text, "Divided by sqrt{d}. A layer norm.");
  assert.deepEqual([source.title, source.context, source.text], ["linear.h", "layers/etude", "LinearImpl"]);
});

test("markup is no text", () => {
  assert.equal(bareText("- a `b_c`, *d*\n- [e](f.md)\n\n```diagram T\nx: y\n```\n```python\nz = 2 * 3\n```\n1. $x$"), "a b_c, d e z = 2 3 x");
});

test("names of the API come first, however they are written", () => {
  for (const query of ["nn::Linear", "etude::nn::Linear", "torch.nn.Linear(2, 3)", "nn.linear"]) assert.equal(hrefs(query)[0], "api_x.html#nn_Linear", query);
  for (const query of ["layer norm", "LayerNorm", "layernorm", "layer_norm"]) assert.equal(hrefs(query)[0], "api_x.html#nn_LayerNorm", query);
  assert.deepEqual(hrefs("softmax"), ["api_x.html#softmax", "api_x.html#log_softmax", "08_attention.html"]);
  assert.equal(hrefs("functional::linear")[0], "api_x.html#nn_functional_linear");
});

test("beginnings and small mistakes are understood; what is nowhere is not found", () => {
  assert.equal(hrefs("softm")[0], "api_x.html#softmax");
  assert.equal(hrefs("sofmax")[0], "api_x.html#softmax");
  assert.equal(hrefs("atention")[0], "08_attention.html");
  assert.equal(hrefs("linear.h").includes("source_layers_etude_linear.html"), true);
  assert.deepEqual(hrefs("zyzzyva"), []);
});

test("a page in the reader's language comes first, one in another language last", () => {
  assert.deepEqual(hrefs("位置", "en"), ["ja/08_attention.html"]);
  assert.deepEqual(hrefs("mask", "en"), ["08_attention.html", "ja/08_attention.html"]);
  assert.deepEqual(hrefs("mask", "ja"), ["ja/08_attention.html", "08_attention.html"]);
});
