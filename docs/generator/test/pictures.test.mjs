import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { expectedOutputs, readTutorials } from "../generate.mjs";
import { markdownRenderer } from "../markdown.mjs";
import { tutorialPage } from "../page.mjs";
import { drawPicture, pictures } from "../pictures.mjs";
import { shapes, tensors } from "../printed.mjs";
import { bareText } from "../search_index.mjs";

const repository = new URL("../../..", import.meta.url).pathname;
const tutorials = Object.fromEntries(readTutorials(repository).map((tutorial) => [tutorial.name, tutorial]));
const fences = Object.values(tutorials).flatMap(({ name: lesson, source }) =>
  [...source.matchAll(/^ *\/\/\/ ```picture (\w+) (.+)\n((?: *\/\/\/.*\n)+?) *\/\/\/ ```$/gm)].map(([, name, title, text]) => ({ lesson, name, title, description: text.replace(/^ *\/\/\/ ?/gm, "").replace(/\s+/g, " ").trim() })),
);

const printed = (lesson, id) => expectedOutputs(repository, { name: lesson })[id];

/** The picture of a fence; `change` may change what the lesson printed, by cell. */
function draw(name, change = (id, text) => text, label = undefined) {
  const { lesson, title, description } = fences.find((one) => one.name === name);
  const { cells } = tutorials[lesson];
  const source = {
    printed: (id) => change(id, printed(lesson, id)),
    code: (id) => cells.find((cell) => cell.id === id).rows.map(({ code }) => code).join("\n"),
  };
  return drawPicture(name, lesson, source, { title, description, prefix: "p-", label });
}

/** The grids of a picture by their names, as rows of texts, and the texts beside them. */
function seen(svg) {
  const grids = [...svg.matchAll(/<g data-part="([^"]*)" data-rows="(\d+)" data-columns="(\d+)">(.*?)<\/g>/g)].map(([, part, rows, columns, cells]) => {
    const values = [...cells.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    assert.equal(cells.match(/<rect /g).length, rows * columns, part);
    return { part, rows: Number(rows), columns: Number(columns), values };
  });
  const texts = [...svg.replace(/<g data-part.*?<\/g>/g, "").matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text]) => text.replace(/<[^>]*>|&#8203;/g, ""));
  return { grids, texts, values: (part) => grids.find((grid) => grid.part === part).values };
}

/** The numbers of a line of what was printed, as a picture rounds them. */
const rounded = (line) => [...line.matchAll(/-?\d+\.\d*/g)].map(([number]) => String(Math.round(100 * number) / 100));
const lines = (lesson, id) => printed(lesson, id).split("\n").filter((line) => line.includes("["));

test("every picture stands once, in its own lesson, and says what is seen in one to three sentences", () => {
  assert.deepEqual(fences.map(({ name, lesson }) => [name, lesson]).sort(), Object.entries(pictures).map(([name, { lesson }]) => [name, lesson]).sort());
  assert.equal(fences.length, 14);
  for (const { name, description } of fences) {
    assert.ok(description.split(/[.;](?= |$)/).length <= 4 && /^[A-Z].*\.$/.test(description), `${name}: ${description}`);
    assert.ok(description.length > 80 && description.length < 330, `${name}: ${description.length} letters`);
    assert.doesNotMatch(description, /\d/, `${name}: the picture has the numbers`);
  }
});

test("the words of a picture are those of the language, and nothing else of it changes", () => {
  for (const [name, { words }] of Object.entries(pictures)) {
    const used = new Set();
    const other = draw(name, undefined, (text) => (used.add(text), words.includes(text) ? `訳 ${text}` : text));
    assert.deepEqual(words.filter((text) => !used.has(text)), [], name);
    assert.equal(other.replace(/訳 /g, "").replace(/ x="[^"]*"/g, ""), draw(name).replace(/ x="[^"]*"/g, ""), name);
  }
  assert.match(draw("one_word", undefined, (text) => ({ "what # gets: o #": "o #2，#1 得到" })[text] ?? text), />o \[4\]，itself 得到</);
});

