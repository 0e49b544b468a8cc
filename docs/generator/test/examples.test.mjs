import assert from "node:assert/strict";
import { test } from "node:test";
import { byPage, parseExamples, parseOutputs } from "../examples.mjs";

const source = `#include "support/example.h"

/// # Numbers
///
/// All of them.

/// The absolute value.
EXAMPLE(etude::abs, etude::absolute) {
  print(etude::abs(x < 0));
}
`;
test("a file of examples is read with its names, sentences and code", () => {
  const { title, intro, examples } = parseExamples(source, "numbers.cpp");
  assert.deepEqual([title, intro], ["Numbers", "All of them."]);
  assert.deepEqual(examples[0], { names: ["etude::abs", "etude::absolute"], text: "The absolute value.", facts: {}, code: ["print(etude::abs(x < 0));"], line: 8 });
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

test("the list of facts that ends the words is read apart from them", () => {
  const words = "/// Words.\n///\n/// - Shapes: x [*]; the result\n///   has them too\n/// - Errors: `a` where b\n/// - Errors: `c` where d\nEXAMPLE(a) { f(); }\n";
  const { text, facts } = parseExamples(words, "numbers.cpp").examples[0];
  assert.equal(text, "Words.");
  assert.deepEqual(facts, { Shapes: ["x [*]; the result has them too"], Errors: ["`a` where b", "`c` where d"] });
});

test("what was printed is found by the names of the example", () => {
  assert.deepEqual([...parseOutputs("== a\n1\n2\n== b\n")], [["a", "1\n2"], ["b", ""]]);
});

test("what LibTorch lacks stands on the page of its kind", () => {
  assert.deepEqual([...byPage(["b.cpp", "a_extra.cpp", "a.cpp"])], [["a", ["a.cpp", "a_extra.cpp"]], ["b", ["b.cpp"]]]);
});
