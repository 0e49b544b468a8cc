// Makes slides from a lesson: node slides.mjs REPOSITORY RECORD FOLDER NUMBER [--no-answers]
//
// Writes FOLDER/NN_name.html, one file that needs nothing else. A cell is a slide: its title, the first sentence of its prose, formulas,
// pictures, code, and what the program recorded in RECORD/NN_name. All of the prose is in the speaker's notes. slides.js, which is in the
// file, goes on to another slide where one is full.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { figureIn, pictureFrom, readTutorials } from "./generate.mjs";
import { firstSentence } from "./glossary.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { cellNumber, markdownRenderer, plainText } from "./markdown.mjs";
import { paragraphs } from "./translate.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (path) => readFileSync(path, "utf8");
/** Of an output, the lines that are shown: more than one slide of them says little. */
const most = 24;

/** The lines of coloured code, each an element of its own. */
export function codeLines(html) {
  const open = [];
  return html
    .split("\n")
    .map((line) => {
      const before = open.join("");
      for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) tag === "</span>" ? open.pop() : open.push(tag);
      return `<span class="line">${before}${line}${"</span>".repeat(open.length)}\n</span>`;
    })
    .join("");
}

const box = (text, language, kind) => {
  const width = Math.max(...text.split("\n").map((line) => line.length));
  return `<pre class="${kind}" style="--letters: ${Math.max(70, width)}"><code>${codeLines(highlight(text, language))}</code></pre>`;
};

function printedBox(text) {
  const lines = text.replace(/\n+$/, "").split("\n");
  if (!lines[0] && lines.length === 1) return "";
  const more = lines.length - most;
  return box([...lines.slice(0, most), ...(more > 0 ? [`... ${more} more lines`] : [])].join("\n"), "text", "printed");
}

const isWhole = (text) => /^(\$\$|```(diagram|picture) |!\[|[-*] |\d+\. |\||>)/.test(text);

/** What of a text stands on a slide: the first sentence of its first paragraph, and all that is no paragraph. */
export function shownOf(text, all = false) {
  let said = false;
  return paragraphs(text)
    .map((one) => one.text)
    .filter((one) => !/^```\w*( hidden| original)?$/m.test(one.split("\n")[0]) || /^```(diagram|picture) /.test(one))
    .flatMap((one) => {
      if (isWhole(one) || all) return [one];
      if (said) return [];
      said = true;
      return [firstSentence(one.replace(/\s+/g, " "))];
    })
    .join("\n\n")
    .replace(/\s+\[\d+\](?![(:`])/g, "");
}

const slide = (title, content, notes = "", kind = "") =>
  `<section class="slide${kind && ` ${kind}`}"><h2>${title}</h2>\n<div class="content">${content}</div>${notes.trim() && `\n<aside class="notes" aria-label="Speaker's notes">${notes}</aside>`}</section>`;

/** The slides of a lesson as parseTutorial gives it; `outputs[id]` is what a cell printed. */
export function slidesOf(tutorial, outputs, markdown) {
  let made = 0;
  const block = (text) => markdown.block(text, { headingShift: 2, idPrefix: `s${++made}-` });
  const { facts, intro, cells, summary } = tutorial;
  const number = Number(tutorial.name.slice(0, 2));
  const first = facts ? `<ul>${facts.outcomes.map((one) => `<li>${markdown.inline(one)}</li>`).join("")}</ul>\n${block(`You need: ${facts.needs}`)}<p>${facts.minutes} minutes</p>` : "";
  const slides = [`<section class="slide title"><h1><span>Lesson ${number}</span> ${markdown.inline(tutorial.title)}</h1><div class="content">${first}</div>\n<aside class="notes" aria-label="Speaker's notes">${block(intro)}</aside></section>`];
  const drawn = paragraphs(shownOf(intro)).filter(({ text }) => isWhole(text));
  if (drawn.length) slides.push(slide("The idea", block(drawn.map(({ text }) => text).join("\n\n"))));
  for (const cell of cells) {
    const id = cellNumber(cell.id);
    const title = `${id ? `<span class="id">${id}</span> ` : ""}${markdown.inline(cell.title)}`;
    const rows = cell.rows.map(({ text, code }) => block(shownOf(text, cell.exercise)) + (code && box(code, "cpp", "cpp"))).join("\n");
    const notes = cell.exercise ? "" : block(cell.rows.map(({ text }) => text).join("\n\n"));
    const printed = printedBox(outputs[cell.id] ?? "");
    slides.push(slide(title, cell.exercise ? rows : rows + printed, notes, cell.exercise ? "exercise" : ""));
    if (cell.answer) slides.push(slide(`Answer: ${title}`, cell.answer.map(({ text, code }) => block(shownOf(text)) + (code && box(code, "cpp", "cpp"))).join("\n") + printed, block(cell.answer.map(({ text }) => text).join("\n\n")), "answer"));
  }
  if (summary) slides.push(slide("Summary", block(summary.text)));
  return slides;
}

const address = (file, type) => `data:${type};base64,${readFileSync(file).toString("base64")}`;

/** The style of formulas with its fonts, of which only those that browsers of today read. */
function formulaStyle() {
  const katex = here("node_modules/katex/dist/");
  return read(`${katex}katex.min.css`)
    .replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, "")
    .replace(/url\((fonts\/[^)]+\.woff2)\)/g, (all, font) => `url(${address(katex + font, "font/woff2")})`);
}

/** The file as HTML. */
export function slidesPage(tutorial, outputs, markdown) {
  const slides = slidesOf(tutorial, outputs, markdown).join("\n");
  const style = ["base", "lesson", "pictures", "slides"].map((name) => read(here(`style/${name}.css`))).join("\n");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Slides: ${escapeHtml(plainText(tutorial.title))} · Etude</title>
<style>${slides.includes('class="katex"') ? formulaStyle() : ""}
${style}</style>
</head>
<body class="slides">
<main id="deck">
${slides}
</main>
<nav class="controls" aria-label="Slides"><button type="button" id="back" aria-label="Previous slide"></button><output id="place" aria-live="polite"></output><button type="button" id="on" aria-label="Next slide"></button><button type="button" id="show-notes" aria-pressed="false">Notes</button></nav>
<script>
${read(here("slides.js"))}</script>
</body>
</html>
`;
}

/** Writes the slides of the lesson with this number, and gives the path of their file. */
export function writeSlides(repository, record, folder, number, answers = true) {
  const tutorial = readTutorials(repository, answers).find(({ name }) => Number(name.slice(0, 2)) === number);
  if (!tutorial) throw new Error(`there is no lesson ${number}`);
  const recorded = join(record, tutorial.name);
  const outputs = Object.fromEntries(tutorial.cells.map(({ id }) => [id, read(join(recorded, `${id}.txt`))]));
  // Slides stand alone: a link within the course has its text only.
  const link = (href) => (/^https?:/.test(href) ? href : null);
  const markdown = markdownRenderer({ figure: figureIn(recorded), link, picture: pictureFrom(tutorial, outputs) });
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${tutorial.name}.html`);
  writeFileSync(path, slidesPage(tutorial, outputs, markdown));
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const answers = !process.argv.includes("--no-answers");
  const [repository, record, folder, number] = process.argv.slice(2).filter((one) => !one.startsWith("--"));
  try {
    console.log(`The slides: ${writeSlides(resolve(repository), resolve(record), resolve(folder), Number(number), answers)}`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
