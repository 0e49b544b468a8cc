import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { differences, generate } from "../generate.mjs";
import { cellNumber } from "../markdown.mjs";

const tutorial = `#include <etude/etude.h>
/// # Sample of \`zeros\`
///
/// Says $x^2$, see [the web](https://example.org), [the numbers](../docs/numerics.md#streams) and [the code](../framework/x.cpp).

int main() {
  //%% In08 | A & B
  /// Text.
  if (a < b && c) print("<&>");
  /// ![Heat,
  /// red and blue](heat.svg)
  //%% end
}
`;
let folder;
const put = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const make = () => generate(folder, join(folder, "record"), join(folder, "site"));
const page = (name) => readFileSync(join(folder, "site", name), "utf8");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "etude-pages-"));
  put("tutorials/01_sample.cpp", tutorial);
  put("tutorials/02_other.cpp", "/// # Other\n//%% a | A\nf();\n");
  put("framework/x.cpp", "");
  put("framework/etude/x.h", "int x();\n");
  put("layers/etude/y.h", '#include "etude/x.h"\n\n/// Says [x](../../framework/etude/x.h).\nint y();\n');
  put("layers/etude/y.cpp", "int y() { return 1 < 2; }\n");
  put("docs/numerics.md", "# Numerics\n\nOf [sample](../tutorials/01_sample.cpp).\n\n## Streams\n");
  put("record/01_sample/In08.txt", "tensor([1 < 2])\n\n<b>&</b>\n");
  put("record/01_sample/heat.svg", '<svg viewBox="0 0 300 100"><title>Heat</title></svg>');
  put("record/02_other/a.txt", "1\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a site holds a page per tutorial and guide, an index, the style and the fonts", () => {
  assert.equal(make(), 11);
  const sources = ["framework_etude_x_h", "layers_etude_y", "tutorials_01_sample_cpp", "tutorials_02_other_cpp"].map((name) => `source_${name}.html`);
  assert.deepEqual(readdirSync(join(folder, "site")).sort(),
                   ["01_sample.html", "02_other.html", "404.html", "api.html", "exercises.js", "index.html", "katex", "numerics.html", "search.js", "search_index.js", "site.js", ...sources, "sources.html", "style.css", "theme.js"]);
  const css = page("katex/katex.min.css");
  const fonts = [...css.matchAll(/url\(fonts\/([^)]+)\)/g)].map(([, name]) => name);
  assert.ok(fonts.length > 10);
  assert.deepEqual([...new Set(fonts)].sort(), readdirSync(join(folder, "site/katex/fonts")).sort());
  assert.doesNotMatch(css, /woff"|ttf|https?:/);
});

