import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as course from "../course.mjs";
import { expectedOutputs, publicAddress, readGuides, readTutorials } from "../generate.mjs";
import { indexPage } from "../home.mjs";
import { lookingFigure } from "../looking.mjs";
import { markdownRenderer } from "../markdown.mjs";
import { tutorialPage } from "../page.mjs";

const repository = new URL("../../..", import.meta.url).pathname;
const tutorials = readTutorials(repository);
const guides = readGuides(repository);
const markdown = markdownRenderer({ figure: () => "", link: (href) => href });
const make = (more) => indexPage({ site: { tutorials, guides }, markdown, course, pictures: {}, ...more });

test("each path of the course can be followed, and begins with attention before the notebooks on positions", () => {
  assert.doesNotThrow(make);
  for (const { title, lessons } of course.paths) {
    const at = (name) => lessons.indexOf(name);
    assert.ok(at("08_attention") < at("09_heads_and_masks") && at("09_heads_and_masks") < at("10_transformer_block"), title);
    for (const notebook of lessons.filter((name) => name < "06")) assert.ok(at("10_transformer_block") < at(notebook), `${title}: ${notebook}`);
  }
});

test("the first page begins with lesson 0 where there is one, and with the first lesson of a path otherwise", () => {
  const begin = (html) => /<a class="start first" href="([^"]+)"><strong>Begin<\/strong> <span>([^<]*)<\/span>/.exec(html).slice(1);
  assert.deepEqual(begin(make()), ["08_attention.html", "Attention by hand, 45 minutes"]);
  const first = { name: "zero", title: "What it is", description: "Made for this [1]: it reads.", facts: { minutes: 15 }, help: { pieces: { question: {} }, vectors: { question: {} }, mixing: { question: null } } };
  const html = make({ site: { tutorials, guides, first } });
  assert.deepEqual(begin(html), ["zero.html", "What it is, 15 minutes"]);
  assert.equal(html.match(/<ol><li><a href="zero\.html">/g).length, course.paths.length);
  assert.match(html, /<span class="summary">Made for this: it reads\.<\/span>/); // a card has no list of references
  assert.match(html, /<a href="zero\.html" data-lesson="zero" data-questions="2">\n<span class="number">0 · 15 minutes<\/span>/);
  assert.match(html, /<a class="start" href="mini\.html"><strong>Read mini in an evening/);
});

test("the first page leads to the trained model, to the model that learns, and to lesson 0 in other languages, where they are", () => {
  const languages = [{ code: "en", name: "English", href: "zero.html" }, { code: "ja", name: "日本語", href: "ja/zero.html" }];
  const html = make({ pages: ["inside", "training"], languages });
  assert.match(html, /Or <a href="inside\.html">look inside a trained GPT<\/a>, or <a href="training\.html">watch one learn<\/a>\.<\/p>/);
  assert.match(html, /in other languages: <a lang="ja" hreflang="ja" href="ja\/zero\.html">日本語<\/a><\/p>/);
  assert.match(make({ pages: ["training"] }), /Or <a href="training\.html">/);
  assert.doesNotMatch(make({ languages: languages.slice(0, 1) }), /<p class="soft">Or |other languages/);
});

test("the first page asks the trained model about the reader's text where the model runs", () => {
  const html = make({ pages: ["inside", "training"], ask: 'say "a"' });
  assert.match(html, /<form class="ask" action="inside\.html"><label for="ask">[^<]+<\/label>\s*<span><input id="ask" name="text" value="say &quot;a&quot;"/);
  assert.match(html, /Or <a href="training\.html">watch one learn<\/a>\./);
  assert.doesNotMatch(make({ pages: ["inside"] }), /<form/);
});

test("the first page says where to get the repository, if that is known", () => {
  assert.match(make({ source: "https://example.org/a/b" }), /<pre class="commands" tabindex="0">git <span[^>]*>clone<\/span> https:\/\/example\.org\/a\/b|<pre class="commands" tabindex="0">git clone https:\/\/example\.org\/a\/b/);
  assert.doesNotMatch(make(), /git clone/);
});

test("the public address is that of git, without what is secret in it", () => {
  const folder = mkdtempSync(join(tmpdir(), "etude-origin-"));
  const git = (...words) => spawnSync("git", ["-C", folder, ...words]);
  try {
    git("init", "-q");
    assert.equal(publicAddress(folder), null);
    git("remote", "add", "origin", "/some/folder");
    for (const [origin, address] of [
      ["/some/folder", null],
      ["https://example.org/a/b.git", "https://example.org/a/b"],
      ["https://name:secret@example.org/a/b", "https://example.org/a/b"],
      ["git@example.org:a/b.git", "https://example.org/a/b"],
      ["http://localhost/a", null],
    ]) {
      git("remote", "set-url", "origin", origin);
      assert.equal(publicAddress(folder), address, origin);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the figure that moves shows what lesson 8 printed", () => {
  const { cells } = tutorials.find(({ name }) => name === "08_attention");
  const outputs = expectedOutputs(repository, { name: "08_attention" });
  const draw = (change) => lookingFigure({ printed: (id) => change(outputs[id]), code: (id) => cells.find((one) => one.id === id).rows.map(({ code }) => code).join("\n") });
  const shares = (svg) => [...svg.matchAll(/class="share"[^>]*>(\d+) %/g)].map(([, share]) => Number(share));
  const svg = draw((text) => text);
  assert.deepEqual(shares(svg), [8, 61, 8, 22, 10, 10, 71, 10, 8, 61, 8, 22, 7, 53, 20, 20]);
  assert.match(svg, /itself looks at the with 7 %, dog with 53 %/);
  assert.equal(shares(draw((text) => text.replace("0.5344", "0.1244")))[13], 12);
  assert.throws(() => draw((text) => text.replace(/,\s*\[0\.0723.*\]\]/, "]")), /moves four words/);
});

test("a card says how many questions its page asks", () => {
  const asked = tutorials.find(({ name }) => name === "08_attention").help;
  const count = Object.values(asked).filter(({ question }) => question).length;
  assert.ok(count > 0);
  assert.ok(make().includes(`<a href="08_attention.html" data-lesson="08_attention" data-questions="${count}">`));
});

test("a lesson that does not lead to the next by number leads on along two paths, and to that one on the path C++ first", () => {
  const follows = (path, from, to) => path.lessons[path.lessons.indexOf(from) + 1] === to;
  for (const [name, next] of Object.entries(course.onward)) {
    const byNumber = tutorials[tutorials.findIndex((one) => one.name === name) + 1].name;
    for (const path of course.paths) assert.ok(follows(path, name, path.title === "C++ first" ? byNumber : next), `${path.title}: ${name}`);
    const tutorial = { ...tutorials.find((one) => one.name === name), cells: [], facts: null, summary: null, references: null, block: () => "" };
    const links = [...tutorialPage({ tutorial, outputs: {}, site: { tutorials, guides }, markdown }).matchAll(/<a rel="next" href="(\w+)\.html"><span[^>]*>([^<]*)/g)];
    assert.deepEqual(links.map(([, page, word]) => [page, word]), [[next, "Next: "], [next, "Next"], [byNumber, "Next by number, as on the path “C++ first”"]]);
  }
});
