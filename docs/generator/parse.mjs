// Reads the source of a tutorial: a C++ program in percent format.
//
//   /// # Title                        the first block of `///` lines is the introduction
//   //%% In08 | The table              opens a cell; it lasts until the next marker
//   /// Markdown with $TeX$            commentary
//   auto pe = table(4, 2);             C++
//   cell("In08");                      names the cell to the program; not shown
//   //%% end                           closes a cell without opening one

const marker = /^\s*\/\/%%\s*(.*?)\s*$/;
const commentary = /^\s*\/\/\/(?: (.*)|)$/;
const cellCall = /^\s*(?:\w+(?:\.|->|::))?cell\(/;

/**
 * The parts of a tutorial: `{title, intro, cells}`, a cell being `{id, title, line, rows}` and a row
 * `{text, textLine, code}`. Text stands beside the code that follows it. Throws an Error that begins with
 * `file:line:` if the source has not this form.
 */
export function parseTutorial(source, file) {
  const fail = (line, message) => {
    throw new Error(`${file}:${line}: ${message}`);
  };
  const lines = source.split(/\r?\n/).map((text, index) => ({ text, number: index + 1 }));
  const { title, intro, introLine, rest } = readIntroduction(lines, fail);

  const cells = [];
  let cell = null;
  for (const { text, number } of lines.slice(rest)) {
    const found = marker.exec(text);
    if (!found) {
      cell?.lines.push({ text, number });
    } else if (found[1] === "end") {
      cell = null;
    } else {
      cell = { ...readMarker(found[1], number, fail), line: number, lines: [] };
      if (cells.some(({ id }) => id === cell.id)) fail(number, `cell ${cell.id} exists already`);
      cells.push(cell);
    }
  }
  if (cells.length === 0) fail(lines.length, "no cell: a line `//%% ID | Title` opens one");
  return {
    title,
    intro,
    introLine,
    cells: cells.map(({ id, title, line, lines: body }) => {
      const rows = readRows(body);
      if (rows.length === 0) fail(line, `cell ${id} is empty`);
      return { id, title, line, rows };
    }),
  };
}

function readIntroduction(lines, fail) {
  const first = lines.findIndex(({ text }) => commentary.test(text));
  if (first < 0) fail(1, "no introduction: a block of `///` lines that begins with `/// # Title`");
  let rest = first;
  while (rest < lines.length && commentary.test(lines[rest].text)) ++rest;

  const text = lines.slice(first, rest).map(({ text }) => commentary.exec(text)[1] ?? "");
  const heading = /^# (.+)$/.exec(text[0]);
  if (!heading) fail(first + 1, "the introduction has to begin with `/// # Title`");
  return { title: heading[1].trim(), intro: text.slice(1).join("\n"), introLine: first + 2, rest };
}

function readMarker(text, number, fail) {
  const parts = /^([\w.-]+)\s*\|\s*(\S.*)$/.exec(text);
  if (!parts) fail(number, `expected \`//%% ID | Title\` or \`//%% end\`, got \`//%% ${text}\``);
  return { id: parts[1], title: parts[2] };
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
      if (!row || row.code.some((line) => line.trim())) rows.push((row = { text: [], textLine: number, code: [] }));
      else if (row.code.length) row.text.push(""); // a blank line between two blocks ends a paragraph
      row.code = [];
      row.text.push(comment[1] ?? "");
    } else {
      if (!row) rows.push((row = { text: [], textLine: number, code: [] }));
      row.code.push(text.trimEnd());
    }
  }
  const indent = commonIndent(rows.flatMap(({ code }) => code));
  return rows
    .map(({ text, textLine, code }) => ({
      text: text.join("\n").trim(),
      // Line numbers are counted from the first line of the text that is not blank.
      textLine: textLine + Math.max(0, text.findIndex((line) => line.trim())),
      code: trimBlankLines(code.map((line) => line.slice(indent))).join("\n"),
    }))
    .filter(({ text, code }) => text || code);
}

function commonIndent(lines) {
  const indents = lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)[0].length);
  return indents.length ? Math.min(...indents) : 0;
}

function trimBlankLines(lines) {
  let begin = 0;
  let end = lines.length;
  while (begin < end && !lines[begin].trim()) ++begin;
  while (end > begin && !lines[end - 1].trim()) --end;
  return lines.slice(begin, end);
}
