import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { map, parts } from "../course.mjs";
import { parseDiagram } from "../diagram.mjs";
import { figureWords } from "../first_figures.mjs";
import { generate } from "../generate.mjs";
import { parameterControls, parametersOf } from "../live_markup.mjs";
import { instantiate } from "../../live/module.mjs";
import { pictures } from "../pictures.mjs";

test("a module that cannot be instantiated is an error", async () => {
  const empty = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  const loader = (given) => new Promise((done) => given.instantiateWasm({}, (instance) => done({ instance, given })));
  const { instance, given } = await instantiate(loader, empty, { more: 1 });
  assert.ok(instance instanceof WebAssembly.Instance);
  assert.equal(given.more, 1);
  await assert.rejects(instantiate(loader, "no module"), TypeError);
  await assert.rejects(instantiate(() => Promise.reject(new Error("no loader")), empty), /no loader/);
});

test("parameters of all four kinds are read from the code", () => {
  const code = `const int64_t d = parameter("d_model", 512, 2, 1024, 2), n = parameter("n", 1, 0,
    9);
print(f(x, parameter("rate", 0.01, 0.0001, 0.05)));
const std::string prompt = parameter("prompt", "the \\"dog\\", "
                                               "again");
parameter("norm", "first", {"first", "last"});
// parameter("old", 1, 0, 2)
register_parameter("weight", etude::zeros({2}));`;
  assert.deepEqual(parametersOf(code), [
    { name: "d_model", kind: "whole", initial: "512", least: "2", most: "1024", step: "2" },
    { name: "n", kind: "whole", initial: "1", least: "0", most: "9", step: "1" },
    { name: "rate", kind: "number", initial: "0.01", least: "0.0001", most: "0.05" },
    { name: "prompt", kind: "text", initial: 'the "dog", again' },
    { name: "norm", kind: "choice", initial: "first", choices: ["first", "last"] },
  ]);
});

test("the parameters of all lessons are those that their programs have", () => {
  const folder = new URL("../../../tutorials/", import.meta.url);
  for (const name of readdirSync(folder).filter((one) => /^\d\d_\w+\.cpp$/.test(one))) {
    const code = readFileSync(new URL(name, folder), "utf8");
    const calls = code.match(/(?<![\w"])parameter\("/g) ?? [];
    assert.equal(parametersOf(code).length, calls.length, name);
  }
});

test("a parameter is a labelled slider with a field, a list or a field of text, each with a button that resets it", () => {
  const html = parameterControls('f(parameter("width", 16, 2, 64, 2), parameter("base", 10.0, 2.0, 99.0), parameter("p", "a<b"), parameter("n", "b", {"a", "b"}));', (text) => `${text}!`);
  assert.match(html, /^<div class="live parameters" hidden>/);
  assert.match(html, /<label for="parameter-width">width<\/label><input type="range" aria-label="width" min="2" max="64" step="2" autocomplete="off"><input id="parameter-width" class="value" type="number" min="2" max="64" step="2" value="16"/);
  assert.match(html, /<input type="range" aria-label="base" min="0" max="200" step="1"[^>]*><input id="parameter-base" class="value" type="number" min="2.0" max="99.0" step="any" value="10.0"/);
  assert.match(html, /<input id="parameter-p" class="value" type="text" value="a&lt;b"/);
  assert.match(html, /<option>a<\/option><option selected>b<\/option>/);
  assert.equal(html.match(/<button type="button" class="reset" aria-label="Reset! \w+" disabled>Reset!</g).length, 4);
  assert.equal(parameterControls("f();", String), "");
});

const lesson = `/// # Sample
//%% In01 | A
/// Text.
const int64_t n = parameter("n", 1, 0, 9);
print(n);
//%% plot | B
/// ![Heat](heat.svg)
figure("heat.svg", plot(n));
//%% silent | C
g();
//%% exercise1 | D
/// Do it.
{
  //%% answer
  /// So.
  n = 2;
  //%% end answer
  print(n);
}
`;
let folder;
const put = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const page = (name) => readFileSync(join(folder, "site", name), "utf8");
const make = (live) => {
  rmSync(join(folder, "site"), { recursive: true, force: true });
  generate(folder, join(folder, "record"), join(folder, "site"), null, { live: live && join(folder, "live") });
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "etude-live-"));
  put("tutorials/01_sample.cpp", lesson);
  put("docs/guide.md", "# Guide\n");
  for (const id of ["In01", "plot", "silent", "exercise1"]) put(`record/01_sample/${id}.txt`, /In|ex/.test(id) ? "1\n" : "");
  for (const id of ["In01", "exercise1"]) put(`tutorials/expected/01_sample/${id}.txt`, "1\n\n");
  put("record/01_sample/heat.svg", '<svg viewBox="0 0 300 100"><title>Heat</title></svg>');
  for (const name of ["etude_live.wasm", "etude_live.mjs", "worker.mjs", "build.ninja"]) put(`live/${name}`, "");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a live site holds the module, what pages load with it, and what was recorded", () => {
  make(true);
  assert.deepEqual(readdirSync(join(folder, "site/live")).sort(), ["01_sample.json", "drawing.mjs", "etude_live.mjs", "etude_live.wasm", "html.mjs", "pictures.mjs", "printed.mjs", "svg.mjs", "worker.mjs"]);
  assert.deepEqual(JSON.parse(page("live/01_sample.json")), { In01: "1\n\n", exercise1: "1\n\n" });
  assert.match(page("style.css"), /\.badge/);
  assert.match(page("01_sample.html"), /<script src="live_cells\.js" data-lesson="01_sample" defer><\/script>\n<script src="symbols\.js" defer><\/script>/);
  assert.doesNotMatch(page("guide.html"), /live_cells/);
});

