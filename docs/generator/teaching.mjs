// Writes the table of lessons of docs/teaching.md from what the lessons say of themselves: node teaching.mjs REPOSITORY
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTutorials } from "./generate.mjs";
import { neededLessons } from "./lesson.mjs";

const numberOf = (name) => String(Number(name.slice(0, 2)));

/** The table as Markdown; `tutorials` are as readTutorials gives them. */
export const lessonTable = (tutorials) =>
  ["| lesson | minutes | lessons before |", "|---|---|---|", ...tutorials.map((one) => `| ${numberOf(one.name)}, [${one.title}](../tutorials/${one.name}.cpp) | ${one.facts.minutes} | ${neededLessons(one).map(numberOf).join(", ")} |`)].join("\n");

/** The text of the guide with this table in it. */
export const withTable = (text, table) => text.replace(/^\| lesson \|[^]*?(?=\n\n)/m, () => table);

/** The plans: tables of sessions, each `{title, lessons, minutes}`, of which a session takes the sum of its lessons. */
export const sessions = (text) => [...text.matchAll(/^\| ([\w ]+) \| ([\d, ]+) \| (\d+) \|.*$/gm)].map(([, title, lessons, minutes]) => ({ title, lessons: lessons.split(",").map(Number), minutes: Number(minutes) }));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const repository = process.argv[2];
  const path = join(repository, "docs/teaching.md");
  writeFileSync(path, withTable(readFileSync(path, "utf8"), lessonTable(readTutorials(repository))));
}
