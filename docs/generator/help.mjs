// Reads a lesson's file of tutorials/help, whose form docs/adding_a_lesson.md describes, and shows its hints and questions in the page.
import { escapeHtml } from "./highlight.mjs";

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
    } else if (key === "came") came = /^\S+ (-?\d[\d.e+-]*)$/.exec(rest)?.[1];
    else if (key === "says") {
      if (came && question?.number != null) question.near.push([Number(came), rest]);
      came = undefined;
    } else if (key !== "value" && key !== "wrong") fail(`there is no key \`${key}\``);
  }
  for (const [id, { question }] of Object.entries(exercises)) {
    const right = question?.choices.filter((choice) => choice.right).length;
    if (question && (question.number == null ? right !== 1 : question.choices.length)) throw new Error(`${file}: ${id} asks for one number, or for one choice of which one is right`);
  }
  return exercises;
}

/** The question of an exercise, which a script answers, and its hints, each behind the one before; nothing without either. */
export function helpBlock({ hints = [], question } = {}, lesson, id, inline) {
  return (question ? questionForm(question, lesson, id, inline) : "") + hintsBlock(hints, 0, inline);
}

const hintsBlock = (hints, i, inline) =>
  i === hints.length ? "" : `<details class="hint"><summary>Hint ${i + 1} of ${hints.length}</summary>\n<p>${inline(hints[i])}</p>\n${hintsBlock(hints, i + 1, inline)}</details>\n`;

export function questionForm({ text, number, within, near, choices }, lesson, id, inline) {
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
<button type="submit">Check</button>
<p class="verdict" role="status"></p>
</form>
`;
}
