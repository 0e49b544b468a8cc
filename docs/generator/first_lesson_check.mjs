// Touches every figure of lesson 0 in headless Chromium: node first_lesson_check.mjs CHROMIUM SITE [SCREENSHOTS]
//
// SITE has the folder live. Each choice has to change what is drawn and what is said; what the model writes is appended, and every figure
// follows. The page is looked at wide and narrow, light and dark, by touch, without scripts, from a file, without the model, and in each of
// its other languages, where figures and controls say nothing in English. What is wrong is listed, and the exit code is 1.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { accessibilityFaults } from "./accessibility.mjs";
import { findFaults } from "./faults.mjs";
import { serveFolder } from "./serve.mjs";

const [executablePath, folder, screenshots] = process.argv.slice(2);
const names = ["next", "pieces", "vectors", "attention", "blocks", "choosing"];
const problems = [];
const report = (where, problem) => problems.push(`${where}: ${problem}`);

async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => report("script error", error.message));
  page.on("console", (message) => page.expectsErrors || report(`console ${message.type()}`, message.text()));
  await page.goto(address);
  return page;
}

/** What a figure shows and says. */
const shown = (page, name) => page.evaluate((id) => {
  const drawing = document.querySelector(`[data-figure="${id}"]`);
  return { drawn: drawing.innerHTML, says: drawing.closest("figure").querySelector(".says").textContent };
}, name);
const textOf = (page) => page.locator("#text-so-far").inputValue();

/** Does something with a figure, which has to be drawn anew, and to say something else. */
async function changes(page, where, name, act) {
  const before = await shown(page, name);
  await act();
  const isNew = await page.waitForFunction(([id, says]) => document.querySelector(`[data-figure="${id}"]`).closest("figure").querySelector(".says").textContent !== says, [name, before.says], { timeout: 20_000 }).catch(() => null);
  if (!isNew) report(where, `says what it said: ${before.says}`);
  else if ((await shown(page, name)).drawn === before.drawn) report(where, "the drawing stays");
}

/** Choices that need no model. */
async function choose(page) {
  for (const name of ["pieces", "vectors", "attention", "blocks"]) {
    await changes(page, `${name}, arrow key`, name, async () => {
      await page.locator(`input[name="${name}-at"]:checked`).focus();
      await page.keyboard.press("ArrowLeft");
    });
    const focused = await page.evaluate(() => document.activeElement.name);
    if (focused !== `${name}-at`) report(name, "an arrow key loses the focus");
  }
  await changes(page, "a number of a vector", "vectors", () => page.locator('[data-figure="vectors"] [data-number="3"]').click());
  await changes(page, "a cell of attention", "attention", () => page.locator('[data-figure="attention"] [data-at="4"][data-looked="1"]').hover());
  for (const id of ["which-block", "which-head"]) {
    const other = (await page.inputValue(`#${id}`)) === "0" ? "1" : "0";
    await changes(page, id, "attention", () => page.selectOption(`#${id}`, other));
  }
  await changes(page, "temperature", "choosing", async () => {
    await page.focus("#temperature");
    await page.keyboard.press("ArrowRight");
  });
}

/** Whether all figures follow the text. */
async function follows(page, where, act) {
  const before = await Promise.all(names.map((name) => shown(page, name)));
  await changes(page, where, "next", act);
  for (const [i, name] of names.entries()) if ((await shown(page, name)).drawn === before[i].drawn) report(where, `${name} does not follow`);
}

async function write(page) {
  const first = await textOf(page);
  await follows(page, "a bar", () => page.locator('[data-figure="next"] .bars button').first().press("Enter"));
  const longer = await textOf(page);
  if (!longer.startsWith(first) || longer.length <= first.length) report("a bar", `appends to "${first}" so that it is "${longer}"`);
  await follows(page, "a text", () => page.fill("#text-so-far", "A transformer is"));
  await follows(page, "a draw", () => page.click('[data-count="1"]'));
  if (!(await textOf(page)).startsWith("A transformer is")) report("a draw", "does not append");
  await follows(page, "as it was", () => page.click("text=As it was"));
  if ((await textOf(page)) !== first) report("as it was", "is another text");
}

async function inspect(page, where, picture) {
  for (const fault of await page.evaluate(findFaults)) report(where, fault);
  for (const fault of await accessibilityFaults(page)) report(where, fault);
  if (screenshots) await page.screenshot({ path: join(screenshots, `${picture}.png`), fullPage: true });
}

