// The HTML of the pages. `site` is `{tutorials, guides}` everywhere, lists of `{name, title, description}` in their
// order, and perhaps `first`, lesson 0, of the same form; `markdown` is what markdownRenderer gives.
import { onward } from "./course.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { exercisesScript, helpBlock } from "./help.mjs";
import { filled } from "./html.mjs";
import { liveScript, otherWords, parameterControls, runAllControl, runControl } from "./live_markup.mjs";
import { cellNumber, focusable, plainText, slug } from "./markdown.mjs";
import { numbered, sourceLink } from "./sources.mjs";

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Crect width='32' height='32' rx='7' fill='%231f5fbf'/%3E%3Cpath d='M4 16c4-12 8-12 12 0s8 12 12 0' " +
  "fill='none' stroke='white' stroke-width='3' stroke-linecap='round'/%3E%3C/svg%3E";

/** What only scripts can do: it is shown where they run. */
const tools = (label) => `<div class="tools" hidden><button type="button" class="open-search" aria-keyshortcuts="/ Control+K">${label("Search")} <kbd aria-hidden="true">/</kbd></button><button type="button" class="theme" aria-label="${label("Colours")}"></button></div>`;

// What site.js, search.js and symbols.js say; # stands for a number.
const said = [
  "Colours", "as in the system", "light", "dark", "Copy", "Search", "Lessons, guides, API, sources", "Close", "1 result", "# results",
  "Nothing found. Try another word, or fewer words.", "The search could not be loaded.", "Symbols in formulas and code", "Light it in formulas, code and figures",
];

/**
 * A whole page around its `body`; `folder` leads to the folder of the site, `scripts` are elements besides the site's, `label` gives a word
 * of the page in its language.
 */
export function document({ title, description, kind, body, language = "en", folder = "", scripts = "", label = (text) => text }) {
  const formulas = body.includes('class="katex"') ? `\n<link rel="stylesheet" href="${folder}katex/katex.min.css">` : "";
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(plainText(description))}">
<link rel="icon" href="${icon}">
<script src="${folder}theme.js"></script>${formulas}
<link rel="stylesheet" href="${folder}style.css">
<script src="${folder}site.js"${otherWords(said, label)} defer></script>${scripts}
</head>
<body class="${kind}">
<a class="skip" href="#content">${label("Skip to the content")}</a>
<header class="site">
<a class="brand" href="${folder}index.html">Etude</a>
<nav aria-label="${label("Site")}"><a href="${folder}index.html#lessons">${label("Lessons")}</a> <a href="${folder}figures.html">${label("Figures")}</a> <a href="${folder}inside.html">${label("Inside")}</a> <a href="${folder}training.html">${label("Training")}</a> <a href="${folder}try.html">${label("Try it")}</a> <a href="${folder}api.html">API</a> <a href="${folder}index.html#guides">${label("Guides")}</a> <a href="${folder}sources.html">${label("Sources")}</a></nav>
${tools(label)}
</header>
${body}
</body>
</html>
`;
}

/** A page without the links of its head that lead to pages which the site need not have; `has(name)` says which are there. */
export const withoutMissing = (html, has) =>
  html.replace(/<nav aria-label="[^"]*"><a href="(?:\.\.\/)?index\.html#lessons">.*<\/nav>/, (nav) => nav.replace(/<a href="(?:\.\.\/)?(figures|inside|training|try)\.html">[^<]*<\/a> /g, (link, name) => (has(name) ? link : "")));

/**
 * The page of a lesson as parseTutorial gives it, with its name; `outputs[id]` is what a cell printed, `label` a word
 * of the page in its language, `languages` are `{code, name, href}` of the same page, `address(name)` is where a page is.
 * `compared` is what differences gives, or null. With `isLive` its cells can be run.
 */
export function tutorialPage({ tutorial, outputs, site, markdown, compared = null, isLive = false, label = (text) => text, language = "en", languages = [], note = "", address = (name) => `${name}.html` }) {
  const number = 1 + site.tutorials.findIndex(({ name }) => name === tutorial.name);
  const pages = site.first ? [site.first, ...site.tutorials] : site.tutorials;
  const index = pages.findIndex(({ name }) => name === tutorial.name);
  const turn = { label, address, next: pages.find(({ name }) => name === onward[tutorial.name]) };
  const { facts, cells } = tutorial;
  const intro = split(tutorial.block(tutorial.intro, tutorial.introLine, {}));
  const folder = language === "en" ? "" : "../";
  const page = { tutorial, outputs, markdown, label, folder, compared, isLive, language };
  const body = `${contentsBar(lessonContents(page), pages, index, turn)}
