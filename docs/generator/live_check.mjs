// Runs the cells of every lesson's page in headless Chromium: node live_check.mjs CHROMIUM SITE [SCREENSHOTS [PATTERN]]
//
// Each lesson is run as a whole, and every cell has to agree with what PyTorch printed. In some, parameters are changed and set
// back. The time from a click to the first result is printed. With PAGES_TURN=N one lesson in four is run, from turn to turn the
// others. What is wrong is listed, and the exit code is 1.
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { accessibilityFaults } from "./accessibility.mjs";
import { findFaults } from "./faults.mjs";
import { serveFolder } from "./serve.mjs";

const [executablePath, folder, screenshots, pattern = ""] = process.argv.slice(2);
const limit = 1000; // milliseconds from a click to the first result, with everything in the cache
const patience = { timeout: 180_000 };

// What a reader sets, the first cell that depends on it, the pictures that do, and how it is set back.
const settings = [
  { lesson: "01_loops", parameter: "base", value: "500", cell: "one_number", reset: "button" },
  { lesson: "05_input_embedding", parameter: "shift", value: "7", cell: "rotation", reset: "button" },
  { lesson: "07_autograd", parameter: "weight", value: "2.5", cell: "on_tape", pictures: ["one_node"], reset: "button" },
  { lesson: "08_attention", parameter: "rate", value: "1.5", cell: "learning", reset: "field" },
  { lesson: "08_attention", parameter: "emphasis", value: "2.25", cell: "queries", pictures: ["one_word"], reset: "field" },
  { lesson: "09_heads_and_masks", parameter: "emphasis", value: "8", cell: "one_head", pictures: ["two_heads"], reset: "field" },
  { lesson: "10_transformer_block", parameter: "inner", value: "32", cell: "feed_forward", pictures: ["residual_stream", "block_tree"], reset: "button" },
  { lesson: "12_sampling", parameter: "top_k", value: "3", cell: "top_k", reset: "slider" },
  { lesson: "12_sampling", parameter: "new_tokens", value: "1000", cell: "cache", pictures: ["filling_cache"], reset: "button" },
];

const problems = [];
const report = (where, problem) => problems.push(`${where}: ${problem}`);
const recorded = (lesson) => Object.keys(JSON.parse(readFileSync(join(folder, "live", `${lesson}.json`), "utf8")));

