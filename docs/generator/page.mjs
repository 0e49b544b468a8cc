// The HTML of the pages. `site` is `{tutorials, guides}` everywhere, lists of `{name, title, description}` in their
// order; `markdown` is what markdownRenderer gives.
import { escapeHtml, highlight } from "./highlight.mjs";
import { plainText } from "./markdown.mjs";

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Crect width='32' height='32' rx='7' fill='%231f5fbf'/%3E%3Cpath d='M4 16c4-12 8-12 12 0s8 12 12 0' " +
  "fill='none' stroke='white' stroke-width='3' stroke-linecap='round'/%3E%3C/svg%3E";

function document({ title, description, kind, body }) {
  const formulas = body.includes('class="katex"') ? '\n<link rel="stylesheet" href="katex/katex.min.css">' : "";
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(plainText(description))}">
<link rel="icon" href="${icon}">${formulas}
<link rel="stylesheet" href="style.css">
</head>
<body class="${kind}">
<a class="skip" href="#content">Skip to the content</a>
<header class="site">
<a class="brand" href="index.html">Etude</a>
<nav aria-label="Site"><a href="index.html#tutorials">Tutorials</a> <a href="index.html#guides">Guides</a></nav>
</header>
${body}
</body>
</html>
`;
}

/** A cell's number as notebooks show it, or nothing for a cell that no notebook has. */
export function cellNumber(id) {
  const [, number, rest] = /^In0*(\d+)(.*)$/.exec(id) ?? [];
  return number ? `In [${number}]${rest.replace(/_/g, " ")}` : "";
}

/** The page of a tutorial as parseTutorial gives it, with its name; `outputs[id]` is what a cell printed. */
export function tutorialPage({ tutorial, outputs, site, markdown }) {
  const number = 1 + site.tutorials.findIndex(({ name }) => name === tutorial.name);
  const contents = tutorial.cells.map(
    ({ id, title }) =>
      `<li><a href="#${id}">${markdown.inline(title)}</a> <span class="id">${cellNumber(id)}</span></li>`,
  );
  const body = `<main id="content">
<section class="row introduction">
<div class="docs">
<p class="eyebrow">Tutorial ${number} of ${site.tutorials.length}</p>
<h1>${markdown.inline(tutorial.title)}</h1>
${tutorial.block(tutorial.intro, tutorial.introLine, {})}</div>
<div class="code">
<nav class="contents" aria-labelledby="contents-title">
<h2 id="contents-title">On this page</h2>
<ol>
${contents.join("\n")}
</ol>
</nav>
<dl class="source">
<dt>Source</dt><dd><code>tutorials/${tutorial.name}.cpp</code></dd>
<dt>Run it</dt><dd><code>tutorials/run ${number}</code></dd>
</dl>
</div>
</section>
${tutorial.cells.map((cell) => cellSection(tutorial, cell, outputs[cell.id], markdown)).join("\n")}
</main>
${neighbours(site.tutorials, number - 1)}`;
  return document({
    title: `${plainText(tutorial.title)} · Etude`,
    description: tutorial.description,
    kind: "tutorial",
    body,
  });
}

function cellSection(tutorial, cell, output, markdown) {
  const title =
    `<h2 id="${cell.id}-title"><a class="id" href="#${cell.id}">${cellNumber(cell.id) || cell.id}</a> ` +
    `${markdown.inline(cell.title)}</h2>\n`;
  const rows = cell.rows.map(({ text, textLine, code }, i) => {
    const options = { headingShift: 2, idPrefix: `${cell.id}-${i}-` };
    const right = [codeBlock(code), i === cell.rows.length - 1 ? outputBlock(output) : ""].filter(Boolean);
    return `<div class="row">
<div class="docs">
${i === 0 ? title : ""}${tutorial.block(text, textLine, options)}</div>
<div class="code">${right.join("\n")}</div>
</div>`;
  });
  return `<section class="cell" id="${cell.id}" aria-labelledby="${cell.id}-title">
${rows.join("\n")}
</section>`;
}

function codeBlock(code) {
  return code && `<pre class="cpp" tabindex="0"><code>${highlight(code, "cpp")}</code></pre>`;
}

function outputBlock(output) {
  const text = output.replace(/\n+$/, "");
  return text && `<figure class="output"><figcaption>Output</figcaption><pre tabindex="0">${escapeHtml(text)}</pre></figure>`;
}

function neighbours(pages, index) {
  const link = (page, rel, label) =>
    page
      ? `<a rel="${rel}" href="${page.name}.html"><span>${label}</span> ${escapeHtml(plainText(page.title))}</a>`
      : `<a href="index.html"><span>Back to</span> All tutorials and guides</a>`;
  return `<footer><nav aria-label="Neighbouring pages">
${link(pages[index - 1], "prev", "Previous")}
${link(pages[index + 1], "next", "Next")}
</nav></footer>`;
}

/** The page of a guide: one column of Markdown. */
export function guidePage({ guide, site, markdown }) {
  const index = site.guides.findIndex(({ name }) => name === guide.name);
  const body = `<main id="content">
<p class="eyebrow">Guide</p>
${markdown.block(guide.text)}</main>
${neighbours(site.guides, index)}`;
  return document({ title: `${plainText(guide.title)} · Etude`, description: guide.description, kind: "guide", body });
}

function commands(tutorials) {
  const number = Math.min(4, tutorials.length);
  return highlight(`tutorials/run      # all tutorials, compared with what PyTorch prints\ntutorials/run ${number}    # one of them`, "bash");
}

/** The first page: all tutorials and guides, and a figure (HTML) of one of them. */
export function indexPage({ site, markdown, figure }) {
  const card = ({ name, title, description }, i, list) => `<li><a href="${name}.html">
<span class="number">${list === site.tutorials ? i + 1 : "Guide"}</span>
<strong>${markdown.inline(title)}</strong>
<span class="summary">${markdown.inline(description)}</span>
</a></li>`;
  const body = `<main id="content">
<div class="hero">
<div>
<h1>Etude</h1>
<p class="lead">A small transformer framework in C++17, made to be read.</p>
<p>The tutorials redo PyTorch notebooks and build a GPT step by step: the idea, the formula, the PyTorch line, the C++,
and what it prints, compared with the bytes that PyTorch printed. Each is a program to run and to change:</p>
<pre class="commands" tabindex="0">${commands(site.tutorials)}</pre>
</div>
${figure}
</div>
<h2 id="tutorials">Tutorials</h2>
<ol class="cards">
${site.tutorials.map(card).join("\n")}
</ol>
<h2 id="guides">Guides</h2>
<ul class="cards">
${site.guides.map(card).join("\n")}
</ul>
</main>`;
  return document({
    title: "Etude: tutorials and guides",
    description: "From a chain rule to a trained GPT in PyTorch and C++, step by step, with formulas, code and output.",
    kind: "index",
    body,
  });
}
