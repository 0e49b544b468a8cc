// The page "Inside a real model" and its pictures, drawn of a small answer.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as draw from "../../live/figures/inside_draw.mjs";
import { firstText, questions } from "../inside.mjs";
import { insidePage, readInside, sections } from "../inside_page.mjs";

const guesses = (...pairs) => pairs.map(([piece, share]) => ({ piece, share }));
const early = [guesses([" ", 0.5], ["<", 0.25], ["b", 0.25]), guesses(["a", 0.75], [" ", 0.25], ["b", 0])];
const answer = {
  pieces: ["a", " "],
  ids: [1, 0],
  vectors: [[1], [2]],
  attention: [[[[1, 0], [0.75, 0.25]], [[1, 0], [0.125, 0.875]]]],
  blocks: [early, early],
  next: early[1],
};
const without = { "0.0": guesses(["b", 0.6], ["a", 0.4], [" ", 0]), 0.1: guesses(["a", 0.8], ["b", 0.2], [" ", 0]), "mlp.0": guesses([" ", 0.9], ["a", 0.1], ["b", 0]) };

test("parts have the names that look_inside prints", () => {
  assert.deepEqual(draw.parts_of(answer), ["0.0", "0.1", "mlp.0"]);
  assert.equal(draw.name_of("0.1"), "head 0.1");
  assert.equal(draw.name_of("mlp.2"), "MLP 2");
  const asked = questions();
  assert.deepEqual(asked[0], { text: firstText, without: [] });
  assert.deepEqual(asked.slice(1, 6).map((one) => one.without), [["0.0"], ["0.1"], ["0.2"], ["0.3"], ["mlp.0"]]);
});

test("the guesses are said, and beside them what they were with all parts", () => {
  assert.equal(draw.guess_words(answer), "After “a␣” the model gives 75 % to “a” and 25 % to “␣”.");
  const some = { ...answer, next: without["0.0"] };
  assert.equal(draw.guess_words(some, answer), "After “a␣” the model gives 60 % to “b” and 40 % to “a”. With all parts “a” has 75 %, and now 40 %.");
  const lengths = [...draw.guesses(some, 206, answer).matchAll(/class="(share|before)"[^>]* width="([\d.]+)"/g)].map(([, kind, width]) => [kind, Number(width)]);
  assert.deepEqual(lengths, [["share", 60], ["before", 0], ["share", 40], ["before", 75], ["share", 0], ["before", 25]]);
});

test("a head is said to look where its weight is largest", () => {
  assert.equal(draw.head_words(answer, 0, 0), "Head 0.0: the last character, “␣”, looks most at “a”, at the one before it: 75 %.");
  assert.equal(draw.head_words(answer, 0, 1), "Head 0.1: the last character, “␣”, looks most at “␣”, at itself: 88 %.");
});

test("of a long text a head shows the end", () => {
  const n = 40, long = { pieces: Array.from({ length: n }, (_, i) => (i < 8 ? "x" : "y")), attention: [[Array.from({ length: n }, () => Array(n).fill(1 / n))]] };
  const drawn = draw.head(long, 0, 0, 2000);
  assert.equal((drawn.match(/>y</g) ?? []).length, 2 * 32);
  assert.ok(!drawn.includes(">x<"));
});

test("the lens frames a guess that the text confirms", () => {
  const table = draw.lens(answer);
  assert.equal((table.match(/<td class="right"[^>]*>␣/g) ?? []).length, 2);
  assert.ok(!draw.lens({ ...answer, pieces: ["a", "b"] }).includes('class="right"'));
  assert.match(draw.lens_words(answer), /after the embedding “a” \(75 %\), after block 0 “a” \(75 %\)\.$/);
});

test("the table of parts has the change of the best guess", () => {
  const table = draw.effects(answer, without);
  assert.deepEqual([...table.matchAll(/class="change"[^>]*>([^<]+)/g)].map(([, by]) => by), ["−35.0", "+5.0", "−65.0"]);
  assert.equal(draw.effect_words(answer, without), "“a” loses most without MLP 0.");
  assert.equal(draw.effect_words(answer, { 0.1: without[0.1] }), "No part alone takes anything from “a”.");
});

test("what is drawn is escaped", () => {
  const some = { ...answer, next: guesses(["<", 0.6], ["&", 0.4]), blocks: [[early[0], guesses(["<", 0.6])]] };
  for (const drawn of [draw.guesses(some, 300), draw.lens(some), draw.effects(some, { "0.0": some.next })]) assert.ok(!/>[<&]</.test(drawn));
});

test("the page has each part, and scripts only where it is live", () => {
  const still = insidePage({ answer, without }, false), live = insidePage({ answer, without }, true);
  for (const { name } of sections) assert.ok(still.includes(`<section class="row" id="${name}"`));
  assert.ok(!/inside\.js|data-part|<form/.test(still));
  assert.equal((live.match(/data-part="/g) ?? []).length, 3);
  assert.ok(live.includes('<script src="inside.js" defer>'));
});

test("a record that lacks an answer, or holds a refusal, is an error", () => {
  const folder = mkdtempSync(join(tmpdir(), "inside-"));
  const record = (answers) => writeFileSync(join(folder, "inside.jsonl"), answers.map((one) => JSON.stringify(one)).join("\n"));
  try {
    assert.equal(readInside(folder), null);
    record(questions().map(() => answer));
    assert.deepEqual(Object.keys(readInside(folder).without), questions().slice(1).map((one) => one.without[0]));
    record([answer]);
    assert.throws(() => readInside(folder), /1 answers to 21 questions/);
    record(questions().map(() => ({ error: "no model" })));
    assert.throws(() => readInside(folder), /no model/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
