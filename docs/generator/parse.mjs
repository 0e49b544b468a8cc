// Reads the source of a lesson: a C++ program in percent format.
//
//   /// # Title                        the first block of `///` lines is the introduction
//   /// - You will be able to: ...     the facts: a list right after the title
//   //%% In08 | The table              opens a cell; it lasts until the next marker
//   /// Markdown with $TeX$            commentary
//   auto pe = table(4, 2);             C++
//   cell("In08");                      names the cell to the program; not shown
//   //%% exercise1 | Another width     a cell whose code is one block; `//%% answer` and `//%% end answer` enclose
//                                      the lines that the reader is to find
//   //%% summary                       commentary only: an ordered list
//   //%% references                    commentary only: an ordered list
//   //%% end                           closes a cell without opening one

const marker = /^\s*\/\/%%\s*(.*?)\s*$/;
const commentary = /^\s*\/\/\/(?: (.*)|)$/;
const cellCall = /^\s*(?:\w+(?:\.|->|::))?cell\(/;
const factKeys = ["You will be able to", "You need", "Minutes", "Result"];

/**
 * The parts of a lesson: `{title, facts, intro, introLine, cells, summary, references}`.
 *
 * A cell is `{id, title, line, rows}` and a row `{text, textLine, code, lines}`; text stands beside the code that follows
 * it, `lines` are the numbers of the code's lines.
 * A cell with an answer also holds `answer`, rows too; in its own code `// your lines`, line 0, stands for them. `facts`
 * is `{outcomes, needs, minutes, result, line}`, summary and references are `{text, textLine, line}`; what the lesson
 * lacks is null. Throws an Error that begins with `file:line:` if the source has not this form.
 */
export function parseTutorial(source, file) {
  const fail = (line, message) => {
    throw new Error(`${file}:${line}: ${message}`);
  };
  const lines = source.split(/\r?\n/).map((text, index) => ({ text, number: index + 1 }));
  const { rest, ...head } = readIntroduction(lines, fail);
  const { cells, lists } = divide(lines.slice(rest), fail);
  if (cells.length === 0) fail(lines.length, "no cell: a line `//%% ID | Title` opens one");

  const { facts } = head;
  if (facts && !cells.some(({ id }) => id === facts.result))
    fail(facts.line, `the fact Result names the cell ${facts.result}, which does not exist`);
  return {
    ...head,
    cells: cells.map((cell) => readCell(cell, fail)),
    summary: readList(lists.summary, "summary", fail),
    references: readList(lists.references, "references", fail),
  };
}

/** The source of a lesson with blank lines in place of its answers, so that lines keep their numbers. */
export const withoutAnswers = (source) =>
  source.replace(/^( *\/\/%% answer\n)([\s\S]*?)(?=^ *\/\/%% end answer$)/gm, (all, open, lines) => open + lines.replace(/.+/g, ""));

function readIntroduction(lines, fail) {
  const first = lines.findIndex(({ text }) => commentary.test(text));
  if (first < 0) fail(1, "no introduction: a block of `///` lines that begins with `/// # Title`");
  let rest = first;
  while (rest < lines.length && commentary.test(lines[rest].text)) ++rest;

  const text = lines.slice(first, rest).map(({ text }) => commentary.exec(text)[1] ?? "");
  const heading = /^# (.+)$/.exec(text[0]);
  if (!heading) fail(first + 1, "the introduction has to begin with `/// # Title`");
  const { facts, end } = readFacts(text, first + 1, fail);
  return { title: heading[1].trim(), facts, intro: text.slice(end).join("\n"), introLine: first + end + 1, rest };
}

/** The list right after the title, and the index of the first line behind it. */
function readFacts(text, firstLine, fail) {
  let begin = 1;
  while (begin < text.length && !text[begin].trim()) ++begin;
  if (!text[begin]?.startsWith("- ")) return { facts: null, end: 1 };
  let end = begin;
  const items = [];
  for (; end < text.length && text[end].trim(); ++end) {
    const line = firstLine + end;
    if (text[end].startsWith("- ")) items.push({ text: text[end].slice(2).trim(), line });
    else if (/^\s/.test(text[end])) items.at(-1).text += ` ${text[end].trim()}`;
    else fail(line, "a blank line ends the list of facts, and the further lines of a fact are indented");
  }
  const values = factKeys.map((key, i) => {
    const { text: item, line } = items[i] ?? { text: "", line: firstLine + end - 1 };
    if (!item.startsWith(`${key}:`)) fail(line, `the ${ordinal(i)} fact has to be \`- ${key}: ...\`, got ${item ? `\`- ${item}\`` : "nothing"}`);
    const value = item.slice(key.length + 1).trim();
    if (!value) fail(line, `the fact ${key} says nothing`);
    if (key === "Minutes" && !/^[1-9]\d*$/.test(value)) fail(line, `the fact Minutes has to be a number, got ${value}`);
    return { value, line };
  });
  if (items.length > factKeys.length) fail(items[factKeys.length].line, `there are four facts, this is one more`);
  const [outcomes, needs, minutes, result] = values.map(({ value }) => value);
  const facts = { outcomes: outcomes.split(/;\s*/).filter(Boolean), needs, minutes: Number(minutes), result };
  return { facts: { ...facts, needsLine: values[1].line, line: values[3].line }, end };
}

const ordinal = (i) => ["first", "second", "third", "fourth"][i];

/** The lines of each cell and list; those of an answer go into `answer` of its cell, with `answerAt` and `answerLine`. */
function divide(lines, fail) {
  const cells = [];
  const lists = {};
  let target = null; // what the next lines belong to
  let cell = null; // the cell whose answer is open
  for (const { text, number } of lines) {
    const found = marker.exec(text)?.[1];
    if (cell && found !== undefined && found !== "end answer") fail(cell.answerLine, "`//%% end answer` is missing");
    if (found === undefined) {
      target?.lines.push({ text, number });
    } else if (found === "end answer") {
      if (!cell) fail(number, "`//%% end answer` without `//%% answer`");
      target = cell;
      cell = null;
    } else if (found === "answer") {
      if (!target?.exercise) fail(number, "`//%% answer` stands in a cell whose id is exercise1, exercise2 ...");
      if (target.answer) fail(number, `cell ${target.id} has an answer already`);
      cell = Object.assign(target, { answer: [], answerAt: target.lines.length, answerLine: number });
      target = { lines: cell.answer };
    } else if (found === "end") {
      target = null;
    } else if (found === "summary" || found === "references") {
      if (lists[found]) fail(number, `the ${found} exists already`);
      target = lists[found] = { line: number, lines: [] };
    } else {
      const { id, title } = readMarker(found, number, fail);
      if (cells.some((other) => other.id === id)) fail(number, `cell ${id} exists already`);
      cells.push((target = { id, title, exercise: /^exercise\d+$/.test(id), line: number, lines: [] }));
    }
  }
  if (cell) fail(cell.answerLine, "`//%% end answer` is missing");
  return { cells, lists };
}

function readMarker(text, number, fail) {
  const parts = /^([\w.-]+)\s*\|\s*(\S.*)$/.exec(text);
  if (!parts)
    fail(number, "expected `//%% ID | Title`, `//%% answer`, `//%% end answer`, `//%% summary`, `//%% references` or " +
                 `\`//%% end\`, got \`//%% ${text}\``);
  return { id: parts[1], title: parts[2] };
}

function readCell({ id, title, exercise, line, lines, answer, answerAt }, fail) {
  let body = lines;
  if (answer) {
    const indent = commonIndent(answer.filter(({ text }) => !commentary.test(text)).map(({ text }) => text));
    const hole = { text: `${" ".repeat(indent)}// your lines`, number: 0 };
    body = withoutBraces([...lines.slice(0, answerAt), hole, ...lines.slice(answerAt)], id, line, fail);
  }
  const rows = readRows(body);
  if (rows.length === 0) fail(line, `cell ${id} is empty`);
  if (!answer) return { id, title, line, exercise, rows };
  return { id, title, line, exercise, rows, answer: readRows(answer) };
}

/** An exercise is a block `{ ... }` of its own, so that it shares no names with the others; this is not shown. */
function withoutBraces(lines, id, line, fail) {
  const isCode = ({ text }) => text.trim() && !commentary.test(text) && !cellCall.test(text);
  const first = lines.findIndex(isCode);
  const last = lines.findLastIndex(isCode);
  if (lines[first].text.trim() !== "{" || lines[last].text.trim() !== "}")
    fail(line, `the code of ${id} has to be one block: a line with { alone, and at the end one with }`);
  return lines.filter((_, i) => i !== first && i !== last);
}

function readList(list, name, fail) {
  if (!list) return null;
  const code = list.lines.find(({ text }) => text.trim() && !commentary.test(text));
  if (code) fail(code.number, `the ${name} holds only lines that begin with \`///\`; \`//%% end\` closes it`);
  const [row] = readRows(list.lines);
  if (!row) fail(list.line, `the ${name} is empty`);
  return { text: row.text, textLine: row.textLine, line: list.line };
}

function readRows(lines) {
  const rows = [];
  let inCellCall = false;
  for (const { text, number } of lines) {
    inCellCall ||= cellCall.test(text);
    if (inCellCall) {
      inCellCall = !/;\s*(\/\/.*)?$/.test(text);
      continue;
    }
    const comment = commentary.exec(text);
    let row = rows.at(-1);
    if (comment) {
      if (!row || row.code.some((line) => line.trim())) rows.push((row = { text: [], textLine: number, code: [], lines: [] }));
      else if (row.code.length) row.text.push(""); // a blank line between two blocks ends a paragraph
      row.code = [];
      row.lines = [];
      row.text.push(comment[1] ?? "");
    } else {
      if (!row) rows.push((row = { text: [], textLine: number, code: [], lines: [] }));
      row.code.push(text.trimEnd());
      row.lines.push(number);
    }
  }
  const indent = commonIndent(rows.flatMap(({ code }) => code));
  return rows
    .map(({ text, textLine, code, lines }) => ({
      text: text.join("\n").trim(),
      // Line numbers are counted from the first line of the text that is not blank.
      textLine: textLine + Math.max(0, text.findIndex((line) => line.trim())),
      code: trimBlankLines(code.map((line) => line.slice(indent))).join("\n"),
      lines: trimBlankLines(lines, (i) => code[i].trim()),
    }))
    .filter(({ text, code }) => text || code);
}

function commonIndent(lines) {
  const indents = lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)[0].length);
  return indents.length ? Math.min(...indents) : 0;
}

function trimBlankLines(lines, isFull = (i) => lines[i].trim()) {
  let begin = 0;
  let end = lines.length;
  while (begin < end && !isFull(begin)) ++begin;
  while (end > begin && !isFull(end - 1)) --end;
  return lines.slice(begin, end);
}
