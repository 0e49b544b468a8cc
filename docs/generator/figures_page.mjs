// The page of the interactive figures: pictures that docs_figures computed, and controls for those who have scripts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { draw } from "../live/figures/figures_draw.mjs";
import { figures } from "./figures.mjs";
import { escapeHtml } from "./highlight.mjs";
import { markdownRenderer } from "./markdown.mjs";
import { document } from "./page.mjs";

const drawnWidth = 700;
const markdown = markdownRenderer({ figure: () => "", link: (href) => href });
const attributes = (all) => Object.entries(all).filter(([, value]) => value !== false && value !== undefined).map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`)).join("");

/** An input with its label. */
function controlHtml(figure, [name, label, kind, value, low, high, step]) {
  const id = `${figure}-${name}`;
  const named = `<label for="${id}">${escapeHtml(label)}</label>`;
  const given = { id, name, autocomplete: "off" };
  if (kind === "select") {
    const options = low.map(([option, words]) => `<option${attributes({ value: option, selected: option === value })}>${escapeHtml(words)}</option>`).join("");
    const data = typeof value === "number" ? { "data-number": true } : {};
    return `<div>${named}<select${attributes({ ...given, ...data })}>${options}</select></div>`;
  }
  if (kind === "checkbox") return `<div class="check"><input${attributes({ ...given, type: kind, checked: value })}>${named}</div>`;
  if (kind === "text") return `<div>${named}<input${attributes({ ...given, type: kind, value, spellcheck: "false" })}></div>`;
  if (kind === "textarea") return `<div class="wide">${named}<textarea${attributes({ ...given, rows: 4, spellcheck: "false" })}>\n${escapeHtml(value)}</textarea></div>`;
  const input = `<input${attributes({ ...given, type: kind, value, min: low, max: high, step: step === "play" ? undefined : step })}>`;
  if (kind === "number") return `<div>${named}${input}</div>`;
  const play = step === "play" ? `<button type="button" class="play" data-control="${name}">Play</button>` : "";
  return `<div>${named.replace("</label>", ` <output for="${id}">${value}</output></label>`)}<div class="slider">${input}${play}</div></div>`;
}

function section({ name, title, text, lessons, controls }, answer, site) {
  if (answer.error) throw new Error(`figures.mjs: ${name}: ${answer.error}`);
  const links = lessons.map((one) => {
    const [lesson, cell] = one.split("#");
    const tutorial = site.tutorials.find((known) => known.name === lesson);
    const title = tutorial?.cells.find(({ id }) => id === cell)?.title;
    if (!title) throw new Error(`figures.mjs: ${name}: there is no cell ${one}`);
    return `<a href="${lesson}.html#${cell}">${markdown.inline(title)}</a> (lesson ${1 + site.tutorials.indexOf(tutorial)})`;
  });
  return `<section class="answering" id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${escapeHtml(title)}</h2>
<p>${markdown.inline(text)} In the lessons: ${links.join(", ")}.</p>
<form class="controls" aria-labelledby="${name}-title"><fieldset disabled>
${controls.map((control) => controlHtml(name, control)).join("\n")}
<div><button type="reset">Reset</button></div>
</fieldset></form>
<figure class="plot">${draw[name](answer, drawnWidth)}<figcaption aria-live="polite">${escapeHtml(answer.words)}</figcaption></figure>
</section>`;
}

/** The page, or nothing where no answers were recorded. */
export function figuresPage(record, site) {
  const file = join(record, "figures.jsonl");
  if (!existsSync(file)) return "";
  const answers = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  if (answers.length !== figures.length) throw new Error(`${file} has ${answers.length} answers to ${figures.length} figures`);
  const body = `<main id="content">
<h1>Interactive figures</h1>
<p>Each picture is drawn from numbers that the library computed. Where scripts run, you can change what it computes: then the
C++ runs in your browser, and nothing that you write leaves your machine.</p>
<p class="serving" hidden></p>
<ul class="figures">${figures.map(({ name, title }) => `<li><a href="#${name}">${escapeHtml(title)}</a></li>`).join("\n")}</ul>
${figures.map((figure, i) => section(figure, answers[i], site)).join("\n")}
</main>`;
  return document({ title: "Interactive figures · Etude", description: "Interactive pictures of positions, attention, training and byte pairs.", kind: "guide answers", body, scripts: `\n<script src="figures.js" defer></script>` });
}

/** The figures on the first page. */
export const figuresList = () =>
  `<h2 id="figures">Interactive figures</h2>
<p>Move a slider, and the C++ computes the picture anew: <a href="figures.html">all figures</a>, or</p>
<ul class="figures">${figures.map(({ name, title }) => `<li><a href="figures.html#${name}">${escapeHtml(title)}</a></li>`).join("\n")}</ul>`;

/** A lesson's page with links to the figures of its cells; the figures are in English. */
export function withFigureLinks(html, lesson, folder = "", label = (text) => text) {
  const language = folder && ' lang="en" hreflang="en"';
  for (const { name, title, lessons } of figures) {
    for (const [, cell] of lessons.map((one) => one.split("#")).filter(([one]) => one === lesson)) {
      const end = new RegExp(`(<section class="cell[^"]*" id="${cell}"[\\s\\S]*?)(</div>\\n<div class="code">)`);
      html = html.replace(end, (_, before, after) => `${before}<p class="answers">${escapeHtml(label("Interactive figure:"))} <a href="${folder}figures.html#${name}"${language}>${escapeHtml(title)}</a></p>\n${after}`);
    }
  }
  return html;
}
