// From headers and examples to the pages of the reference, by Doxygen.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { entriesOf, missingPieces, placeSymbols, placesOf, runDoxygen, summaryOf, symbolsOf } from "../api.mjs";
import { readDoxygen, tidy } from "../doxygen.mjs";
import { readPages } from "../examples.mjs";
import { generate } from "../generate.mjs";
import { nameLinker } from "../links.mjs";
import { entryPage, readReference, referenceIndex, wrapped } from "../reference.mjs";

const header = `#pragma once
namespace etude {
class ETUDE_API Tensor {
 public:
  /// The absolute values.
  Tensor abs() const;
  Tensor& abs_() const;
  int64_t dim() const;
  Tensor operator-() const;
  void* handle() const;
  /// Private to the framework.
  int secret() const;
};
namespace detail { int hidden(); }
/// Their distance from zero, in \`x\`.
ETUDE_API Tensor abs(const Tensor &self);
Tensor abs(const Tensor& self, double scale = 1.5);
Tensor& abs_(Tensor& self);
Tensor operator+(const Tensor& a, const Tensor& b);
/// A colour:
///
///   red = 0 < 1
///
/// or another_one.
enum class Colour { Red };
}
namespace etude::nn {
namespace functional {
/// The absolute values, once more.
using etude::abs;
}
struct ScaleOptions {
  ScaleOptions(int64_t width) : width_(width) {}
  ETUDE_ARG(int64_t, width);
  /// What it is multiplied by.
  ETUDE_ARG(double, factor) = 2.0;
  ETUDE_ARG(int64_t, most) = 1234567 * 7654321 + 1;
  ETUDE_ARG(optional<int64_t>, limit);
  /// How deep it is; the_width unless given.
  ETUDE_ARG(int64_t, depth);
};
/// Times a factor (torch::nn::Scale).
class ETUDE_API ScaleImpl : public Base {
 public:
  explicit ScaleImpl(const ScaleOptions& options_);
  /// Multiplies.
  Tensor forward(const Tensor& input);
  ScaleOptions options;
};
class Scale : public ModuleHolder<ScaleImpl> {};
}
`;
const examples = `#include "support/example.h"

/// # Numbers
///
/// All of them.

/// - Shapes: x [*] and y [*]
/// - Errors: \`a; b.\`, \`c d e\` from c; those of d; \`\` \`e\` \`\`
EXAMPLE(etude::abs, etude::Tensor::abs) {
  print(etude::abs(x), x.abs(), nn::Scale(2));
}

/// - Shapes: x [*] and y [*]
/// - Errors: none of its own
EXAMPLE(etude::nn::Scale) { print(nn::Scale(2)(x)); }
`;
let folder;
let declarations;
let xml;
const put = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
before(() => {
  folder = mkdtempSync(join(tmpdir(), "etude-reference-"));
  put("framework/etude/numbers.h", header);
  put("layers/etude/empty.h", "#pragma once\n");
  put("docs/examples/numbers.cpp", examples);
  put("docs/examples/expected/numbers.txt", "== etude::abs, etude::Tensor::abs\n1 < 2\n== etude::nn::Scale\n3\n");
  put("docs/examples/support/example.h", "namespace nn = etude::nn;\nusing etude::print;\n");
  xml = runDoxygen(folder);
  declarations = readDoxygen(xml);
});
after(() => {
  rmSync(folder, { recursive: true });
  rmSync(dirname(xml), { recursive: true });
});
const placed = () => {
  const symbols = symbolsOf(declarations);
  const pages = readPages(folder);
  placeSymbols(symbols, pages);
  return { symbols, pages };
};

test("signatures are those of our sources, with defaults", () => {
  const { symbols } = placed();
  assert.deepEqual(symbols.get("etude::abs").overloads.map(({ signature }) => signature),
                   ["Tensor etude::abs(const Tensor& self)", "Tensor etude::abs(const Tensor& self, double scale = 1.5)"]);
  assert.equal(symbols.get("etude::Tensor::dim").overloads[0].signature, "int64_t etude::Tensor::dim() const");
  assert.equal(symbols.get("etude::abs").doc, "Their distance from zero, in `x`.");
  assert.equal(symbols.get("etude::Colour").doc.replace(/\s*\n\s*/g, "\n"), "A colour:\n```\nred = 0 < 1\n```\nor another\\_one.");
  assert.equal(tidy("std::vector< Tensor > &x, Args &&... args"), "std::vector<Tensor>& x, Args&&... args");
  assert.equal(tidy("Array< 2 *D > a, decltype(std::declval< Items & >())"), "Array<2 * D> a, decltype(std::declval<Items&>())");
  assert.equal(tidy("If< !A::is_b &&std::is_same_v< A, B > >"), "If<!A::is_b && std::is_same_v<A, B>>");
  assert.equal(wrapped(`Tensor etude::f(${"const Tensor& x, ".repeat(6)}int y)`).split("\n").length, 2);
  const result = "std::enable_if_t<!First::is_stateful, std::unique_ptr<Loader<First, Second>>>";
  assert.equal(wrapped(`${result} etude::make(First first, Second second)`), `${result}\n    etude::make(First first, Second second)`);
  const base = `etude::Base<Part<First, Second>, ${"Third, ".repeat(4)}Fourth>`;
  assert.equal(wrapped(`struct etude::data::Loader : public ${base}`), `struct etude::data::Loader\n    : public ${base}`);
});

