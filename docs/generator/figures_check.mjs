// Moves every control of the interactive figures in headless Chromium: node figures_check.mjs CHROMIUM SITE [SCREENSHOTS]
//
// SITE has the folder live. Each control has to change the picture and the words beside it; wrong values have to be refused in words.
// The page is looked at wide and narrow, light and dark, without scripts, without the module, opened from a file, and where less
// motion is asked for. The time from a change to its picture is printed. What is wrong is listed, and the exit code is 1.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { accessibilityFaults } from "./accessibility.mjs";
import { findFaults } from "./faults.mjs";
import { figures } from "./figures.mjs";
import { serveFolder } from "./serve.mjs";

const [executablePath, folder, screenshots] = process.argv.slice(2);
const limits = { "first sines": 1000, "first heads": 5000, loss: 500, gradients: 500 }; // milliseconds from a change to its picture
const usualLimit = 100;

// What is set where a step of the keyboard or the first other choice is not it.
const settings = { "sines base": "20", "pair base": "20", "distance base": "20", "sines positions": "60", "attention words": "dog bites man", "attention matrix": "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1", "heads word": "letters", "byte_pairs text": "banana banana" };
// What has to be so before a control matters.
const before = { "attention matrix": ["query", "own"] };
const refusals = [
  ["sines", "width", "7", /7 is odd/],
  ["sines", "base", "", /For the base a number/],
  ["attention", "words", " ", /must not be empty/],
  ["heads", "word", "x", /at least 3 letters/],
  ["byte_pairs", "text", "", /must not be empty/],
];

// What fills a picture.
const extremes = [
  ["sines", { width: "128", positions: "128", position: "127" }],
  ["sines", { width: "2", positions: "2", position: "0" }],
  ["pair", { position: "100" }],
  ["distance", { width: "2", distance: "-50" }],
  ["attention", { words: "transformers attention sometimes everything a dog saw itself", query: "random", emphasis: "16", scale: false }],
  ["heads", { word: "transforms", heads: "4" }],
  ["gradients", { layers: "24" }],
  ["gradients", { layers: "1" }],
  ["schedule", { kind: "exponential", rate: "0.000001", steps: "2000" }],
  ["loss", { optimizer: "sgd", rate: "10", steps: "300" }],
  ["byte_pairs", { text: "naïve 日本語 ".repeat(30), merges: "100" }],
];

const problems = [];
const times = {};
const report = (where, problem) => problems.push(`${where}: ${problem}`);

/** What a figure shows, and whether it computes. */
const shown = (page, name) => page.evaluate((id) => {
  const figure = document.querySelector(`#${id} figure`);
  return { picture: figure.querySelector("svg").innerHTML, words: figure.querySelector("figcaption").textContent, isRefused: figure.classList.contains("refused") };
}, name);
const isStill = (page, name) => page.waitForFunction((id) => !document.querySelector(`#${id} [aria-busy]`), name, { polling: 5 });

/** Does something with a figure, and gives what it shows then. */
async function after(page, name, act) {
  await act();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await isStill(page, name);
  return shown(page, name);
}

/** Milliseconds from an input to the picture, measured in the page. */
const timeOf = (page, name) => page.evaluate((id) => new Promise((resolve) => {
  const begin = performance.now(), figure = document.querySelector(`#${id} figure`);
  const observer = new MutationObserver(() => {
    if (figure.hasAttribute("aria-busy")) return;
    observer.disconnect();
    resolve(performance.now() - begin);
  });
  observer.observe(figure, { attributes: true });
  document.querySelector(`#${id} form`).dispatchEvent(new Event("input"));
}), name);

async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const where = `${options.viewport?.width ?? 1400} pixels`;
  page.on("pageerror", (error) => report(where, `script error: ${error.message}`));
  page.on("console", (message) => page.expectsErrors || report(where, `console ${message.type()}: ${message.text()}`));
  await page.goto(address);
  return page;
}

/** By the keyboard, as far as a key changes the control. */
async function move(page, name, [control, , kind]) {
  const place = page.locator(`#${name}-${control}`), own = settings[`${name} ${control}`];
  if (own !== undefined) return place.fill(own);
  await place.focus();
  if (kind === "checkbox") return page.keyboard.press("Space");
  const highest = kind === "range" && (await place.evaluate((one) => one.value === one.max));
  if (kind === "number" && (await place.getAttribute("step")) === "any") return place.fill(String(2 * Number(await place.inputValue())));
  return page.keyboard.press(highest ? "ArrowDown" : kind === "select" ? "ArrowDown" : "ArrowUp");
}

async function moveAll(page) {
  for (const { name, controls } of figures) {
    const first = await shown(page, name);
    for (const control of controls) {
      const where = `${name}, ${control[0]}`;
      const [needed, value] = before[`${name} ${control[0]}`] ?? [];
      if (needed) await after(page, name, () => page.selectOption(`#${name}-${needed}`, value));
      const old = await shown(page, name), now = await after(page, name, () => move(page, name, control));
      if (now.isRefused) report(where, now.words);
      if ((now.picture === old.picture) !== (where === "distance, position")) report(where, "the picture stays, or does not where it should");
      if (now.words === old.words) report(where, "the words stay");
      const again = await after(page, name, () => page.click(`#${name} [type=reset]`));
      if (again.words !== first.words) report(where, `a reset leads to other words: ${again.words} | ${first.words}`);
    }
  }
}