test("a button stands at each output and at each figure without one, and is not shown without scripts", () => {
  make(true);
  const html = page("01_sample.html");
  const cell = (id) => new RegExp(`<section class="cell[^"]*" id="${id}"[\\s\\S]*?</section>`).exec(html)[0];
  const control = (id) => `<span class="live" hidden><span class="badge"></span><button type="button" class="run" aria-describedby="${id}-title">Run</button></span>`;
  assert.ok(cell("In01").includes(`<figcaption>Output${control("In01")}</figcaption>`));
  assert.match(cell("In01"), /<\/pre><\/div>\n<div class="live parameters" hidden>[\s\S]*<figure class="output">/);
  assert.ok(cell("plot").includes(`<div class="drawn">${control("plot")}</div>`));
  assert.match(cell("plot"), /<figure class="plot" tabindex="0" data-figure="heat\.svg">/);
  assert.doesNotMatch(cell("silent"), /button/);
  assert.match(cell("exercise1"), /<details class="answer">[\s\S]*<button[\s\S]*<\/details>/);
  assert.match(html, /<p class="live run-all" hidden><button type="button" class="run">Run all cells here<\/button> <span class="count"><\/span><\/p>/);
});

test("without the module pages are as they would be, but for what runs cells", () => {
  make(false);
  const plain = page("01_sample.html");
  assert.doesNotMatch(plain, /live|data-figure|drawn|class="parameter/);
  assert.ok(!readdirSync(join(folder, "site")).some((name) => /^live/.test(name)));
  make(true);
  const bare = page("01_sample.html")
    .replace(/\n<script src="(live_cells|symbols)\.js"[^>]*><\/script>/g, "")
    .replace(/<p class="live run-all"[\s\S]*?<\/p>\n/, "")
    .replace(/<div class="live parameters" hidden>[\s\S]*?<\/button><\/div><\/div>\n/, "")
    .replace(/<div class="drawn">[\s\S]*?<\/div>\n/, "")
    .replace(/<span class="live" hidden>[\s\S]*?<\/button><\/span>/g, "")
    .replace(/ data-figure="[^"]*"/, "");
  assert.equal(bare, plain);
});

test("every page language has the words of the page, of its cells and of its scripts", () => {
  const translations = new URL("../../translations/", import.meta.url);
  const source = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
  const listed = (name) => [...source(name).match(/const said = \[([\s\S]*?)\];/)[1].matchAll(/"([^"]+)"/g)].map(([, text]) => text);
  const pictured = Object.values(pictures).flatMap(({ words }) => words);
  const said = [...pictured, ...["live_markup.mjs", "page.mjs", "help.mjs", "first_lesson.mjs"].flatMap(listed), ...figureWords];
  for (const name of ["site.js", "search.js", "symbols.js", "live_cells.js", "exercises.js", "first_lesson.js", "first_figures.mjs", "pictures.mjs"])
    for (const [, text] of source(name).matchAll(/(?:\b(?:said|words?|exerciseWord|label)\(|\btitle: )"([^"]+)"/g)) assert.ok(said.includes(text), `no page has "${text}" of ${name}`);
  const page = ["page.mjs", "markdown.mjs", "diagram.mjs", "tex.mjs", "help.mjs", "first_lesson.mjs"].flatMap((name) => [...source(name).matchAll(/label\("([^"]+)"\)/g)].map(([, text]) => text));
  const { reasons } = JSON.parse(readFileSync(new URL("../../../tutorials/expected/differs.json", import.meta.url), "utf8"));
  const boxes = parseDiagram(map.diagram).rows.flat().filter(({ name }) => name !== "text");
  const drawn = [...boxes.map((box) => box.label), ...parts.map(({ title }) => title)];
  for (const code of readdirSync(translations)) {
    const words = JSON.parse(readFileSync(new URL(`${code}/page.json`, translations), "utf8"));
    for (const text of ["Reset", "Interactive figure:", ...drawn, ...said, ...page, ...Object.values(reasons)]) {
      assert.ok(words[text], `${code} lacks "${text}"`);
      assert.equal(words[text].split("#").length, text.split("#").length, `${code}: "${words[text]}"`);
    }
  }
});
