// Opens the pages of the site in headless Chromium: node check.mjs CHROMIUM SITE RECORD SCREENSHOTS [PATTERN]
//
// Each page is opened 1400 pixels wide, light and dark, 768 wide, in a frame of 360, on paper, and without JavaScript; sources
// that stand as they are 1400 pixels wide and in the frame alone. Its weight is measured. With a PATTERN only pages whose name
// it matches are opened. With PAGES_TURN=N less is done: of those pages that are made alike, of the API, of sources and in other
// languages, one in three is opened in the turns 1 to 3 and none in turn 0; contrast is looked at in light or in dark; there are
// no screenshots. What is wrong is listed, and the exit code is 1.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
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
const heaviest = 150_000; // bytes of a page, compressed
const withoutContrast = { rules: { "color-contrast": { enabled: false } } };
const turn = process.env.PAGES_TURN;
const isDarkTurn = turn && Number(turn) % 2 === 1; // undefined: light and dark
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
  page.on("requestfailed", (request) => report(`could not load ${request.url()}`));
  page.on("request", (request) => {
    if (!/^(data|about):/.test(request.url()) && !request.url().startsWith(site.root)) report(`loads ${request.url()}`);
  });
  return page;
}

/** The page on a desktop and a tablet, of which a plain one is spared the dark and the narrow; gives its text. */
async function onScreens(browser, site, name, reporter) {
  let report = reporter(`${desktop.width} pixels, light`);
  const page = await open(browser, { viewport: desktop, colorScheme: "light" }, site, (problem) => report(problem));
  await page.goto(site.address(name));
  await inspect(page.mainFrame(), report, isDarkTurn ? withoutContrast : {});
  await findBrokenLinks(page, site, report);
  await compareOutputs(page, site, name, report);
  await page.keyboard.press("Tab");
  if (!(await page.evaluate(() => document.activeElement.matches(".skip")))) report("Tab does not begin at the skip link");
  await page.evaluate(() => document.activeElement.blur());
  const text = await page.evaluate(pageText);
  await picture(page, site, name, "1400", "light");
  if (!isPlain(site, name)) {
    report = reporter(`${desktop.width} pixels, dark`);
    await page.emulateMedia({ colorScheme: "dark" });
    if (isDarkTurn !== false) await inspect(page.mainFrame(), report, { runOnly: ["color-contrast"] });
    await picture(page, site, name, "1400", "dark");
    report = reporter(`${tablet.width} pixels`);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(tablet);
    await inspect(page.mainFrame(), report, { runOnly: ["scrollable-region-focusable"] });
    await picture(page, site, name, "768", "light");
  }
  await page.context().close();
  return text;
}

/** A screenshot, which is for people. */
async function picture(page, site, name, width, scheme) {
  if (turn === undefined) await page.screenshot({ path: site.picture(name, width, scheme), fullPage: true });
}

async function onPhone(browser, site, name, report) {
  const page = await open(browser, { viewport: phone }, site, report);
  const framePath = site.frame(name);
  writeFileSync(framePath, `<!DOCTYPE html><title>Frame</title><style>body { margin: 0 }</style>
<iframe src="${site.address(name)}" width="${phone.width}" height="${phone.height}" style="border: 0"></iframe>`);
  await page.goto(pathToFileURL(framePath).href);
  const [, frame] = page.frames();
  await frame.waitForLoadState();
  await inspect(frame, report, turn === undefined ? withoutContrast : { runOnly: ["scrollable-region-focusable"] });
  rmSync(framePath);
  if (turn === undefined) {
    await page.goto(site.address(name));
    await picture(page, site, name, "360", "light");
  }
  await page.context().close();
}

function weigh(site, name) {
  const weight = gzipSync(site.read(name)).length;
  return weight > heaviest ? [`${name} weighs ${weight} bytes, compressed`] : [];
}

async function onPaper(browser, site, name, report) {
  const page = await open(browser, { viewport: paper, colorScheme: "dark" }, site, report);
  await page.emulateMedia({ media: "print" });
  await page.goto(site.address(name));
  (await page.evaluate(findFaults)).forEach(report);
  await page.context().close();
}

/** The page says without JavaScript what it says with it, as it holds none. */
async function withoutJavaScript(browser, site, name, text, report) {
  const page = await open(browser, { viewport: desktop, javaScriptEnabled: false }, site, report);
  await page.goto(site.address(name));
  if ((await page.evaluate(pageText)) !== text || !text.trim()) report("says something else");
  await page.context().close();
}

async function inspect(frame, report, rules) {
  (await frame.evaluate(findFaults)).forEach(report);
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

/** A file as it stands, which looks like every other. */
const isPlain = (site, name) => site.read(name).includes('<body class="plain-source">');

async function checkPage(browser, site, name) {
  const problems = new Set();
  const reporter = (where) => (problem) => problems.add(`${name} (${where}): ${problem}`);
  const text = await onScreens(browser, site, name, reporter);
  await onPhone(browser, site, name, reporter(`${phone.width} pixels`));
  if (isPlain(site, name)) return [...problems];
  await onPaper(browser, site, name, reporter("printed"));
  await withoutJavaScript(browser, site, name, text, reporter("without JavaScript"));
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
  frame: (name) => join(folder, `.frame_${name.replaceAll("/", "_")}`),
  address: (name) => `${pathToFileURL(folder)}/${name}`,
  picture: (name, width, scheme) => join(screenshots, `${name.replace(".html", "").replaceAll("/", "_")}_${width}_${scheme}.png`),
};
mkdirSync(screenshots, { recursive: true });
const names = readdirSync(folder, { recursive: true }).filter((name) => /^\w.*\.html$/.test(name) && name.match(pattern)).sort();
const isAlike = (name) => /^(api_|source_|\w\w\/)/.test(name);
const inTurn = names.filter(isAlike).filter((_, i) => turn === undefined || i % 3 === Number(turn) - 1);
const opened = [...names.filter((name) => !isAlike(name)), ...inTurn];
const browser = await chromium.launch({ executablePath, args: flags });
const problems = names.flatMap((name) => weigh(site, name));
const waiting = opened.values();
const openTheNext = async () => {
  for (const name of waiting) problems.push(...(await checkPage(browser, site, name)));
};
const useTools = () =>
  checkTools((options, report) => open(browser, options, site, report), inspect, site, (problem) => problems.push(problem));
try {
  await Promise.all([openTheNext(), openTheNext()]);
  await useTools();
} finally {
  await browser.close();
}
problems.forEach((problem) => console.error(problem));
console.log(`${opened.length} of ${names.length} pages opened, ${problems.length} problems; screenshots are in ${screenshots}`);
process.exitCode = problems.length || !opened.length ? 1 : 0;
