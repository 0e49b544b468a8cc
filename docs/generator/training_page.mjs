// The page on which models learn. Its scripts are docs/live/train*.mjs; without them it says what the terminal does, with
// the pictures that were made there.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { draw } from "../live/figures/figures_draw.mjs";
import { figures } from "./figures.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { document } from "./page.mjs";
import { inlineSvg } from "./svg.mjs";

/** The sizes of a GPT that the page offers: layers, heads, width, context. The last is what char_gpt has without options. */
const sizes = { Tiny: [2, 4, 32, 32], Small: [3, 4, 64, 48], "As in the terminal": [4, 4, 128, 64] };

/** Sentences of the lessons, without formulas and code: a text to learn from. */
export function lessonText(tutorials) {
  const texts = tutorials.flatMap(({ intro, cells }) => [intro, ...cells.flatMap(({ rows }) => rows.map(({ text }) => text))]);
  const paragraphs = texts.flatMap((text) => text.replace(/```[\s\S]*?```/g, "").split(/\n\s*\n/));
  const plain = paragraphs.map((one) => one.trim().replace(/\s+/g, " ").replace(/\s*\[\d+\](?!\()/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
  return `${plain.filter((one) => /^[A-Z][^$`|<>{}=#*_\\]*[.:?]$/.test(one) && /^[\x20-\x7e]+$/.test(one)).join("\n")}\n`;
}

const field = (name, label, input) => `<label class="field"><span>${label}</span>${input.replace(/^<\w+/, `$& id="${name}"`)}</label>`;
const number = (name, label, value, low, high, step = 1) =>
  field(name, label, `<input type="number" value="${value}" min="${low}" max="${high}" step="${step}" required>`);
const choice = (name, label, options) => field(name, label, `<select>${options.map(([value, text]) => `<option value="${value}">${text}</option>`).join("")}</select>`);
const button = (name, text, more = "disabled") => `<button type="button" id="${name}" ${more}>${text}</button>`;
const file = '<p class="learning needs-server" hidden>This page was opened from a file, and browsers do not let it run its program then. In the folder of the pages: <code>python3 -m http.server</code>, and open <code>http://localhost:8000/training.html</code>.</p>';

const gptForm = `<form class="trainer" id="gpt">
<label class="field wide"><span>Text to learn from <em id="text-count"></em></span><textarea id="text" rows="7" spellcheck="false"></textarea></label>
<label class="field wide"><span>Or a file</span><input type="file" id="text-file" accept="text/*"></label>
<div class="wide">${choice("size", "Size", Object.entries(sizes).map(([name, form]) => [form.join(), `${name}: ${form[0]} layers, ${form[1]} heads, width ${form[2]}, context ${form[3]}`]))}</div>
<div class="fields">
${number("steps", "Steps", 1500, 1, 100000)}
${number("rate", "Learning rate", 0.005, 0.000001, 1, "any")}
${number("seed", "Seed", 1, 0, 4294967295)}
</div>
<div class="buttons">${button("train", "Train")}${button("anew", "Start over")}${button("save", "Download checkpoint")}${button("save-text", "Download text")}<label class="button" for="load">Upload checkpoint</label><input class="aside" type="file" id="load" accept=".safetensors"></div>
<progress id="progress" value="0" max="1" aria-label="Steps done"></progress>
<p id="status" role="status">Press Train.</p>
<p id="numbers" class="readings"></p>
</form>`;

const gptPictures = `<div class="trainer">
<figure class="drawn"><svg id="losses" role="img"></svg><figcaption>Loss per character: of each step, <b class="unseen">on the unseen tenth</b>, and <b class="pairs">of counted pairs of characters</b>.</figcaption></figure>
<h3>What it writes as it learns</h3>
<ol id="samples" tabindex="0" aria-label="Samples, the latest first"></ol>
</div>`;

const attention = `<div class="trainer">
<div class="fields">
${choice("layer", "Layer", [])}${choice("head", "Head", [])}
${field("kept", 'Step <output id="kept-step"></output>', '<input type="range" min="0" max="0" value="0">')}
</div>
<figure class="drawn"><svg id="attention" role="img"></svg><figcaption>Each row is a character of the unseen tenth, and shows how much it looks at those before it.</figcaption></figure>
</div>`;

const sampling = `<form class="trainer" id="sampling-form">
<label class="field wide"><span>Prompt</span><input id="prompt" value="The "></label>
<div class="fields">
${number("length", "Characters", 200, 1, 5000)}
${number("temperature", "Temperature", 0.8, 0.01, 100, "any")}
${number("top-k", "Top k, 0 for all", 0, 0, 1000)}
${number("top-p", "Top p", 1, 0.01, 1, "any")}
${number("penalty", "Repetition penalty", 1, 0.1, 10, "any")}
${number("beams", "Beams, 1 to draw", 1, 1, 16)}
${number("sampling-seed", "Seed", 1, 0, 4294967295)}
</div>
<div class="buttons">${button("write", "Write")}${button("next", "One character")}</div>
<pre id="written" tabindex="0" aria-label="What it writes"></pre>
<p id="writing" role="status">It can write once training has started.</p>
</form>`;

const bars = `<div class="trainer">
<label class="field wide" for="cache"><span id="cache-text">Cache of keys and values: empty</span><progress id="cache" value="0" max="1"></progress></label>
<figure class="drawn"><svg id="bars" role="img"></svg><figcaption>The most probable characters: <b class="plain">as the model gives them</b>, and <b class="drawn-from">after temperature and filters</b>.</figcaption></figure>
</div>`;

const reversal = `<form class="trainer" id="reversal">
<div class="fields">
${field("word", "Word to look at", '<input value="transformer" pattern="[a-z]{1,12}" maxlength="12" required>')}
${number("reverse-steps", "Steps", 1200, 1, 100000)}
${number("reverse-seed", "Seed", 1, 0, 4294967295)}
${field("reverse-kept", 'Step <output id="reverse-kept-step"></output>', '<input type="range" min="0" max="0" value="0">')}
</div>
<div class="buttons">${button("reverse-train", "Train")}${button("reverse-anew", "Start over")}</div>
<progress id="reverse-progress" value="0" max="1" aria-label="Steps done"></progress>
<p id="reverse-status" role="status">Press Train.</p>
<p id="reverse-numbers" class="readings"></p>
<figure class="drawn"><svg id="reverse-losses" role="img"></svg><figcaption>Loss per character of each step.</figcaption></figure>
</form>`;

const reversalPicture = `<div class="trainer"><figure class="drawn"><svg id="reverse-attention" role="img"></svg><figcaption>What the decoder looks at in the word, the mean of its heads, as it writes it backwards. Once it can, the other diagonal stands out.</figcaption></figure></div>`;

const terminal = `examples/run char_gpt --text poems.txt --out poems
examples/run char_gpt --text poems.txt --out poems --resume --prompt 'The '
examples/run reverse`;

const row = (id, title, docs, code) => `<section class="row" id="${id}" aria-labelledby="${id}-title">
<div class="docs"><h2 id="${id}-title">${title}</h2>
${docs}</div>
<div class="code">${code}</div>
</section>`;

const picture = (svg, caption) => `<figure class="plot made-before" tabindex="0">${svg}<figcaption>${caption}</figcaption></figure>`;

/** Weights of heads that docs_figures trained. */
function headsPicture(record) {
  const answers = readFileSync(join(record, "figures.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const heads = answers[figures.findIndex(({ name }) => name === "heads")];
  const caption = `Heads of a small model of letters. ${escapeHtml(heads.words)} <a href="figures.html#heads">Try it</a>.`;
  return `<div class="answering made-before">${picture(draw.heads(heads, 700), caption)}</div>`;
}

/** What lesson 12 wrote, and what a temperature does there. */
const writtenPicture = (temperature, told) => `<div class="made-before">${picture(temperature, "Lesson 12: probabilities of five words over the temperature.")}
<p>A table of counted pairs <a href="12_sampling.html#told">writes there</a>: always the most probable character; drawn at a low temperature; at temperature 1; at a high temperature; at the same high temperature with top p.</p>
<pre tabindex="0">${escapeHtml(told.trimEnd())}</pre></div>`;

/**
 * The page as HTML; `losses` and `reverse` are SVG elements of runs in the terminal, `heads` and `written` what stands where
 * nothing is trained. Without `isLive` it has no scripts.
 */
export function trainingPage({ losses, heads, written, reverse, isLive }) {
  const shown = (sentence) => (isLive ? `<span class="needs-scripts" hidden>${sentence}</span>` : "");
  const tools = (html) => (isLive ? `<div class="learning needs-scripts" hidden>${html}</div>` : "");
  const body = `<main id="content">
<section class="row introduction">
<div class="docs">
<h1>Watch a GPT learn</h1>
<p>A GPT of the kind of <a href="11_training_a_gpt.html">lesson 11</a> learns a text, character by character. It is the example <code>char_gpt</code>${isLive ? ": the same C++, the same steps, the same checkpoints" : "; <code>docs/run --live</code> makes this page so that the model learns in it"}.${shown(" In the page it runs as WebAssembly, and neither text nor model leaves the machine.")}</p>
${isLive ? file : ""}
</div>
<div class="code"><pre tabindex="0"><code>${highlight(terminal, "bash")}</code></pre></div>
</section>
${row("gpt-learns", "Learning a text", `<p>The model learns nine tenths of the text, and the loss is also measured on the last tenth, which it does not see.${shown(" Once its loss is below the line of counted pairs, it knows more than which character follows which.")}</p>\n${tools(gptForm)}`, `${picture(losses, "Losses of the GPT of lesson 11, as its program printed them.")}${tools(gptPictures)}`)}
${row("gpt-looks", "What it looks at", `<p>Each head of each layer has weights of its own. At first all earlier characters count alike; later some heads look at the character just before, and others further back.${shown(" The slider goes back to earlier steps.")}</p>`, `${heads}${tools(attention)}`)}
${row("gpt-writes", "What it writes", `<p>The options are those of <a href="12_sampling.html">lesson 12</a>. The keys and values of the characters read so far are kept. Once the context is full, everything that the model sees is read again for each character.</p>\n${tools(sampling)}`, `${written}${tools(bars)}`)}
${row("reverse-learns", "Writing words backwards", `<p>An encoder-decoder of one layer each learns to write words backwards, as the example <code>reverse</code> does. To write a letter it has to look at the letter that stands equally far from the other end. Nobody told it to.</p>\n${tools(reversal)}`, `${picture(reverse, "What the decoder looks at after 1,200 steps in the terminal.")}${tools(reversalPicture)}`)}
</main>`;
  return document({
    title: "Watch a GPT learn · Etude",
    description: "A small GPT learns a text in the page, with its losses, its attention and what it writes meanwhile.",
    kind: "training",
    body,
    scripts: isLive ? '\n<link rel="stylesheet" href="training.css">\n<script src="training.js" defer></script>' : "",
  });
}

/**
 * Writes the page, and what it loads, into the folder of the site, and returns what the first page says of it; nothing
 * where lesson 11 was not recorded.
 */
export function writeTraining(site, { repository, record, tutorials, isLive, write }) {
  const curve = join(record, "11_training_a_gpt/curve.svg");
  if (!existsSync(curve) || !existsSync(join(record, "12_sampling/told.txt"))) return "";
  const svg = (file, prefix) => inlineSvg(readFileSync(file, "utf8"), prefix);
  const written = writtenPicture(svg(join(record, "12_sampling/temperature.svg"), "temperature-"), readFileSync(join(record, "12_sampling/told.txt"), "utf8"));
  const heads = existsSync(join(record, "figures.jsonl")) ? headsPicture(record) : "";
  write("training", trainingPage({ losses: svg(curve, "losses-"), heads, written, reverse: svg(join(repository, "docs/reverse.svg"), "reverse-"), isLive }));
  if (isLive) {
    for (const name of ["training.js", "style/training.css"]) cpSync(fileURLToPath(new URL(name, import.meta.url)), join(site, basename(name)));
    writeFileSync(join(site, "training_text.txt"), lessonText(tutorials));
  }
  return `<h2 id="training">Watch a GPT learn</h2>
<p>On a text of your own, with the same steps and checkpoints as in the terminal: <a href="training.html">train a GPT</a> in the browser.</p>`;
}