<main id="content">
<section class="row introduction">
<div class="docs">
<p class="eyebrow">${escapeHtml(label("Lesson"))} ${number} / ${site.tutorials.length}${languageLinks(languages, language)}</p>
<h1>${markdown.inline(tutorial.title)}</h1>
${note}${facts ? factList(page) : ""}${isLive ? runAllControl(label) : ""}${intro.text}</div>
<div class="code">
${facts ? resultBlock(page) : ""}${intro.figures}
<dl class="source">
<dt>${escapeHtml(label("Source"))}</dt><dd><a href="${folder}${sourceLink(tutorial.file)}"><code>${tutorial.file.replaceAll("/", "/<wbr>")}</code></a></dd>
<dt>${escapeHtml(label("Run it"))}</dt><dd><code>tutorials/run ${number}</code></dd>
</dl>
</div>
</section>
${cells.map((cell) => cellSection(page, cell)).join("\n")}
${summarySection(page)}${referencesSection(page)}</main>
${neighbours(pages, index, turn)}`;
  return document({
    title: `${plainText(tutorial.title)} · Etude`,
    description: tutorial.description,
    kind: "tutorial",
    body,
    language,
    folder,
    label,
    scripts: (body.includes("<form class=\"question\"") ? exercisesScript(folder, label) : "") + (isLive ? liveScript(tutorial.name, folder, label) : ""),
  });
}

/** The same page in other languages, `{code, name, href}` of all of them. */
export const languageLinks = (languages, current) =>
  languages.length < 2
    ? ""
    : ` <span class="languages">${languages.map(({ code, name, href }) => (code === current ? `<span lang="${code}">${name}</span>` : `<a lang="${code}" hreflang="${code}" href="${href}">${name}</a>`)).join(" ")}</span>`;

/** PyTorch's lines and the figures of a text apart from it: they stand in the wide column. */
function split(html) {
  const python = /<figure class="pytorch[\s\S]*?<\/figure>\n?/g;
  const figure = /<figure class="plot[\s\S]*?<\/figure>\n?/g;
  const all = (pattern) => (html.match(pattern) ?? []).join("");
  return { text: html.replace(python, "").replace(figure, ""), python: all(python).trimEnd(), figures: all(figure) };
}

function lessonContents({ tutorial, markdown, label }) {
  const items = tutorial.cells.map(
    ({ id, title }) => `<li><a href="#${id}">${markdown.inline(title)}</a> <span class="id">${cellNumber(id)}</span></li>`,
  );
  if (tutorial.summary) items.push(`<li><a href="#summary">${escapeHtml(label("Summary"))}</a></li>`);
  if (tutorial.references) items.push(`<li><a href="#references">${escapeHtml(label("References"))}</a></li>`);
  return items;
}

/** The attributes of a link and of the title in it, seen from the folder of another language: a lesson above this folder is in English. */
export const languageOf = (href) => (href.startsWith("../") ? { link: ' hreflang="en"', title: ' lang="en"' } : { link: "", title: "" });

/** The bar that stays at the top: the contents, list items, and the pages before and after that of `index`; `next` is the latter if it is another one than in `pages`. */
export function contentsBar(items, pages, index, { label = (text) => text, address = (name) => `${name}.html`, next = pages[index + 1] } = {}) {
  const contents = `<nav class="contents" aria-label="${escapeHtml(label("On this page"))}"><details>
<summary>${escapeHtml(label("On this page"))}</summary>
<ol>
${items.join("\n")}
</ol>
</details></nav>`;
  const link = (page, rel, word) => {
    if (!page) return "";
    const href = address(page.name);
    const language = languageOf(href);
    return `<a rel="${rel}" href="${href}"${language.link}><span class="word">${escapeHtml(label(word))}: </span><span class="name"${language.title}>${escapeHtml(plainText(page.title))}</span></a>`;
  };
  return `<div class="bar">${contents}
<nav class="turn" aria-label="${escapeHtml(label("Previous"))}, ${escapeHtml(label("Next"))}">${link(pages[index - 1], "prev", "Previous")}${link(next, "next", "Next")}</nav></div>`;
}

function factList({ tutorial, markdown, label, compared }) {
  const { outcomes, needs, needsLine, minutes } = tutorial.facts;
  return `<dl class="facts">
