import assert from "node:assert/strict";
import { test } from "node:test";
import { inlineSvg } from "../svg.mjs";

test("an SVG loses its prolog and its fixed size, and gets a label", () => {
  const source = '<?xml version="1.0"?>\n<!-- made by x --><svg xmlns="http://www.w3.org/2000/svg" width="640px" height="200px"><path d="M0 0"/></svg>\n';
  assert.equal(inlineSvg(source, "a", 'x < "y"'),
               '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="x &lt; &quot;y&quot;" viewBox="0 0 640 200"' +
                 ' style="max-width: 640px"><path d="M0 0"/></svg>');
});

test("a figure that announces itself keeps its own words", () => {
  const svg = inlineSvg('<svg viewBox="0 0 9 9" role="img" aria-labelledby="t d"><title id="t">T</title></svg>', "a", "label");
  assert.match(svg, /role="img" aria-labelledby="a-t a-d"/);
  assert.match(svg, /<title id="a-t">/);
  assert.doesNotMatch(svg, /label"/);
});

test("ids and what refers to them get the prefix", () => {
  const svg = inlineSvg('<svg viewBox="0 0 9 9"><g id="g" fill="url(#p)"/><use href="#g"/></svg>', "In08", "x");
  assert.match(svg, /<g id="In08-g" fill="url\(#In08-p\)"\/><use href="#In08-g"\/>/);
});

test("dark colours are for screens only, and follow the reader's choice", () => {
  const svg = inlineSvg('<svg class="f" viewBox="0 0 9 9"><style>.f a{}@media (prefers-color-scheme: dark) {.f a{b:c}.f{}}</style><g/></svg>', "a", "x");
  const both = "@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){.f a{b:c}.f{}}}@media screen{:root[data-theme=dark]{.f a{b:c}.f{}}}";
  assert.ok(svg.includes(`<style>.f a{}${both}</style><g/></svg>`), svg);
});

test("scripts, links, styles for the page and what is no SVG are refused", () => {
  const refuses = (content, pattern) => assert.throws(() => inlineSvg(content, "a", "x"), pattern);
  refuses('<svg viewBox="0 0 9 9"><script>x</script></svg>', /script/);
  refuses('<svg viewBox="0 0 9 9" onload="x"></svg>', /script/);
  refuses('<svg viewBox="0 0 9 9"><image href="https://example.org/a.png"/></svg>', /link/);
  refuses('<svg class="f" viewBox="0 0 9 9"><style>.f a, .figure{}</style></svg>', /`\.figure` reaches/);
  refuses('<svg viewBox="0 0 9 9"><style>@media print { text{} }</style></svg>', /`text` reaches/);
  refuses("<svg></svg>", /without viewBox/);
  refuses("<html></html>", /not an SVG/);
});