/** The page of a lesson, with all that it printed. */
function pageOf(lesson) {
  const tutorial = tutorials[lesson];
  const picture = (name, words) => {
    const { title, description } = fences.find((one) => one.name === name);
    assert.deepEqual([words.title, words.description], [title, description]);
    return draw(name).replaceAll('"p-', `"${words.prefix}`).replaceAll(" p-", ` ${words.prefix}`);
  };
  const markdown = markdownRenderer({ figure: () => '<svg viewBox="0 0 9 9"></svg>', link: () => "x.html", picture });
  const outputs = Object.fromEntries(tutorial.cells.map(({ id }) => [id, printed(lesson, id) ?? ""]));
  const block = (text, line, options) => markdown.block(text, options);
  return tutorialPage({ tutorial: { ...tutorial, block }, outputs, site: { tutorials: [tutorial] }, markdown });
}

test("a page shows each picture once, as an image with a title and a description", () => {
  for (const lesson of new Set(fences.map((one) => one.lesson))) {
    const html = pageOf(lesson);
    const own = fences.filter((one) => one.lesson === lesson);
    const drawn = [...html.matchAll(/<figure class="plot pictured" tabindex="0"><svg class="picture" role="img" aria-labelledby="(\S+)title \1desc"[\s\S]*?<\/figure>/g)].map(([figure]) => figure);
    assert.equal(drawn.length, own.length, lesson);
    assert.equal(html.match(/class="picture"/g).length, own.length, lesson);
    assert.equal(html.match(/class="([^"]* )?cell[ "]/g).length, tutorials[lesson].cells.length, `${lesson}: only its cells are cells for the scripts`);
    own.forEach(({ title, description }, i) => {
      assert.ok(drawn[i].includes(`>${title}</title>`) && drawn[i].includes(`>${description}</desc>`) && drawn[i].includes(`<figcaption>${title}</figcaption>`), title);
      assert.doesNotMatch(drawn[i], /<script|href|NaN|undefined/);
    });
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, `${lesson}: ids of their own`);
  }
});

test("one word has the numbers of lesson 8", () => {
  const { values, texts } = seen(draw("one_word"));
  const of = (id) => lines("08_attention", id).map(rounded);
  const [words, queries, scores, weights, mixture] = ["words", "queries", "scores", "softmax", "mixture"].map(of);
  assert.deepEqual(values("x"), words[3]);
  assert.deepEqual([values("q"), values("k"), values("v")], [queries[3], queries[7], queries[11]]);
  assert.deepEqual([values("K"), values("V")], [queries.slice(4, 8).flat(), queries.slice(8, 12).flat()]);
  assert.deepEqual([values("scores"), values("weights"), values("o")], [scores[3], weights[3], mixture[0]]);
  for (const text of ["x [4]", "q [4]", "[4, 4]", "itself", "/ 2", "x WQ"]) assert.ok(texts.includes(text), text);
});

test("one step joins each word of lesson 8 with each word, and a state lies between neighbours", () => {
  const svg = draw("one_step");
  const { texts } = seen(svg);
  for (const word of ["the", "dog", "saw", "itself"]) assert.equal(texts.filter((text) => text === word).length, 3, word);
  assert.equal(texts.filter((text) => text === "state").length, 4);
  assert.ok(texts.includes("word after word: 3 steps from first to last"));
  assert.deepEqual(["head warm", "line plain", "line accent"].map((kind) => svg.split(`class="${kind}"`).length - 1), [3, 4 + 12, 4]);
});

test("the questions of a window are the beginning of what lesson 11 printed", () => {
  const { values, texts } = seen(draw("questions"));
  const [, seenByModel, next] = printed("11_training_a_gpt", "batch").split("\n");
  const first = (text, count) => [...text].slice(0, count).map((letter) => letter.replace(" ", "·"));
  for (let i = 0; i < 8; ++i) assert.deepEqual(values(`seen ${i}`), first(seenByModel, i + 1));
  assert.deepEqual(values("next"), first(next, 8));
  assert.ok(texts.includes(`The first 8 of ${seenByModel.length} questions; · is a blank.`));
});

