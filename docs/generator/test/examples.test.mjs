import assert from "node:assert/strict";
import { test } from "node:test";
import { byPage, examplesPage, parseExamples, parseOutputs } from "../examples.mjs";
import { markdownRenderer } from "../markdown.mjs";

const source = `#include "support/example.h"

/// # Numbers
///
/// All of them.

/// The absolute value.
EXAMPLE(etude::abs, etude::absolute) {
  print(etude::abs(x < 0));
}
`;
const markdown = markdownRenderer({ link: () => null });
const page = (output) => examplesPage("numbers", [{ file: "numbers.cpp", source, output }], markdown);

test("a file of examples is read with its names, sentences and code", () => {
  const { title, intro, examples } = parseExamples(source, "numbers.cpp");
  assert.deepEqual([title, intro], ["Numbers", "All of them."]);
  assert.deepEqual(examples[0], { names: ["etude::abs", "etude::absolute"], text: "The absolute value.", code: ["print(etude::abs(x < 0));"], line: 8 });
  assert.throws(() => parseExamples(source.replace(/\}\n$/, ""), "numbers.cpp"), /numbers\.cpp:8: the example does not end/);
  assert.throws(() => parseExamples("", "numbers.cpp"), /no example/);
});

test("no example is lost for the form that its lines have", () => {
  const forms = "EXAMPLE(etude::a) { print(a({1})); }\nEXAMPLE(etude::b, etude::c,\n        etude::d) {\n  f();\n}\nEXAMPLE(e) {\n}\n";
  const { examples } = parseExamples(forms, "numbers.cpp");
  assert.deepEqual(examples.map(({ names, code, line }) => [names, code, line]), [
    [["etude::a"], ["print(a({1}));"], 1],
    [["etude::b", "etude::c", "etude::d"], ["f();"], 2],
    [["e"], [], 6],
  ]);
  assert.throws(() => parseExamples("EXAMPLE(a);\n", "numbers.cpp"), /numbers\.cpp:1: expected `EXAMPLE\(names\) \{`, got `EXAMPLE\(a\);`/);
});

test("an example stands beside what it printed, escaped; one without a recording is an error", () => {
  const { html, names } = page("== etude::abs, etude::absolute\ntensor([1 < 2])\n\n");
  assert.deepEqual(names, ["etude::abs", "etude::absolute"]);
  assert.match(html, /<h2 id="etude_abs-title"><code>etude::abs<\/code> <code>etude::absolute<\/code><\/h2>\n<p>The absolute value\.<\/p>/);
  assert.match(html, /<pre>tensor\(\[1 &lt; 2\]\)<\/pre>/);
  assert.throws(() => page("== etude::other\n1\n"), /numbers\.cpp:8: nothing is recorded for etude::abs, etude::absolute/);
  assert.deepEqual([...parseOutputs("== a\n1\n2\n== b\n")], [["a", "1\n2"], ["b", ""]]);
});

test("what LibTorch lacks stands on the page of its kind", () => {
  assert.deepEqual([...byPage(["b.cpp", "a_extra.cpp", "a.cpp"])], [["a", ["a.cpp", "a_extra.cpp"]], ["b", ["b.cpp"]]]);
});
