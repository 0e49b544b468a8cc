import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTutorial } from "../parse.mjs";

const parse = (...lines) => parseTutorial(lines.join("\n"), "tutorials/01_sample.cpp");
const introduction = ["/// # Sample", "///", "/// Words.", ""];
const cell = (...lines) => parse(...introduction, "  //%% In08 | The cell", ...lines).cells[0];

test("the first block of /// lines is the introduction, its first line the title", () => {
  const { title, intro, introLine } = parse("#include <x>", ...introduction, "//%% a | b", "f();");
  assert.equal(title, "Sample");
  assert.equal(intro.trim(), "Words.");
  assert.equal(introLine, 3);
});

test("a cell lasts until the next marker, and end shows nothing more", () => {
  const { cells } = parse(...introduction, "int hidden;", "//%% In08 | One", "a();", "  //%% In09_b | Two: $x$", "b();",
                          "//%% end", "hidden();", "//%% x | Three", "c();");
  assert.deepEqual(cells.map(({ id, title }) => [id, title]), [["In08", "One"], ["In09_b", "Two: $x$"], ["x", "Three"]]);
  assert.deepEqual(cells.map(({ rows }) => rows.map(({ code }) => code)), [["a();"], ["b();"], ["c();"]]);
});

test("text stands beside the code that follows it, and alternates with it", () => {
  const { rows } = cell("/// First.", "a();", "", "/// Second,", "/// two lines.", "b();", "/// Last.");
  assert.deepEqual(rows.map(({ text, code }) => [text, code]),
                   [["First.", "a();"], ["Second,\ntwo lines.", "b();"], ["Last.", ""]]);
});

test("blocks of text without code between them are paragraphs of one text", () => {
  assert.equal(cell("/// One.", "", "/// Two.", "", "", "/// Three.", "f();").rows[0].text, "One.\n\nTwo.\n\nThree.");
});

test("code may come first, and keeps its blank lines inside", () => {
  assert.deepEqual(cell("", "a();", "", "b();", "").rows.map(({ text, code }) => [text, code]), [["", "a();\n\nb();"]]);
});

test("the common indentation of the whole cell is removed", () => {
  const { rows } = cell("  struct A {", "    int b;", "  /// Then.", "    int c;", "  };");
  assert.deepEqual(rows.map(({ code }) => code), ["struct A {\n  int b;", "  int c;\n};"]);
});

test("one blank after /// is no part of the text, further ones are", () => {
  assert.equal(cell("/// ```cpp", "///   x;", "/// ```", "f();").rows[0].text, "```cpp\n  x;\n```");
});

test("calls that name the cell are not shown, over several lines too", () => {
  const { rows } = cell('  cell("In08", "Title");', "  a();", '  tutorial.cell("x",', "    Compare::form());", "  b();",
                        '  tutorials::cell("y", "z");  // why', "  excel(1);");
  assert.deepEqual(rows.map(({ code }) => code), ["a();\nb();\nexcel(1);"]);
});

test("a row knows the line of its text", () => {
  const { rows } = cell("/// First.", "a();", "/// Second.", "b();");
  assert.deepEqual(rows.map(({ textLine }) => textLine), [6, 8]);
});

test("what is wrong is said with file and line", () => {
  const fails = (pattern, ...lines) => assert.throws(() => parse(...lines), pattern);
  fails(/^Error: tutorials\/01_sample\.cpp:1: no introduction/, "int main() {}");
  fails(/01_sample\.cpp:2: the introduction has to begin with/, "", "/// Sample", "//%% a | b", "f();");
  fails(/01_sample\.cpp:5: expected `\/\/%% ID \| Title`.* got `\/\/%% In08`/, ...introduction, "//%% In08");
  fails(/01_sample\.cpp:7: cell a exists already/, ...introduction, "//%% a | b", "f();", "//%% a | c", "f();");
  fails(/01_sample\.cpp:5: cell a is empty/, ...introduction, "//%% a | b", "", 'cell("a", "b");', "//%% end");
  fails(/no cell/, ...introduction);
});
