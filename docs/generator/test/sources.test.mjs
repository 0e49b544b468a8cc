import assert from "node:assert/strict";
import { test } from "node:test";
import { summary } from "../source_pages.mjs";
import { numbered, parseSource, sourceLink } from "../sources.mjs";

test("layers, lessons, public headers and ops have a page, other files have none", () => {
  assert.equal(sourceLink("framework/etude/core/tensor.h", 42), "source_framework_etude_core_tensor_h.html#L42");
  assert.equal(sourceLink("framework/etude/ops/softmax.cpp"), "source_framework_etude_ops_softmax_cpp.html");
  assert.equal(sourceLink("layers/etude/gpt.h", 3), "source_layers_etude_gpt.html#L3");
  assert.equal(sourceLink("layers/etude/gpt.cpp", 3), "source_layers_etude_gpt.html#cpp-L3");
  assert.equal(sourceLink("framework/extras/etude/rnn.cpp", 3), "source_framework_extras_etude_rnn.html#cpp-L3");
  assert.equal(sourceLink("framework/extras/etude/ops/pad.cpp"), "source_framework_extras_etude_ops_pad_cpp.html");
  assert.equal(sourceLink("tutorials/01_loops.cpp", 1), "source_tutorials_01_loops_cpp.html#L1");
  for (const file of ["framework/etude/core/detail/trace.h", "framework/etude/core/tensor.cpp", "framework/extras/etude/io/pt.cpp", "tutorials/support/text.h", "README.md"])
    assert.equal(sourceLink(file, 1), null, file);
});

const rows = (...lines) => parseSource(lines.join("\n")).map(({ name, text, code, lines: numbers }) => [name, text, code, numbers]);

test("comments stand beside the code that follows them, and code keeps its indentation and its line numbers", () => {
  assert.deepEqual(rows("#pragma once", "", "/// Adds", "/// one.", "struct A {", "  // Width", "  int w;  // [n]", "};", ""), [
    ["", "", "#pragma once", [1]],
    ["A", "Adds\none.", "struct A {", [5]],
    ["", "Width", "  int w;  // [n]\n};", [7, 8]],
  ]);
});

test("a definition behind a blank line begins a row and names it", () => {
  assert.deepEqual(rows("namespace a {", "", "std::pair<T, U> B::f(const T& t,", "                     U u) {", "", "  g();", "}", "",
                        "template <class T>", "class ETUDE_API C : D {};", "", "ETUDE_MODULE_OF_FUNCTION(E, void);", "", "}"),
                   [["", "", "namespace a {", [1]],
                    ["B::f", "", "std::pair<T, U> B::f(const T& t,\n                     U u) {\n\n  g();\n}", [3, 4, 5, 6, 7]],
                    ["C", "", "template <class T>\nclass ETUDE_API C : D {};", [9, 10]],
                    ["E", "", "ETUDE_MODULE_OF_FUNCTION(E, void);\n\n}", [12, 13, 14]]]);
});

test("members of templates, constructors and what follows a namespace or a definition have names, too", () => {
  const names = (...lines) => parseSource(lines.join("\n")).map(({ name }) => name).filter(Boolean);
  assert.deepEqual(names("template <size_t D, typename Derived>", "void ConvNdImpl<D, Derived>::reset() {", "}"), ["ConvNdImpl::reset"]);
  assert.deepEqual(names("Cache::Layer::Layer(int n)", "    : n_(n) {}", "", "Cache::~Cache() {}", "", "int x = f(1);"), ["Cache::Layer::Layer", "Cache::~Cache"]);
  assert.deepEqual(names("using namespace a;", "using b::C;", "", "using D = E<1>;"), ["D"]);
  assert.deepEqual(names("namespace detail {", "struct A {", "};", "struct B {", "};", "ETUDE_MODULE(B);", "", "void f() {", "}", "void g() {", "}"), ["A", "B", "f", "g"]);
});

test("no line of the file is lost, and every comment keeps its number", () => {
  const source = "// One\n\n// Two\nint a;\n// NOLINTNEXTLINE(x)\nint b;\n\n  // Three\n}\n// Last";
  const parsed = parseSource(source);
  const shown = parsed.flatMap(({ lines, code }) => lines.map((line, i) => [line, code.split("\n")[i]]));
  const lines = source.split("\n");
  for (const [line, text] of shown) assert.equal(text, lines[line - 1]);
  const all = [...shown.map(([line]) => line), ...parsed.flatMap(({ textLines }) => textLines)];
  assert.deepEqual(lines.flatMap((text, i) => (text && !all.includes(i + 1) ? [i + 1] : [])), []);
  assert.match(parsed.map(({ code }) => code).join("\n"), /NOLINT/);
});

test("what a comment indents is set as it stands, unless it is a list or belongs to one", () => {
  assert.equal(parseSource("/// One of:\n///   - a\n///     b;\n///   - c.\n///\n/// End.\nf();")[0].text, "One of:\n\n- a\n  b;\n- c.\n\n\nEnd.");
  assert.equal(parseSource("/// A table:\n///   a = 1\n///   b = 2\nf();")[0].text, "A table:\n```\n  a = 1\n  b = 2\n```\n");
  assert.equal(parseSource("/// - one\n///   more\nf();")[0].text, "- one\n  more");
});

test("numbers are no text, and a line that stands for others has none", () => {
  const html = numbered("<pre>a\nb</pre>", [0, 7], (line) => `href="#L${line}"`);
  assert.equal(html.replace(/<[^>]+>/g, ""), "a\nb");
  assert.match(html, /aria-hidden="true"><i><\/i><a href="#L7" data-n="7" tabindex="-1"><\/a><\/div><pre>/);
});

test("the list says of a layer what its class says, or the file, and not what its first option says", () => {
  const options = "struct NormOptions {\n  /// Whether to scale.\n  ETUDE_ARG(bool, scale);\n};\n\n";
  const text = `${options}/// Centres (Ba et al. 2016): x -> x.\nclass ETUDE_API NormImpl {\n`;
  assert.equal(summary({ file: "layers/etude/norm.h", text }), "Centres (Ba et al. 2016)");
  assert.equal(summary({ file: "layers/etude/norms.h", text }), "Centres (Ba et al. 2016)");
  assert.equal(summary({ file: "layers/etude/norms.h", text: `// Norms.\n\n${text}` }), "Norms");
});
