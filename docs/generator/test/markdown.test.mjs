import assert from "node:assert/strict";
import { test } from "node:test";
import { formulaParts } from "../tex.mjs";
import { breakable, markdownRenderer, plainText, slug } from "../markdown.mjs";

const { block, inline } = markdownRenderer({
  figure: (name) => `<svg width="300" height="100"><title>${name}</title></svg>`,
  link: (href) => (href.endsWith(".cpp") ? null : href.replace(".md", ".html")),
});

test("inline formulas are set, with MathML for those who do not see them", () => {
  const html = block("The angle $\\frac{pos}{10000^{2i/d}}$ turns.");
  assert.match(html, /^<p>The angle <span class="katex"><span class="katex-mathml"><math/);
  assert.match(html, /<annotation encoding="application\/x-tex">\\frac\{pos\}\{10000\^\{2i\/d\}\}<\/annotation>/);
  assert.match(html, /<\/span> turns\.<\/p>/);
});

test("a line breaks neither before the marks behind a formula, nor behind its bracket, nor in a shape", () => {
  assert.match(block("It is $x$, see ($y$)."), /It is <span class="kept"><span class="katex">.*<\/span>,<\/span> see <span class="kept">\(<span class="katex">.*<\/span>\)\.<\/span><\/p>/);
  assert.match(block("It is $x = y$, or"), /It is <span class="katex">.*<span class="mrel">=<\/span>.*<\/span><span class="kept"><span class="katex">.*>y<\/span>.*<\/span>,<\/span> or/); // this one may break inside
  assert.match(block("값 $x$는 크다."), /<span class="kept"><span class="katex">.*<\/span>는<\/span> 크다/);
  assert.equal(block("`[2, 4]` and `a, b`"), '<p><code class="kept">[2, 4]</code> and <code>a, b</code></p>\n');
});

test("display formulas stand alone, on one line or on several, also inside a paragraph", () => {
  for (const text of ["$$x^2$$", "$$\nx^2\n$$", "Text\n$$x^2$$", "Text $$x^2$$ text"]) {
    const html = block(text);
    assert.match(html, /class="katex-display"/, text);
    assert.doesNotMatch(html, /\$/, text);
  }
});

test("a wide formula is divided at \\qquad, but never inside braces, brackets or environments", () => {
  assert.deepEqual(formulaParts("a = 1, \\qquad\nb_{x} = 2"), ["a = 1,", "b_{x} = 2"]);
  for (const whole of ["\\text{a\\qquad b}", "\\left(a\\qquad b\\right)", "\\begin{matrix}a\\qquad b\\end{matrix}"])
    assert.deepEqual(formulaParts(whole), [whole]);
  assert.equal(block("$$a\\qquad b$$").match(/class="katex-display"/g).length, 2);
});

test("Markdown leaves TeX alone", () => {
  const html = block("$a_1 * b_2 * c_i$ and $x < y \\\\ z$");
  assert.doesNotMatch(html, /<em>/);
  assert.match(html, /<annotation encoding="application\/x-tex">a_1 \* b_2 \* c_i<\/annotation>/);
});

test("a dollar that belongs to no formula stays a dollar", () => {
  assert.equal(block("It costs $5 and $6, \\$x\\$ and `$x$`, or a $ alone."),
               "<p>It costs $5 and $6, $x$ and <code>$x$</code>, or a $ alone.</p>\n");
});

test("a formula that KaTeX refuses is an error", () => {
  assert.throws(() => block("$\\frac{1}$"), /KaTeX parse error/);
  assert.throws(() => block("$\\nosuch$"), /KaTeX parse error/);
});

test("HTML in Markdown is text", () => {
  assert.equal(block("<script>alert(1)</script> & <b>x</b>"),
               "<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;x&lt;/b&gt;</p>\n");
});

