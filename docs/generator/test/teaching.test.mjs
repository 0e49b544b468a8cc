// The guide for teachers says of the lessons what they say of themselves.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readFirstLesson } from "../first_lesson.mjs";
import { readTutorials } from "../generate.mjs";
import { neededLessons } from "../lesson.mjs";
import { lessonTable, sessions, withTable } from "../teaching.mjs";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const text = readFileSync(new URL("../../teaching.md", import.meta.url), "utf8");
const tutorials = readTutorials(repository);
const plans = text.split(/^## /m).filter((part) => sessions(part).length);

test("the table has the minutes and needs of every lesson; `node docs/generator/teaching.mjs .` writes it", () => {
  assert.equal(withTable(text, lessonTable(tutorials)), text);
  assert.equal(withTable("a\n\n| lesson | x |\n| 1 |\n\nb", "new"), "a\n\nnew\n\nb");
});

test("a plan's minutes are those of its lessons, each behind those that it needs", () => {
  assert.deepEqual(plans.map((plan) => sessions(plan).length), [8, 3]);
  for (const plan of plans) {
    assert.deepEqual(sessions(plan)[0].lessons, [0, 8], "a plan begins as the course does");
    const done = new Set();
    for (const { title, lessons, minutes } of sessions(plan)) {
      const some = lessons.map((number) => (number ? tutorials.find(({ name }) => Number(name.slice(0, 2)) === number) : readFirstLesson(repository)));
      assert.equal(minutes, some.reduce((sum, { facts }) => sum + facts.minutes, 0), title);
      for (const one of some) {
        for (const needed of neededLessons(one)) assert.ok(done.has(needed), `${title}: ${one.name} needs ${needed}`);
        done.add(one.name);
      }
    }
  }
  assert.ok(sessions(plans[0]).every(({ minutes }) => minutes <= 80), "a session of 90 minutes leaves time for questions");
});