/** A page of the site, whose errors are reported. */
async function open(context, address) {
  const page = await context.newPage();
  const where = address.split("/").pop();
  page.on("console", (message) => report(where, `console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => report(where, `script error: ${error.message}`));
  page.on("requestfailed", (request) => report(where, `could not load ${request.url()}`));
  await page.goto(address);
  return page;
}

const badges = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".cell")].map((cell) => [cell.id, cell.querySelector(".badge")?.dataset.state ?? ""])));
const isOver = (page) => page.waitForFunction(() => document.querySelector(".run-all:not([data-running]) .count")?.textContent, null, patience);
const texts = (page) => page.evaluate(() => [...document.querySelectorAll(".output pre:not(.live-more), [data-figure] svg, [data-picture] svg")].map((one) => one.textContent));

/** The page as it stands, light and dark, wide and narrow. */
async function inspect(page, where) {
  for (const [width, colorScheme] of [[1400, "light"], [1400, "dark"], [360, "light"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => scrollTo(0, 0)); // or the bar that stays at the top may cover a part of a button
    for (const fault of await page.evaluate(findFaults)) report(`${where}, ${width} pixels, ${colorScheme}`, fault);
    for (const fault of await accessibilityFaults(page)) report(`${where}, ${width} pixels, ${colorScheme}`, fault);
  }
}

/** Runs all cells of a lesson; each that was recorded has to agree, and no other text may stand there than before. */
async function runLesson(context, address, lesson) {
  const page = await open(context, `${address}${lesson}.html`);
  const before = await texts(page);
  const begin = performance.now();
  await page.click(".run-all button");
  await isOver(page);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const states = await badges(page);
  const ids = recorded(lesson);
  for (const id of ids) {
    const more = states[id] === "agrees" ? "" : await page.evaluate((name) => document.getElementById(name)?.querySelector(".live-more")?.textContent ?? "", id);
    if (states[id] !== "agrees") report(lesson, `${id} has the badge "${states[id]}" ${more}`);
  }
  const count = await page.textContent(".run-all .count");
  if (!count.startsWith(`${ids.length} of ${ids.length} cells`)) report(lesson, `says "${count}"`);
  const spoken = await page.textContent(".live-status");
  if (spoken !== count) report(lesson, `tells a screen reader "${spoken}"`);
  const same = (await texts(page)).filter((text, i) => text === before[i]).length;
  console.log(`${lesson}: ${count} after ${seconds} s; ${same} of ${before.length} texts and figures stand as before`);
  if (screenshots) await page.screenshot({ path: join(screenshots, `live_${lesson}.png`), fullPage: true });
  await page.close();
  return ids.length;
}

/** Changes a parameter: the cells from there on are the reader's own, until it is set back. */
async function changeParameter(context, address, { lesson, parameter, value, cell, pictures = [], reset }) {
  const where = `${lesson}, ${parameter}`;
  const page = await open(context, `${address}${lesson}.html`);
  const state = (id, wanted) => page.waitForFunction(([id, wanted]) => document.querySelector(`#${id} .badge`).dataset.state === wanted, [id, wanted], { timeout: 60_000 });
  const recordedText = await page.textContent(`#${cell} .output pre`);
  const drawn = () => Promise.all(pictures.map((name) => page.$eval(`[data-picture=${name}] svg`, (svg) => svg.outerHTML)));
  const recordedPictures = await drawn();
  const later = await page.$$eval(".cell:has(.badge)", (all, [id, names]) => {
    const from = all.findIndex((one) => one.id === id);
    const last = all.findLastIndex((one) => names.some((name) => one.querySelector(`[data-picture=${name}]`)));
    return all.slice(from, Math.max(from + 3, last + 1)).map((one) => one.id);
  }, [cell, pictures]);
  const [slider, field] = [`[data-name=${parameter}] [type=range]`, `#parameter-${parameter}`];
  const place = await page.inputValue(slider);
  try {
    await page.$eval(`#${later.at(-1)} button.run`, (button) => button.click()); // in a folded answer too
    await state(later.at(-1), "agrees");
    await page.fill(`#parameter-${parameter}`, value);
    await state(later.at(-1), "own");
    const states = Object.entries(await badges(page));
    const from = states.findIndex(([id]) => id === later[0]);
    for (const [i, [id, now]] of states.entries()) {
      if (i < from && now && now !== "agrees" && now !== "ran") report(where, `${id}, which stands before it, is "${now}"`);
      if (later.includes(id) && now !== "own") report(where, `${id} is "${now}", not the reader's own`);
    }
    if ((await page.textContent(`#${cell} .output pre`)) === recordedText) report(where, "changes nothing");
    const changed = await drawn();
    for (const [i, name] of pictures.entries()) {
      if (changed[i] === recordedPictures[i]) report(where, `the picture ${name} does not follow`);
      if (/NaN|undefined/.test(changed[i])) report(where, `the picture ${name} shows something that is not a number`);
    }
    await inspect(page, where);
    if ((await page.inputValue(slider)) === place) report(where, "the slider did not follow");
    const first = await page.$eval(field, (one) => one.defaultValue);
    if (reset === "button") await page.click(`[data-name=${parameter}] .reset`);
    if (reset === "field") await page.fill(field, first);
    if (reset === "slider") await page.press(slider, "ArrowLeft");
    await state(later.at(-1), "agrees");
    await state(cell, "agrees");
    if ((await page.textContent(`#${cell} .output pre`)) !== recordedText || (await drawn()).join() !== recordedPictures.join()) report(where, "another text stands there than before");
  } catch (error) {
    report(where, error.message.split("\n")[0]);
  }
  await page.close();
}

/** The time in milliseconds from a click to the first result, once everything is in the cache: the best of three. */
async function timeFirstResult(context, address) {
  const times = [];
  for (let i = 0; i < 4; ++i) {
    const page = await open(context, `${address}05_input_embedding.html`);
    times.push(await page.evaluate(() => new Promise((resolve, reject) => {
      setTimeout(reject, 60_000, new Error("no result"));
      const begin = performance.now();
      new MutationObserver(() => resolve(performance.now() - begin)).observe(document.querySelector(".cell .badge"), { childList: true });
      document.querySelector(".cell button.run").click();
    })));
    await page.close();
  }
  const best = Math.min(...times.slice(1));
  console.log(`from click to first result: ${Math.round(times[0])} ms at first, ${Math.round(best)} ms from the cache`);
  if (best > limit) report("05_input_embedding.html", `the first result takes ${best} ms`);
}

/** A run that takes long is stopped: its cells are as they were recorded. */
async function stopRun(context, address) {
  const page = await open(context, `${address}17_encoder_decoder.html`);
  const before = await texts(page);
  await page.click(".run-all button");
  await page.waitForSelector(".waiting", patience);
  await page.click(".run-all button");
  if (await page.locator(".waiting, .at-work").count()) report("stop", "cells still wait");
  if ((await texts(page)).join() !== before.join()) report("stop", "not all cells are as before");
  if ((await page.textContent(".live-status")) !== "stopped") report("stop", "is not said");
  await page.close();
}

/** What differs is shown, and is no agreement; so is what went wrong. */
async function showFaults(context, address) {
  const page = await context.newPage();
  const answer = (file, change) => page.route(`**/${file}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });
  await answer("01_loops.json", (text) => text.replace("0.", "1."));
  await page.goto(`${address}01_loops.html`);
  await page.click(".run-all button");
  await isOver(page);
  const states = Object.values(await badges(page));
  const count = await page.textContent(".run-all .count");
  if (states.filter((one) => one === "differs").length !== 1 || !/, 1 differ$/.test(count)) report("another record", `says "${count}"`);
  if (!(await page.textContent(".live-more")).includes("recorded: ")) report("another record", "does not show what differs");
  await inspect(page, "another record");
  await answer("live/live.mjs", (text) => text.replace("module.ccall('live_run'", "module.ccall('no_run'"));
  await page.reload();
  await page.click(".cell button.run");
  await page.waitForSelector('.badge[data-state="failed"]');
  await page.unrouteAll();
  await page.close();
}

/** A symbol is lit in formulas and codes, by keyboard and by pointer, and goes out again. */
async function lightSymbol(context, address) {
  const page = await open(context, `${address}05_input_embedding.html`);
  const lit = () => page.evaluate(() => [...CSS.highlights.get("symbol")].map((range) => [range.startContainer.textContent.slice(range.startOffset, range.endOffset), range.startContainer.parentElement.closest(".pytorch, .cpp, .katex")?.className]));
  const has = async (text, where) => (await lit()).some(([one, place]) => one === text && place?.includes(where));
  const button = page.locator("#rotation .symbols button").first();
  await button.focus();
  if (!(await has("omega", "pytorch"))) report("symbols", "the code's omega is not lit by keyboard");
  await page.keyboard.press("Enter");
  await page.evaluate(() => document.activeElement.blur());
  if (!(await has("omega", "pytorch")) || (await button.getAttribute("aria-pressed")) !== "true") report("symbols", "omega does not stay lit");
  await inspect(page, "symbols");
  await page.setViewportSize({ width: 1400, height: 900 });
  await button.click();
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement.blur());
  if ((await lit()).length) report("symbols", "omega does not go out");
  await page.locator("#rotation .mathnormal", { hasText: "k" }).first().hover();
  if (!(await has("k", "cpp")) || !(await has("k", "pytorch"))) report("symbols", "k is not lit by pointer");
  await page.close();
}

/** Opened from a file, the page says what to do. */
async function openFile(context) {
  const page = await open(context, pathToFileURL(resolve(folder, "01_loops.html")).href);
  await page.click(".cell button.run");
  const help = await page.textContent(".live-help").catch(() => "");
  if (!help.includes("python3 -m http.server") || !help.includes("http://localhost:8000/01_loops.html")) report("from a file", `says "${help}"`);
  await page.close();
}

if (screenshots) mkdirSync(screenshots, { recursive: true });
const lessons = readdirSync(join(folder, "live")).filter((name) => /^\d\d_\w+\.json$/.test(name)).map((name) => name.replace(".json", ""));
const turn = process.env.PAGES_TURN ? Number(process.env.PAGES_TURN) : undefined;
const wanted = lessons.filter((name, i) => name.match(pattern) && (turn === undefined || (i + turn) % 4 === 0));
const server = await serveFolder(folder);
const browser = await chromium.launch({ executablePath, args: ["--disable-gpu", "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"] });
let cells = 0;
try {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  await timeFirstResult(context, server.address);
  await openFile(context);
  await lightSymbol(context, server.address);
  await showFaults(context, server.address);
  await stopRun(context, server.address);
  for (const one of settings) await changeParameter(context, server.address, one);
  for (const lesson of wanted) cells += await runLesson(context, server.address, lesson);
} finally {
  await browser.close();
  server.close();
}
problems.forEach((problem) => console.error(problem));
console.log(`${cells} cells of ${wanted.length} lessons ran in their pages, ${problems.length} problems`);
process.exitCode = problems.length || !cells ? 1 : 0;
