// The first page: the picture of the course, its paths, all lessons and guides.
import { drawDiagram } from "./diagram.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { neededLessons } from "./lesson.mjs";
import { document } from "./page.mjs";

/** Where `NAME#CELL` leads. Throws an Error if there is no such lesson or cell. */
export function address(target, tutorials) {
  const [name, cell] = target.split("#");
  const tutorial = tutorials.find((one) => one.name === name);
  if (!tutorial) throw new Error(`course.mjs: there is no lesson ${name}`);
  if (cell && !tutorial.cells.some(({ id }) => id === cell)) throw new Error(`course.mjs: ${name} has no cell ${cell}`);
  return `${name}.html${cell ? `#${cell}` : ""}`;
}

/** A path: its lessons, how long they take; what a lesson needs has to stand before it. */
function pathBlock({ title, text, needs, lessons }, { tutorials, first }, markdown) {
  const find = (name) => tutorials.find((one) => one.name === name);
  const all = [...(first ? [first] : []), ...lessons.map((name) => find(address(name, tutorials) && name))];
  const minutes = all.reduce((sum, { facts }) => sum + (facts?.minutes ?? 0), 0);
  for (const [i, name] of lessons.entries()) {
    const missing = neededLessons(find(name)).find((needed) => !lessons.slice(0, i).includes(needed));
    if (missing) throw new Error(`course.mjs: in the path "${title}", ${name} needs ${missing}, which does not stand before it`);
  }
  return `<li><h3>${escapeHtml(title)}</h3>
<p>${escapeHtml(text)} You need ${escapeHtml(needs)}. ${all.length} lessons, ${Math.round(minutes / 30) / 2} hours.</p>
<ol>${all.map((one) => `<li><a href="${one.name}.html">${markdown.inline(one.title)}</a></li>`).join("\n")}</ol></li>`;
}

const referenceLink = (markdown) => ({ name, title }) => `<li><a href="api_${name}.html">${markdown.inline(title)}</a></li>`;

/** What a reader types to have a lesson; `source` is the public address of the repository, or null where there is none. */
const commands = (source) =>
  `${source ? `git clone ${source} etude && cd etude\n` : ""}tutorials/run 8   # runs lesson 8, compares it with PyTorch`;

