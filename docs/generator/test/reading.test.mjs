import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { definitions, isReading, parseReading } from "../reading.mjs";

const source = "// A file\n\nint a;\n\n/// Two\nint b;\nint c;\n";
const guide = (...lines) => ["# Title", "", "Before.", "", ...lines].join("\n");
const parse = (...lines) => parseReading(guide(...lines), "docs/x.md", (file) => (assert.equal(file, "src/a.h"), source));

test("each line of a file stands beside the text behind its mark", () => {
  const { intro, sections } = parse("## One", "", "[`// A`](../src/a.h)", "", "First.", "", "## Two", "", "[`/// Two`](../src/a.h)", "", "Second.");
  assert.equal(intro.text.trim(), "Before.");
  assert.deepEqual(sections.map(({ title, rows }) => [title, rows.map(({ text, textLine, code, lines }) => [text, textLine, code, lines])]), [
    ["One", [["First.", 9, "// A file\n\nint a;", [1, 2, 3]]]],
    ["Two", [["Second.", 15, "/// Two\nint b;\nint c;", [5, 6, 7]]]],
  ]);
});

test("lines that are left out, out of order or not there are errors with their place", () => {
  assert.throws(() => parse("## One", "[`int a`](../src/a.h)"), /^Error: docs\/x\.md:6: the first 2 lines of src\/a\.h are left out$/);
  assert.throws(() => parse("## One", "[`// A`](../src/a.h)", "[`int c`](../src/a.h)", "[`int b`](../src/a.h)"), /^Error: docs\/x\.md:8: behind the lines before, no line of src\/a\.h begins with int b$/);
  assert.throws(() => parse("## One", "", "Text", "[`// A`](../src/a.h)"), /docs\/x\.md:7: text between/);
});

test("a file can stand beside the introduction", () => {
  const { intro, sections } = parse("[`// A`](../src/a.h)", "", "After.");
  assert.deepEqual([intro.text, intro.lines.length, sections], ["Before.\n\n\nAfter.", 7, []]);
});

test("a guide that only quotes code reads no sources", () => {
  assert.equal(isReading("See [`Linear`](../layers/etude/linear.h) here."), false);
  assert.equal(isReading("Text\n\n[`// A`](../src/a.h)\n"), true);
});

test("mini is read whole, in the order in which its files include each other", () => {
  const root = new URL("../../../", import.meta.url);
  const { sections } = parseReading(readFileSync(new URL("docs/mini.md", root), "utf8"), "docs/mini.md", (file) => readFileSync(new URL(file, root), "utf8"));
  const files = sections.flatMap(({ rows }) => rows.map(({ file }) => file));
  assert.deepEqual([...new Set(files)], ["tensor", "autograd", "views", "ops", "random", "print", "nn", "gpt"].map((name) => `framework/mini/${name}.h`));
  assert.ok(sections.every(({ rows }) => rows.every(({ text }) => text)));
});

test("what a file defines is found with the comment before it", () => {
  const text = "// y = x\n// twice\ninline Tensor twice(const Tensor& x) {\n  return x;\n}\ninline Tensor Tensor::half() const { return 1; }\nMINI_FUNCTION(exp, e)\n" +
               "inline Tensor operator*(const Tensor& a, const Tensor& b) {\n}\nTensor declared(const Tensor& x);\nclass ETUDE_API LinearImpl : public M {\n};\n";
  assert.deepEqual(definitions(text), [
    { name: "twice", from: 1, to: 5 }, { name: "half", from: 6, to: 6 }, { name: "exp", from: 7, to: 7 },
    { name: "mul", from: 8, to: 9 }, { name: "LinearImpl", from: 11, to: 12 },
  ]);
});