test("what belongs to something else stands in its entry; what is no part of the API in none", () => {
  const { symbols } = placed();
  const owners = Object.fromEntries([...symbols.values()].map(({ name, owner }) => [name, owner?.name ?? null]));
  assert.deepEqual(owners, {
    "etude::Tensor": null, "etude::abs": null, "etude::abs_": "etude::abs", "etude::operator+": "etude::Tensor", "etude::Colour": null,
    "etude::nn::Scale": null, "etude::nn::ScaleImpl": "etude::nn::Scale", "etude::nn::ScaleOptions": "etude::nn::Scale",
    "etude::nn::functional::abs": "etude::abs", "etude::Tensor::abs": "etude::abs", "etude::Tensor::abs_": "etude::abs",
    "etude::Tensor::dim": null, "etude::Tensor::handle": null,
  });
});

test("everything that is missing is listed with its place", () => {
  const { symbols, pages } = placed();
  const texts = () => missingPieces(symbols, pages).map(({ file, line, text }) => `${file}:${line}: ${text}`).sort();
  const without = ["framework/etude/numbers.h:25: etude::Colour has no example", "framework/etude/numbers.h:3: etude::Tensor has no example",
                   "framework/etude/numbers.h:8: etude::Tensor::dim has no example", "framework/etude/numbers.h:10: etude::Tensor::handle has no example"];
  assert.deepEqual(texts(), [...without].sort());
  Object.assign(pages[0].examples[1], { facts: {}, file: "docs/examples/numbers_extra.cpp", names: ["etude::nn::Scale", "etude::typo", "etude::Colour::Red"] });
  const example = "docs/examples/numbers_extra.cpp:15: EXAMPLE";
  const list = "(etude::nn::Scale, etude::typo, etude::Colour::Red)";
  assert.deepEqual(texts(), [...without, `${example} names etude::typo, which no public header declares`, `${example}${list} has no \`- Errors: ...\``,
                             `${example}${list} has no \`- Shapes: ...\``, `${example}${list} has no \`- PyTorch: ...\``].sort());
  assert.throws(() => readReference(folder, xml, true), /not complete:\n.*numbers\.h.* has no example\n/);
});

