// The glossary knows the words of the lessons and guides, and pages lead to it where they use a word first.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readGuides, readTutorials } from "../generate.mjs";
import { firstSentence, parseGlossary, wordLinker } from "../glossary.mjs";
import { markdownRenderer, slug } from "../markdown.mjs";
import { guidePage, tutorialPage } from "../page.mjs";
import { bareText } from "../search_index.mjs";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const file = "docs/glossary.md";
const text = readFileSync(join(repository, file), "utf8");
const words = parseGlossary(text, file);
const site = { tutorials: readTutorials(repository), guides: readGuides(repository) };
const others = site.guides.filter(({ name }) => name !== "glossary");

// The pages as they are made, without outputs and figures.
const markdown = markdownRenderer({ figure: () => '<svg viewBox="0 0 9 9"></svg>', link: (href) => href, picture: () => "" });
const outputs = new Proxy({}, { get: () => "" });
const withBlock = (tutorial) => ({ ...tutorial, block: (one, line, options) => markdown.block(one, { references: 99, ...options }) });
const addLinks = wordLinker(words, bareText);
const lessons = new Map(site.tutorials.map((one) => [one.name, addLinks(tutorialPage({ tutorial: withBlock(one), outputs, site, markdown }), one.name)]));
const guides = new Map(others.map((one) => [one.name, addLinks(guidePage({ guide: one, site, markdown }), one.name)]));

/** The prose of a page, with marks: `⟦_id_⟧` where a section begins, `[id:form]` for a link to the glossary. */
function proseOf(html) {
  const text = html
    .replace(/^[\s\S]*<main id="content">/, "")
    .replace(/<section\b[^>]*id="references"[\s\S]*?<\/section>|<footer[\s\S]*/g, "")
    .replace(/<(?:section|h[23])\b[^>]* id="([^"]+)"[^>]*>/g, (tag, id) => ` ⟦_${id}_⟧ ${tag}`)
    .replace(/<(h[1-6]|pre|svg|summary|dt|th|math)\b[\s\S]*?<\/\1>/g, (all) => ` ${all.match(/⟦[^⟧]+⟧/g)?.join("") ?? ""} `)
    .replace(/<a class="term" href="glossary\.html#([^"]+)" title="[^"]*">([^<]*)<\/a>/g, "[$1:$2]")
    .replace(/<a\b[\s\S]*?<\/a>|<code\b[\s\S]*?<\/code>/g, " x ");
  // Formulas are spans in spans.
  const spans = /<span\b[^>]*>[^<]*<\/span>/g;
  const bare = (one) => (spans.test(one) ? bare(one.replace(spans, "")) : one);
  return bare(text.replace(/<(?!\/?span\b)[^>]*>/g, "")).replace(/&quot;.{1,80}?&quot;/g, " x ").replace(/\s+/g, " ");
}

/** Where the prose uses a word first, as `{at, linked}`; what longer forms of other words cover does not count. */
function firstUse(prose, { id, forms }) {
  const longer = words.filter((one) => one.id !== id).flatMap((one) => one.forms).filter((form) => forms.some((own) => form !== own && form.includes(own)));
  const hidden = longer.reduce((all, form) => all.replace(new RegExp(`\\b${form}\\b`, "gi"), (found) => "~".repeat(found.length)), prose);
  const uses = forms.map((form) => hidden.search(new RegExp(`(?<![\\w-]|\\w[.])${form}(?![\\w]|[-.:]+\\w)`, /^\p{Ll}/u.test(form) ? "i" : ""))).filter((at) => at >= 0);
  if (!uses.length) return null;
  const at = Math.min(...uses);
  return { at, linked: prose.slice(0, at).endsWith(`[${id}:`) };
}

test("an entry defines its word in one or two sentences, and the entries are in the order of the alphabet", () => {
  assert.ok(words.length >= 60);
  for (const { word, definition, forms } of words) {
    const sentences = bareText(definition).match(/[.!?](?=\s+\p{Lu}|$)/gu) ?? [];
    assert.ok(sentences.length === 1 || sentences.length === 2, `${word}: ${sentences.length} sentences`);
    assert.match(definition, /\.$|\.\S*\$\.?$/, word);
    assert.ok(firstSentence(bareText(definition)).length <= 320, `${word}: the first sentence is long for a title`);
    assert.ok(forms.length, word);
  }
  const order = words.map(({ word }) => word.toLowerCase());
  assert.deepEqual(order, [...order].sort());
});

test("no two entries have the same anchor or form", () => {
  const all = words.flatMap(({ forms }) => forms.map((form) => form.toLowerCase()));
  assert.deepEqual(all.filter((form, i) => all.indexOf(form) !== i), []);
  const ids = words.map(({ id }) => id);
  assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), []);
});