test("two heads have the numbers and the shapes of lesson 9", () => {
  const { values, texts, grids } = seen(draw("two_heads"));
  const weights = lines("09_heads_and_masks", "weights").slice(1).map(rounded);
  assert.deepEqual([values("weights0"), values("weights1")], [weights.slice(0, 4).flat(), weights.slice(4).flat()]);
  assert.deepEqual(values("output"), lines("09_heads_and_masks", "output").flatMap(rounded));
  const [, whole] = printed("09_heads_and_masks", "projection").match(/\[.*?\]/g);
  const [cut] = printed("09_heads_and_masks", "weights").match(/\[.*?\]/);
  const [joined] = printed("09_heads_and_masks", "join").match(/\[.*?\]/);
  for (const text of [`each ${whole}`, `weights ${cut}`, joined, `output ${joined}`, "[1, 2, 4, 2]"]) assert.ok(texts.includes(text), text);
  const shape = (part) => grids.filter((grid) => grid.part === part).map(({ rows, columns }) => [rows, columns]);
  assert.deepEqual([shape("q"), shape("head0q"), shape("head1v"), shape("joined")], [[[4, 4]], [[4, 2]], [[4, 2]], [[4, 4]]]);
});

test("the cuts into heads are those that lesson 9 printed", () => {
  const { grids, texts } = seen(draw("cut_into_heads"));
  const of = (id) => lines("09_heads_and_masks", id).map((line) => line.match(/\d+/g));
  const [split, wrong] = ["split", "wrong_split"].map(of);
  const values = grids.map((grid) => grid.values);
  assert.deepEqual(values, [split.slice(0, 4), split.slice(4, 8), split.slice(8), split.slice(0, 4), wrong].map((rows) => rows.flat()));
  assert.deepEqual(texts.filter((text) => text.startsWith("head")), ["head 0", "head 1", "head 0"]);
});

test("behind the mask are the weights of lesson 9, and the mask is where they are zero", () => {
  const { values, texts } = seen(draw("behind_the_mask"));
  const after = lines("09_heads_and_masks", "causal").slice(4).flatMap(rounded);
  assert.deepEqual([values("before"), values("after")], [lines("09_heads_and_masks", "weights").slice(1, 5).flatMap(rounded), after]);
  assert.deepEqual(values("mask"), printed("09_heads_and_masks", "causal").match(/True|False/g).slice(0, 16).map((word) => (word === "True" ? "−∞" : "")));
  assert.equal(texts.filter((text) => text === "itself").length, 2);
});

test("the bars of two words have the numbers of lesson 10, and the heights follow them", () => {
  const svg = draw("normed_words");
  const { texts, grids } = seen(svg);
  const normed = lines("10_transformer_block", "layer_norm").slice(1).flatMap(rounded);
  assert.equal(grids.length, 16);
  for (const number of [...normed, "0.5", "5", "10"]) assert.ok(texts.includes(number), number);
  const heights = (part) => [...svg.matchAll(new RegExp(`data-part="${part} \\d".*?height="([^"]*)"`, "g"))].map(([, height]) => Number(height));
  assert.deepEqual(heights("in 1"), [1, 60, 1, 120]);
  assert.deepEqual(heights("out 0"), heights("out 1").map((height, i) => (i === 3 ? heights("out 0")[3] : height)));
});

test("the residual stream has the variances of lesson 10", () => {
  const { values, texts } = seen(draw("residual_stream"));
  const [before, last, first] = lines("10_transformer_block", "norm_first").map(rounded);
  assert.deepEqual([values("before"), values("before_last"), values("last"), values("first")], [before, before, last, first]);
  assert.deepEqual(texts.filter((text) => text === "norm").length, 4);
  assert.ok(texts.includes("[4, 1, 4]") && texts.includes("4 → 16 → 4"));
});

