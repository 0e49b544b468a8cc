// Opens the pages of the site in headless Chromium: node check.mjs CHROMIUM SITE RECORD SCREENSHOTS [PATTERN]
//
// Each page is opened 1400 pixels wide, light and dark, 768 and 360 wide, on paper, and without JavaScript; sources that stand as
// they are 1400 and 360 pixels wide alone. With a PATTERN only pages whose name it matches are opened.
// With PAGES_TURN=N less is done: one page in four is opened, of those that are made alike, of the API, of sources and in other
// languages, one in eight, and three of four of these only as sources are and without the accessibility checker; from turn to turn
// others. There are no screenshots. What is wrong is listed, and the exit code is 1.
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { accessibilityFaults } from "./accessibility.mjs";
import { checkTools } from "./check_tools.mjs";
import { cellOutputs, findFaults, pageText } from "./faults.mjs";

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND",
];
const desktop = { width: 1400, height: 900 };
const phone = { width: 360, height: 780 };
const tablet = { width: 768, height: 1024 };
const withoutContrast = { rules: { "color-contrast": { enabled: false } } };
const turn = process.env.PAGES_TURN ? Number(process.env.PAGES_TURN) : undefined;
const paper = { width: 720, height: 1000 }; // about A4 without its margins

/** `read`, which reads each name once. */
function once(read) {
  const known = new Map();
  return (name) => known.get(name) ?? known.set(name, read(name)).get(name);
}

/** Opens a page in a context of its own; what it loads, and what the browser complains of, is reported. */
async function open(browser, options, site, report) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000); // a busy machine is no fault of the page
  const page = await context.newPage();
  page.on("console", (message) => report(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => report(`script error: ${error.message}`));
  page.on("requestfailed", (request) => {
    if (request.failure().errorText !== "net::ERR_ABORTED") report(`could not load ${request.url()}`); // the next page came
  });
  page.on("request", (request) => {
    if (!/^(data|about):/.test(request.url()) && !request.url().startsWith(site.root)) report(`loads ${request.url()}`);
  });
  return page;
}

