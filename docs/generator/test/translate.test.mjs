import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import PO from "pofile";
import { parseFirstLesson } from "../first_lesson.mjs";
import { parseHelp } from "../help.mjs";
import { parseTutorial } from "../parse.mjs";
import { languagesOf, paragraphs, poText, translateTutorial, updatedPo } from "../translate.mjs";

const lesson = (second = "Second, with `code`, $x^2$ and [a link](a.cpp).") =>
  parseTutorial(
    `/// # Title
///
/// First.
//%% a | A cell
/// ${second}
///
/// \`\`\`python
/// print(1)
///
/// print(2)
/// \`\`\`
/// $$y = x$$
///
/// Third.
f();
`,
    "lesson.cpp",
  );

let path;
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "etude-translations-"));
  path = join(folder, "lesson.po");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a translation in which each text is given by its context. */
function translate(texts) {
  const po = updatedPo(lesson(), path, "ja").replace(
    /msgctxt "(.*)"\nmsgid ((?:".*"\n)+)msgstr ""/g,
    (all, context, id) => `msgctxt "${context}"\nmsgid ${id}msgstr "${texts[context] ?? ""}"`,
  );
  writeFileSync(path, po);
}
const all = {
  title: "題",
  "introduction.1": "一。",
  "a title": "節",
  "a 1.1": "二、`code`と$x^2$と[リンク](a.cpp)。",
  "a 1.2": "三。",
};

test("fences and formulas are no paragraphs to translate", () => {
  const found = paragraphs("One\ntwo.\n```python\na\n\nb\n```\nThree.\n\n$$x\n= 1$$\n\n$a$ and $b$");
  assert.deepEqual(
    found.map(({ kept }) => kept),
    [false, true, false, true, false],
  );
  assert.equal(found[1].text, "```python\na\n\nb\n```");
});

test("a lesson appears in the words of its translation, paragraph by paragraph", () => {
  translate(all);
  const { tutorial, behind, count } = translateTutorial(lesson(), path, "NOTE");
  assert.deepEqual([behind, count], [0, 5]);
  assert.deepEqual([tutorial.title, tutorial.intro, tutorial.cells[0].title], ["題", "一。", "節"]);
  assert.match(tutorial.cells[0].rows[0].text, /^二、.*\n\n```python\nprint\(1\)\n\nprint\(2\)\n```\n\n\$\$y = x\$\$\n\n三。$/);
});

test("a paragraph that is missing or fell behind is shown in English and marked", () => {
  translate({ ...all, "introduction.1": "" });
  const { tutorial, behind } = translateTutorial(lesson("Another text."), path, "NOTE");
  assert.equal(behind, 2);
  assert.equal(tutorial.intro, "> NOTE\n\nFirst.");
  assert.match(tutorial.cells[0].rows[0].text, /^> NOTE\n\nAnother text\.\n/);
});

test("the words of diagrams and pictures are one text each, and keep shapes and arrows", () => {
  const drawn = (title) => parseTutorial(`/// # Title\n///\n/// \`\`\`diagram ${title}\n/// a: one [2, 3] | b: (two)\n/// a -> b\n/// \`\`\`\n//%% a | A cell\n/// \`\`\`picture name A picture\n/// What is seen.\n/// \`\`\`\nf();\n`, "lesson.cpp");
  const write = (diagram) => {
    const texts = { title: "題", "introduction diagram": diagram, "a title": "節", "a 1 picture name": "絵\\n見えるもの。" };
    const po = updatedPo(drawn("Boxes"), path, "ja").replace(/msgctxt "(.*)"\nmsgid ((?:".*"\n)+)msgstr (?:".*"\n?)+/g, (all, context, id) => `msgctxt "${context}"\nmsgid ${id}msgstr "${texts[context]}"\n`);
    writeFileSync(path, po);
  };
  write("箱\\na: 一 [2, 3] | b: (二)\\na -> b");
  const { tutorial, behind, count } = translateTutorial(drawn("Boxes"), path, "NOTE");
  assert.deepEqual([behind, count], [0, 4]);
  assert.equal(tutorial.intro, "```diagram 箱\na: 一 [2, 3] | b: (二)\na -> b\n```");
  assert.equal(tutorial.cells[0].rows[0].text, "```picture name 絵\n見えるもの。\n```");
  const old = translateTutorial(drawn("Other boxes"), path, "NOTE");
  assert.equal(old.behind, 1);
  assert.equal(old.tutorial.intro, drawn("Other boxes").intro.trim());
  for (const wrong of ["箱\\na: 一 [3, 2] | b: (二)\\na -> b", "箱\\na: 一 [2, 3] | b: (二)\\nb -> a"]) {
    write(wrong);
    assert.throws(() => translateTutorial(drawn("Boxes"), path, "NOTE"), /"introduction diagram" has /);
  }
});