test("the tree of a block has as many parameters as lesson 10 counts", () => {
  const { grids, texts } = seen(draw("block_tree"));
  const [total, , attention, linear] = printed("10_transformer_block", "count").split(/\s/).map(Number);
  const cells = (...names) => grids.filter(({ part }) => names.some((name) => part === `${name} parameter`)).reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  assert.equal(cells("in_proj", "out_proj"), attention);
  assert.equal(cells("linear1", "linear2"), linear);
  assert.equal(cells("in_proj", "out_proj", "linear1", "linear2", "norm1", "norm2"), total);
  for (const count of [total, attention, linear]) assert.ok(texts.includes(`${count} numbers`));
  const [inside] = printed("10_transformer_block", "feed_forward").match(/\[.*?\]/);
  assert.equal(texts.filter((text) => text === inside).length, 2, "after linear1 and after relu");
  const drawn = grids.filter(({ part }) => part.endsWith("output")).reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  const written = texts.filter((text) => /^\[\d+, \d+, \d+(, \d+)?\]$/.test(text)).reduce((sum, text) => sum + JSON.parse(text).reduce((a, b) => a * b), 0);
  assert.equal(drawn, written, "cells of what comes out, and their shapes");
});

test("one node has the values and gradients of lesson 7, and they obey the chain rule", () => {
  const { values, texts } = seen(draw("one_node"));
  const step = (place) => new RegExp(`^${place} value (\\S+)\\.0 gradient (\\S+)\\.0$`, "m").exec(printed("07_autograd", "on_tape")).slice(1);
  const [x, w, u] = [step(0), step(1), step(5)];
  for (const [name, [value, gradient]] of Object.entries({ x, w, u })) assert.deepEqual([values(`${name} value`), values(`${name} gradient`)], [[value], [gradient]]);
  assert.equal(u[0], String(x[0] * w[0]));
  assert.deepEqual([w[1], x[1]], [String(u[1] * x[0]), String(u[1] * w[0])]);
  assert.ok(texts.includes(`dL/dw = ${u[1]} · ${x[0]} = ${w[1]}`) && texts.includes(`dL/dx = ${u[1]} · ${w[0]} = ${x[1]}`));
});

test("the trees of tokens are merges that lesson 15 printed", () => {
  const { grids, texts } = seen(draw("token_trees"));
  const vocabulary = printed("15_byte_pairs", "vocabulary");
  const merged = grids.map(({ part }) => part.replace("token ", "")).filter((id) => id >= 256);
  assert.deepEqual(merged.sort(), ["256", "257", "258", "259", "260", "261"]);
  for (const id of merged) {
    const [, left, right, a, b] = new RegExp(`^${id} \\((\\d+), (\\d+)\\) \\[(.*)\\] \\+ \\[(.*)\\]$`, "m").exec(vocabulary);
    assert.equal(texts[texts.indexOf(id) - 1], (a + b).replace(" ", "·"));
    for (const part of [left, right]) assert.ok(texts.includes(part), `${id} of ${part}`);
  }
  const bytes = grids.length - merged.length;
  assert.equal(bytes, " the was".length);
});

test("the best words have the probabilities of lesson 12 before and after top k", () => {
  const { texts } = seen(draw("best_words"));
  const numbers = [printed("12_sampling", "logits").match(/\d\.\d+/g), printed("12_sampling", "top_k").split("\n")[1].match(/\d\.\d+/g)];
  for (const number of numbers.flat()) assert.ok(texts.includes(String(Math.round(100 * number) / 100)), number);
  assert.ok(texts.includes("the best 2, scaled up to 1"));
  const { texts: three } = seen(draw("best_words", (id, text) => (id === "top_k" ? text.replace("0.3775, 0.0000", "0.2000, 0.1775") : text)));
  assert.ok(three.includes("the best 3, scaled up to 1") && three.includes("0.18"));
});