<dt>${escapeHtml(label("You will be able to"))}</dt><dd><ul>${outcomes.map((one) => `<li>${markdown.inline(one)}</li>`).join("")}</ul></dd>
<dt>${escapeHtml(label("You need"))}</dt><dd>${tutorial.block(needs, needsLine, {}).replace(/^<p>|<\/p>\s*$/g, "")}</dd>
<dt>${escapeHtml(label("Time"))}</dt><dd>${minutes} ${escapeHtml(label("minutes"))}</dd>
${compared ? `<dt>${escapeHtml(label("Output"))}</dt><dd>${escapeHtml(filled(label("# of # cells print the same bytes with PyTorch 1.13.1 and 2.14.1"), compared.count - Object.keys(compared.rows).length, compared.count))}</dd>\n` : ""}</dl>
`;
}

/** What the lesson comes to, in the first screen: the plot of a cell, or the first lines that it printed. */
function resultBlock({ tutorial, outputs, label }) {
  const cell = tutorial.cells.find(({ id }) => id === tutorial.facts.result);
  const link = `<a href="#${cell.id}">${escapeHtml(label("Result"))}</a>`;
  for (const { text, textLine } of cell.rows) {
    const { figures } = split(tutorial.block(text, textLine, { idPrefix: "result-" }));
    const [figure] = figures.replace(/<figure class="plot pictured"[\s\S]*?<\/figure>/g, "").match(/<svg[\s\S]*<\/svg>/) ?? [];
    if (figure) return `<figure class="plot result" tabindex="0">${figure}<figcaption>${link}</figcaption></figure>\n`;
  }
  const lines = (outputs[cell.id] ?? "").replace(/\n+$/, "").split("\n");
  const shown = lines.slice(0, 12).join("\n") + (lines.length > 12 ? "\n..." : "");
  return `<figure class="shown"><figcaption>${link}</figcaption><pre${focusable(shown)}>${escapeHtml(shown)}</pre></figure>\n`;
}

function cellSection(page, cell) {
  const { tutorial, markdown, label, isLive } = page;
  const title =
    `<h2 id="${cell.id}-title"><a class="id" href="#${cell.id}">${cellNumber(cell.id) || cell.id}</a> ` +
    `${markdown.inline(cell.title)}</h2>\n`;
  const rows = cell.rows.map(({ text, textLine, code, lines }, i) => {
    const { text: docs, python, figures } = split(tutorial.block(text, textLine, { headingShift: 2, idPrefix: `${cell.id}-${i}-` }));
    const last = i === cell.rows.length - 1;
    const end = !last ? "" : cell.answer ? helpOf(page, cell) + answerBlock(page, cell) : outputBlock(page, cell);
    const controls = isLive ? parameterControls(code, label) : "";
    return `<div class="row">
<div class="docs">
${i === 0 ? title : ""}${docs}</div>
<div class="code">${[python, codeBlock(page, code, lines), controls, end, figures].filter(Boolean).join("\n")}</div>
</div>`;
  });
  return `<section class="cell${cell.answer ? " exercise" : ""}" id="${cell.id}" aria-labelledby="${cell.id}-title">
${rows.join("\n")}
</section>`;
}

const helpOf = ({ tutorial, markdown, label }, { id }) => helpBlock(tutorial.help?.[id], tutorial.name, id, markdown.inline, label);

function answerBlock(page, cell) {
  const { tutorial, label } = page;
  const parts = cell.answer.map(
    ({ text, textLine, code, lines }, i) => tutorial.block(text, textLine, { headingShift: 2, idPrefix: `${cell.id}-answer${i}-` }) + codeBlock(page, code, lines),
  );
  return `<details class="answer"><summary>${escapeHtml(label("Answer"))}</summary>
${parts.join("\n")}
${outputBlock(page, cell)}
</details>`;
}

function summarySection({ tutorial, label }) {
  if (!tutorial.summary) return "";
  const { text, textLine } = tutorial.summary;
  return `<section class="row closing" id="summary" aria-labelledby="summary-title"><div class="docs">
<h2 id="summary-title">${escapeHtml(label("Summary"))}</h2>
${tutorial.block(text, textLine, {})}</div><div class="code"></div></section>
`;
}

function referencesSection({ tutorial, label }) {
  if (!tutorial.references) return "";
  const { text, textLine } = tutorial.references;
  let number = 0;
  const list = tutorial.block(text, textLine, {}).replace(/<li>/g, () => `<li id="reference-${++number}">`);
  return `<section class="row closing" id="references" aria-labelledby="references-title"><div class="docs">
<h2 id="references-title">${escapeHtml(label("References"))}</h2>
${list}</div><div class="code"></div></section>
`;
}

function codeBlock({ tutorial, folder }, code, lines) {
  const address = (line) => `href="${folder}${sourceLink(tutorial.file, line)}"`;
  return code && numbered(`<pre class="cpp"${focusable(code)}><code>${highlight(code, "cpp")}</code></pre>`, lines, address);
}

function outputBlock({ outputs, label, compared, isLive }, { id, rows }) {
  const text = outputs[id].replace(/\n+$/, "");
  const run = isLive ? runControl(id, label) : "";
  if (!text) return run && rows.some((row) => /^!\[[^\]]+\]\([^)\s]+\)$/m.test(row.text)) ? `<div class="drawn">${run}</div>` : "";
  const scrolls = focusable(text) || (text.split("\n").length > 20 ? ' tabindex="0"' : "");
  return `<figure class="output"><figcaption>${escapeHtml(label("Output"))}${run}</figcaption><pre${scrolls}>${escapeHtml(text)}</pre></figure>${otherBlock(text, compared?.rows[id], label)}`;
}

/** What the other version of PyTorch prints in place of the text, the first lines of it, and why. */
function otherBlock(text, row, label) {
  if (!row) return "";
  const lines = text.split("\n");
  const others = row.prints?.replace(/\n+$/, "").split("\n").filter((line, i) => line !== lines[i]) ?? [];
  const shown = others.slice(0, 8).join("\n") + (others.length > 8 ? "\n..." : "");
  const title = others.length ? filled(label("PyTorch 2.14.1 prints # of # lines differently"), others.length, lines.length) : label("Other runs or processors print different numbers");
  return `