async function refuseAll(page) {
  for (const [name, control, value, expected] of refusals) {
    const refused = await after(page, name, () => page.fill(`#${name}-${control}`, value));
    if (!refused.isRefused || !expected.test(refused.words)) report(`${name}, ${control}`, `"${value}" is not refused: ${refused.words}`);
    const again = await after(page, name, () => page.click(`#${name} [type=reset]`));
    if (again.isRefused) report(`${name}, ${control}`, "a reset leaves it refused");
  }
}

async function fill(page, width) {
  await page.setViewportSize({ width, height: 900 });
  for (const [i, [name, values]] of extremes.entries()) {
    const where = `${name} ${JSON.stringify(values)}, ${width} pixels`;
    const { isRefused, words } = await after(page, name, () => page.evaluate(([id, all]) => {
      const form = document.querySelector(`#${id} form`);
      for (const [control, value] of Object.entries(all)) Object.assign(form.elements[control], typeof value === "boolean" ? { checked: value } : { value });
      form.dispatchEvent(new Event("input"));
    }, [name, values]));
    if (isRefused) report(where, words);
    for (const fault of await page.evaluate(findFaults)) report(where, fault);
    if (screenshots) await page.locator(`#${name} figure`).screenshot({ path: join(screenshots, `full_${i}_${name}_${width}.png`) });
    await after(page, name, () => page.click(`#${name} [type=reset]`));
  }
}

async function play(page) {
  const position = () => page.locator("#pair-position").inputValue().then(Number);
  const begin = await position();
  await page.click("#pair .play");
  await page.waitForFunction((from) => Number(document.querySelector("#pair-position").value) > from + 2, begin);
  await page.click("#pair .play");
  await isStill(page, "pair");
  const { words } = await shown(page, "pair"), end = await position();
  if (!words.includes(`At position ${end} `)) report("pair", `stands at ${end} and says: ${words}`);
  await page.waitForTimeout(600);
  if ((await position()) !== end) report("pair", "goes on when it was stopped");
}

/** The page with pictures that were drawn for it. */
async function inspect(page, where, name) {
  for (const figure of figures) {
    const milliseconds = await timeOf(page, figure.name);
    times[figure.name] = Math.min(times[figure.name] ?? milliseconds, milliseconds); // others may be at work
  }
  for (const fault of await page.evaluate(findFaults)) report(where, fault);
  for (const fault of await accessibilityFaults(page)) report(where, fault);
  const small = await page.evaluate(() => [...document.querySelectorAll(".answering .plot svg")].filter((svg) => svg.getBoundingClientRect().width < 0.99 * svg.viewBox.baseVal.width).map((svg) => svg.closest(".answering").id));
  if (small.length) report(where, `made smaller than it was drawn: ${small}`);
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

async function withScripts(browser, address) {
  const page = await open(browser, address);
  await page.waitForSelector(".moving");
  for (const name of ["sines", "heads"]) times[`first ${name}`] = await timeOf(page, name);
  await moveAll(page);
  await refuseAll(page);
  await play(page);
  await fill(page, 1400);
  await fill(page, 360);
  for (const width of [1400, 768, 360]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(200);
      await inspect(page, `${width} pixels, ${colorScheme}`, `moved_${width}_${colorScheme}`);
    }
  }
  await page.emulateMedia({ reducedMotion: "reduce" });
  if (await page.locator("#pair .play").isVisible()) report("less motion", "there is a button that plays");
  await page.context().close();
}

/** Every picture and its words are there, and no control. */
async function standsStill(page, where, sentence) {
  const counted = await page.evaluate(() => [...document.querySelectorAll(".answering")].filter((one) => one.querySelector("svg *") && one.querySelector("figcaption").textContent).length);
  if (counted !== figures.length) report(where, `${counted} figures are there`);
  if (await page.locator(".controls").first().isVisible()) report(where, "controls are shown that do nothing");
  if (sentence) await page.locator(".serving", { hasText: sentence }).waitFor({ timeout: 10_000 }).catch(() => report(where, "does not say what to do"));
  await page.context().close();
}

async function withoutModule(browser, address) {
  const page = await open(browser, "about:blank");
  page.expectsErrors = true;
  await page.route("**/*.wasm", (route) => route.abort());
  await page.goto(address);
  await page.waitForSelector(".moving");
  const { isRefused, words, picture } = await after(page, "sines", () => move(page, "sines", figures[0].controls[0]));
  if (!isRefused || !picture || !words) report("without the module", `says: ${words}`);
  await page.route("**/live/*", (route) => route.abort());
  await page.goto(address);
  await standsStill(page, "without its scripts", "folder live");
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const server = await serveFolder(folder);
const address = `${server.address}figures.html`;
if (screenshots) mkdirSync(screenshots, { recursive: true });
try {
  await withScripts(browser, address);
  await standsStill(await open(browser, address, { javaScriptEnabled: false }), "without JavaScript");
  await standsStill(await open(browser, address, { javaScriptEnabled: false, viewport: { width: 360, height: 780 } }), "without JavaScript");
  await standsStill(await open(browser, `${pathToFileURL(resolve(folder))}/figures.html`), "from a file", "python3 -m http.server");
  await withoutModule(browser, address);
} finally {
  await browser.close();
  server.close();
}
for (const [name, time] of Object.entries(times)) {
  const limit = limits[name] ?? usualLimit;
  console.log(`${name.padEnd(11)} ${time.toFixed(0).padStart(5)} ms`);
  if (time > limit) report(name, `takes ${time.toFixed(0)} ms of ${limit}`);
}
problems.forEach((problem) => console.error(problem));
console.log(`${figures.length} figures, ${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;
