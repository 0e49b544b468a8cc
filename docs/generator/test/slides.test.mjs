import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { expectedOutputs, readTutorials } from "../generate.mjs";
import { highlight } from "../highlight.mjs";
import { markdownRenderer } from "../markdown.mjs";
import { parseTutorial, withoutAnswers } from "../parse.mjs";
import { drawPicture } from "../pictures.mjs";
import { codeLines, shownOf, slidesOf, slidesPage } from "../slides.mjs";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const blank = '<svg viewBox="0 0 30 10"><title>x</title></svg>';
const renderer = (tutorial, outputs) => {
  const code = (id) => tutorial.cells.find((cell) => cell.id === id).rows.map((row) => row.code).join("\n");
  return markdownRenderer({ figure: () => blank, link: (href) => (/^https?:/.test(href) ? href : null), picture: (name, words) => drawPicture(name, tutorial.name, { printed: (id) => outputs[id], code }, words) });
};

test("of prose a slide shows the first sentence, and all that is no prose", () => {
  assert.equal(shownOf("One. Two.\nThree.\n\n$$x$$\n\nFour.\n\n- a\n- b\n\n```python\nf()\n```"), "One.\n\n$$x$$\n\n- a\n- b");
  assert.equal(shownOf("It is known [1]. More.", true), "It is known. More.");
  assert.equal(shownOf("Take `x`, `[0]`."), "Take `x`, `[0]`.");
});

test("each line of code is an element, and a colour that goes on begins anew", () => {
  const html = codeLines(highlight("/* a\nb */ int", "cpp"));
  const lines = html.match(/<span class="line">[^]*?\n<\/span>/g);
  assert.equal(lines.length, 2);
  for (const line of lines) assert.equal(line.match(/<span/g).length, line.match(/<\/span>/g).length);
  assert.match(lines[1], /^<span class="line"><span class="hljs-comment">b \*\/<\/span>/);
});

test("slides of every lesson can be made, a cell a slide, and load nothing", () => {
  for (const tutorial of readTutorials(repository)) {
    const outputs = expectedOutputs(repository, tutorial);
    const html = slidesPage(tutorial, outputs, renderer(tutorial, outputs));
    assert.ok(html.match(/<section class="slide/g).length >= tutorial.cells.length + 5, tutorial.name);
    assert.doesNotMatch(html.replace(/<a [^>]*>/g, ""), /(?:src|href)="|url\((?!data:|"data:|#)/, tutorial.name);
  }
});

test("without answers no line of one is in slides, sources or lessons", () => {
  const file = "tutorials/08_attention.cpp";
  const source = readFileSync(`${repository}${file}`, "utf8");
  const answers = parseTutorial(source, file).cells.flatMap(({ answer }) => answer ?? []).flatMap(({ code }) => code.split("\n"));
  const bare = withoutAnswers(source);
  assert.equal(bare.split("\n").length, source.split("\n").length);
  const [tutorial] = readTutorials(repository, false).filter(({ name }) => name === "08_attention");
  const outputs = expectedOutputs(repository, tutorial);
  const shown = slidesOf(tutorial, outputs, renderer(tutorial, outputs)).join("").replace(/<[^>]*>/g, "");
  const unique = answers.map((line) => line.trim()).filter((line) => line.length > 12 && source.split(line).length === 2);
  assert.ok(unique.length >= 3);
  for (const line of unique) {
    assert.ok(!bare.includes(line), line);
    assert.ok(!shown.includes(line.replace(/&/g, "&amp;").replace(/</g, "&lt;")), line);
  }
  assert.deepEqual(tutorial.help, {});
  assert.doesNotMatch(shown, /Answer:/);
});
