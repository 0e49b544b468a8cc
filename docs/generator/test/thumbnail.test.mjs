import assert from "node:assert/strict";
import { test } from "node:test";
import { thumbnail } from "../thumbnail.mjs";

const plot = (curves) => `<svg viewBox="0 0 680 390"><text class="title">Loss</text><line class="grid" x1="66" y1="72" x2="66" y2="332"/>${curves}<line class="curve s0" x1="66" y1="49" x2="102" y2="49"/></svg>`;

test("a plot keeps its curves, without words, and fills its place", () => {
  const svg = thumbnail(plot('<path class="curve s0" d="M100 200L300.4 100.2"/><path class="curve s1" d="M100 120L300.4 150"/>'));
  assert.match(svg, /viewBox="-8 -14 216 128"/);
  assert.match(svg, /<path class="s0" d="M0 100L200 0"\/><path class="s1" d="M0 20L200 50"\/>/);
  assert.doesNotMatch(svg, /<text|<line|Loss/);
});

test("a curve of many points keeps some of them, and its ends", () => {
  const many = Array.from({ length: 500 }, (_, i) => `${i ? "L" : "M"}${i} ${i % 7}`).join("");
  const [, d] = /d="(M[^"]+)"/.exec(thumbnail(plot(`<path class="curve s0" d="${many}"/>`)));
  const points = d.slice(1).split("L");
  assert.ok(points.length > 40 && points.length <= 61, `${points.length} points`);
  assert.equal(points[0], "0 0");
  assert.match(points.at(-1), /^499 /);
});

test("a heat map keeps its cells in their proportion, without what is missing", () => {
  const map = '<svg><g shape-rendering="crispEdges" transform="translate(88 46) scale(10 20)"><path class="missing" d="M0 0h1v1h-1z"/><path fill="#111111" d="M1 0h2v1h-2zM0 1h1v1h-1z"/></g></svg>';
  assert.equal(thumbnail(map), '<svg class="thumbnail" viewBox="0 0 3 4" shape-rendering="crispEdges"><g transform="scale(1 2)"><path fill="#111111" d="M1 0h2v1h-2zM0 1h1v1h-1z"/></g></svg>');
});

test("what is no plot, or stays too large, has no small picture", () => {
  assert.equal(thumbnail('<svg><path d="M0 0L1 1"/></svg>'), "");
  const cells = Array.from({ length: 500 }, (_, i) => `M${i} 0h1v1h-1z`).join("");
  assert.equal(thumbnail(`<svg><g shape-rendering="crispEdges" transform="translate(0 0) scale(1 1)"><path fill="#111111" d="${cells}"/></g></svg>`), "");
});
