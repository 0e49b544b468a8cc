// The page "Inside a real model". What docs_inside answered for its first text stands in it; its script is docs/live/inside/inside_page.mjs.
import { cpSync, existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as draw from "../live/figures/inside_draw.mjs";
import { highlight } from "./highlight.mjs";
import { escapeHtml } from "./html.mjs";
import { firstText, questions } from "./inside.mjs";
import { document } from "./page.mjs";

const width = 440; // which can be read on a phone too

/** The parts of the page, as the search knows them. */
export const sections = [
  ["next", "The next character", "The probabilities that a trained GPT gives to the next character of your text."],
  ["attention", "What each head looks at", "The attention weights of every head of a trained GPT, for a text of your own."],
  ["lens", "What it would say after each block", "The logit lens: the sum that runs through the model, read after each block as if it ended there."],
  ["parts", "What it loses without a part", "Ablation: leave out a head or an MLP of a trained GPT and see what becomes of its guesses."],
  ["further", "Training it further", "Train a trained GPT on a text of your own in the page, with its losses and what it writes."],
].map(([name, title, text]) => ({ name, title, text, page: "inside" }));

/** What was recorded: the answer to the first text, and the guesses without each part. Throws an Error for an answer that is a refusal. */
export function readInside(record) {
  const path = join(record, "inside.jsonl");
  if (!existsSync(path)) return null;
  const answers = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const asked = questions();
  if (answers.length !== asked.length) throw new Error(`${path}: ${answers.length} answers to ${asked.length} questions`);
  const refused = answers.find(({ error }) => error);
  if (refused) throw new Error(`${path}: ${refused.error}`);
  const without = Object.fromEntries(asked.slice(1).map((question, i) => [question.without[0], answers[i + 1].next]));
  return { answer: answers[0], without };
}

const tools = (html, isLive) => (isLive ? `<div class="learning needs-scripts" hidden>${html}</div>` : "");

const row = (id, docs, code) => `<section class="row" id="${id}" aria-labelledby="${id}-title">
<div class="docs"><h2 id="${id}-title">${sections.find(({ name }) => name === id).title}</h2>
${docs}</div>
<div class="code">${code}</div>
</section>`;

const figure = (id, drawn, words) => `<div class="answering"><figure class="plot" id="${id}" tabindex="0">${drawn}<figcaption aria-live="polite">${escapeHtml(words)}</figcaption></figure></div>`;
const table = (id, drawn, words) => `<div class="table" id="${id}" tabindex="0" role="region" aria-label="${escapeHtml(words)}">${drawn}</div><p class="said" id="${id}-words" role="status">${escapeHtml(words)}</p>`;

/** The map of the model's parts: a picture of each head, which a script makes a button, and with each part a switch that leaves it out. */
function mapOf(answer, isLive) {
  const off = (part) => (isLive ? `<button type="button" class="off needs-scripts" data-part="${part}" aria-pressed="false" hidden>Leave out <span class="unseen">${draw.name_of(part)}</span></button>` : "");
  const blocks = answer.attention.map((heads, block) => {
    const pictures = heads.map((weights, head) => `<li><button type="button" class="look" data-block="${block}" data-head="${head}" disabled>${draw.thumbnail(weights)}<span>head ${block}.${head}</span></button>${off(`${block}.${head}`)}</li>`);
    return `<li><h3>Block ${block}</h3><ul class="parts">${pictures.join("")}<li class="mlp"><span class="name">MLP ${block}</span>${off(`mlp.${block}`)}</li></ul></li>`;
  });
  return `<ol class="blocks answering" id="map">${blocks.join("")}</ol>`;
}

const learnForm = `<form id="learn-form" class="trainer">
<label class="field wide"><span>Text to learn from</span><textarea id="learn-text" rows="6" spellcheck="false">the dog saw itself in the pond. the dog saw the moon, and the moon saw the dog. the dog barked at itself, and itself barked at the dog.</textarea></label>
<div class="fields"><label class="field"><span>Steps</span><input type="number" id="learn-steps" value="20" min="1" max="500" required></label></div>
<div class="buttons"><button type="button" id="learn">Train</button><button type="button" id="stop" disabled>Stop</button><button type="button" id="write">Write</button><button type="button" id="again">Back to the first weights</button></div>
<p id="learn-status" role="status">Press Train, or Write to see what it writes now.</p>
</form>`;

const learnPictures = `<div class="trainer"><figure class="drawn"><svg id="learn-losses" role="img" aria-label="No losses yet"></svg><figcaption>Loss per character of each step.</figcaption></figure>
<div id="written" role="log" tabindex="0" aria-label="What it writes"></div></div>`;

const terminal = (text) => `examples/run look_inside \\
  --model docs/live/inside/gpt.safetensors \\
  --text '${text}'`;

/** The page as HTML from what readInside gives. Without `isLive` it has no scripts. */
export function insidePage({ answer, without }, isLive) {
  const last = answer.attention.length - 1;
  const form = `<form id="inside-form" class="trainer"><label class="field wide"><span>Text that the model reads</span><input id="inside-text" value="${escapeHtml(firstText)}" autocomplete="off" spellcheck="false" maxlength="400"></label>
<p id="inside-status" role="status">The numbers below are those of this text. Change it.</p></form>`;
  const body = `<main id="content">
<section class="row introduction">
<div class="docs">
<h1>Inside a real model</h1>
<p>A GPT of ${answer.attention.length} blocks with ${answer.attention[0].length} heads each has read a novel, character by character, and learned to say which character comes next. Here one sees what it computes from a text: its guesses, what each head looks at, what it would say after each block, and what it loses without one of its parts.</p>
<p>The example <code>char_gpt</code> trained it, and <a href="look_inside.html">look_inside</a> prints the same numbers in a terminal. Blocks and heads are counted from 0, as there.</p>
${isLive ? '<p class="learning needs-server" hidden>This page was opened from a file, and browsers do not let it run the model then. In the folder of the pages: <code>python3 -m http.server</code>, and open <code>http://localhost:8000/inside.html</code>.</p>' : ""}
</div>
<div class="code">${tools(form, isLive)}<p class="given">Text: <code id="given">${escapeHtml(firstText)}</code></p><pre tabindex="0"><code>${highlight(terminal(firstText), "bash")}</code></pre></div>
</section>
${row("next", '<p>The model gives each character that it knows a probability to be the next one. They are the softmax of its last numbers, the logits. Lesson 12 <a href="12_sampling.html">draws from them</a>.</p>', figure("guesses", draw.guesses(answer, width), draw.guess_words(answer)))}
${row("attention", `<p>Each row of a picture is a character, and shows how much it takes from those before it. The weights of a row add up to 1. Some heads look at the character just before, some at the beginning of a word, and some far back: <a href="09_heads_and_masks.html">lesson 9</a> builds such heads.</p>${isLive ? '<p class="needs-scripts" hidden>A click on a head shows it large. “Leave out” replaces what a part adds by zero, and everything on this page is computed again without it.</p>' : ""}${figure("head", draw.head(answer, last, 0, 400), draw.head_words(answer, last, 0))}`, mapOf(answer, isLive))}
${row("lens", "<p>Each block adds to a sum that runs through the model. The last norm and the output layer can read this sum after any block, as if the model ended there: the logit lens. The stronger the colour of a cell, the surer the guess, and a frame marks a guess that is right, the character that follows in the text.</p>", table("lens-table", draw.lens(answer), draw.lens_words(answer)))}
${row("parts", "<p>To see what a part does, one leaves it out: this is an ablation. The last column says how the probability of the best guess changes. A part that seems to do nothing may still matter, since another one may do its work.</p>", table("effects", draw.effects(answer, without), draw.effect_words(answer, without)))}
${row("further", `<p>A trained model learns another text from where it stands. Twenty steps on a few sentences change what it writes, and it begins to forget the novel.</p>${isLive ? tools(learnForm, isLive) : '<p>In a terminal, <code>examples/run char_gpt --text FILE</code> trains a model of its own; <code>docs/run --live</code> makes this page so that the model learns in it.</p>'}`, tools(learnPictures, isLive))}
</main>`;
  return document({
    title: "Inside a real model · Etude",
    description: "What a trained GPT computes from a text: its guesses, its heads, its blocks, and what it loses without a part.",
    kind: "inside",
    body,
    scripts: `\n<link rel="stylesheet" href="training.css">\n<link rel="stylesheet" href="inside.css">${isLive ? '\n<script src="inside.js" defer></script>' : ""}`,
  });
}

/** Writes the page and what it loads into the site, and returns what the first page says of it; nothing without a record. */
export function writeInside(site, { record, isLive, write }) {
  const inside = readInside(record);
  if (!inside) return "";
  write("inside", insidePage(inside, isLive));
  for (const name of ["style/inside.css", "style/training.css", ...(isLive ? ["inside.js"] : [])]) cpSync(fileURLToPath(new URL(name, import.meta.url)), join(site, basename(name)));
  return `<h2 id="inside">Inside a real model</h2>
<p>A trained GPT in the page: <a href="inside.html">look at every head, read it after each block, and leave parts out</a>.</p>`;
}
