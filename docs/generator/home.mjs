// The first page: the picture of the course, its paths, all lessons and guides.
import { drawDiagram } from "./diagram.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { neededLessons } from "./lesson.mjs";
import { document } from "./page.mjs";

/** Where `NAME#CELL` leads. Throws an Error if there is no such lesson or cell. */
function address(target, tutorials) {
  const [name, cell] = target.split("#");
  const tutorial = tutorials.find((one) => one.name === name);
  if (!tutorial) throw new Error(`course.mjs: there is no lesson ${name}`);
  if (cell && !tutorial.cells.some(({ id }) => id === cell)) throw new Error(`course.mjs: ${name} has no cell ${cell}`);
  return `${name}.html${cell ? `#${cell}` : ""}`;
}

/** A path: its lessons, how long they take, and the lessons that they name but that are not on it. */
function pathBlock({ title, text, needs, lessons }, tutorials, markdown) {
  const find = (name) => tutorials.find((one) => one.name === name);
  const link = (name) => `<a href="${address(name, tutorials)}">${markdown.inline(find(name).title)}</a>`;
  const links = lessons.map(link);
  const minutes = lessons.reduce((sum, name) => sum + (find(name).facts?.minutes ?? 0), 0);
  const missing = new Set();
  for (const [i, name] of lessons.entries()) {
    for (const needed of neededLessons(find(name))) {
      if (lessons.includes(needed, i + 1)) throw new Error(`course.mjs: in the path "${title}", ${name} stands before ${needed}, which it needs`);
      if (!lessons.includes(needed)) missing.add(needed);
    }
  }
  const before = missing.size ? ` You may also need ${[...missing].sort().map(link).join("; ")}.` : "";
  return `<li><h3>${escapeHtml(title)}</h3>
<p>${escapeHtml(text)} You need ${escapeHtml(needs)}.${before} ${lessons.length} lessons, ${Math.round(minutes / 30) / 2} hours.</p>
<ol>${links.map((one) => `<li>${one}</li>`).join("\n")}</ol></li>`;
}

const referenceCard = (markdown) => ({ name, title, examples }) => {
  const names = [...new Set(examples.flatMap((one) => one.names))];
  return `<li><a href="api_${name}.html">
<span class="number">${names.length} names</span>
<strong>${markdown.inline(title)}</strong>
<span class="summary">${names.map((one) => one.replace(/^etude::/, "")).slice(0, 8).join(", ")}${names.length > 8 ? " ..." : ""}</span>
</a></li>`;
};

const commands = `tutorials/run         # all lessons, compared with PyTorch
tutorials/run 4       # one of them
tutorials/exercise 4  # its exercises, to be filled in`;

/**
 * `course` is `{paths, map}` of course.mjs; `pictures[name]` is the picture of a lesson, an SVG element; `figures` lists the
 * interactive figures.
 */
export function indexPage({ site, markdown, course, pictures, figures = "", reference = [] }) {
  const { tutorials, guides } = site;
  const named = course.paths.flatMap(({ lessons }) => lessons);
  const forgotten = course.paths.length ? tutorials.find(({ name }) => !named.includes(name)) : undefined;
  if (forgotten) throw new Error(`course.mjs: no path has the lesson ${forgotten.name}`);
  const links = Object.fromEntries(Object.entries(course.map?.links ?? {}).map(([box, target]) => [box, address(target, tutorials)]));
  const picture = course.map
    ? `<figure class="plot map">${drawDiagram(course.map.diagram, course.map.title, { links, prefix: "map-" })}<figcaption>${course.map.title}</figcaption></figure>`
    : "";
  const card = ({ name, title, description, facts }, number) => `<li><a href="${name}.html">
${pictures[name] ? `<span class="picture" aria-hidden="true">${pictures[name]}</span>` : ""}<span class="number">${number}${facts ? ` · ${facts.minutes} minutes` : ""}</span>
<strong>${markdown.inline(title)}</strong>
<span class="summary">${markdown.inline(description)}</span>
</a></li>`;
  const body = `<main id="content">
<div class="hero">
<div>
<h1>Etude</h1>
<p class="lead">A small transformer framework in C++17, made to be read.</p>
<p>The lessons redo PyTorch notebooks and build a GPT step by step: the idea, the formula, the PyTorch line, the C++,
and what it prints, compared with the bytes that PyTorch printed. Each is a program to run and to change, and ends in
three exercises. One sentence goes through all of them: <em>the dog saw itself</em>.</p>
${guides.some(({ name }) => name === "mini") ? '<p><a href="mini.html">Read mini in an evening</a>: a GPT and everything under it in eight files, line by line.</p>\n' : ""}<pre class="commands" tabindex="0">${highlight(commands, "bash")}</pre>
</div>
${picture}
</div>
${course.paths.length ? `<h2 id="paths">Where to begin</h2>\n<ul class="paths">${course.paths.map((one) => pathBlock(one, tutorials, markdown)).join("\n")}</ul>` : ""}
<h2 id="lessons">Lessons</h2>
<ol class="cards">
${tutorials.map((one, i) => card(one, `${i + 1}`)).join("\n")}
</ol>
${figures}
${reference.length ? `<h2 id="api">API reference</h2>\n<p><a href="api.html">All names</a>, or by subject:</p>\n<ul class="cards">\n${reference.map(referenceCard(markdown)).join("\n")}\n</ul>` : ""}
<h2 id="guides">Guides</h2>
<ul class="cards">
${guides.map((one) => card(one, "Guide")).join("\n")}
</ul>
</main>`;
  return document({
    title: "Etude: lessons and guides",
    description: "From a chain rule to a trained GPT in PyTorch and C++, step by step, with formulas, code and output.",
    kind: "index",
    body,
  });
}