test("a page shows signatures, options, members, facts, example and output", () => {
  const reference = readReference(folder, xml, false);
  const html = entryPage(reference.pages[0], reference).replace(/<\/?(span|a|wbr)\b[^>]*>/g, "");
  assert.match(html, /<section class="cell entry" id="etude_abs" aria-labelledby="etude_abs-title">/);
  assert.match(html, /<h2 id="etude_abs-title"><code>etude::abs<\/code> <code id="etude_Tensor_abs">etude::Tensor::abs<\/code><\/h2>/);
  assert.match(html, /<pre class="cpp signatures" tabindex="0"><code>Tensor etude::abs\(const Tensor&amp; self\)\nTensor etude::abs\(const Tensor&amp; self, double scale = 1\.5\)\n/);
  assert.match(html, /<dt>Shapes<\/dt><dd>x \[\*\] and y \[\*\]<\/dd>\n<dt>Errors<\/dt><dd><p><code>a; b\.<\/code><\/p><p><code>c d e<\/code> from c<\/p><p>those of d<\/p><p><code>`e`<\/code><\/p><\/dd>\n<dt>PyTorch<\/dt>/);
  assert.match(html, /<pre>1 &lt; 2<\/pre>/);
  assert.match(html, /<caption><code>ScaleOptions<\/code><\/caption>/);
  assert.match(html, /<\/figure><\/div>\n<\/div><div class="whole"><div class="table options"[^]*<h3>Members of <code>ScaleImpl<\/code><\/h3>/);
  assert.match(html, /<code>factor<\/code><\/th><td><code>double<\/code><\/td><td><code>2\.0<\/code><\/td><td>What it is multiplied by\.<\/td>/);
  assert.match(html, /<code>most<\/code><\/th><td><code>int64_t<\/code><\/td><td><code class="long">1234567 \* 7654321 \+ 1<\/code><\/td>/);
  assert.match(html, /<code>limit<\/code><\/th><td><code>optional&lt;int64_t&gt;<\/code><\/td><td><code>nullopt<\/code><\/td>/);
  assert.match(html, /<code>depth<\/code><\/th><td><code>int64_t<\/code><\/td><td><code>the_width<\/code><\/td>/);
  assert.match(html, /<p>Times a factor\.<\/p>/);
  assert.match(reference.markdown.block("a\n```\np = p - lr\nq = q\n```"), /<code><span class="hanging">p = p - lr\n<\/span><span class="hanging">q = q<\/span><\/code>/);
  assert.match(reference.markdown.block("[b], from -pi; `a->b`"), /\[b\], from <span class="kept">-pi<\/span>; <code>a-&gt;b<\/code>/);
  assert.match(html, /<li><code>Tensor forward\(const Tensor&amp; input\)<\/code><p>Multiplies\.<\/p>/);
  const alias = { name: "etude::nn::OtherOptions", kind: "typedef", overloads: [{ type: "ScaleOptions" }], members: [], doc: "" };
  reference.pages[0].examples[1].symbols.push(alias);
  assert.match(entryPage(reference.pages[0], reference), /<caption><span><code>ScaleOptions<\/code>, <code>OtherOptions<\/code><\/span><\/caption>/);
  const [, scale] = reference.pages[0].examples;
  reference.symbols.get("etude::nn::ScaleImpl").doc = "Times a factor (torch::nn::Scale; Ng 1999).";
  const size = { kind: "variable", name: "etude::nn::ScaleImpl::Part::size", signature: "int size", doc: "", members: [] };
  const part = { kind: "class", name: "etude::nn::ScaleImpl::Part", signature: "struct Part", doc: "A part.", members: [size] };
  reference.symbols.get("etude::nn::ScaleImpl").members.push(part);
  const others = [{ ...scale, names: ["etude::nn::Other", "etude::nn::Scale"] }];
  assert.match(entryPage({ ...reference.pages[0], examples: others }, reference), /<p><code>nn::Scale<\/code>: Times a factor \(Ng 1999\)\.<\/p>/);
  reference.symbols.get("etude::nn::ScaleImpl").doc = "A factor (Ng 1999; torch::nn::Scale) (torch::nn::Scale): x.";
  assert.match(entryPage({ ...reference.pages[0], examples: others }, reference), /<code>nn::Scale<\/code>: A factor \(Ng 1999\): x\.<\/p>/);
  const nested = /<code>struct Part<\/code><p>A part\.<\/p>\s*<ul class="members"><li><code>int size<\/code>/;
  assert.match(entryPage(reference.pages[0], reference).replace(/<\/?span\b[^>]*>/g, ""), nested);
  const [example] = reference.pages[0].examples;
  example.names.push("etude::operator-", "etude::operator*");
  for (const name of example.names.slice(-2)) reference.symbols.set(name, { place: example });
  assert.equal(entryPage(reference.pages[0], reference).match(/ id="etude_operator_"/g).length, 1);
  const minus = { kind: "function", name: "etude::Tensor::operator-", signature: "Tensor operator-() const", doc: "", members: [] };
  reference.symbols.get("etude::Tensor").members.push(minus);
  example.names.push(minus.name);
  assert.match(entryPage(reference.pages[0], reference).replace(/<\/?span\b[^>]*>/g, ""), /\nTensor operator-\(\) const\n?<\/code>/);
  reference.pages[0].examples[1].output = undefined;
  assert.throws(() => entryPage(reference.pages[0], reference), /numbers\.cpp:15: nothing is recorded for etude::nn::Scale/);
});

test("what has no words of its own has those of its namesake, and else those of its example", () => {
  const symbols = [{ name: "etude::addcmul", doc: "Times." }, { name: "etude::addcdiv", doc: "Over." }];
  const summaries = (place) => ["Tensor::addcdiv_", "addcdiv_out", "lerp"].map((name) => summaryOf({ name: `etude::${name}`, doc: "", place }));
  assert.deepEqual(summaries({ symbols, text: "All." }), ["Over.", "Over.", "All."]);
});

test("all names are on the first page, and the search knows them", () => {
  const reference = readReference(folder, xml, false);
  const html = referenceIndex(reference.pages, reference);
  assert.match(html.replaceAll("<wbr>", ""), /<a href="api_numbers\.html#etude_Tensor_abs"><code>Tensor::abs<\/code><\/a><\/th><td>The absolute values\.<\/td>/);
  assert.deepEqual(entriesOf(reference.symbols).find(({ name }) => name === "etude::nn::Scale"),
                   { name: "etude::nn::Scale", page: "api_numbers", anchor: "etude_nn_Scale", text: "Times a factor (torch::nn::Scale).", errors: ["none of its own"] });
});