/** Another size: what the page does about it is done. */
async function resize(page, size) {
  await page.setViewportSize(size);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The page in all ways in which it is seen, of which a plain one is spared the dark, the tablet and paper; gives its text. */
async function onScreens(page, site, name, view) {
  const inspect = site.isBrief(name) ? findAll : inspectAll;
  view.way = "1400 pixels, light";
  await page.setViewportSize(desktop);
  const begun = performance.now();
  await page.goto(site.address(name));
  if (name === "index.html") site.took = performance.now() - begun;
  await inspect(page.mainFrame(), view.report, {});
  await findBrokenLinks(page, site, view.report);
  await compareOutputs(page, site, name, view.report);
  await page.keyboard.press("Tab");
  if (!(await page.evaluate(() => document.activeElement.matches(".skip")))) view.report("Tab does not begin at the skip link");
  await page.evaluate(() => document.activeElement.blur());
  const text = await page.evaluate(pageText);
  await picture(page, site, name, "1400", "light");
  if (!isPlain(site, name)) {
    view.way = "1400 pixels, dark";
    await page.emulateMedia({ colorScheme: "dark" });
    await inspect(page.mainFrame(), view.report, { runOnly: ["color-contrast"] });
    await picture(page, site, name, "1400", "dark");
    view.way = "printed";
    await resize(page, paper);
    await page.emulateMedia({ media: "print" });
    await findAll(page, view.report);
    await page.emulateMedia({ media: null, colorScheme: "light" });
    view.way = "768 pixels";
    await resize(page, tablet);
    await inspect(page.mainFrame(), view.report, { runOnly: ["scrollable-region-focusable"] });
    await picture(page, site, name, "768", "light");
  }
  view.way = "360 pixels";
  await resize(page, phone);
  await inspect(page.mainFrame(), view.report, turn === undefined ? withoutContrast : { runOnly: ["scrollable-region-focusable"] });
  await picture(page, site, name, "360", "light");
  return text;
}

/** A screenshot, which is for people. */
async function picture(page, site, name, width, scheme) {
  if (turn === undefined) await page.screenshot({ path: site.picture(name, width, scheme), fullPage: true });
}

/** The page says without JavaScript what it says with it, as it holds none. */
async function withoutJavaScript(page, site, name, text, report) {
  await page.goto(site.address(name));
  if ((await page.evaluate(pageText)) !== text || !text.trim()) report("says something else");
}

async function findAll(page, report) {
  (await page.evaluate(findFaults)).forEach(report);
}

async function inspectAll(frame, report, rules) {
  await findAll(frame, report);
  (await accessibilityFaults(frame, rules)).forEach(report);
}

async function findBrokenLinks(page, site, report) {
  const links = await page.$$eval("a[href]", (all) => all.map((a) => new URL(a.getAttribute("href"), document.baseURI).href));
  for (const href of new Set(links)) {
    if (/^https?:/.test(href)) {
      if (!/^https:\/\/[\w.-]+\.[a-z]{2,}(\/[^\s<>"]*)?$/.test(href)) report(`link to ${href}, which has no sound form`);
      continue;
    }
    const [file, fragment] = href.split("#");
    const name = file.slice(site.root.length);
    if (!href.startsWith(site.root) || !existsSync(fileURLToPath(file))) report(`link to ${href}, which is not in the site`);
    else if (fragment && !site.ids(name).has(decodeURIComponent(fragment))) report(`link to ${href}, which has no such place`);
  }
}

/** Every recorded cell of a lesson is there, and shows what the program printed. */
async function compareOutputs(page, site, name, report) {
  const lesson = /^(?:[a-z]+\/)?(\d\d_\w+)\.html$/.exec(name)?.[1];
  if (!lesson) return;
  const shown = new Map(await page.evaluate(cellOutputs));
  const record = join(site.record, lesson);
  for (const [id, text] of shown) {
    const printed = readFileSync(join(record, `${id}.txt`), "utf8").replace(/\n+$/, "");
    if (text !== printed) report(`the output of cell ${id} is not what was recorded`);
  }
  for (const file of readdirSync(record).filter((one) => one.endsWith(".txt"))) {
    if (!shown.has(file.replace(".txt", ""))) report(`the cell of ${file} is not shown`);
  }
}

/** A file as it stands, which looks like every other, or a page of which others like it say enough. */
const isPlain = (site, name) => site.isBrief(name) || site.read(name).includes('<body class="plain-source">');

/** Checks the pages that wait, one by one, and gives what is wrong with them. */
async function checkPages(browser, site, waiting) {
  const problems = new Set();
  let name;
  const view = { way: "", report: (problem) => problems.add(`${name} (${view.way}): ${problem}`) };
  const page = await open(browser, { viewport: desktop, colorScheme: "light" }, site, view.report);
  const still = await open(browser, { viewport: desktop, javaScriptEnabled: false }, site, view.report);
  for (name of waiting) {
    const text = await onScreens(page, site, name, view);
    view.way = "without JavaScript";
    if (!isPlain(site, name)) await withoutJavaScript(still, site, name, text, view.report);
  }
  return [...problems];
}

const [executablePath, siteFolder, record, screenshots, pattern = ""] = process.argv.slice(2);
const folder = resolve(siteFolder);
const read = once((name) => readFileSync(join(folder, name), "utf8"));
const site = {
  root: `${pathToFileURL(folder)}/`,
  record,
  read,
  ids: once((name) => new Set([...read(name).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))),
  address: (name) => `${pathToFileURL(folder)}/${name}`,
  picture: (name, width, scheme) => join(screenshots, `${name.replace(".html", "").replaceAll("/", "_")}_${width}_${scheme}.png`),
};
mkdirSync(screenshots, { recursive: true });
const names = readdirSync(folder, { recursive: true }).filter((name) => /^\w.*\.html$/.test(name) && name.match(pattern)).sort();
const isAlike = (name) => /^(api_|source_|\w\w\/)/.test(name);
const inTurn = (all, of, now = turn) => all.filter((_, i) => turn === undefined || i % of === now % of);
const alike = inTurn(names.filter(isAlike), 8);
const wholly = new Set(inTurn(alike, 4, Math.floor(turn / 8)));
site.isBrief = (name) => isAlike(name) && !wholly.has(name);
const opened = [...inTurn(names.filter((name) => !isAlike(name)), 4), ...alike];
const browser = await chromium.launch({ executablePath, args: flags });
const problems = [];
const waiting = opened.values();
const useTools = () =>
  checkTools((options, report) => open(browser, options, site, report), inspectAll, site, (problem) => problems.push(problem));
try {
  problems.push(...(await Promise.all([waiting, waiting].map((some) => checkPages(browser, site, some)))).flat());
  await useTools();
} finally {
  await browser.close();
}
problems.forEach((problem) => console.error(problem));
const took = site.took ? `, the first page in ${Math.round(site.took)} ms` : ""; // a busy machine is no fault of the page
console.log(`${opened.length} of ${names.length} pages opened${took}, ${problems.length} problems; screenshots are in ${screenshots}`);
process.exitCode = problems.length || !opened.length ? 1 : 0;
