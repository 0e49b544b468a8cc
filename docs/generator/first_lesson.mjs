// Lesson 0, docs/what_a_transformer_is.md: a page of prose with figures and questions. A fence `picture NAME TITLE` stands for one of
// first_figures.mjs, drawn from what the page's model said, or for a map of the course; a fence `question` holds rows of a file of
// tutorials/help, `ask` and what follows it; a section has at most one. A number has a row `answer`, which is folded in the page.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawDiagram } from "./diagram.mjs";
import { figureHtml, figureWords, figures, firstChoice } from "./first_figures.mjs";
import { exercisesScript, parseHelp, questionForm } from "./help.mjs";
import { escapeHtml, filled } from "./html.mjs";
import { listItems } from "./lesson.mjs";
import { markdownRenderer, plainText, slug } from "./markdown.mjs";
import { otherWords } from "./live_markup.mjs";
import { contentsBar, document, languageLinks, languageOf, neighbours } from "./page.mjs";

export const name = "what_a_transformer_is";
const file = `docs/${name}.md`;
const minutes = 15;

// What first_lesson.js says besides figureWords.
const said = [
  "block", "block #", "head", "head #", "temperature", "the text so far", "As it was", "Draw a piece", "Draw thirty", "The model could not be loaded.",
  "The model knows none of these characters.",
];