/** The first sentences of a description, as many as a card has room for, without marks of references. */
function summary(description) {
  const sentences = description.replace(/\s+/g, " ").replace(/ \[\d+\]/g, "").split(/(?<=[.?:])\s+(?=[A-Z*`])/);
  let text = sentences.shift();
  while (sentences.length && `${text} ${sentences[0]}`.length <= 300) text += ` ${sentences.shift()}`;
  return text.replace(/:$/, ".");
}

/** What a reader can do at once in a page, by its name. */
const beginnings = { inside: "look inside a trained GPT", training: "watch one learn" };

/** A text of the reader's own, which the page "Inside a real model" begins with. */
const askForm = (text) => `<form class="ask" action="inside.html"><label for="ask">What comes next, and which letters does it come from? Ask a trained GPT:</label>
<span><input id="ask" name="text" value="${escapeHtml(text)}" maxlength="400" autocomplete="off" spellcheck="false" required><button>Look inside</button></span></form>`;

/** How many questions the page of a lesson asks, with its exercises or in its text; exercises.js counts those that were answered. */
const questionCount = ({ help = {} }) =>
  Object.values(help).filter(({ question }) => question).length;

/**
 * `course` is `{paths, map}` of course.mjs; `pictures[name]` is the picture of a lesson, an element; `looking` is the figure that
 * moves; `figures` lists the interactive figures, `pages` the names of those that a reader may begin with, too; `ask` is a text about which
 * the trained model can be asked in its page; `languages` are those of the first lesson; `source` is the public address of the
 * repository, or null.
 */
export function indexPage({ site, markdown, course, pictures, looking = "", figures = "", pages = [], ask = "", languages = [], reference = [], source = null }) {
  const { tutorials, guides, first } = site;
  const named = course.paths.flatMap(({ lessons }) => lessons);
  const forgotten = course.paths.length ? tutorials.find(({ name }) => !named.includes(name)) : undefined;
  if (forgotten) throw new Error(`course.mjs: no path has the lesson ${forgotten.name}`);
  const links = Object.fromEntries(Object.entries(course.map?.links ?? {}).map(([box, target]) => [box, address(target, tutorials)]));
  const map = course.map
    ? `<figure class="plot map">${drawDiagram(course.map.diagram, course.map.title, { links, prefix: "map-" })}<figcaption>${course.map.title}</figcaption></figure>`
    : "";
  const lessons = [...(first ? [first] : []), ...tutorials];
  const start = first ?? tutorials.find(({ name }) => name === course.paths[0]?.lessons[0]) ?? tutorials[0];
  const startLink = (page, word, text, kind = "") => `<a class="start${kind}" href="${page.name}.html"><strong>${word}</strong> <span>${text}</span></a>`;
  const mini = guides.find(({ name }) => name === "mini");
  const also = pages.filter((name) => !(ask && name === "inside")).map((name) => `<a href="${name}.html">${beginnings[name]}</a>`);
  const translations = languages.filter(({ code }) => code !== "en").map(({ code, name, href }) => `<a lang="${code}" hreflang="${code}" href="${href}">${name}</a>`);
  const card = ({ name, title, description, facts, ...lesson }, number) => `<li><a href="${name}.html"${questionCount(lesson) ? ` data-lesson="${name}" data-questions="${questionCount(lesson)}"` : ""}>
${pictures[name] ? `<span class="picture" aria-hidden="true">${pictures[name]}</span>` : ""}<span class="number">${number}${facts ? ` · ${facts.minutes} minutes` : ""}</span>
<strong>${markdown.inline(title)}</strong>
<span class="summary">${markdown.inline(summary(description))}</span>
</a></li>`;
  const body = `<main id="content">
<div class="hero">
<div>
<h1>Etude</h1>
<p class="lead">Learn how a transformer works, from one number to a trained GPT, in C++ that you can read and that prints what PyTorch prints.</p>
<p class="starts">${start ? startLink(start, "Begin", `${markdown.inline(start.title)}${start.facts ? `, ${start.facts.minutes} minutes` : ""}`, " first") : ""}
${mini ? startLink(mini, "Read mini in an evening", "A GPT and everything below it, in eight files") : ""}</p>
${ask ? askForm(ask) : ""}
${also.length ? `<p class="soft">Or ${also.join(", or ")}.</p>` : ""}
${translations.length ? `<p class="soft">The first lessons in other languages: ${translations.join(" ")}</p>` : ""}
<pre class="commands" tabindex="0">${highlight(commands(source), "bash")}</pre>
<p class="soft">Each lesson is a page and a program: the idea, the formula, the PyTorch line, the C++, and what it prints, compared byte by byte
with what PyTorch printed. It ends in three exercises.</p>
</div>
${looking || map}
</div>
${course.paths.length ? `<h2 id="paths">Three paths</h2>\n<ul class="paths">${course.paths.map((one) => pathBlock(one, site, markdown)).join("\n")}</ul>` : ""}
<h2 id="lessons">Lessons</h2>
<ol class="cards">
${lessons.map((one, i) => card(one, `${first ? i : i + 1}`)).join("\n")}
</ol>
${looking && map && !first ? `<h2 id="map">On the way of a text</h2>\n${map}\n` : ""}${figures}
<h2 id="guides">Guides</h2>
<ul class="cards">
${guides.map((one) => card(one, "Guide")).join("\n")}
</ul>
${reference.length ? `<h2 id="api">API reference</h2>\n<p><a href="api.html">All names</a>, or by subject:</p>\n<ul class="columns">\n${reference.map(referenceLink(markdown)).join("\n")}\n</ul>` : ""}
</main>`;
  return document({
    title: "Etude: lessons and guides",
    description: "How a transformer works, from one number to a trained GPT, in PyTorch and C++, with formulas, code and checked output.",
    kind: "index",
    body,
    scripts: lessons.some(questionCount) ? '\n<script src="exercises.js" defer></script>' : "",
  });
}