async function served(browser, address) {
  const page = await open(browser, address);
  await choose(page);
  await write(page);
  for (const width of [1400, 768, 360]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await inspect(page, `${width} pixels, ${colorScheme}`, `first_lesson_${width}_${colorScheme}`);
    }
  }
  await page.context().close();
  const touching = await open(browser, address, { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });
  await changes(touching, "a tap on a piece", "pieces", () => touching.locator('[data-figure="pieces"] label').first().tap());
  await changes(touching, "a tap on a cell", "attention", () => touching.locator('[data-figure="attention"] [data-at="3"][data-looked="2"]').tap());
  await follows(touching, "a tap on a bar", () => touching.locator('[data-figure="next"] .bars button').first().tap());
  await touching.context().close();
}

/** Every figure is drawn and says something, and nothing is offered that does nothing. */
async function stands(page, where, picture) {
  for (const name of names) {
    const { drawn, says } = await shown(page, name);
    if (!drawn || !says) report(where, `${name} is empty`);
  }
  if (await page.locator("main :is(button, input, select, textarea):visible").count()) report(where, "offers what does nothing");
  if (!(await page.locator(".asked").first().isVisible())) report(where, "asks no question");
  for (const fault of await page.evaluate(findFaults)) report(where, fault);
  if (screenshots) await page.screenshot({ path: join(screenshots, `${picture}.png`), fullPage: true });
  await page.context().close();
}

/** The page in another language: what is said of a choice is in this language, but for the text that the model reads. */
async function translated(browser, address, code) {
  const page = await open(browser, address);
  const hasNoEnglish = async (when) => {
    const said = await page.locator(".says, .controls, .guesses th, .looking > span").evaluateAll((all) => all.map((one) => one.textContent.replace(/“[^”]*”/g, "")));
    const labels = await page.locator("[data-figure] [aria-label]").evaluateAll((all) => all.map((one) => one.ariaLabel.replace(/.$/u, "")));
    for (const text of [...said, ...labels].filter((one) => /[a-z]{2,}/.test(one))) report(`${code}, ${when}`, `says in English: ${text}`);
  };
  await hasNoEnglish("at first");
  await choose(page);
  await follows(page, `${code}, a bar`, () => page.locator('[data-figure="next"] .bars button').first().press("Enter"));
  await hasNoEnglish("after choices");
  for (const [width, colorScheme] of [[1400, "dark"], [360, "light"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await inspect(page, `${code}, ${width} pixels, ${colorScheme}`, `first_lesson_${code}_${width}_${colorScheme}`);
  }
  await page.context().close();
}

async function fromFile(browser, address) {
  const page = await open(browser, address);
  await choose(page);
  if (await page.locator("#text-so-far, .bars button").count()) report("from a file", "offers what needs the model");
  if (!(await page.locator(".serving").isVisible())) report("from a file", "does not say how the model answers");
  await page.context().close();
}

async function withoutModel(browser, address) {
  const page = await open(browser, "about:blank");
  page.expectsErrors = true;
  await page.route("**/live/**", (route) => route.abort());
  await page.goto(address);
  await page.fill("#text-so-far", "another text");
  await page.waitForFunction(() => /could not/.test(document.querySelector('[data-figure="next"]').closest("figure").querySelector(".says").textContent), null, { timeout: 10_000 }).catch(() => report("without the model", "does not say so"));
  await choose(page);
  await page.context().close();
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const server = await serveFolder(folder);
const address = `${server.address}what_a_transformer_is.html`;
if (screenshots) mkdirSync(screenshots, { recursive: true });
try {
  await served(browser, address);
  for (const width of [1400, 360]) await stands(await open(browser, address, { javaScriptEnabled: false, viewport: { width, height: 900 } }), `without scripts, ${width} pixels`, `first_lesson_still_${width}`);
  await fromFile(browser, `${pathToFileURL(resolve(folder))}/what_a_transformer_is.html`);
  await withoutModel(browser, address);
  for (const code of readdirSync(folder).filter((name) => existsSync(join(folder, name, "what_a_transformer_is.html")))) await translated(browser, `${server.address}${code}/what_a_transformer_is.html`, code);
} finally {
  await browser.close();
  server.close();
}
problems.forEach((problem) => console.error(problem));
console.log(`lesson 0: ${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;
