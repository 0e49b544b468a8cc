// Reads a lesson's file of tutorials/help, whose form docs/adding_a_lesson.md describes, and shows its hints and questions in the page.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml, filled } from "./html.mjs";
import { otherWords } from "./live_markup.mjs";

/** By exercise: `{hints, question}`, and `answer` where a row has it; a question is `{text, number, within, near, choices}`. Throws what begins with `file:line:`. */
export function parseHelp(source, file) {
  const exercises = {};
  let exercise, row;
  const rows = [];
  for (const [index, text] of source.split("\n").entries()) {
    const [, key, rest] = /^(\S*) ?(.*)$/.exec(text);
    if (key) rows.push((row = { key, rest, line: index + 1 }));
    else if (rest.trim() && row) row.rest += ` ${rest.trim()}`;
  }
  let came;
  for (const { key, rest, line } of rows) {
    const fail = (message) => {
      throw new Error(`${file}:${line}: ${message}`);
    };
    if (/^exercise\d$/.test(key)) {
      exercise = exercises[key] = { hints: [], question: null };
      continue;
    }
    if (!exercise) fail("the first line is `exercise1`");
    const { hints, question } = exercise;
    if (key === "hint") hints.push(rest);
    else if (key === "ask") exercise.question = { text: rest, number: null, within: 0, near: [], choices: [] };
    else if (key === "number") {
      const [number, within] = rest.split(" ").map(Number);
      if (!question || !(within >= 0)) fail("`number VALUE WITHIN` follows `ask`");
      Object.assign(question, { number, within });
    } else if (key === "answer") {
      exercise.answer = rest;
    } else if (key === "right" || key === "choice") {
      const [text, says] = rest.split(" | ");
      if (!question || !says) fail(`\`${key} TEXT | SENTENCE\` follows \`ask\``);
      question.choices.push({ text, says, right: key === "right" });
    } else if (key === "near") {
      const [value, says] = rest.split(" | ");
      if (question?.number == null || !says || Number.isNaN(Number(value))) fail("`near VALUE | SENTENCE` follows `number`");
      question.near.push([Number(value), says]);
    } else if (key === "came") came = /^\S+ (-?\d[\d.e+-]*)$/.exec(rest)?.[1];
    else if (key === "says") {
      if (came && question?.number != null) question.near.push([Number(came), rest]);
      came = undefined;
    } else if (!["value", "gives", "wrong"].includes(key)) fail(`there is no key \`${key}\``);
  }
  for (const [id, { question }] of Object.entries(exercises)) {
    const right = question?.choices.filter((choice) => choice.right).length;
    if (question && (question.number == null ? right !== 1 : question.choices.length)) throw new Error(`${file}: ${id} asks for one number, or for one choice of which one is right`);
  }
  return exercises;
}

/** The help of a lesson, which need not have any. */
export function readHelp(repository, lesson) {
  const file = `tutorials/help/${lesson}.txt`;
  return existsSync(join(repository, file)) ? parseHelp(readFileSync(join(repository, file), "utf8"), file) : {};
}

/** The help with `change(context, text)` in place of each of its texts. */
export function mapHelp(help, change) {
  const mapped = ([id, { hints, question, answer }]) => {
    const choice = ({ text, says, right }, i) => ({ text: change(`${id} choice ${i + 1}`, text), says: change(`${id} choice ${i + 1} says`, says), right });
    const asked = question && {
      ...question,
      text: change(`${id} ask`, question.text),
      choices: question.choices.map(choice),
      near: question.near.map(([value, says], i) => [value, change(`${id} near ${i + 1}`, says)]),
    };
    const said = answer && { answer: change(`${id} answer`, answer) };
    return [id, { question: asked, ...said, hints: hints.map((hint, i) => change(`${id} hint ${i + 1}`, hint)) }];
  };
  return Object.fromEntries(Object.entries(help).map(mapped));
}

// What exercises.js says in a lesson's page; # stands for a number.
const said = ["once", "# times", "Choose one of them.", "Write a number, such as 0.5 or 1/2.", "right", "tried #", "You answered this right before.", "Tried #.", "Right.", "Not yet."];

/** The element that loads exercises.js, with what it says in the language of the page. */
export const exercisesScript = (folder = "", label = (text) => text) => `\n<script src="${folder}exercises.js"${otherWords(said, label)} defer></script>`;

/** The question of an exercise, which a script answers, where its lines are written, and its hints, each behind the one before. */
export function helpBlock({ hints = [], question } = {}, lesson, id, inline, label = (text) => text) {
  const command = `<code>tutorials/exercise ${Number.parseInt(lesson, 10)}</code>`;
  const place = hints.length ? `<p class="place">${filled(label("To write your lines, run # in the repository."), command)}</p>\n` : "";
  return (question ? questionForm(question, lesson, id, inline, label) : "") + place + hintsBlock(hints, 0, inline, label);
}

const hintsBlock = (hints, i, inline, label) =>
  i === hints.length ? "" : `<details class="hint"><summary>${filled(label("Hint # of #"), i + 1, hints.length)}</summary>\n<p>${inline(hints[i])}</p>\n${hintsBlock(hints, i + 1, inline, label)}</details>\n`;

export function questionForm({ text, number, within, near, choices }, lesson, id, inline, label = (text) => text) {
  const name = `${id}-question`;
  const attribute = (value) => escapeHtml(typeof value === "string" ? value : JSON.stringify(value)).replace(/"/g, "&quot;");
  const fields =
    number == null
      ? `<fieldset><legend>${inline(text)}</legend>\n${choices
          .map((choice) => `<label><input type="radio" name="${name}" data-says="${attribute(choice.says)}"${choice.right ? " data-right" : ""}> ${inline(choice.text)}</label>`)
          .join("\n")}\n</fieldset>`
      : `<p><label for="${name}">${inline(text)}</label></p>\n<input id="${name}" type="text" inputmode="text" autocomplete="off" size="14" data-number="${number}" data-within="${within}" data-near="${attribute(near)}">`;
  return `<form class="question" data-lesson="${lesson}" data-exercise="${id}" hidden>
${fields}
<button type="submit">${label("Check")}</button>
<p class="verdict" role="status"></p>
</form>
`;
}
