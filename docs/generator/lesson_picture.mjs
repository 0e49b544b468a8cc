// Draws a cell of a lesson with its checked output, the picture of the README, from the lesson's source and from what PyTorch printed:
//
//   node docs/generator/lesson_picture.mjs . > docs/lesson.svg
//
// It stands for itself, in files that no style of the site reaches, so its colours are in it.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expectedOutputs, readTutorials } from "./generate.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { wordsIn } from "./pictures.mjs";
import { tensors } from "./printed.mjs";

const [lesson, id] = ["08_attention", "softmax"];
const [width, margin, left, line] = [880, 24, 296, 19]; // left: the width of the column of text
const tones = {
  page: ["#ffffff", "#14181f"], panel: ["#f5f6f8", "#1b2029"], line: ["#dde1e7", "#323943"], text: ["#1d2228", "#e2e6eb"],
  soft: ["#57606c", "#a3adb9"], accent: ["#1f5fbf", "#85b4ff"], keyword: ["#a1267f", "#ef8fcf"], type: ["#1a6a78", "#74cddb"],
  number: ["#9a4a06", "#f0b273"], function: ["#1f54b3", "#8fb8ff"], green: ["#1d6b33", "#86d39a"],
};
const inks = { keyword: "keyword", literal: "keyword", type: "type", "title class_": "type", number: "number", built_in: "function", title: "function" };

const text = (x, y, content, kind = "") => `<text class="${kind}" x="${x}" y="${y}">${content}</text>`;

/** Lines of code with their colours as SVG. */
const coloured = (code, language) =>
  highlight(code, language).replace(/<span class="hljs-([^"]+)">/g, (_, kind) => `<tspan class="${inks[kind] ?? "plain"}">`).replaceAll("</span>", "</tspan>").split("\n");

/** The lines that fit into `most` letters. */
function wrapped(words, most) {
  const lines = [""];
  for (const word of words.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > most) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

/** The picture as an SVG file. */
export function lessonPicture(repository) {
  const tutorials = readTutorials(repository);
  const number = 1 + tutorials.findIndex(({ name }) => name === lesson);
  const { title, cells } = tutorials[number - 1];
  const cell = cells.find((one) => one.id === id);
  const [, python] = /```python\n([\s\S]*?)\n```/.exec(cell.rows[0].text);
  const code = cell.rows.map((row) => row.code).join("\n").trim().replace(/ +\/\/ .*$/gm, "");
  const printed = expectedOutputs(repository, { name: lesson })[id].trimEnd();
  const words = wordsIn(cells.find((one) => one.id === "words").rows.map((row) => row.code).join("\n"));
  const [weights] = tensors(printed);
  const idea = cell.rows[0].text.split(/\n\s*\n/)[0].replace(/\s+/g, " ").replace(/ The softmax of each row does this:$/, " The softmax of each row does this.");

  const x = margin + left + 20;
  const parts = [];
  let y = 78;
  const box = (label, lines, kind = "") => {
    const height = lines.length * line + 40;
    parts.push(`<rect class="box ${kind}" x="${x}" y="${y}" width="${width - margin - x}" height="${height}" rx="8"/>`, text(x + 14, y + 21, label, `label ${kind}`));
    lines.forEach((one, i) => parts.push(text(x + 14, y + 44 + i * line, one, "code")));
    y += height + 12;
  };
  box("PyTorch", coloured(python, "python"));
  box("C++", coloured(code, "cpp"));
  const outputAt = y;
  box("Output", escapeHtml(printed).split("\n"), "output");
  parts.push(`<path class="tick" d="M${x + 84} ${outputAt + 16}l4 4 8-9"/>`, text(x + 104, outputAt + 21, "the same bytes as PyTorch", "badge"));

  const lines = wrapped(idea, 38);
  lines.forEach((one, i) => parts.push(text(margin, 98 + i * 22, escapeHtml(one), "prose")));
  const side = 54;
  const [gridX, gridY] = [margin + 62, 98 + lines.length * 22 + 36];
  words.forEach((word, j) => parts.push(text(gridX + (j + 0.5) * side, gridY - 8, escapeHtml(word), "middle soft")));
  words.forEach((word, i) => {
    parts.push(text(gridX - 10, gridY + (i + 0.5) * side + 5, escapeHtml(word), "end soft"));
    weights[i].forEach((weight, j) => {
      parts.push(`<rect class="weight" fill-opacity="${(0.7 * weight).toFixed(2)}" x="${gridX + j * side}" y="${gridY + i * side}" width="${side}" height="${side}"/>`);
      parts.push(text(gridX + (j + 0.5) * side, gridY + (i + 0.5) * side + 5, weight.toFixed(2), "middle"));
    });
  });
  parts.push(text(gridX + 2 * side, gridY + 4 * side + 26, "Each row: whom a word looks at", "middle soft"));

  const height = y + 10;
  const rules = (i) => Object.entries(tones).map(([tone, values]) => `.etude-lesson .${tone}{fill:${values[i]}}`).join("") +
    `.etude-lesson text{fill:${tones.text[i]}}.etude-lesson .soft,.etude-lesson .label{fill:${tones.soft[i]}}.etude-lesson .badge{fill:${tones.green[i]}}` +
    `.etude-lesson .box{fill:${tones.panel[i]};stroke:${tones.line[i]}}.etude-lesson .tick{stroke:${tones.green[i]}}` +
    `.etude-lesson .weight{fill:${tones.accent[i]};stroke:${tones.line[i]}}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="etude-lesson" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="lesson-title lesson-desc">
<title id="lesson-title">${escapeHtml(cell.title)}, a cell of lesson ${number}</title>
<desc id="lesson-desc">Six lines of PyTorch, the same in C++, and what both print.</desc>
<style>
.etude-lesson text{font:15px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
.etude-lesson .heading{font-size:22px;font-weight:600}
.etude-lesson .label{font-size:13px;font-weight:600}
.etude-lesson .badge{font-size:14px;font-weight:600}
.etude-lesson .code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.etude-lesson .middle{text-anchor:middle}
.etude-lesson .end{text-anchor:end}
.etude-lesson .tick{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}
${rules(0)}
@media (prefers-color-scheme:dark){
${rules(1)}
}
</style>
<rect class="page" width="${width}" height="${height}" rx="10"/>
${text(margin, 34, `Lesson ${number} · ${escapeHtml(title)}`, "soft")}
${text(margin, 62, escapeHtml(cell.title), "heading")}
${parts.join("\n")}
</svg>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(lessonPicture(resolve(process.argv[2] ?? ".")));