/** What the model said of the page's text, or null where nothing was recorded. */
export function firstAnswer(record) {
  const path = join(record, "inside.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
}

/** Lesson 0, or null where a repository has none. */
export function readFirstLesson(repository) {
  const path = join(repository, file);
  return existsSync(path) ? parseFirstLesson(readFileSync(path, "utf8")) : null;
}

/** Lesson 0 in the form that parseTutorial gives, a cell for each section, of which `help` has the question by its id. */
export function parseFirstLesson(source) {
  const [head, ...sections] = source.split(/^## /m);
  const [, title, intro] = /^# (.+)\n([\s\S]*)$/.exec(head);
  let line = head.split("\n").length;
  const cells = sections.map((section) => {
    const [heading] = section.split("\n");
    const text = section.slice(heading.length);
    const cell = { id: slug(heading), title: heading, line, rows: [{ text, textLine: line, code: "" }] };
    line += section.split("\n").length - 1;
    return cell;
  });
  const { id, title: referencesTitle, line: referencesLine, rows: [{ text }] } = cells.pop();
  const references = { id, title: referencesTitle, line: referencesLine, text, textLine: referencesLine };
  const questions = cells.flatMap(({ id, rows: [{ text }] }) => {
    const found = [...text.matchAll(/^```question\n([\s\S]*?)^```$/gm)];
    if (found.length > 1) throw new Error(`${file}: ${id} has two questions`);
    return found.map(([, rows]) => [id, parseHelp(`exercise1\n${rows}`, `${file}: ${id}`).exercise1]);
  });
  return { name, file, title, intro, introLine: 2, description: plainText(intro), facts: { minutes, needs: "", outcomes: [] }, cells, references, summary: null, help: Object.fromEntries(questions) };
}

/** The question of a section as a form, which a script shows, and where none runs as a text; below it the answer, folded. */
function question({ question: asked, answer }, id, markdown, label) {
  const right = asked.choices.find((one) => one.right);
  const stop = /[\u3040-\u30ff\u4e00-\u9fff]$/.test(right?.text) ? "。" : "."; // Chinese and Japanese have their own
  const says = answer ?? `**${right.text}${stop}** ${right.says}`;
  return `${questionForm(asked, name, id, markdown.inline, label)}<p class="asked">${markdown.inline(asked.text)}</p>
<details class="answer"><summary>${escapeHtml(label("Answer"))}</summary>
${markdown.block(says)}</details>
`;
}

/** Every lesson as a box beside the part of the way that it is about. */
function lessonsMap(parts, tutorials, { inline, label, address }) {
  const named = parts.flatMap(({ lessons }) => lessons);
  const wrong = [...tutorials.map((one) => one.name).filter((one) => !named.includes(one)), ...named.filter((one, i) => named.indexOf(one) !== i || !tutorials.some((known) => known.name === one))];
  if (wrong.length) throw new Error(`course.mjs: the parts of the way have to name each lesson once; ${wrong.join(", ")}`);
  const box = (one) => {
    const at = tutorials.findIndex((known) => known.name === one);
    const href = address(`${one}.html`);
    const language = languageOf(href);
    return `<li><a href="${href}"${language.link}${language.title}><span class="number">${at + 1}</span> ${inline(tutorials[at].title)}</a></li>`;
  };
  return `<ol class="course-parts">${parts.map(({ title, lessons }) => `<li><strong>${escapeHtml(label(title))}</strong><ul>${lessons.map(box).join("")}</ul></li>`).join("")}</ol>`;
}

/**
 * The page as HTML. `answer` is what the model said, `course` is what course.mjs has, `link` is that of markdownRenderer, `place(target)` is
 * the page of a lesson's cell, and the rest is as in tutorialPage.
 */
export function firstLessonPage({ lesson, answer, site, course, link, place, isLive, label = (text) => text, language = "en", languages = [], note = "", address = (page) => page }) {
  const folder = language === "en" ? "" : "../";
  const choice = firstChoice(answer);
  const picture = (id, title, labels) => {
    const links = () => Object.fromEntries(Object.entries(course.map.links).map(([box, target]) => [box, address(place(target))]));
    if (id === "map") return drawDiagram(course.map.diagram, title, { links: links(), prefix: "map-", label });
    if (id === "lessons") return lessonsMap(course.parts, site.tutorials, { inline: markdown.inline, label, address });
    if (!figures[id]) throw new Error(`there is no figure "${id}" in docs/generator/first_figures.mjs`);
    return figureHtml(id, answer, choice, { isLive: false, label, ...labels });
  };
  let section = "";
  const markdown = markdownRenderer({
    figure: () => "",
    link,
    picture: (id, labels) => picture(id, labels.title, labels),
    question: () => question(lesson.help[section], section, markdown, label),
  });
  const references = listItems(lesson.references.text).length;
  const row = ({ id, title, rows: [{ text, textLine }] }) => {
    section = id;
    const html = block(markdown, text, textLine, { references, idPrefix: `${id}-`, label });
    const [before, drawn = "", after = ""] = html.split(/(<figure class="plot[\s\S]*?<\/figure>\n?)/);
    return `<section class="cell" id="${id}" aria-labelledby="${id}-title"><div class="row">
<div class="docs"><h2 id="${id}-title">${markdown.inline(title)}</h2>
${before}</div>
<div class="code">${drawn}</div>${after && `\n<div class="docs">${after}</div>`}
</div></section>`;
  };
  let number = 0;
  const sources = block(markdown, lesson.references.text, lesson.references.textLine, { label }).replace(/<li>/g, () => `<li id="reference-${++number}">`);
  const pages = [lesson, site.tutorials.find((one) => one.name === course.paths[0].lessons[0])]; // who has no path yet goes on with the first one
  const items = [...lesson.cells, lesson.references].map(({ id, title }) => `<li><a href="#${id}">${markdown.inline(title)}</a></li>`);
  const turn = { label, address: (page) => address(`${page}.html`) };
  const own = `${language === "en" ? "" : `${language}/`}${name}.html`;
  const serve = filled(label("To let the model read a text of your own, serve this folder and open the page from there: #, then #."), "<code>python3 -m http.server</code>", `<code>http://localhost:8000/${own}</code>`);
  const serving = isLive ? `<p class="serving" hidden>${serve}</p>\n` : "";
  const body = `${contentsBar(items, pages, 0, turn)}
<main id="content"${isLive ? " data-live" : ""}>
<section class="row introduction"><div class="docs">
<p class="eyebrow">${escapeHtml(label("Lesson"))} 0 / ${site.tutorials.length}${languageLinks(languages, language)}</p>
<h1>${markdown.inline(lesson.title)}</h1>
${note}${block(markdown, lesson.intro, lesson.introLine, { references, label })}${serving}</div><div class="code"></div></section>
${lesson.cells.map(row).join("\n")}
<section class="row closing" id="${lesson.references.id}" aria-labelledby="references-title"><div class="docs">
<h2 id="references-title">${markdown.inline(lesson.references.title)}</h2>
${sources}</div><div class="code"></div></section>
</main>
${neighbours(pages, 0, turn)}`;
  const scripts = `${exercisesScript(folder, label)}\n<script src="${folder}first_lesson.js"${otherWords([...figureWords, ...said], label)} defer></script>`;
  return document({ title: `${plainText(lesson.title)} · Etude`, description: lesson.description, kind: "tutorial first-lesson", body, language, folder, label, scripts });
}

function block(markdown, text, line, env) {
  try {
    return markdown.block(text, env);
  } catch (error) {
    throw new Error(`${file}:${line + (error.line ?? 0)}: ${error.message}`, { cause: error });
  }
}

/** The script of the page: the figures, what was recorded, and what lets them be touched. It is no module, so that files can load it. */
export function firstLessonScript(answer) {
  const here = (other) => readFileSync(new URL(other, import.meta.url), "utf8").replace(/^import .*\n/gm, "").replace(/^export (?=function|const)/gm, "");
  return `{\nconst recorded = ${JSON.stringify(answer)};\n${here("html.mjs")}\n${here("first_figures.mjs")}\n${here("first_lesson.js")}}\n`;
}
