// What the lines of a lesson or guide were meant as is what a page shows.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { summaryOf } from "../api.mjs";
import { name as firstName, readFirstLesson } from "../first_lesson.mjs";
import { mapHelp, readHelp } from "../help.mjs";
import { markdownRenderer } from "../markdown.mjs";
import { parseTutorial } from "../parse.mjs";
import { languagesOf, translateTutorial } from "../translate.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path) => readFileSync(join(root, path), "utf8");
const figure = () => '<svg viewBox="0 0 300 100"><title>T</title></svg>';
const { block, inline } = markdownRenderer({ figure, link: (href) => href, picture: () => "", question: () => "" });
const refuses = (text, message, line = 0) => assert.throws(() => block(text), (error) => error.message.includes(message) && error.line === line, text);

test("a line of prose that begins with a number or a sign makes no list", () => {
  refuses("The fourth is the same with all gradients clipped to\n1. Clipping bounds what a batch can do.", "a list begins inside of a paragraph: 1. Clipping", 1);
  for (const sign of ["+", "-", "*"]) refuses(`One.\n\nIt is twelve squares\n${sign} 13 of them.`, `a list begins inside of a paragraph: ${sign} 13`, 3);
  refuses("- The sum of a\n  + b.", "a list begins inside of a paragraph: + b.", 1);
  refuses("1. Clipped to\n7. It bounds.", "has not the next number: 7.", 1);
  refuses("- One is less\n* two.", "a list begins inside of another one: * two.", 1);
  refuses("A line\n# 5 of it", "a heading begins inside of a paragraph", 1);
  refuses("A line\n> 5 of it", "a quotation begins inside of a paragraph", 1);
  refuses("A line\n---", "makes a heading of it");
});

test("lists that are meant are lists", () => {
  for (const text of ["Two:\n\n- one\n- two", "3. three\n4. four\n\n   and more", "- one\n  - of it\n  - and it\n- two"]) assert.match(block(text), /<li>/);
});

test("half a formula, half a piece of code, and TeX without a formula are refused", () => {
  refuses("Together $(4d^2 + 4d) + 4d = 12 d^2\n\n13 d$.", "half a formula: Together");
  refuses("See `x and y.", "a backquote without another one");
  refuses("The root \\sqrt d of it.", "TeX outside of a formula");
  refuses("The weight w_{ij}.", "TeX outside of a formula");
  refuses("A\n\n```python\nprint(x)", "the code is never closed", 2);
  assert.equal(block("$5, \\$x\\$ and `\\sqrt`"), "<p>$5, $x$ and <code>\\sqrt</code></p>\n");
});

test("a title has no formula", () => {
  refuses("## The width $d$", "a title holds a formula");
});

test("a summary does not end within code", () => {
  const doc = "`for (auto i : irange(2, 5))` counts 2, 3, 4. Empty if end is not above begin.";
  assert.equal(summaryOf({ doc }), "`for (auto i : irange(2, 5))` counts 2, 3, 4.");
  assert.equal(summaryOf({ doc: "A `b. c` and more: d" }), "A `b. c` and more:");
  assert.equal(summaryOf({ doc: "Counts 0, 1, ... up to n. Then stops." }), "Counts 0, 1, ... up to n.");
  assert.equal(summaryOf({ doc: "Heads (Vaswani et al. 2017). More." }), "Heads (Vaswani et al. 2017).");
});

/** Every text of a lesson, `[text, line]`. */
const texts = ({ intro, introLine, cells, summary, references }) =>
  [[intro, introLine], ...cells.flatMap(({ rows, answer = [] }) => [...rows, ...answer].map(({ text, textLine }) => [text, textLine])), ...[summary, references].filter(Boolean).map(({ text, textLine }) => [text, textLine])];

function check(file, [text, line], render) {
  try {
    render(text);
  } catch (error) {
    assert.fail(`${file}:${line + (error.line ?? 0)}: ${error.message}`);
  }
}

const widest = 84; // signs that the column of code holds in a window of 1400 pixels
for (const name of readdirSync(join(root, "tutorials")).filter((one) => /^\d\d_\w+\.cpp$/.test(one))) {
  const file = `tutorials/${name}`;
  test(`${file} shows what it says`, () => {
    const lesson = parseTutorial(read(file), file);
    for (const text of texts(lesson)) check(file, text, (one) => block(one));
    for (const title of [lesson.title, ...lesson.cells.map((cell) => cell.title)]) {
      check(file, [title, 1], inline);
      assert.doesNotMatch(title, /[$\\]/, `${file}: tabs and searches show a formula in a title as TeX: ${title}`);
    }
    for (const [text, line] of texts(lesson)) {
      const wide = [...text.matchAll(/^```python\n([^]*?)^```/gm)].flatMap(([, code]) => code.split("\n")).find((one) => one.length > widest);
      assert.equal(wide, undefined, `${file}:${line}: a line of Python has more than ${widest} signs and would be cut: ${wide}`);
    }
    checkTranslations(name.replace(".cpp", ""), { ...lesson, help: readHelp(root, name.replace(".cpp", "")) });
  });
}

/** What a translation keeps of its text, and what a page shows of it. */
function checkTranslations(name, lesson) {
  for (const code of languagesOf(root, name)) {
    const po = `docs/translations/${code}/${name}.po`;
    const { tutorial } = translateTutorial(lesson, join(root, po), "");
    for (const text of texts(tutorial)) check(po, [text[0], 1], (one) => block(one));
    mapHelp(tutorial.help, (context, text) => check(po, [text, 1], inline));
  }
}

test("lesson 0 shows what it says in each language", () => {
  checkTranslations(firstName, readFirstLesson(root));
});

for (const name of readdirSync(join(root, "docs")).filter((one) => one.endsWith(".md"))) {
  test(`docs/${name} shows what it says`, () => {
    check(`docs/${name}`, [read(`docs/${name}`).replace(/<!--[^]*?-->/g, (comment) => comment.replace(/[^\n]/g, "")), 1], (one) => block(one));
  });
}
