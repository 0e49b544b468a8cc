// Lesson 0, docs/what_a_transformer_is.md: a page of prose with figures and questions. A fence `picture NAME TITLE` stands for one of
// first_figures.mjs, drawn from what the page's model said, or for a map of the course; a fence `question` holds rows of a file of
// tutorials/help, `ask` and what follows it. A number has a row `answer`, which is folded in the page.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawDiagram } from "./diagram.mjs";
import { figureHtml, figures, firstChoice } from "./first_figures.mjs";
import { parseHelp, questionForm } from "./help.mjs";
import { escapeHtml } from "./html.mjs";
import { listItems } from "./lesson.mjs";
import { markdownRenderer, plainText, slug } from "./markdown.mjs";
import { contentsBar, document, neighbours } from "./page.mjs";

const name = "what_a_transformer_is";
const file = `docs/${name}.md`;
const minutes = 15;

/** What the model said of the page's text, or null where nothing was recorded. */
export function firstAnswer(record) {
  const path = join(record, "inside.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
}

/** Lesson 0 in the form that parseTutorial gives, a cell for each section, or null where a repository has none. */
export function readFirstLesson(repository) {
  const path = join(repository, file);
  if (!existsSync(path)) return null;
  const [head, ...sections] = readFileSync(path, "utf8").split(/^## /m);
  const [, title, intro] = /^# (.+)\n([\s\S]*)$/.exec(head);
  let line = head.split("\n").length;
  const cells = sections.map((section) => {
    const [heading] = section.split("\n");
    const text = section.slice(heading.length);
    const cell = { id: slug(heading), title: heading, line, rows: [{ text, textLine: line, code: "" }] };
    line += section.split("\n").length - 1;
    return cell;
  });
  const references = cells.pop();
  return { name, file, title, intro, introLine: 2, description: plainText(intro), facts: { minutes, needs: "", outcomes: [] }, cells, references, summary: null, help: {} };
}

/** The questions of a section as a form, which a script shows, and where none runs as a text; below it the answer, folded. */
function question(source, id, markdown) {
  const { question: asked, answer } = parseHelp(`exercise1\n${source}`, `${file}: ${id}`).exercise1;
  const right = asked.choices.find((one) => one.right);
  const says = answer ?? `**${right.text}.** ${right.says}`;
  return `${questionForm(asked, name, id, markdown.inline)}<p class="asked">${markdown.inline(asked.text)}</p>
<details class="answer"><summary>Answer</summary>
${markdown.block(says)}</details>
`;
}

/** Every lesson as a box beside the part of the way that it is about. */
function lessonsMap(parts, tutorials, inline) {
  const named = parts.flatMap(({ lessons }) => lessons);
  const wrong = [...tutorials.map((one) => one.name).filter((one) => !named.includes(one)), ...named.filter((one, i) => named.indexOf(one) !== i || !tutorials.some((known) => known.name === one))];
  if (wrong.length) throw new Error(`course.mjs: the parts of the way have to name each lesson once; ${wrong.join(", ")}`);
  const box = (one) => {
    const at = tutorials.findIndex((known) => known.name === one);
    return `<li><a href="${one}.html"><span class="number">${at + 1}</span> ${inline(tutorials[at].title)}</a></li>`;
  };
  return `<ol class="course-parts">${parts.map(({ title, lessons }) => `<li><strong>${escapeHtml(title)}</strong><ul>${lessons.map(box).join("")}</ul></li>`).join("")}</ol>`;
}

/** The page as HTML. `answer` is what the model said, `course` is what course.mjs has, and `address(target)` is where a lesson's cell is. */
export function firstLessonPage({ lesson, answer, site, course, link, address, isLive }) {
  const choice = firstChoice(answer);
  const picture = (id, title, labels) => {
    const links = () => Object.fromEntries(Object.entries(course.map.links).map(([box, target]) => [box, address(target)]));
    if (id === "map") return drawDiagram(course.map.diagram, title, { links: links(), prefix: "map-" });
    if (id === "lessons") return lessonsMap(course.parts, site.tutorials, markdown.inline);
    if (!figures[id]) throw new Error(`there is no figure "${id}" in docs/generator/first_figures.mjs`);
    return figureHtml(id, answer, choice, { isLive: false, ...labels });
  };
  let section = "";
  const markdown = markdownRenderer({
    figure: () => "",
    link,
    picture: (id, labels) => picture(id, labels.title, labels),
    question: (source) => question(source, section, markdown),
  });
  const references = listItems(lesson.references.rows[0].text).length;
  const row = ({ id, title, rows: [{ text, textLine }] }) => {
    section = id;
    const html = block(markdown, text, textLine, { references, idPrefix: `${id}-` });
    const [before, drawn = "", after = ""] = html.split(/(<figure class="plot[\s\S]*?<\/figure>\n?)/);
    return `<section class="cell" id="${id}" aria-labelledby="${id}-title"><div class="row">
<div class="docs"><h2 id="${id}-title">${markdown.inline(title)}</h2>
${before}</div>
<div class="code">${drawn}</div>${after && `\n<div class="docs">${after}</div>`}
</div></section>`;
  };
  let number = 0;
  const sources = block(markdown, lesson.references.rows[0].text, lesson.references.line, {}).replace(/<li>/g, () => `<li id="reference-${++number}">`);
  const pages = [lesson, site.tutorials.find((one) => one.name === course.paths[0].lessons[0])]; // who has no path yet goes on with the first one
  const items = [...lesson.cells, lesson.references].map(({ id, title }) => `<li><a href="#${id}">${markdown.inline(title)}</a></li>`);
  const serving = isLive ? `<p class="serving" hidden>To let the model read a text of your own, serve this folder and open the page from there: <code>python3 -m http.server</code>, then <code>http://localhost:8000/${name}.html</code>.</p>\n` : "";
  const body = `${contentsBar(items, pages, 0)}
<main id="content"${isLive ? " data-live" : ""}>
<section class="row introduction"><div class="docs">
<p class="eyebrow">Lesson 0 / ${site.tutorials.length}</p>
<h1>${markdown.inline(lesson.title)}</h1>
${block(markdown, lesson.intro, lesson.introLine, { references })}${serving}</div><div class="code"></div></section>
${lesson.cells.map(row).join("\n")}
<section class="row closing" id="${lesson.references.id}" aria-labelledby="references-title"><div class="docs">
<h2 id="references-title">${markdown.inline(lesson.references.title)}</h2>
${sources}</div><div class="code"></div></section>
</main>
${neighbours(pages, 0)}`;
  return document({ title: `${plainText(lesson.title)} · Etude`, description: lesson.description, kind: "tutorial first-lesson", body, scripts: '\n<script src="exercises.js" defer></script>\n<script src="first_lesson.js" defer></script>' });
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
