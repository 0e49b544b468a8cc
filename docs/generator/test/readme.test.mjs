import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { paths } from "../course.mjs";
import { lessonPicture } from "../lesson_picture.mjs";

const repository = new URL("../../..", import.meta.url).pathname;
const readme = readFileSync(`${repository}README.md`, "utf8");

test("the README's picture shows the lesson and its output as they are", () => {
  assert.equal(readFileSync(`${repository}docs/lesson.svg`, "utf8"), lessonPicture(repository), "node docs/generator/lesson_picture.mjs . > docs/lesson.svg");
  assert.match(readme, /\n!\[[^\]]+\]\(docs\/lesson\.svg\)\n/);
});

test("the README's first screen leads to a lesson, to mini and to the two commands", () => {
  const [first] = readme.split("\n## ");
  for (const link of ["tutorials/08_attention.cpp", "docs/mini.md"]) assert.ok(first.includes(`](${link})`), link);
  for (const command of ["tutorials/run", "tests/run"]) assert.match(first, new RegExp(`\\n${command} `), command);
  assert.ok(first.split("\n").length < 45, "it is longer than a screen");
});

test("the README's paths are those of the first page", () => {
  for (const { title, lessons } of paths) {
    const [, list] = new RegExp(`^- \\*\\*${title.replace(/\+/g, "\\+")}\\*\\*[^:]*: ([\\d, ]+)\\.$`, "m").exec(readme) ?? [];
    assert.equal(list, lessons.map((name) => Number(name.slice(0, 2))).join(", "), title);
  }
});
