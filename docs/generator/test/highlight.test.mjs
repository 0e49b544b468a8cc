import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight } from "../highlight.mjs";

const text = (html) => html.replace(/<[^>]+>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#x27;/g, "'").replace(/&amp;/g, "&");

test("colouring changes no character of the code", () => {
  const code = 'template <class T>\nTensor f(const Tensor& x, int64_t i = 0) {  // [batch, Tensor]\n  return x < 1 && s == "a\\"&<Tensor>" ? x[\'a\'] : T{};\n}';
  assert.equal(text(highlight(code, "cpp")), code);
});

test("class names are coloured, in parameters too, but not in comments and strings", () => {
  const html = highlight('Tensor f(const Tensor& x);\nauto y = "Tensor";  // Tensor of FLOAT', "cpp");
  assert.equal(html.match(/<span class="hljs-type">Tensor<\/span>/g).length, 2);
  assert.match(html, /<span class="hljs-comment">\/\/ Tensor of FLOAT<\/span>/);
  assert.match(html, /<span class="hljs-string">&quot;Tensor&quot;<\/span>/);
});

test("a name that C++20 made a word of its language is a name", () => {
  assert.equal(highlight("return module;", "cpp"), '<span class="hljs-keyword">return</span> module;');
});

test("plain text is escaped", () => {
  assert.equal(highlight('a < b & "c"', "text"), "a &lt; b &amp; &quot;c&quot;");
});