test("an update keeps what is translated and marks as fuzzy what has become another text", () => {
  translate(all);
  writeFileSync(path, updatedPo(lesson("Another text."), path, "ja"));
  const text = readFileSync(path, "utf8");
  assert.match(text, /#, fuzzy\nmsgctxt "a 1.1"\nmsgid "Another text."\nmsgstr "二/);
  assert.equal(text.match(/fuzzy/g).length, 1);
  assert.equal(translateTutorial(lesson("Another text."), path, "NOTE").behind, 1);
  assert.equal(updatedPo(lesson("Another text."), path, "ja"), text);
});

test("a translation with other code, formulas or links is refused", () => {
  for (const wrong of ["二、`kode`と$x^2$と[リンク](a.cpp)。", "二、`code`と$x^3$と[リンク](a.cpp)。", "二、`code`と$x^2$と[リンク](b.cpp)。"]) {
    translate({ ...all, "a 1.1": wrong });
    assert.throws(() => translateTutorial(lesson(), path, "NOTE"), /lesson\.po: "a 1\.1" has .* where the text has/);
  }
});

/** Writes a translation of a lesson in which each text is `of` its context and text. */
function writeAll(source, of) {
  const { items } = PO.parse(updatedPo(source, path, "ja"));
  for (const item of items) item.msgstr = [of(item.msgctxt, item.msgid)];
  writeFileSync(path, poText(items, "ja"));
  return items.map(({ msgctxt }) => msgctxt);
}

const help = parseHelp("exercise1\nhint One, `a`.\nask How many?\nnumber 2 0\ncame x 1\nsays Too few.\nexercise2\nask Which?\nright A | Yes.\nchoice B | No.\n", "help");

test("hints, questions and what is said of answers are texts of a lesson", () => {
  const source = { ...lesson(), help };
  const contexts = writeAll(source, (context, text) => (context.startsWith("exercise1") ? `訳 ${text}` : ""));
  assert.deepEqual(contexts.slice(-8), ["exercise1 ask", "exercise1 near 1", "exercise1 hint 1", "exercise2 ask", "exercise2 choice 1", "exercise2 choice 1 says", "exercise2 choice 2", "exercise2 choice 2 says"]);
  const { tutorial, behind, count } = translateTutorial(source, path, "NOTE");
  assert.deepEqual(tutorial.help, { exercise1: { hints: ["訳 One, `a`."], question: { text: "訳 How many?", number: 2, within: 0, near: [[1, "訳 Too few."]], choices: [] } } });
  assert.deepEqual([behind, count], [5, 8]); // of exercise2 nothing is translated: it has no help, which is not behind
  const changed = { ...source, help: { ...help, exercise1: { ...help.exercise1, hints: ["Two."] } } };
  assert.deepEqual(translateTutorial(changed, path, "NOTE").tutorial.help.exercise1.hints, ["Two."]);
  writeAll(source, (context, text) => text.replace("`a`", "`b`"));
  assert.throws(() => translateTutorial(source, path, "NOTE"), /"exercise1 hint 1" has `b` where the text has `a`/);
});

test("lesson 0 appears in the words of its translation, with its questions, pictures and sources", () => {
  const source = parseFirstLesson("# Title\n\nFirst.\n\n## A part\n\nSecond, [a link](a.cpp).\n\n```picture name A picture\nWhat is seen.\n```\n\n```question\nask How many?\nnumber 2 0\nanswer $1 + 1$.\n```\n\n## Sources\n\n1. Somebody\n");
  const contexts = writeAll(source, (context, text) => `訳 ${text}`);
  assert.deepEqual(contexts, ["title", "introduction.1", "a-part title", "a-part 1.1", "a-part 1 picture name", "references title", "references.1", "a-part ask", "a-part answer"]);
  const { tutorial, behind } = translateTutorial(source, path, "NOTE");
  assert.equal(behind, 0);
  assert.deepEqual([tutorial.title, tutorial.intro, tutorial.cells[0].id, tutorial.cells[0].title], ["訳 Title", "訳 First.", "a-part", "訳 A part"]);
  assert.match(tutorial.cells[0].rows[0].text, /^訳 Second, \[a link\]\(a\.cpp\)\.\n\n```picture name 訳 A picture\nWhat is seen\.\n```\n\n```question\nask How many\?/);
  assert.deepEqual([tutorial.references.title, tutorial.references.text], ["訳 Sources", "訳 1. Somebody"]);
  assert.deepEqual([tutorial.help["a-part"].question.text, tutorial.help["a-part"].answer], ["訳 How many?", "訳 $1 + 1$."]);
  writeAll(source, (context, text) => (/a-part/.test(context) ? "" : text));
  const old = translateTutorial(source, path, "NOTE");
  assert.equal(old.behind, 5);
  assert.equal(old.tutorial.help["a-part"].question.text, "How many?");
});

test("each translation is in the form in which an update writes it", () => {
  const translations = fileURLToPath(new URL("../../translations", import.meta.url));
  for (const file of readdirSync(translations, { recursive: true }).filter((name) => name.endsWith(".po"))) {
    const text = readFileSync(join(translations, file), "utf8");
    assert.equal(poText(PO.parse(text).items, file.slice(0, 2)), text, `${file}: run node docs/generator/translate.mjs .`);
  }
});

test("a language counts from its first paragraph on", () => {
  for (const language of ["ja", "ko"]) mkdirSync(join(folder, "docs/translations", language), { recursive: true });
  translate({ title: "題" });
  writeFileSync(join(folder, "docs/translations/ja/01_a.po"), readFileSync(path));
  rmSync(path);
  translate({});
  writeFileSync(join(folder, "docs/translations/ko/01_a.po"), readFileSync(path));
  assert.deepEqual(languagesOf(folder, "01_a"), ["ja"]);
  assert.deepEqual(languagesOf(folder, "02_b"), []);
});