test("what explains a word exists", () => {
  for (const { word, seen } of words) {
    const lesson = site.tutorials.find(({ file: one }) => one === join("docs", seen.file));
    const guide = others.find(({ file: one }) => one === join("docs", seen.file));
    assert.ok(lesson ?? guide, `${word}: there is no ${seen.file}`);
    const places = lesson ? lesson.cells.map(({ id }) => id) : [...guide.text.matchAll(/^##+ (.*)$/gm)].map(([, heading]) => slug(heading));
    if (seen.id) assert.ok(places.includes(seen.id), `${word}: ${seen.file} has no ${seen.id}`);
  }
});

// In definitions these say nothing of the word.
const common = new Set("about other others their there these those where which".split(" "));

test("the cell that explains a word says it in italics, or has two of the word and the long words of its definition", () => {
  const silent = [];
  for (const { word, definition, forms, places } of words) {
    const own = [word, ...forms].map((one) => one.toLowerCase());
    const parts = own.flatMap((one) => one.split(" "));
    const long = bareText(definition.replace(/\$[^$]*\$/g, " ")).toLowerCase().match(/\p{L}{5,}/gu);
    const telling = [...new Set(long)].filter((one) => !common.has(one) && !parts.includes(one));
    for (const { file: path, id } of places) {
      const cell = site.tutorials.find(({ file: one }) => one === join("docs", path))?.cells.find((one) => one.id === id);
      if (!cell) continue;
      const prose = cell.rows.map(({ text }) => text.replace(/```[\s\S]*?```/g, " ")).join(" ").toLowerCase().replace(/[\s_]+/g, " ");
      const has = (one) => new RegExp(`(?<![\\p{L}-])${one}(?![\\p{L}-])`, "u").test(prose);
      const said = Number(own.some(has)) + telling.filter(has).length;
      if (said < 2 && !own.some((one) => prose.includes(`*${one}*`))) silent.push(`${word}: ${path}#${id}`);
    }
  }
  assert.deepEqual(silent, []);
});

test("each word is used on a page, and so is what its entry excepts", () => {
  const pages = [...lessons, ...guides];
  const prose = new Map(pages.map(([name, html]) => [name, proseOf(html)]));
  const all = pages.map(([, html]) => html.replace(/<(pre|code|svg|math)\b[\s\S]*?<\/\1>/g, " ").replace(/<[^>]*>/g, "")).join(" ");
  for (const word of words) {
    assert.ok(firstUse(all, word), `no page uses ${word.word}`);
    // Pages of the reference are made from headers, which are not read here.
    for (const name of word.notOn.filter((one) => !one.startsWith("api_"))) assert.ok(prose.has(name) && firstUse(prose.get(name), word), `${word.word} need not be left out of ${name}`);
  }
});

test("no word is used before it is said", () => {
  const known = new Set(); // pages that come before
  const before = [];
  for (const { name } of site.tutorials) {
    const prose = proseOf(lessons.get(name));
    for (const word of words.filter(({ notOn }) => !notOn.includes(name))) {
      const use = firstUse(prose, word);
      const here = word.seen.page === name && use?.at >= (word.seen.id ? prose.indexOf(`⟦_${word.seen.id}_⟧`) : 0);
      if (use && !use.linked && !here && !known.has(word.seen.page)) before.push(`${name}: ${word.word}: ${prose.slice(use.at - 30, use.at + 30)}`);
    }
    known.add(name);
  }
  assert.deepEqual(before, []);
});

test("on each page, the first use of a word that it does not explain leads to the glossary, and no second one does", () => {
  for (const [name, html] of [...lessons, ...guides]) {
    const linked = [...html.matchAll(/<a class="term" href="glossary\.html#([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(linked.filter((id, i) => linked.indexOf(id) !== i), [], name);
    const prose = proseOf(html);
    for (const word of words.filter(({ id, notOn, seen }) => !notOn.includes(name) && seen.page !== name && !linked.includes(id))) {
      assert.equal(firstUse(prose, word), null, `${name} uses ${word.word} without a link: ${prose.slice(firstUse(prose, word)?.at - 30).slice(0, 70)}`);
    }
  }
});

// Words of the field that the lessons use in their prose.
const technical = `
activations, AdamW, ALL-REDUCE, attention, attention weights, autograd, backpropagation, backward pass, batch, batches, beams, bias, biases,
block, blocks, broadcasting, buffer, buffers, cache, causal mask, checkpoint, clipping, cross entropy, cross-attention, decoder,
descent, dims, dimension, dot product, dropout, embedding, embeddings, encoder, encoding, entropy, FLOP, forward pass, GELU, GPT, gradient,
gradients, graph, greedy, heads, hook, id, ids, kernels, keys, keys and values, KV cache, layer, layer norm, leaf, learning rate, linear layer,
logits, loss, losses, mask, masks, MLP, module, modules, nats, norms, op, optimizer, outlier, overfitting, padding, parameter, parameters,
perplexity, process, processes, quantization, queries, query, ReLU, residual, RMSNorm, rotary, safetensors, schedule, score, scores, seed,
sequence, sequences, shape, shapes, softmax, state dict, strides, tape, targets, teacher forcing, temperature, tensor, tensors, token, tokens,
tokenizer, top k, top p, transformer, ulp, vector, vectors, view, vocabulary, warm-up, weight, weights, width
`.toLowerCase().trim().split(/,\s+/);

test("the glossary has the words of the lessons", () => {
  const forms = new Set(words.flatMap((word) => word.forms.map((form) => form.toLowerCase())));
  const prose = [...lessons.values()].map(proseOf).join(" ").toLowerCase();
  assert.deepEqual(technical.filter((one) => !forms.has(one)), []);
  assert.deepEqual(technical.filter((one) => !new RegExp(`(?<![\\w-])${one}(?![\\w-])`).test(prose)), [], "no lesson uses it");
});

const sample = parseGlossary(`# Words

## Head

One of "several" attentions, of width $w_1$. The others
are heads too.

Also: eye. See [lesson 0](first.md#many) and [lesson 9](../tutorials/09_heads.cpp#split).
<!-- forms: head, heads; not on: about_me -->

## Top k

The best $k$.

See [lesson 12](../tutorials/12_sampling.cpp).
<!-- forms: top k -->

## GPT head

A head.

See [a guide](models.md).
<!-- forms: GPT head -->
`, "docs/glossary.md");
const linked = (html, page = "01_loops") => wordLinker(sample, bareText)(html, page).replace(/ href="glossary.html#/g, " #").replace(/ class="term"/g, "");

test("the source of a glossary is read, and what it lacks is named", () => {
  const places = [{ file: "first.md", page: "first", id: "many" }, { file: "../tutorials/09_heads.cpp", page: "09_heads", id: "split" }];
  assert.deepEqual(sample[0], {
    word: "Head", id: "head", also: "eye", forms: ["head", "heads"], notOn: ["about_me"],
    definition: 'One of "several" attentions, of width $w_1$. The others are heads too.', places, seen: places[1],
  });
  assert.throws(() => parseGlossary("# Words\n\n## Head\n\nA head.\n", "docs/glossary.md"), /^Error: docs\/glossary\.md:3: Head needs a definition/);
});

test("the first use of a word leads to its definition, the longest form first, in any case that it may have", () => {
  assert.equal(linked("<p>Heads, and heads.</p>"), '<p><a #head" title="One of &quot;several&quot; attentions, of width w_1.">Heads</a>, and heads.</p>');
  assert.equal(linked("<p>A GPT\nhead, a head</p>"), '<p>A <a #gpt-head" title="A head.">GPT\nhead</a>, a <a #head" title="One of &quot;several&quot; attentions, of width w_1.">head</a></p>');
  assert.match(linked("<p>Top k of <em>heads</em></p>"), /<a #top-k" title="The best k\.">Top k<\/a> of <em><a #head"/);
});

test("code, formulas, headings, links, names and quotations have no links to the glossary", () => {
  for (const html of [
    "<h2>Heads</h2>", "<code>head</code>", "<pre>head</pre>", '<a href="x">the head</a>', '<span class="katex"><span>head</span> head</span>',
    "<summary>heads</summary>", "<svg><text>head</text></svg>", "<p>multi-head, head-first, head-2, ahead, head.size, a.head, head::x, overhead</p>", "<p>&quot;My head&quot;</p>",
    '<details class="other"><p>head</p></details>', '<section class="row" id="references"><li>head</li></section>', "<p>gpt head-on</p>", "<nav>head</nav>", "<textarea>head</textarea>",
  ]) assert.equal(linked(html), html);
  assert.match(linked('<span class="katex"><span>x</span></span> head'), /<a #head"/);
});

test("a page does not lead to the glossary where it has explained the word itself, or means something else", () => {
  const html = '<p>a head</p><section class="cell" id="split"><p>heads</p></section>';
  assert.match(linked(html, "09_heads"), /<p>a <a #head"[^>]*>head<\/a><\/p>/);
  assert.doesNotMatch(linked(html.replace("<p>a head</p>", ""), "09_heads"), /<a/);
  assert.doesNotMatch(linked('<h2 id="many">So many</h2><p>heads</p>', "first"), /<a/);
  assert.doesNotMatch(linked("<p>top k</p>", "12_sampling"), /<a/);
  assert.doesNotMatch(linked(html, "about_me"), /<a/);
});
