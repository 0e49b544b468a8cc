// The site as a folder that any host can serve: cards, 404.html, budgets, and the workflow that publishes it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import vm from "node:vm";
import { headFaults, kinds, loadedBy, weighSite } from "../budget.mjs";
import { missingPage } from "../missing_page.mjs";
import { document } from "../page.mjs";
import { serveFolder } from "../serve.mjs";
import { card, siteAddress, withCard } from "../share.mjs";

const page = (more = {}) => document({ title: 'A & "B" · Etude', description: "Says $1 & more.", kind: "guide", body: "<h1>A</h1>", ...more });
const content = (html, name) => new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)">`).exec(html)?.[1];

test("a card has title, description and, of a site with an address, a picture with its host", () => {
  const html = withCard(page(), "a.html", "https://x.org/etude/");
  assert.equal(content(html, "og:title"), "A &amp; &quot;B&quot;");
  assert.equal(content(html, "og:description"), "Says 1 &amp; more.");
  assert.equal(content(html, "og:type"), "article");
  assert.equal(content(html, "og:url"), "https://x.org/etude/a.html");
  assert.equal(content(html, "og:image"), "https://x.org/etude/card.png");
  assert.equal(content(html, "twitter:card"), "summary_large_image");
  const first = withCard(page(), "index.html", "https://x.org/");
  assert.deepEqual([content(first, "og:url"), content(first, "og:type")], ["https://x.org/", "website"]);
  assert.match(first, /<link rel="canonical" href="https:\/\/x\.org\/">/);
  const none = withCard(page(), "a.html", null);
  assert.deepEqual([content(none, "og:title"), content(none, "og:image"), content(none, "twitter:card")], ["A &amp; &quot;B&quot;", undefined, "summary"]);
  assert.deepEqual(headFaults(none), []);
});

test("the card's picture is as large as the pages say, and light", () => {
  const png = readFileSync(new URL("../../card.png", import.meta.url));
  assert.deepEqual([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ["PNG", card.width, card.height]);
  assert.deepEqual([card.width, card.height], [1200, 630]);
  assert.ok(png.length < 100_000, `${png.length} bytes`);
});

test("an address of a site ends with one slash, and has a host", () => {
  assert.equal(siteAddress(""), null);
  assert.equal(siteAddress("https://x.org"), "https://x.org/");
  assert.equal(siteAddress("https://x.org/etude/"), "https://x.org/etude/");
  for (const wrong of ["x.org/etude", "https://", "https://x.org/?a", "ftp://x.org"]) assert.throws(() => siteAddress(wrong), /ETUDE_SITE is https:\/\/HOST\/PATH/);
});

test("404.html loads and links from the root of its host, or beside itself", () => {
  const markdown = { inline: (text) => text };
  const site = { tutorials: [{ name: "01_loops", title: "One number" }], first: { name: "what_it_is", title: "What it is" } };
  const links = (address) => [...missingPage({ site, markdown, address }).matchAll(/(?:href|src)="(?!data:|#)([^"]*)"/g)].map(([, link]) => link);
  assert.ok(links("https://x.org/etude/").every((link) => link.startsWith("/etude/")), links("https://x.org/etude/").join());
  for (const page of ["what_it_is", "01_loops"]) assert.ok(links("https://x.org/etude/").includes(`/etude/${page}.html`), page);
  assert.ok(links(null).every((link) => !link.startsWith("/")));
});

test("what a phone, a search or a slow line would miss in a page is named", () => {
  const good = withCard(page(), "a.html", null);
  const fault = (from, to) => headFaults(good.replace(from, to)).join("; ");
  assert.match(fault(/<title>.*<\/title>/, "<title></title>"), /title has 0 letters/);
  assert.match(fault(/name="description" content="[^"]*"/, 'name="description" content=""'), /no description/);
  assert.match(fault(/<meta name="viewport"[^>]*>/, ""), /viewport/);
  assert.match(fault(' lang="en"', ""), /no language/);
  assert.match(fault("</head>", '<script src="big.js"></script></head>'), /waits for <script src="big\.js">/);
  assert.match(fault("<h1>", '<img src="a.png" width="3"><h1>'), /text moves/);
  assert.match(fault("</head>", '<link rel="stylesheet" href="https://cdn.org/a.css"></head>'), /from elsewhere/);
  assert.match(fault("<h1>", '<a href="/x.html">x</a><h1>'), /leads out of the folder/);
  assert.match(fault(/<meta property="og:type"[^>]*>/, ""), /no og:type/);
});

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "etude-site-"));
  mkdirSync(join(folder, "ja"));
  for (const [name, text] of Object.entries({ "style.css": "a{} @font-face{src:url(f.woff2)}", "f.woff2": "12345", "theme.js": "1", "site.js": "2" })) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "a.html"), withCard(page(), "a.html", null));
  writeFileSync(join(folder, "ja/a.html"), withCard(page({ folder: "../", language: "ja" }), "ja/a.html", null));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a page is weighed with what it loads", () => {
  const html = readFileSync(join(folder, "ja/a.html"), "utf8");
  assert.deepEqual(loadedBy(html, "ja/a.html", folder), { html: ["ja/a.html"], css: ["style.css"], js: ["theme.js", "site.js"], images: [], fonts: ["f.woff2"] });
  const kindOf = (name) => kinds.find(({ pattern }) => pattern.test(name)).kind;
  for (const name of ["08_attention.html", "06_own_input.html", "what_a_transformer_is.html"]) assert.equal(kindOf(`ja/${name}`), kindOf(name));
  const budget = { kind: "page", pattern: /html$/, html: 5000, css: 100, js: 100, images: 0, fonts: 5, whole: 9000 };
  const { faults, table } = weighSite(folder, [budget], []);
  assert.deepEqual(faults, []);
  assert.deepEqual([table.page.pages, table.page.fonts], [2, 5]);
  assert.match(weighSite(folder, [{ ...budget, fonts: 4 }], []).faults.join(), /a\.html: fonts of 5 bytes, of 4 for a page,ja\/a\.html/);
  assert.match(weighSite(folder, [{ ...budget, whole: 99 }], []).faults.join(), /whole of \d+ bytes/);
  assert.match(weighSite(folder, [budget], [{ kind: "scripts", pattern: /\.js$/, most: 3 }]).faults.join(), /scripts: \d+ bytes, of 3/);
  rmSync(join(folder, "site.js"));
  assert.match(weighSite(folder, [budget], []).faults.join(), /loads site\.js, which is not there/);
});

