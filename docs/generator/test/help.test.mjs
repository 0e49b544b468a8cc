// Hints and questions of exercises: their files, and what stands in the pages.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { helpBlock, parseHelp } from "../help.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = join(root, "tutorials/help");
const all = Object.fromEntries(readdirSync(folder).map((name) => [name.slice(0, -4), parseHelp(readFileSync(join(folder, name), "utf8"), name)]));

test("each lesson has three hints for each exercise, and a question that can be answered", () => {
  const lessons = readdirSync(join(root, "tutorials")).filter((name) => /^\d\d_.*\.cpp$/.test(name));
  assert.deepEqual(Object.keys(all), lessons.map((name) => name.slice(0, -4)));
  for (const [lesson, help] of Object.entries(all)) {
    assert.deepEqual(Object.values(help).map(({ hints }) => hints.length), [3, 3, 3], lesson);
    assert.ok(Object.values(help).some(({ question }) => question), lesson);
  }
});

test("numbers that are asked for are those that were recorded", () => {
  const printed = ["01_loops 1", "01_loops 3", "03_annotated_page 1", "06_own_input 1", "10_transformer_block 1", "11_training_a_gpt 1", "12_sampling 1", "13_checkpoints 1", "16_positions 1", "18_micro_gpt 1", "19_planted_bugs 1", "19_planted_bugs 2", "20_cost 1", "20_cost 3"];
  for (const [lesson, number] of printed.map((text) => text.split(" "))) {
    const recorded = parseFloat(readFileSync(join(root, `tutorials/expected/${lesson}/exercise${number}.txt`), "utf8"));
    const { question } = all[lesson][`exercise${number}`];
    assert.ok(Math.abs(question.number - recorded) <= Math.max(question.within, 1e-12), `${lesson} ${number}: ${question.number}, recorded ${recorded}`);
    for (const [value] of question.near) assert.ok(Math.abs(value - recorded) > question.within, `${lesson}: ${value} is right`);
  }
});

const small = `exercise1
hint One
  more.
ask How *many*?
number 0.5 0.01
wrong x = 2;
came x 2
says Half of "it".
exercise2
ask Which?
right a < b | Because.
choice b | Not "b".
`;

test("what is wrong in a file is said", () => {
  assert.throws(() => parseHelp("hint x", "a.txt"), /a\.txt:1: the first line/);
  assert.throws(() => parseHelp("exercise1\nhnit x", "a.txt"), /a\.txt:2: there is no key `hnit`/);
  assert.throws(() => parseHelp("exercise1\nnumber 1 0", "a.txt"), /a\.txt:2: .*follows `ask`/);
  assert.deepEqual(parseHelp("exercise1\nask Q\nnumber 1 0\nnear 2 | Half\n  of it.\nnear -1 | No.", "a.txt").exercise1.question.near, [[2, "Half of it."], [-1, "No."]]);
  assert.throws(() => parseHelp("exercise1\nask Q\nnumber 1 0\nnear two | Half", "a.txt"), /a\.txt:4: .*follows `number`/);
  assert.throws(() => parseHelp("exercise1\nask Q\nnear 2 | Half", "a.txt"), /a\.txt:3: .*follows `number`/);
  assert.throws(() => parseHelp("exercise1\nask Q\nchoice a | b", "a.txt"), /exercise1 asks for one number/);
  assert.throws(() => parseHelp("exercise1\nask Q", "a.txt"), /exercise1 asks for one number/);
});

test("a page has hints behind each other and questions with labels", () => {
  const help = parseHelp(small, "a.txt");
  const inline = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const first = helpBlock(help.exercise1, "08_a", "exercise1", inline);
  assert.match(first, /<label for="exercise1-question">How \*many\*\?<\/label>[\s\S]*<input id="exercise1-question" [^>]*data-near="\[\[2,&quot;Half of [^>]*it/);
  assert.match(first, /<summary>Hint 1 of 1<\/summary>\n<p>One more\.<\/p>/);
  assert.match(first, /<p class="place">To write your lines, run <code>tutorials\/exercise 8<\/code> in the repository\.<\/p>/);
  const second = helpBlock(help.exercise2, "08_a", "exercise2", inline);
  assert.match(second, /<fieldset><legend>Which\?<\/legend>\n<label><input type="radio" name="exercise2-question" data-says="Because." data-right> a &lt; b<\/label>/);
  assert.equal(helpBlock(undefined, "08_a", "exercise3", inline), "");
});

/** exercises.js in a page with these forms; `stored` is what the browser keeps. */
function pageWith(forms, stored = {}) {
  const localStorage = { getItem: (name) => stored[name] ?? null, setItem: (name, text) => (stored[name] = text) };
  const document = { currentScript: { dataset: {} }, querySelector: () => null, querySelectorAll: (selector) => (selector === "form.question" ? forms : []) };
  const context = { document, localStorage };
  vm.runInNewContext(readFileSync(join(root, "docs/generator/exercises.js"), "utf8"), context);
  return context;
}

/** A question for a number. */
function formFor(dataset, value = "") {
  const parts = { "input[data-number]": { value, dataset: { near: "[]", ...dataset } }, ".verdict": {} };
  return {
    parts, dataset: { lesson: "08_a", exercise: "exercise1" }, classList: { toggle() {} }, querySelector: (name) => parts[name],
    addEventListener: (name, act) => (parts.submit = act),
    answer(text) {
      parts["input[data-number]"].value = text;
      parts.submit({ preventDefault() {} });
      return parts[".verdict"].textContent;
    },
  };
}

test("a comma before three digits may be a decimal point or divide thousands", () => {
  const { judge } = pageWith([]);
  const isRight = (text, number, within = "0.0005") => judge(formFor({ number, within }, text)).right;
  for (const [text, number] of [["0,375", "0.375"], ["10,825", "10.8249"], ["628,319", "628.319"], [" -1,250 ", "-1.25"], ["7,087,872", "7087872"], ["7,087", "7087"]])
    assert.ok(isRight(text, number), text);
  for (const [text, number] of [["10,825", "108.25"], ["7,087,872", "7.087"], ["0,375", "375"]]) assert.equal(isRight(text, number), false, text);
  assert.equal(judge(formFor({ number: "1", within: "0", near: '[[10.825,"Near."]]' }, "10,825")).says, "Near.");
});

test("a right answer stays right when another tab of the lesson gave it", () => {
  const stored = {}, first = formFor({ number: "2", within: "0" }), second = formFor({ number: "2", within: "0" });
  pageWith([first], stored);
  pageWith([second], stored);
  assert.equal(first.answer("2"), "Right.");
  assert.equal(second.answer("3"), "Not yet.");
  assert.deepEqual(JSON.parse(stored.exercises), { "08_a": { exercise1: "right" } });
});

test("what an answer is told has no signs of code and emphasis, but those of multiplication", () => {
  const form = formFor({ number: "1", within: "0", near: JSON.stringify([[5, "That is 768 * 768 + 2 * 3, of `a * b` and *the*."]]) });
  pageWith([form]);
  assert.equal(form.answer("5"), "Not yet. That is 768 * 768 + 2 * 3, of a * b and the.");
});

test("numbers are read as people write them", () => {
  const context = pageWith([]);
  const read = (text) => context.numberOf(text);
  assert.deepEqual(["0.5", " 0,5 ", "0,375", "1/2", "-4", "\u22124", "7,087,872", "7 087 872"].map(read), [0.5, 0.5, 0.375, 0.5, -4, -4, 7087872, 7087872]);
  for (const text of ["", "a", "1/", "1/2/3"]) assert.ok(Number.isNaN(read(text)), text);
});