<details class="other"><summary>${escapeHtml(title)}</summary>
${shown && `<pre${focusable(shown)}>${escapeHtml(shown)}</pre>`}<p>${escapeHtml(label(row.reason))}</p></details>`;
}

/** The links at the end, to the same pages, and to the one that follows in `pages`. */
export function neighbours(pages, index, { label = (text) => text, address = (name) => `${name}.html`, next = pages[index + 1] } = {}) {
  const link = (page, rel, word) => {
    if (!page) return `<a href="${address("index")}"><span>${escapeHtml(label("Back to"))}</span> ${escapeHtml(label("All lessons and guides"))}</a>`;
    const href = address(page.name);
    const language = languageOf(href);
    const title = escapeHtml(plainText(page.title));
    return `<a rel="${rel}" href="${href}"${language.link}><span>${escapeHtml(label(word))}</span> ${language.title ? `<bdi${language.title}>${title}</bdi>` : title}</a>`;
  };
  return `<footer><nav aria-label="${escapeHtml(label("Neighbouring pages"))}">
${link(pages[index - 1], "prev", "Previous")}
${link(next, "next", "Next")}${next === pages[index + 1] ? "" : `\n${link(pages[index + 1], "next", "Next by number, as on the path “C++ first”")}`}
</nav></footer>`;
}

/** The page of a guide that reads sources, as parseReading gives it: prose beside code. */
export function readingPage({ guide, reading, site, markdown }) {
  const index = site.guides.findIndex(({ name }) => name === guide.name);
  const items = reading.sections.map(({ title }) => `<li><a href="#${slug(title)}">${markdown.inline(title)}</a></li>`);
  const box = ({ file, code, lines }) => {
    const address = (line) => `href="${sourceLink(file, line)}"`;
    return numbered(`<pre class="cpp"${focusable(code)}><code>${highlight(code, "cpp")}</code></pre>`, sourceLink(file) ? lines : lines.map(() => 0), address);
  };
  const row = (one, head) => `<div class="row">
<div class="docs">${head}${markdown.block(one.text, one.textLine, {})}</div>
<div class="code">${box(one)}</div>
</div>`;
  const section = ({ title, rows }) => {
    const id = slug(title);
    const file = `<p class="eyebrow"><a href="${sourceLink(rows[0].file)}">${escapeHtml(rows[0].file)}</a></p>\n`;
    return `<section class="cell" id="${id}" aria-labelledby="${id}-title">
${rows.map((one, i) => row(one, i ? "" : `<h2 id="${id}-title">${markdown.inline(title)}</h2>\n${file}`)).join("\n")}
</section>`;
  };
  const body = `${contentsBar(items, site.guides, index)}
<main id="content">
<section class="row introduction"><div class="docs"><p class="eyebrow">Guide</p>
<h1>${markdown.inline(guide.title)}</h1>
${markdown.block(reading.intro.text, reading.intro.textLine, {})}</div><div class="code">${reading.intro.file ? box(reading.intro) : ""}</div></section>
${reading.sections.map(section).join("\n")}
</main>
${neighbours(site.guides, index)}`;
  return document({ title: `${plainText(guide.title)} · Etude`, description: guide.description, kind: "tutorial reading", body });
}

/** The page of a guide: one column of Markdown. */
export function guidePage({ guide, site, markdown }) {
  const index = site.guides.findIndex(({ name }) => name === guide.name);
  const text = markdown.block(guide.text);
  const items = [...text.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)].map(([, id, title]) => `<li><a href="#${id}">${title.replace(/<\/?a\b[^>]*>/g, "")}</a></li>`);
  const body = `${contentsBar(items, site.guides, index)}
<main id="content">
<p class="eyebrow">Guide</p>
${text}</main>
${neighbours(site.guides, index)}`;
  return document({ title: `${plainText(guide.title)} · Etude`, description: guide.description, kind: guide.words?.length ? "guide glossary" : "guide", body });
}