test("a tutorial's page shows text, formulas, code, output and figure, everything escaped", () => {
  make();
  const html = page("01_sample.html");
  assert.match(html, /<h1>Sample of <code>zeros<\/code><\/h1>/);
  assert.match(html, /<title>Sample of zeros · Etude<\/title>/);
  assert.match(html, /class="katex"/);
  assert.match(html, /<section class="cell" id="In08" aria-labelledby="In08-title">/);
  assert.match(html, /<a class="id" href="#In08">In \[8\]<\/a> A &amp; B<\/h2>/);
  assert.match(html, /\(a &lt; b &amp;&amp; c\) <span class="hljs-built_in">print<\/span>\(<span class="hljs-string">&quot;&lt;&amp;&gt;&quot;/);
  assert.match(html, /<pre>tensor\(\[1 &lt; 2\]\)\n\n&lt;b&gt;&amp;&lt;\/b&gt;<\/pre>/);
  assert.match(html, /<figure class="plot" tabindex="0"><svg/);
  assert.match(html, /<a href="https:\/\/example\.org">the web<\/a>/);
  assert.match(html, /<a href="numerics\.html#streams">the numbers<\/a> and the code\./);
  assert.match(html, /<a rel="next" href="02_other\.html">/);
});

test("a page has no scripts but those of the site, and loads nothing from elsewhere", () => {
  make();
  for (const name of readdirSync(join(folder, "site")).filter((one) => one.endsWith(".html"))) {
    assert.doesNotMatch(page(name), /<script(?! src="site\.js" defer>| src="theme\.js">)|\son\w+="|(?:src|<link[^>]*href)="(?:https?:)?\/\//, name);
  }
});

test("lines lead to the source, sources to each other, and text to both", () => {
  put("tutorials/02_other.cpp", "/// # Other\n//%% a | A\n\n/// See [y](../layers/etude/y.cpp).\nf();\n");
  make();
  assert.match(page("02_other.html"), /<a href="source_tutorials_02_other_cpp\.html#L5" data-n="5" tabindex="-1"><\/a><\/div><pre class="cpp"><code>/);
  assert.match(page("02_other.html"), /See <a href="source_layers_etude_y\.html">y<\/a>/);
  assert.match(page("source_tutorials_02_other_cpp.html"), /<a id="L5" href="#L5" data-n="5"/);
  const layer = page("source_layers_etude_y.html");
  assert.match(layer, /&quot;<a href="source_framework_etude_x_h\.html">etude\/x\.h<\/a>&quot;/);
  assert.match(layer, /<h3>y<\/h3>\n<p>Says <a href="source_framework_etude_x_h\.html">x<\/a>\.<\/p>/);
  assert.match(layer, /<a id="cpp-L1" href="#cpp-L1"[\s\S]*1<\/span> &lt; /);
  assert.match(page("sources.html"), /<a href="source_layers_etude_y\.html">y<\/a> <span>Says x<\/span>/);
});

test("the index leads to every page; what it quotes holds no links", () => {
  make();
  const links = [...page("index.html").matchAll(/<a href="(\w+\.html)">/g)].map(([, name]) => name);
  assert.deepEqual(links, ["api.html", "sources.html", "01_sample.html", "02_other.html", "numerics.html"]);
  assert.match(page("index.html"), /<a href="01_sample\.html">\n<span class="picture" aria-hidden="true"><span class="printed">tensor\(\[1 &lt; 2\]\)/);
  assert.match(page("index.html"), /see the web, the numbers and the code\./);
});

test("pages without formulas do not load the formulas' style", () => {
  make();
  assert.match(page("01_sample.html"), /katex\.min\.css/);
  assert.doesNotMatch(page("02_other.html"), /katex\.min\.css/);
});

test("what is missing is named", () => {
  rmSync(join(folder, "record/01_sample/In08.txt"));
  assert.throws(make, /tutorials\/01_sample\.cpp:7: cell In08 recorded no output/);
});

test("a figure, a link or a formula that is wrong is named with its place", () => {
  const fails = (text, pattern) => {
    put("tutorials/02_other.cpp", `/// # Other\n//%% a | A\n/// ${text}\nf();\n`);
    rmSync(join(folder, "site"), { recursive: true, force: true });
    assert.throws(make, pattern);
  };
  fails("![x](none.svg)", /tutorials\/02_other\.cpp:3: the figure none\.svg does not exist/);
  fails("![x](../01_sample/heat.svg)", /02_other\.cpp:3: a figure is NAME\.svg/);
  fails("[x](../docs/none.md)", /02_other\.cpp:3: the link \.\.\/docs\/none\.md leads to no file/);
  fails("$\\frac$", /02_other\.cpp:3: KaTeX parse error/);
});

test("a page says what the other version of PyTorch prints, and refuses a row that says nothing", () => {
  const text = "1\n<2\n3\n\n";
  put("record/02_other/a.txt", text);
  put("tutorials/expected/01_sample/In08.txt", "");
  put("tutorials/expected/02_other/a.txt", text);
  const compared = (id, row) => {
    put("tutorials/expected/differs.json", JSON.stringify({ reasons: { why: "Since <this>." }, cells: { "02_other": { [id]: row } } }));
    rmSync(join(folder, "site"), { recursive: true, force: true });
    make();
    return page("02_other.html");
  };
  put("tutorials/02_other.cpp", "/// # Other\n///\n/// - You will be able to: a\n/// - You need: b\n/// - Minutes: 1\n/// - Result: a\n//%% a | A\nf();\n");
  const html = compared("a", { reason: "why", prints: "1\n<4\n3\n\n" });
  assert.match(html, /<dd>0 of 1 cells print the same bytes with PyTorch 1\.13\.1 and 2\.14\.1<\/dd>/);
  assert.match(html, /<summary>PyTorch 2\.14\.1 prints 1 of 3 lines differently<\/summary>\n<pre>&lt;4<\/pre><p>Since &lt;this&gt;\.<\/p>/);
  assert.match(compared("a", { reason: "why" }), /<summary>Other runs or processors print different numbers<\/summary>\n<p>Since/);
  assert.throws(() => compared("a", { reason: "why", prints: text }), /02_other\/a prints the same bytes/);
  assert.throws(() => compared("b", { reason: "why" }), /02_other has no cell b that prints/);
  assert.throws(() => compared("a", { reason: "" }), /02_other\/a needs a reason: why/);
});

test("each cell that the lessons list as different exists and differs, and each reason is used", () => {
  const repository = fileURLToPath(new URL("../../../", import.meta.url));
  const { reasons, cells } = JSON.parse(readFileSync(join(repository, "tutorials/expected/differs.json"), "utf8"));
  const rows = Object.keys(cells).flatMap((name) => Object.values(differences(repository, { name }).rows));
  assert.deepEqual(new Set(rows.map(({ reason }) => reason)), new Set(Object.values(reasons)));
});

test("a page in another language has its frame and the words of its diagrams in it", () => {
  put("tutorials/02_other.cpp", "/// # Other\n///\n/// ```diagram Two boxes\n/// a: one\n/// b: two [2]\n/// ```\n//%% a | A\n/// ```python original\n/// x\n/// ```\nf();\n");
  const words = { Lesson: "レッスン", Lessons: "一覧", Original: "原文", Search: "検索", "# leads to #": "# から # へ", "Back to": "戻る", behind: "遅れ", "paragraphs behind": "遅れ" };
  put("docs/translations/ja/page.json", JSON.stringify(words));
  put("docs/translations/ja/02_other.po", 'msgid ""\nmsgstr ""\n\nmsgctxt "introduction diagram"\nmsgid ""\n"Two boxes\\n"\n"a: one\\n"\n"b: two [2]"\nmsgstr ""\n"二つの箱\\n"\n"a: 一\\n"\n"b: 二 [2]"\n');
  put("docs/translations/ja/01_sample.po", 'msgid ""\nmsgstr ""\n\nmsgctxt "title"\nmsgid "Sample of `zeros`"\nmsgstr "`zeros`の例"\n');
  make();
  const html = page("ja/02_other.html");
  for (const part of ['#lessons">一覧</a>', "<figcaption>原文</figcaption>", "<figcaption>二つの箱</figcaption>", "<desc id=\"diagram1-desc\">一 から 二 [2] へ.</desc>", "<span>戻る</span>", '<span class="name">zerosの例</span>', ">検索 <kbd", "&quot;Search&quot;:&quot;検索&quot;"])
    assert.ok(html.includes(part), part);
  assert.doesNotMatch(page("02_other.html"), /data-words/);
});

test("a page without a lesson links the words of the glossary, too", () => {
  put("docs/glossary.md", "# Words\n\n## Program\n\nWhat runs.\n\nSee [the numbers](numerics.md).\n<!-- forms: program, programs -->\n");
  put("docs/live/programs/01_a.cpp", "// One\nf();\n");
  put("record/try/01_a.txt", "1\n");
  make();
  assert.match(page("try.html"), /<p>Small <a class="term" href="glossary\.html#program" title="What runs\.">programs<\/a>/);
});

test("a guide needs a title", () => {
  put("docs/numerics.md", "Numerics\n");
  assert.throws(make, /docs\/numerics\.md:1: a guide begins with `# Title`/);
});

test("a cell's number is shown as notebooks do", () => {
  assert.deepEqual(["In08", "In12", "In02_seed0", "plot_dims_4_7"].map(cellNumber),
                   ["In [8]", "In [12]", "In [2] seed0", ""]);
});