test("the garden path has the products of lesson 12, and says which sequence is best", () => {
  const { texts } = seen(draw("garden_path"));
  for (const line of printed("12_sampling", "garden_path").trim().split("\n")) {
    const [name, both] = line.split(" ");
    assert.equal(texts[texts.indexOf(name) + 2], both, name); // after the share of the second step
  }
  const after = (text) => texts[texts.indexOf(text) - 1];
  assert.deepEqual([after("greedy"), after("the best sequence")], ["0.33", "0.36"]);
});

test("the cache has the tokens, the steps and the counts of lesson 12", () => {
  const { grids, texts } = seen(draw("filling_cache"));
  const step = (i) => grids.find(({ part }) => part === `in ${i}`).values;
  assert.deepEqual([step(0), step(1), step(2)], [["1", "2", "3"], ["4"], ["5"]]);
  for (const i of [0, 1, 2]) {
    assert.equal(grids.find(({ part }) => part === `Q ${i}`).rows, step(i).length);
    for (const letter of ["K", "V"]) assert.equal(grids.find(({ part }) => part === `${letter} ${i}`).rows, 5);
  }
  const logits = printed("12_sampling", "inside").match(/-?\d+\.\d+/g).length;
  for (const text of ["K, V [1, 2, 3, 8]", "K, V [1, 2, 5, 8]", `logits [1, 3, ${logits}]`]) assert.ok(texts.includes(text), text);
  const [without, withCache] = printed("12_sampling", "cache").split(/\s/);
  assert.ok(texts.includes(`For 100 new tokens, ${withCache} go through the model; without the cache ${without} would.`));
  const { texts: fewer } = seen(draw("filling_cache", (id, text) => (id === "cache" ? text.replace("5250 102", "7 4") : text)));
  assert.ok(fewer.includes("For 2 new tokens, 4 go through the model; without the cache 7 would."));
});

test("a picture changes with what its lesson prints", () => {
  const changes = {
    questions: (id, text) => (id === "batch" ? text.replace("the dog", "The dog") : text),
    one_word: (id, text) => (id === "softmax" ? text.replace("0.5344", "0.9144") : text),
    cut_into_heads: (id, text) => (id === "wrong_split" ? text.replace("6", "8") : text),
    behind_the_mask: (id, text) => (id === "causal" ? text.replace("0.8943", "0.7943") : text),
    normed_words: (id, text) => (id === "layer_norm" ? text.replace("1.5075", "1.2075") : text),
    best_words: (id, text) => (id === "top_k" ? text.replace("0.6225", "0.5225") : text),
    garden_path: (id, text) => (id === "garden_path" ? text.replace("by 0.04", "by 0.44") : text),
    two_heads: (id, text) => (id === "weights" ? text.replace("0.7346", "0.9146") : text),
    residual_stream: (id, text) => (id === "norm_first" ? text.replace("0.2778", "0.9178") : text),
    block_tree: (id, text) => (id === "feed_forward" ? text.replace("1, 16]", "1, 8]") : text),
    one_node: (id, text) => text.replace("gradient 8.0", "gradient 9.0"),
    token_trees: (id, text) => text.replaceAll("256", "456"),
    filling_cache: (id, text) => text.replace("5250", "5251"),
  };
  for (const [name, change] of Object.entries(changes)) assert.notEqual(draw(name, change), draw(name), name);
});

test("the tree of a block has room for wider linear layers", () => {
  const svg = draw("block_tree", (id, text) => (id === "feed_forward" ? text.replace("1, 16]", "1, 32]") : text));
  const numbers = (element) => Object.fromEntries([...element.matchAll(/ (x|y|width|height)="([\d.]+)"/g)].map(([, name, value]) => [name, Number(value)]));
  const boxes = [...svg.matchAll(/<rect [^>]*>/g)].map(([rect]) => numbers(rect));
  for (const [tag, text] of svg.matchAll(/<text class="shape"[^>]*>([^<]*)/g)) {
    const { x, y } = numbers(tag);
    assert.ok(!boxes.some((box) => box.x <= x && x < box.x + box.width && box.y <= y && y < box.y + box.height), `${text} stands on a tensor`);
  }
});