test("addresses that no file has are refused, and the next one is served", async () => {
  const { address, close } = await serveFolder(folder);
  try {
    for (const [path, expected] of [["%", 400], ["%00", 400], ["a.html/b", 400], ["b.html", 404], ["a.html", 200]])
      assert.equal((await fetch(address + path)).status, expected, path);
  } finally {
    close();
  }
});

test("a search that loads but does not run ends", async () => {
  const script = readFileSync(new URL("../site.js", import.meta.url), "utf8");
  const part = script.slice(script.indexOf("let loading = null"), script.indexOf("searchButton.addEventListener"));
  let shown = 0;
  const status = {};
  const open = (load) => vm.runInNewContext(`${part}\nopenSearch().then(() => openSearch())`, { load, said: (text) => text, showSearch: () => ++shown, searchDialog: () => ({ querySelector: () => status }) });
  const asked = [];
  await open(async (name) => asked.push(name));
  assert.deepEqual(asked, ["search_index.js", "search.js"]);
  let times = 0;
  await open(() => Promise.reject(new Error(`${++times}`)));
  assert.equal(times, 2); // what did not load is tried again
  assert.equal(status.textContent, "The search could not be loaded.");
  let shownFirst = 0;
  await open(async () => (shownFirst ||= shown));
  assert.equal(shownFirst, 5); // before anything is loaded
});

test("the workflow publishes the folder that docs/run makes, with the address of the pages", () => {
  const text = readFileSync(new URL("../../../.github/workflows/pages.yml", import.meta.url), "utf8");
  assert.match(text, /run: docs\/run --live\n\s+env:\n\s+ETUDE_SITE: \$\{\{ steps\.pages\.outputs\.base_url \}\}/);
  // The first page names the origin, which git does not read from a folder of another owner.
  assert.match(text, /run: git config --global --add safe\.directory "\$GITHUB_WORKSPACE"[^]*run: docs\/run/);
  assert.match(text, /id: pages\n\s+uses: actions\/configure-pages@v\d/);
  assert.match(text, /upload-pages-artifact@v\d\n\s+with:\n\s+path: build\/docs\/site\n/);
  assert.match(text, /deploy-pages@v\d/);
  const script = readFileSync(new URL("../../run", import.meta.url), "utf8");
  assert.match(script, /mv build\/docs\/site\.new build\/docs\/site\n/);
});