test("names become links where they mean something of ours, the first in each section", () => {
  const { symbols } = placed();
  const link = nameLinker(placesOf(symbols), { "etude::abs": "torch.abs" });
  const source = "namespace layers = etude::nn;\nusing etude::abs;\n";
  const cpp = (code) => link(`<pre class="cpp"><code>${code}</code></pre>`, { source });
  const scale = (text) => `<a class="name" href="api_numbers.html#etude_nn_Scale">${text}</a>`;
  const abs = (text) => `<a class="name" href="api_numbers.html#etude_abs">${text}</a>`;
  assert.equal(cpp("layers::Scale a; nn::Scale b;"), `<pre class="cpp"><code>layers::${scale("Scale")} a; nn::Scale b;</code></pre>`);
  assert.equal(cpp("std::abs(x) &lt; abs(y)"), `<pre class="cpp"><code>std::abs(x) &lt; ${abs("abs")}(y)</code></pre>`);
  assert.equal(cpp('x.<span class="hljs-built_in">abs</span>()'),
               '<pre class="cpp"><code>x.<span class="hljs-built_in"><a class="name" href="api_numbers.html#etude_Tensor_abs">abs</a></span>()</code></pre>');
  assert.doesNotMatch(cpp('<span class="hljs-comment">// nn::Scale</span> other::Scale x.abs x->abs()'), /<a/);
  const words = (text) => link(text, { folder: "../" });
  assert.equal(words("<p><code>nn::Scale</code> <code>nn::Scale</code></p>"), `<p><a class="name" href="../api_numbers.html#etude_nn_Scale"><code>nn::Scale</code></a> <code>nn::Scale</code></p>`);
  assert.equal(words("<h2><code>abs</code></h2><a href=x><code>abs</code></a><code>unknown</code>"), "<h2><code>abs</code></h2><a href=x><code>abs</code></a><code>unknown</code>");
  assert.match(words('<figure class="pytorch"><pre><code>torch.abs(x)</code></pre></figure>'), /torch\.<a class="name" href="\.\.\/api_numbers\.html#etude_abs">abs<\/a>\(x\)/);
  const own = link('<section id="etude_abs"><code>etude::abs</code></section><section id="b"><code>etude::abs</code></section>', { page: "numbers" });
  assert.match(own, /<section id="etude_abs"><code>.*<section id="b"><a class="name"/);
});

test("a class shows what it has from a base in detail, but for constructors, assignments and what it declares itself", () => {
  const other = mkdtempSync(join(tmpdir(), "etude-reference-"));
  mkdirSync(join(other, "framework/etude"), { recursive: true });
  writeFileSync(join(other, "framework/etude/list.h"), `
namespace etude {
namespace detail {
template <typename T> struct Counted { Counted(); Counted& operator=(const Counted&); /** How many. */ int64_t count() const; int64_t first() const; };
}
struct Shown { int64_t shown() const; };
struct List : detail::Counted<List>, Shown { int64_t first() const; };
struct Named : Shown { explicit Named(int64_t size); };
struct Text : Named { using Named::Named; enum Kind { Short, Long = 4 }; static constexpr const char* text = "te" "xt"; };
class Number { private: union { double real_; int64_t integer_; }; };
}
`);
  const found = runDoxygen(other);
  const classes = readDoxygen(found);
  const signatures = (one) => classes.find(({ name }) => name === one).members.map(({ signature }) => signature);
  const list = classes.find(({ name }) => name === "etude::List");
  assert.equal(list.signature, "struct etude::List : public etude::Shown");
  assert.deepEqual(signatures("etude::Text").sort(), ["enum Kind { Short, Long }", "explicit Text(int64_t size)", 'static const char* text = "text"']);
  assert.deepEqual(signatures("etude::Number"), []);
  assert.deepEqual(list.members.map(({ name, doc }) => [name, doc]), [["etude::List::first", ""], ["etude::List::count", "How many."]]);
  rmSync(other, { recursive: true });
  rmSync(dirname(found), { recursive: true });
});

test("a page of the reference links the words of the glossary", () => {
  put("docs/glossary.md", "# Words\n\n## Value\n\nA number.\n\nSee [the numbers](numerics.md).\n<!-- forms: value, values -->\n");
  put("docs/numerics.md", "# Numerics\n");
  put("tutorials/01_a.cpp", "/// # A\n//%% a | A\nf();\n");
  put("record/01_a/a.txt", "1\n");
  generate(folder, join(folder, "record"), join(folder, "site"), null, { doxygen: xml });
  const html = readFileSync(join(folder, "site/api_numbers.html"), "utf8");
  assert.deepEqual(html.match(/<a class="term"[^>]*>[^<]*<\/a>/g), ['<a class="term" href="glossary.html#value" title="A number.">values</a>']);
});
