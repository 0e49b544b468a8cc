// The pages of source files: layers as prose beside code, other files as they stand, and a list of all.
import { basename, dirname } from "node:path";
import { summaryOf } from "./api.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { parted } from "./html.mjs";
import { focusable, plainText } from "./markdown.mjs";
import { contentsBar, document } from "./page.mjs";
import { definitions } from "./reading.mjs";
import { lineId, numbered, parseSource, sourceLink } from "./sources.mjs";

/** C++ as HTML in which includes lead to the pages of the headers; `has(file)` tells what the repository has. */
export function linkedCode(code, has) {
  return highlight(code, "cpp").replace(/(&quot;|&lt;)((?:etude|mini)\/[\w/]+\.h)(?=&quot;|&gt;)/g, (text, open, header) => {
    const address = [`layers/${header}`, `framework/${header}`, `framework/extras/${header}`].filter(has).map((file) => sourceLink(file)).find(Boolean);
    return address ? `${open}<a href="${address}">${header}</a>` : text;
  });
}

const codeBox = (file, code, lines, has) =>
  numbered(`<pre class="cpp"${focusable(code)}><code>${linkedCode(code, has)}</code></pre>`, lines, (line) => {
    const id = lineId(file, line);
    return `id="${id}" href="#${id}"`;
  });

/** What mini, the definition, has under the names that a file defines, in boxes; `mini` are its files, `{file, text}`. */
function miniBox(texts, mini, has) {
  const names = new Set(texts.flatMap(definitions).map(({ name }) => name));
  const boxes = mini.flatMap(({ file, text }) =>
    definitions(text).filter(({ name }) => names.has(name)).map(({ from, to }) => {
      const code = text.split("\n").slice(from - 1, to).join("\n");
      const lines = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      return numbered(`<pre class="cpp"${focusable(code)}><code>${linkedCode(code, has)}</code></pre>`, lines, (line) => `href="${sourceLink(file, line)}"`);
    }),
  );
  return boxes.length ? `<details class="in-mini"><summary>In mini</summary>\n${boxes.join("\n")}\n<p>The definition, from <a href="mini.html">mini</a>.</p></details>` : "";
}

const footer = `<footer><nav aria-label="Neighbouring pages"><a href="sources.html"><span>Back to</span> All sources</a></nav></footer>`;
const eyebrow = (file) => `<p class="eyebrow"><a href="sources.html">Sources</a> / ${dirname(file)}</p>`;

/** What a layer is called: the name of its header, or of its source if it has no header. */
export const layerTitle = ({ file }) => basename(file).replace(/\.\w+$/, "").replaceAll("_", " ");

/** The page of a layer: `files` are `{file, text}`, the header first; `markdown(file)` renders its prose. */
function layerPage({ name: page, files }, has, markdown, layers, mini) {
  const title = layerTitle(files[0]);
  const parsed = files.map(({ file, text }) => ({ file, id: basename(file).replace(".", "-"), rows: parseSource(text) }));
  const named = parsed.flatMap(({ file, rows }) => rows.filter(({ name }) => name).map(({ name, lines }) => ({ name, id: lineId(file, lines[0]) })));
  const names = named.map(({ name }) => name);
  const items = named.map(({ name, id }) => `<li><a href="#${id}"><code>${escapeHtml(name)}</code></a></li>`);
  const section = ({ file, id, rows }) => {
    const row = ({ name, text, textLines, code, lines }, i) => `<div class="row">
<div class="docs">${i ? "" : `<h2 id="${id}-title">${basename(file)}</h2>\n`}${textLines.map((line) => `<span id="${lineId(file, line)}"></span>`).join("")}${name ? `<h3>${parted(name)}</h3>\n` : ""}${markdown(file).block(text, textLines[0], { headingShift: 3 })}</div>
<div class="code">${code && codeBox(file, code, lines, has)}</div>
</div>`;
    return `<section class="cell" id="${id}" aria-labelledby="${id}-title">\n${rows.map(row).join("\n")}\n</section>`;
  };
  const body = `${contentsBar(items, layers, layers.findIndex((one) => one.name === page))}
<main id="content">
<section class="row introduction"><div class="docs">${eyebrow(files[0].file)}
<h1>${title}</h1></div><div class="code">${miniBox(files.map(({ text }) => text), mini, has)}</div></section>
${parsed.map(section).join("\n")}
</main>
${footer}`;
  const description = `The source of ${title}: ${[...new Set(names)].slice(0, 8).join(", ")}.`;
  return document({ title: `${title} · Sources of Etude`, description, kind: "tutorial source-page", body });
}

function plainPage({ files: [{ file, text }] }, has, mini) {
  const code = text.trimEnd();
  const body = `<main id="content">
${eyebrow(file)}
<h1>${parted(basename(file))}</h1>
${/\/ops\/\w+\.cpp$/.test(file) ? miniBox([text], mini, has) : ""}${codeBox(file, code, [...code.split("\n").keys()].map((i) => i + 1), has)}
</main>
${footer}`;
  return document({ title: `${file} · Sources of Etude`, description: `The source ${file} with line numbers.`, kind: "plain-source", body });
}

/**
 * Gives the HTML of a page of listSources whose `files` are `{file, text}`; `layers` are the pages of layers, with titles, and `mini`
 * the files of mini.
 */
export const sourceHtml = (page, has, markdown, layers, mini = []) => (page.isLayer ? layerPage(page, has, markdown, layers, mini) : plainPage(page, has, mini));

/** What a file says of the class or function that it is named after, or of itself: not of the members of its first class. */
export function summary({ file, text }) {
  const rows = parseSource(text).filter((row) => row.text);
  const own = basename(file).replace(/\.\w+$/, "").replaceAll("_", "");
  const first = rows.find(({ name }) => name.replace(/Impl$/, "").toLowerCase() === own) ?? rows.find(({ code }) => !/^\s/.test(code)) ?? rows[0];
  return plainText(summaryOf({ doc: first?.text ?? "" })).replace(/[:.]$/, "");
}

/** The list of all pages by folder; layers with what they are. */
export function sourcesIndex(pages) {
  const folders = new Map(pages.map(({ files }) => [dirname(files[0].file), []]));
  for (const page of pages) folders.get(dirname(page.files[0].file)).push(page);
  const item = ({ name, files, isLayer }) => {
    const about = isLayer ? ` <span>${escapeHtml(summary(files[0]))}</span>` : "";
    return `<li><a href="${name}.html">${isLayer ? layerTitle(files[0]) : basename(files[0].file)}</a>${about}</li>`;
  };
  const lists = [...folders].map(([folder, list]) => `<h2 id="${folder.replaceAll("/", "-")}">${folder}</h2>
<ul class="${list[0].isLayer ? "files described" : "files"}">
${list.map(item).join("\n")}
</ul>`);
  const body = `<main id="content">
<p class="eyebrow">Reference</p>
<h1>Sources</h1>
<p>On the page of a layer, comments stand beside the code, as in a lesson. Every other page shows one file with line numbers: a program of a lesson, a public header or an op.</p>
${lists.join("\n")}
</main>
${footer.replace("sources.html", "index.html").replace("All sources", "All lessons and guides")}`;
  return document({ title: "Sources · Etude", description: "All layers, headers, ops and lessons as pages.", kind: "guide", body });
}
