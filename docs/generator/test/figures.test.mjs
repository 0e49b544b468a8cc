import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { draw } from "../../live/figures/figures_draw.mjs";
import { figures, firstControls } from "../figures.mjs";
import { figuresList, figuresPage, withFigureLinks } from "../figures_page.mjs";

const line = (values) => ({ x: values.map((_, i) => i + 1), lines: [{ name: "norms last", values }], guess: 0.5, words: "Words." });
const answers = {
  sines: { values: [[0, 1], [0.84, -0.54]], position: 1, row: [0.84, -0.54], words: "1 < 2" },
  pair: { sines: [0, 1], cosines: [1, 0], position: 1, sine: 1, cosine: 0, words: "Words." },
  distance: { distances: [-1, 0, 1], dots: [1, 2, 1], distance: 1, dot: 1, words: "Words." },
  attention: { labels: ["<a>", "b"], scores: [[1, -12], [0, 3]], weights: [[0.25, 0.75], [1, 0]], words: "Words." },
  heads: { labels: ["a", "b"], heads: [[[0, 1], [1, 0]], [[1, 0], [0, 1]]], words: "Words." },
  gradients: line([3, 2]),
  schedule: line([0.1, 0.2]),
  loss: line([0.7, 0.1]),
  byte_pairs: { tokens: [{ id: 256, text: "<&" }, { id: 97, text: "a" }], learned: [{ id: 256, text: "<&" }], words: "Words." },
};
const lessons = [...new Set(figures.flatMap((one) => one.lessons.map((link) => link.split("#")[0])))].sort();
const site = { tutorials: lessons.map((name) => ({ name, cells: figures.flatMap((one) => one.lessons).filter((link) => link.startsWith(`${name}#`)).map((link) => ({ id: link.split("#")[1], title: `About ${name}` })) })) };

function pageOf(all) {
  const record = mkdtempSync(join(tmpdir(), "etude-figures-"));
  try {
    writeFileSync(join(record, "figures.jsonl"), figures.map(({ name }) => `${JSON.stringify(all[name])}\n`).join(""));
    return figuresPage(record, site);
  } finally {
    rmSync(record, { recursive: true });
  }
}

test("every figure is drawn within its width, with its texts escaped", () => {
  for (const width of [300, 700]) {
    for (const [name, answer] of Object.entries(answers)) {
      const svg = draw[name](answer, width);
      assert.match(svg, new RegExp(`^<svg [^>]*viewBox="0 0 ${width} [\\d.]+"[^>]* role="img" aria-label="\\w`), name);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity|<a>|<&/, name);
      for (const [, x] of svg.matchAll(/<(?:text|rect) x="([-\d.]+)"/g)) assert.ok(x >= 0 && x <= width, `${name}: ${x}`);
    }
  }
  assert.match(draw.attention(answers.attention, 700), />&lt;a&gt;<[\s\S]*>−12<[\s\S]*>0\.75</);
  assert.match(draw.byte_pairs(answers.byte_pairs, 700), /class="token"[^>]*\/><text[^>]*>&lt;&amp;<[\s\S]*class="byte"/);
});

test("negative cells have another colour, and nothing is drawn for zero", () => {
  const cells = draw.sines(answers.sines, 700).match(/<path class="(above|below)" fill-opacity="[\d.]+" d="[^"]+"/g);
  assert.deepEqual(cells, ['<path class="above" fill-opacity="1" d="M1 0h1v1h-1z"', '<path class="above" fill-opacity="0.85" d="M0 1h1v1h-1z"', '<path class="below" fill-opacity="0.55" d="M1 1h1v1h-1z"']);
});

test("a page has each figure with its picture, its words, and controls that have labels", () => {
  const html = pageOf(answers);
  for (const { name, controls } of figures) {
    assert.match(html, new RegExp(`<section class="answering" id="${name}"`));
    for (const [control] of controls) {
      assert.ok(html.includes(`<label for="${name}-${control}">`), `${name} ${control}`);
      assert.ok(html.includes(` id="${name}-${control}" name="${control}"`), `${name} ${control}`);
    }
  }
  assert.match(html, /<figcaption aria-live="polite">1 &lt; 2<\/figcaption>/);
  assert.equal(html.match(/<fieldset disabled>/g).length, figures.length);
  assert.match(html, /href="08_attention\.html#softmax">About 08_attention<\/a> \(lesson \d\)/);
});

test("what was refused is no picture, and without answers there is no page", () => {
  assert.throws(() => pageOf({ ...answers, pair: { error: "No." } }), /pair: No\./);
  assert.equal(figuresPage("/nowhere", site), "");
});

test("a lesson's cell leads to its figure, and the first page to all", () => {
  const cell = (id) => `<section class="cell" id="${id}">\n<div class="row">\n<div class="docs">\n<p>Text.</p>\n</div>\n<div class="code"></div>`;
  const html = withFigureLinks(cell("flow") + cell("other"), "10_transformer_block");
  assert.match(html, /<p>Text\.<\/p>\n<p class="answers">[^<]*<a href="figures\.html#gradients">/);
  assert.equal(html.match(/class="answers"/g).length, 1);
  const translated = withFigureLinks(cell("flow"), "10_transformer_block", "../", (text) => ({ "Interactive figure:": "動かす：" })[text]);
  assert.match(translated, /<p class="answers">動かす： <a href="\.\.\/figures\.html#gradients" lang="en"/);
  for (const { name } of figures) assert.match(figuresList(), new RegExp(`href="figures\\.html#${name}"`));
});

test("first values are those that controls begin with", () => {
  assert.deepEqual(firstControls(figures.find(({ name }) => name === "sines")), { position: 10, positions: 40, width: 32, base: 10000 });
});
