// A guide that reads source files from top to bottom, and what those files define, for the pages of other sources.
//
// A paragraph that is nothing but a link with code as its text, [`how a line begins`](FILE), says that the text behind it is about
// the lines of FILE from that one on, up to the next such paragraph.
import { dirname, join } from "node:path";

const mark = /^\[`(.+)`\]\(([^)]+)\)$/;

/** Whether a guide reads sources. */
export const isReading = (text) => text.split("\n").some((line) => mark.test(line));

/**
 * The parts of a guide: `{intro, sections}`, a section being `{title, rows}` and a row, as the introduction, `{text, textLine, file,
 * code, lines}`. `read(file)` gives the text of a file of the repository. Throws an Error that begins with `guide:line:` for a line that is
 * not found, and for a file of which lines are left out.
 */
export function parseReading(text, guide, read) {
  const intro = { text: [], textLine: 2 }; // a mark in it names a file that stands beside it
  const sections = [];
  let row = intro;
  for (const [i, line] of text.split("\n").entries()) {
    const [, begins, href] = mark.exec(line) ?? [];
    if (i === 0) continue;
    if (line.startsWith("## ")) {
      sections.push({ title: line.slice(3), line: i + 1, rows: [] });
      row = null;
    } else if (begins) {
      const source = { file: join(dirname(guide), href), begins, mark: i + 1 };
      if (!sections.length) Object.assign(intro, source);
      else sections.at(-1).rows.push((row = { text: [], textLine: i + 2, ...source }));
    } else if (row) {
      row.text.push(line);
    } else if (line.trim()) {
      throw new Error(`${guide}:${i + 1}: text between a heading and the lines that it is about`);
    }
  }
  const rows = [...(intro.file ? [intro] : []), ...sections.flatMap((section) => section.rows)];
  for (const file of new Set(rows.map((one) => one.file))) addCode(rows.filter((one) => one.file === file), read(file), guide);
  return { intro: intro.file ? finished(intro) : { text: intro.text.join("\n"), textLine: intro.textLine }, sections: sections.map(({ title, rows }) => ({ title, rows: rows.map(finished) })) };
}

/** Gives each of the rows of a file its lines. */
function addCode(rows, text, guide) {
  const code = text.trimEnd().split("\n");
  let next = 0;
  for (const row of rows) {
    row.from = code.findIndex((line, i) => i >= next && line.startsWith(row.begins));
    if (row.from < 0) throw new Error(`${guide}:${row.mark}: behind the lines before, no line of ${row.file} begins with ${row.begins}`);
    next = row.from + 1;
  }
  if (rows[0].from > 0) throw new Error(`${guide}:${rows[0].mark}: the first ${rows[0].from} lines of ${rows[0].file} are left out`);
  for (const [i, row] of rows.entries()) row.code = code.slice(row.from, rows[i + 1]?.from);
}

function finished({ text, textLine, file, from, code }) {
  const size = code.findLastIndex((line) => line.trim()) + 1;
  const blank = text.findIndex((line) => line.trim());
  return {
    text: text.join("\n").trim(),
    textLine: textLine + Math.max(0, blank),
    file,
    code: code.slice(0, size).join("\n"),
    lines: Array.from({ length: size }, (_, i) => from + 1 + i),
  };
}

const operators = { "+": "add", "-": "sub", "*": "mul", "/": "div" };
const defined = [
  /^(?:struct|class) (?:ETUDE_API )?(\w+Impl)\b/,
  /^(?:template <[^>]*> ?)?(?:inline )?(?:const )?(?:std::pair<Tensor, Tensor>|Tensors?|bool)&? (?:Tensor::)?(?:\w+::)*(\w+)\(.*(?:\{|[^;])$/,
  /^inline Tensor operator([-+*/])\(const Tensor& a, const Tensor& b\) \{$/,
  /^(?:MINI_FUNCTION|ETUDE_FUNCTION|ETUDE_RECORDED|ETUDE_METHODS|ETUDE_BINARY_METHODS)\((\w+)[,)]/,
];

/** What the lines at the left margin of a C++ file define: `{name, from, to}`, lines counted from 1, with the comment before it. */
export function definitions(text) {
  const lines = text.split("\n");
  const all = [];
  for (const [i, line] of lines.entries()) {
    const name = defined.map((one) => one.exec(line)?.[1]).find(Boolean);
    if (!name) continue;
    let from = i;
    while (from > 0 && /^(\/\/|template )/.test(lines[from - 1])) --from;
    const isWhole = /^MINI_FUNCTION|^ETUDE_|\}$/.test(line);
    const to = isWhole ? i : lines.findIndex((other, j) => j > i && /^\}/.test(other));
    all.push({ name: operators[name] ?? name, from: from + 1, to: to + 1 });
  }
  return all;
}
