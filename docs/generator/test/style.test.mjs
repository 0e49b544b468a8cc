import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { strengths } from "../drawing.mjs";

const css = ["base", "live"].map((name) => readFileSync(new URL(`../style/${name}.css`, import.meta.url), "utf8")).join("");

// The two values of each colour.
const colours = [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6})(?:[0-9a-f]{2})?, (#[0-9a-f]{6})/g)];
const [light, dark] = [2, 3].map((i) => Object.fromEntries(colours.map((match) => [match[1], match[i]])));

// WCAG 2.2: (lighter + 0.05) / (darker + 0.05) of the relative luminances.
function luminance(colour) {
  const linear = [1, 3, 5].map((i) => {
    const c = parseInt(colour.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}
function contrast(a, b) {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

test("the contrast of black and white is 21", () => {
  assert.equal(contrast("#000000", "#ffffff").toFixed(3), "21.000");
});

for (const [name, colours] of Object.entries({ light, dark })) {
  test(`badges are legible, ${name}`, () => {
    for (const [ink, ground] of [["agrees", "agrees-soft"], ["differs", "differs-soft"], ["differs", "raised"], ["differs", "panel"]]) {
      const ratio = contrast(colours[ink], colours[ground]);
      assert.ok(ratio >= 4.5, `${ink} on ${ground}: ${ratio.toFixed(2)}`);
    }
  });
}

const inks = ["text", "soft", "accent", "keyword", "type", "string", "number", "comment", "function"];
for (const [name, colours] of Object.entries({ light, dark })) {
  test(`every ink is legible on every ground, ${name}: at least 4.5 (WCAG AA)`, () => {
    for (const ink of inks) {
      for (const ground of ["page", "panel", "raised", "accent-soft", "callout"]) {
        const ratio = contrast(colours[ink], colours[ground]);
        assert.ok(ratio >= 4.5, `${ink} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
  });
}

test("icons are drawn: no style writes one with a letter, which a font may lack", () => {
  for (const name of readdirSync(new URL("../style", import.meta.url))) {
    const style = readFileSync(new URL(`../style/${name}`, import.meta.url), "utf8");
    for (const [line] of style.matchAll(/(?<![\w-])content: .*/g)) assert.match(line, /^content: (""|attr\([\w-]+\));$/, name);
    for (const [, icon] of style.matchAll(/--icon: var\(--([\w-]+)\)/g)) assert.match(css, new RegExp(`--${icon}: url\\("data:image/svg\\+xml,`), `${name}: ${icon}`);
  }
});

// The grounds of a picture's cells: so many percent of a tone, as drawing.mjs asks for them, and the rest of what is below.
const mixed = (tone, percent, ground) =>
  `#${[1, 3, 5].map((i) => Math.round((parseInt(tone.slice(i, i + 2), 16) * percent + parseInt(ground.slice(i, i + 2), 16) * (100 - percent)) / 100).toString(16).padStart(2, "0")).join("")}`;

for (const [name, colours] of Object.entries({ light, dark })) {
  test(`the letters and lines of pictures are seen, ${name}`, () => {
    const pictures = readFileSync(new URL("../style/pictures.css", import.meta.url), "utf8");
    const tones = [...pictures.matchAll(/--tone: var\(--(\w+)\)/g)].map(([, tone]) => tone);
    assert.deepEqual(tones, ["soft", "accent", "warm", "string"]);
    assert.match(pictures, /\.pictured \{[^}]*background: var\(--raised\)/);
    for (const tone of tones) {
      assert.ok(contrast(colours[tone], colours.raised) >= 4.5, `${tone}: ${contrast(colours[tone], colours.raised).toFixed(2)}`);
      for (const percent of [strengths.least, 14, 30, strengths.most]) {
        const ratio = contrast(colours.text, mixed(colours[tone], percent, colours.raised));
        assert.ok(ratio >= 4.5, `text on ${percent}% of ${tone}: ${ratio.toFixed(2)}`);
      }
    }
    for (const tone of ["accent", "soft"]) assert.ok(contrast(colours.soft, mixed(colours[tone], 14, colours.raised)) >= 4.5, `soft on ${tone}`);
  });
}

test("each language of a translation has fonts of its own on every system, in text and in code, and no slanted letters", () => {
  const fonts = Object.fromEntries([...css.matchAll(/^:lang\((\w+)\) \{\s*--script: ([^;]+);/gm)].map(([, code, list]) => [code, list.split(", ")]));
  assert.deepEqual(Object.keys(fonts).sort(), readdirSync(new URL("../../translations", import.meta.url)).sort());
  for (const [code, list] of Object.entries(fonts)) {
    for (const system of [/PingFang|Hiragino|Apple/, /Microsoft|Yu Gothic|Malgun/, /Noto Sans CJK/]) assert.ok(list.some((font) => system.test(font)), `${code}: ${system}`);
    for (const [other, others] of Object.entries(fonts)) if (other !== code) assert.deepEqual(list.filter((font) => others.includes(font)), [], `${code} and ${other}`);
    assert.ok(/^em:is\((.*)\) \{\n  font-style: normal;/m.exec(css)[1].includes(`:lang(${code})`), `${code}: browsers would slant what is emphasised`);
  }
  // A custom property is computed where it is declared: what is in another language than the page declares it again.
  const [, declared] = /^:root,\n\[lang\] \{([^}]*)\}/m.exec(css);
  for (const name of ["sans", "mono"]) assert.match(declared, new RegExp(`--${name}: [^;]*var\\(--script\\)`));
  assert.match(readFileSync(new URL("../style/lesson.css", import.meta.url), "utf8"), /^\.plot \.etude-figure text \{\s*font-family: var\(--sans\);/m);
});
