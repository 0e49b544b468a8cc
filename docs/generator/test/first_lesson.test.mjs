// Lesson 0: its source, its figures as functions of what the model said, and its page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import * as course from "../course.mjs";
import { atTemperature, drawn, figureHtml, figures, firstChoice, share } from "../first_figures.mjs";
import { firstLessonPage, firstLessonScript, parseFirstLesson, readFirstLesson } from "../first_lesson.mjs";
import { readGuides, readTutorials } from "../generate.mjs";
import { wordLinker } from "../glossary.mjs";
import { address } from "../home.mjs";
import { contentsBar, neighbours } from "../page.mjs";
import { bareText } from "../search_index.mjs";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const tutorials = readTutorials(repository);
const guides = readGuides(repository);
const lesson = readFirstLesson(repository);

// What a model of two blocks and two heads might say of three pieces.
const guesses = [[" ", 0.5], ["<", 0.25], ["n", 0.1], ["&", 0.05], ["\n", 0.04], ["x", 0.03], ["y", 0.02], ["z", 0.01]].map(([piece, value]) => ({ piece, share: value }));
const answer = {
  pieces: ["a", " ", "a"],
  ids: [7, 0, 7],
  vectors: [[0.5, -1, 0.25], [0, 2, 0], [0.75, -1, 0.125]],
  attention: [
    [[[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.5, 0.25]], [[1, 0, 0], [0.9, 0.1, 0], [0.1, 0.1, 0.8]]],
    [[[1, 0, 0], [0.2, 0.8, 0], [0.7, 0.1, 0.2]], [[1, 0, 0], [1, 0, 0], [0, 0, 1]]],
  ],
  blocks: [[guesses.slice(2), guesses.slice(2), guesses.slice(2)], [guesses, guesses, guesses.slice(1)], [guesses, guesses, guesses]],
  next: guesses,
};
const labels = { title: "A <title>", description: "What is seen.", prefix: "one-" };
const label = (text) => text;
const isStill = { isLive: false, canWrite: false, label, ...labels };

test("at a temperature of 1 shares stay, below 1 the first gains, above 1 it loses", () => {
  const at = (temperature) => atTemperature(guesses, temperature).map((one) => one.share);
  at(1).forEach((value, i) => assert.ok(Math.abs(value - guesses[i].share) < 1e-12));
  // Squares of 0.5, 0.25, 0.1, 0.05, 0.04, 0.03, 0.02, 0.01 add up to 0.328.
  assert.ok(Math.abs(at(0.5)[0] - 0.25 / 0.328) < 1e-12);
  assert.ok(at(2)[0] < 0.5);
  assert.ok(at(0.01)[0] > 0.999);
  for (const temperature of [0.01, 0.5, 3]) assert.ok(Math.abs(at(temperature).reduce((a, b) => a + b) - 1) < 1e-12);
});

test("a lot draws the piece whose part of the way from 0 to 1 it falls into", () => {
  assert.deepEqual([0, 0.49, 0.51, 0.74, 0.76, 0.999].map((lot) => drawn(guesses, lot)), [" ", " ", "<", "<", "n", "z"]);
});

test("figures look first where a head looks back most decidedly", () => {
  assert.deepEqual(firstChoice(answer), { at: 2, looked: 0, block: 1, head: 0, number: undefined, temperature: 1 });
});

test("each figure escapes what it shows, and has no control where no script runs", () => {
  for (const name of Object.keys(figures)) {
    const html = figureHtml(name, answer, firstChoice(answer), isStill);
    assert.doesNotMatch(html, /NaN|undefined|<<|<(button|input|label)|>&</, name);
    assert.match(html, /<p class="says">[A-Z\d][^<]*\.<\/p>$/, name);
  }
  assert.match(figures.next(answer, firstChoice(answer), isStill), /<p class="text">a␣a<span class="gap">\?<\/span><\/p><ol class="bars"><li><b>␣<\/b>.*<b>&lt;<\/b>.*<b>&amp;<\/b>/);
});