test("a Python fence is the PyTorch line, coloured; a hidden one is not shown", () => {
  const html = block("```python\nx = torch.zeros(2)  # a < b\n```");
  assert.match(html, /^<figure class="pytorch"><figcaption>PyTorch<\/figcaption><pre><code>x = torch\.zeros\(/);
  assert.match(html, /<span class="hljs-comment"># a &lt; b<\/span>/);
  assert.equal(block("```python hidden\nprint(x)\n```"), "");
  assert.match(block("```python original\nplt.show()\n```"), /<figcaption>Original<\/figcaption>/);
});

test("C++ fences are coloured, plain ones escaped, and unknown languages are an error", () => {
  assert.match(block("```cpp\nauto x = 1;\n```"), /<span class="hljs-keyword">auto<\/span> x = <span class="hljs-number">1/);
  assert.equal(block("```\na < b\n```"), '<pre><code>a &lt; b</code></pre>\n');
  assert.equal(block("    a < b"), block("```\na < b\n```"));
  assert.throws(() => block("```cobol\nx\n```"), /no highlighting for the language "cobol"/);
  assert.throws(() => block("```python hiden\nx\n```"), /unknown option "hiden"/);
});

test("a picture alone in its paragraph is a figure with its caption", () => {
  const html = block("![The *table*, $d$ across](heat.svg)", { idPrefix: "In08-" });
  assert.match(html, /^<figure class="plot" tabindex="0"><svg role="img" aria-label="The table, d across" viewBox="0 0 300 100"/);
  assert.match(html, /<title>heat\.svg<\/title>/);
  assert.match(html, /<figcaption>The <em>table<\/em>, <span class="katex">/);
  assert.throws(() => block("Text ![a](heat.svg) text"), /heat\.svg has to be a paragraph of its own/);
});

test("links lead where they are told to, and what has no address keeps its text", () => {
  assert.equal(block("[a](numerics.md) [b](../framework/x.cpp) [c](https://example.org) [d](#e)"),
               '<p><a href="numerics.html">a</a> b <a href="https://example.org">c</a> <a href="#e">d</a></p>\n');
});

test("the name of a file without a page is code", () => {
  assert.equal(block("[tests/a](../tests/a.cpp) [a_b.h](a.cpp) [.ci/run](a.cpp) [a/b](a.md) [CONTRIBUTING](a.cpp) [1/2 of it](a.cpp)"),
               '<p><code>tests/a</code> <code>a_b.h</code> <code>.ci/run</code> <a href="a.html">a/b</a> CONTRIBUTING 1/2 of it</p>\n');
});

test("headings are lowered and get an id", () => {
  assert.equal(block("# Two words", { headingShift: 2, idPrefix: "In08-" }), '<h3 id="In08-two-words">Two words</h3>\n');
  assert.equal(slug("What `a_b` is, and isn't"), "what-a_b-is-and-isnt");
});

test("a cell of a notebook has its number in a text as in its heading", () => {
  assert.equal(inline("Of `In08` and `Int8`"), "Of <code class=\"kept\">In [8]</code> and <code>Int8</code>");
});

test("a wide table scrolls in its box", () => {
  assert.match(block("|a|b|\n|-|-|\n|1|2|"), /^<div class="table" tabindex="0" role="group" aria-label="table"><table>/);
});

test("inline code is broken where it stays readable", () => {
  const kept = "<pre><code>a-b</code></pre><code>plain</code> <code>a - b</code>";
  assert.equal(breakable(kept), kept);
  const narrow = '<wbr class="narrow">';
  assert.equal(breakable("<code>nn::LayerNormOptions()</code>"), `<code>nn::${narrow}Layer${narrow}Norm${narrow}Options()</code>`);
  assert.equal(breakable('<code class="x"><span>model</span>-&gt;parameters_of_it</code>'), `<code class="x"><span>model</span><span class="kept">-&gt;</span>${narrow}parameters_${narrow}of_${narrow}it</code>`);
  assert.equal(breakable("<code>run --seed 1</code>"), '<code>run <span class="kept">--seed</span> 1</code>');
  assert.equal(breakable('<code>p-&gt;<a href="a b">grad</a> + q</code>'), '<code><span class="kept">p-&gt;<a href="a b">grad</a></span> + q</code>');
  assert.equal(breakable('<b title="GPT-2">GPT-2, 1e-7</b> <title>GPT-2</title>'), '<b title="GPT-2"><span class="kept">GPT-2</span>, <span class="kept">1e-7</span></b> <title>GPT-2</title>');
  assert.equal(breakable("<p>[a] -&gt; [b], <b>-&gt;</b></p>"), '<p>[a] <span class="kept">-&gt;</span> [b], <b><span class="kept">-&gt;</span></b></p>');
  assert.equal(breakable('<a title="torch.nn.functional.softmax_of_it">torch.nn.functional.softmax_of_it</a> short_name'), '<a title="torch.nn.functional.softmax_of_it">torch.nn.<wbr>functional.<wbr>softmax_<wbr>of_<wbr>it</a> short_name');
  assert.equal(breakable("<p><code>a</code>입니다. <code>b</code> c</p>"), '<p><span class="kept"><code>a</code>입니다.</span> <code>b</code> c</p>');
  const table = (code) => `<table><td><code>${code.replaceAll("~", '<wbr class="narrow">').replaceAll("|", "<wbr>")}</code></td></table>`;
  for (const code of ["a_b.c", "_pad_~packed_~sequence_", "distributed::~guarded", "linear_~cross_~entropy/|1024x768x50257/|both", "load_~state_~dict(|torch.~load(|path).~model)", "Distributed~Data~Parallel"]) {
    assert.equal(breakable(table("x") + table(code.replace(/[~|]/g, ""))), table("x") + table(code));
  }
});

test("titles are Markdown without paragraphs, descriptions have no markup", () => {
  assert.equal(inline("The `pe` buffer"), "The <code>pe</code> buffer");
  assert.equal(plainText("\nA *b*\n`c` [d](e.md) $f$\n\nSecond."), "A b c d f");
  assert.equal(plainText("x * **w** * [* h, 2]"), "x * w * [* h, 2]");
});