test("letters are at least 11 pixels high, and within the picture's box on a phone", () => {
  const css = readFileSync(new URL("../style/pictures.css", import.meta.url), "utf8");
  const sizes = [...css.matchAll(/([\d.]+)px var\(--(?:sans|mono)\)|font-size: ([\d.]+)px/g)].map(([, font, size]) => Number(font ?? size));
  assert.ok(sizes.length > 3);
  for (const { name } of fences) {
    const svg = draw(name);
    const [, width, least] = /viewBox="0 0 (\d+) \d+" style="max-width: \d+px; min-width: (\d+)px"/.exec(svg).map(Number);
    const smallest = Math.min(...sizes, ...[...svg.matchAll(/font-size="([\d.]+)"/g)].map(([, size]) => Number(size)));
    assert.ok((smallest * least) / width >= 11, `${name}: ${(smallest * least) / width}`);
  }
  assert.match(css, /\.pictured \{[^}]*overflow-x: auto/);
});

test("a picture that cannot be drawn says why", () => {
  const words = { title: "T", description: "D.", prefix: "" };
  assert.throws(() => drawPicture("none", "08_attention", {}, words), /there is no picture "none" of 08_attention/);
  assert.throws(() => drawPicture("one_word", "09_heads_and_masks", {}, words), /there is no picture "one_word" of 09_heads_and_masks/);
  assert.throws(() => drawPicture("one_word", "08_attention", { printed: () => "", code: () => "none" }, words), /looks for .*words.* and does not find it/);
  const render = (text, picture) => markdownRenderer({ figure: () => "", link: () => "", picture }).block(text);
  assert.throws(() => render("```picture a\nWords.\n```", () => ""), /a picture has a name, a title and a description/);
  assert.throws(() => render("```picture a Title\n```", () => ""), /a picture has a name, a title and a description/);
  assert.throws(() => render("```picture a Title\nWords.\n```"), /only lessons have pictures/);
});

test("what draws pictures runs in a browser too: it is copied, and imports nothing else", () => {
  const copied = /for \(const name of (\["svg\.mjs".*?\])\)/.exec(readFileSync(new URL("../generate.mjs", import.meta.url), "utf8"))[1];
  for (const name of ["pictures.mjs", "drawing.mjs", "printed.mjs"]) {
    assert.ok(JSON.parse(copied).includes(name), name);
    for (const [, from] of readFileSync(new URL(`../${name}`, import.meta.url), "utf8").matchAll(/^import .* from "\.\/(.*)";$/gm)) assert.ok(JSON.parse(copied).includes(from), `${name} imports ${from}`);
  }
});

test("a picture has its name where it can be drawn again", () => {
  const render = (nameFigures) => markdownRenderer({ figure: () => "", link: () => "", picture: () => "<svg></svg>", nameFigures }).block("```picture one_node T\nD.\n```");
  assert.match(render(true), /<figure class="plot pictured" tabindex="0" data-picture="one_node">/);
  assert.doesNotMatch(render(false), /data-picture/);
});

test("what was printed is read as numbers", () => {
  assert.deepEqual(tensors("4.0\ntensor([[0., -4.5],\n        [1e-2, 2.]], dtype=torch.float64)\ntensor(7.)\ntensor([1, 2])"), [[[0, -4.5], [0.01, 2]], [1, 2]]);
  assert.deepEqual(shapes("torch.Size([4, 1, 12]) torch.Size([4])"), [[4, 1, 12], [4]]);
});

test("the search finds a picture by what is seen", () => {
  assert.equal(bareText("a\n\n```picture one_word The title\nWhat is\nseen.\n```\nb"), "a The title. What is seen. b");
});