test("what is said has the numbers of the model", () => {
  const says = (name, more) => figures[name].words(answer, { ...firstChoice(answer), ...more }, label);
  assert.equal(says("next"), "After “a␣a” the model gives 0.50 to “␣”, 0.25 to “<” and 0.10 to “n”. The 2 pieces that are not shown get 0.03 together.");
  assert.equal(says("pieces"), "The text has 3 pieces, and the vocabulary 8. “a” has the id 7, at each of its 2 places.");
  assert.equal(says("vectors", { number: 1 }), "The vector of “a” at place 3 has 3 numbers. It begins with 0.75, −1.00, 0.13. Number 2 is −1.00.");
  assert.equal(says("attention"), "Block 2, head 1: “a” at place 3 takes 0.70 of the value of “a” at place 1. All its weights together: 0.70 + 0.20 + 0.10 = 1.00.");
  assert.equal(says("blocks", { at: 1 }), "After place 2, “␣”: before the first block the best guess is “n” with 0.10, after the last one “␣” with 0.50. What really comes is “a”.");
  assert.equal(says("choosing", { temperature: 0.5 }), `At the temperature 0.5, “␣” has the probability ${share(0.25 / 0.328)}; the model gave 0.50.`);
});

test("where scripts run, pieces can be chosen, and guesses appended where the model runs", () => {
  const choice = firstChoice(answer);
  const draw = (name, canWrite) => figures[name](answer, choice, { isLive: true, canWrite, label, ...labels });
  for (const name of ["pieces", "vectors", "blocks"]) assert.equal(draw(name).match(new RegExp(`<input type="radio" name="${name}-at"`, "g")).length, 3, name);
  assert.match(draw("pieces"), /value="1" aria-label="place 2: blank"/);
  assert.match(draw("next", true), /<li><button type="button" data-append=" "><span class="unseen">append blank <\/span><b>␣<\/b>/);
  assert.doesNotMatch(draw("next", false), /<button/);
  // Of three pieces the second one looks at two.
  const looking = figures.attention(answer, { ...choice, at: 1, looked: 0 }, { isLive: true, label, ...labels });
  assert.equal(looking.match(/name="attention-looked"/g).length, 2);
  assert.equal(looking.match(/data-looked="/g).length, 6);
});

test("a long text is shown from behind", () => {
  const n = 40;
  const row = Array.from({ length: n }, () => 1 / n);
  const long = { ...answer, pieces: Array(n).fill("b"), ids: Array(n).fill(1), vectors: Array(n).fill([1]), attention: [[Array(n).fill(row)]], blocks: [Array(n).fill(guesses)] };
  const html = figures.attention(long, firstChoice(long), isStill);
  assert.equal(html.match(/data-looked="/g).length, (24 * 25) / 2);
  assert.doesNotMatch(html, /data-looked="15"/);
});

const link = (href) => (/^https?:/.test(href) ? href : `${href.replace(/.*\/|\.\w+(?=#|$)/g, "")}.html`);
const page = (isLive = false, of = lesson) => firstLessonPage({ lesson: of, answer, site: { tutorials, guides, first: of }, course, link, place: (target) => address(target, tutorials), isLive });

test("the page has each figure once, and below its last part a link to every lesson", () => {
  const html = page();
  for (const name of Object.keys(figures)) assert.equal(html.split(`data-figure="${name}"`).length, 2, name);
  const way = /<ol class="course-parts">([\s\S]*?)<\/ol>/.exec(html)[1];
  assert.deepEqual([...way.matchAll(/href="(\w+)\.html"/g)].map(([, name]) => name).sort(), tutorials.map(({ name }) => name));
  assert.ok(html.includes(`<a rel="next" href="${course.paths[0].lessons[0]}.html">`));
  assert.match(html, /<svg class="diagram" role="group"[\s\S]*<a href="08_attention\.html#softmax">/);
});

test("each section but the last ones asks a question, with an answer that is folded", () => {
  const html = page();
  const asking = lesson.cells.filter(({ rows }) => rows[0].text.includes("```question")).map(({ id }) => id);
  assert.deepEqual(asking, ["the-next-piece", "pieces", "vectors", "looking-back", "mixing", "choosing"]);
  for (const id of asking) {
    assert.match(html, new RegExp(`<form class="question" data-lesson="what_a_transformer_is" data-exercise="${id}" hidden>`));
  }
  assert.equal(html.match(/<p class="asked">/g).length, asking.length);
  assert.equal(html.match(/<details class="answer"><summary>Answer<\/summary>\n<p>\S/g).length, asking.length);
});

test("a page in another language has its words, its lessons and the way back", () => {
  const words = { Lesson: "レッスン", "# has the id #, at each of its # places.": "#3か所の#1はID #2。", "layer norm": "層正規化", Mixing: "混ぜる", "Right.": "正解。", block: "ブロック" };
  const languages = [{ code: "en", name: "English", href: "../what_a_transformer_is.html" }, { code: "ja", name: "日本語", href: "what_a_transformer_is.html" }];
  const html = firstLessonPage({
    lesson, answer, site: { tutorials, guides, first: lesson }, course, link, place: (target) => address(target, tutorials), isLive: true,
    label: (text) => words[text] ?? text, language: "ja", languages, address: (page) => (/^08/.test(page) ? page : `../${page}`), note: "<p>NOTE</p>",
  });
  assert.match(html, /^<!DOCTYPE html>\n<html lang="ja">/);
  assert.match(html, /<p class="eyebrow">レッスン 0 \/ 23 <span class="languages"><a lang="en" hreflang="en" href="\.\.\/what_a_transformer_is\.html">English<\/a> <span lang="ja">日本語<\/span><\/span><\/p>/);
  assert.match(html, /<\/h1>\n<p>NOTE<\/p>/);
  assert.ok(html.includes("The text has 3 pieces, and the vocabulary 8. 2か所の“a”はID 7。"));
  assert.match(html, /<a href="\.\.\/10_transformer_block\.html#layer_norm"><rect[^>]*><text[^>]*>層正規化</);
  assert.match(html, /<strong>混ぜる<\/strong><ul><li><a href="\.\.\/10_transformer_block\.html" hreflang="en" lang="en">/);
  assert.match(html, /<li><a href="08_attention\.html">/);
  assert.match(html, /localhost:8000\/ja\/what_a_transformer_is\.html/);
  assert.match(html, /<script src="\.\.\/exercises\.js" data-words="\{&quot;Right\.&quot;:&quot;正解。&quot;\}" defer>/);
  assert.match(html, /<script src="\.\.\/first_lesson\.js" data-words="[^"]*&quot;block&quot;:&quot;ブロック&quot;[^"]*" defer>/);
});

test("a link says where it leads from a page in another language to one in English", () => {
  const pages = [{ name: "a", title: "A" }, { name: "b", title: "B" }, { name: "c", title: "C" }];
  const turn = { address: (name) => (name === "c" ? `../${name}.html` : `${name}.html`) };
  const end = neighbours(pages, 1, turn);
  assert.ok(end.includes('<a rel="prev" href="a.html"><span>Previous</span> A</a>'));
  assert.ok(end.includes('<a rel="next" href="../c.html" hreflang="en"><span>Next</span> <bdi lang="en">C</bdi></a>'));
  assert.ok(contentsBar([], pages, 1, turn).includes('<a rel="next" href="../c.html" hreflang="en"><span class="word">Next: </span><span class="name" lang="en">C</span></a>'));
});

test("each citation leads to a source, and each source is cited or tells it otherwise", () => {
  const html = page();
  const cited = new Set([...html.matchAll(/class="cite" href="#reference-(\d)"/g)].map(([, number]) => number));
  assert.deepEqual([...cited].sort(), ["1", "2", "3", "4", "5"]);
  assert.match(html, /<li id="reference-6">Other ways/);
});

test("numbers of the model stand in figures alone", () => {
  const prose = lesson.cells.flatMap(({ rows }) => rows[0].text.replace(/```question[\s\S]*?```/g, "")).join("\n");
  for (const one of [answer.next[0].share, answer.next[1].share]) assert.ok(!prose.includes(`gives ${share(one)}`));
  const numbers = new Set(prose.match(/(?<![\w.])\d+\.\d+/g));
  assert.deepEqual(numbers, new Set(["0.7", "0.75", "0.25", "2.718", "3.718", "0.73", "0.27", "0.3", "1.5"])); // of examples, and what sources say
});

test("what is wrong with the source is named", () => {
  const fails = (text, pattern) => assert.throws(() => page(false, { ...lesson, cells: [{ ...lesson.cells[0], rows: [{ text, textLine: 5, code: "" }] }] }), pattern);
  fails("```picture none A title\nWhat is seen.\n```", /docs\/what_a_transformer_is\.md:5: there is no figure "none"/);
  const ask = "```question\nask What?\n```\n";
  assert.throws(() => parseFirstLesson(`# T\n\n## A part\n${ask}## Sources\n`), /a-part: exercise1 asks for one number, or for one choice/);
  const good = ask.replace("What?", "What?\nnumber 1 0");
  assert.throws(() => parseFirstLesson(`# T\n\n## A part\n${good}${good}## Sources\n`), /docs\/what_a_transformer_is\.md: a-part has two questions/);
  fails("See [9].", /there is no reference \[9\]/);
});

// Words of the field, each with the section that says it first.
const said = {
  model: "", probability: "the-next-piece", vocabulary: "pieces", id: "pieces", token: "pieces", vector: "vectors", embedding: "vectors", attention: "looking-back", query: "looking-back",
  key: "looking-back", value: "looking-back", score: "looking-back", "attention weights": "looking-back", head: "looking-back", residual: "mixing", block: "looking-back", logits: "choosing", softmax: "choosing",
  temperature: "choosing", step: "learning", loss: "learning", GPT: "what-this-page-leaves-out",
};

test("each word of the field is said, in italics, where it is used first", () => {
  const parts = [{ id: "", text: lesson.intro }, ...lesson.cells.map(({ id, title, rows: [{ text }] }) => ({ id, text: `${id ? title : ""}\n${text}` }))].map(({ id, text }) => ({ id, text: text.replace(/```\w+ \w+ |\]\([^)]*\)|GPT-2/g, "") }));
  for (const [word, place] of Object.entries(said)) {
    const use = new RegExp(`(?<![\\w-])${word}(?!\\w)`, "i");
    const first = parts.find(({ text }) => use.test(text));
    assert.equal(first.id, place, word);
    assert.match(first.text.slice(0, first.text.search(use) + word.length + 1), new RegExp(`[*]${word}[*]$`, "i"), `${word} is not said where it is used first`);
  }
});

test("words that the page explains lead to no other place", () => {
  const words = guides.flatMap((guide) => guide.words);
  const html = wordLinker(words, bareText)(page(), lesson.name);
  const linked = [...html.matchAll(/<a class="term" href="glossary\.html#([^"]+)"/g)].map(([, id]) => id);
  const explained = words.filter(({ places }) => places.some((one) => one.page === lesson.name)).map(({ id }) => id);
  assert.deepEqual(linked.filter((id) => explained.includes(id)), []);
  const known = new Set(lesson.cells.map(({ id }) => id));
  for (const { word, places } of words) for (const { page: name, id } of places) if (name === lesson.name && id) assert.ok(known.has(id), `${word}: ${id}`);
});

test("the script is one that a file can load, and knows what was recorded", () => {
  const script = firstLessonScript(answer);
  assert.doesNotMatch(script, /^(import|export) /m);
  new vm.Script(script);
  assert.ok(script.includes(JSON.stringify(answer)));
});

test("guides are without lesson 0", () => {
  assert.ok(!guides.some(({ name }) => name === lesson.name));
  assert.ok(readFileSync(join(repository, lesson.file), "utf8").startsWith(`# ${lesson.title}\n`));
});
