// Uses the page "Inside a real model" in headless Chromium: node inside_check.mjs CHROMIUM SITE PROGRAM MODEL [SCREENSHOTS]
//
// SITE has the folder live. What the page shows of texts and switches has to be what PROGRAM, docs_inside, answers. The page is looked at
// wide and narrow, light and dark, and without the module. What is wrong is listed, and the exit code is 1.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import * as draw from "../live/figures/inside_draw.mjs";
import { accessibilityFaults } from "./accessibility.mjs";
import { findFaults } from "./faults.mjs";
import { serveFolder } from "./serve.mjs";

const [executablePath, folder, program, model, screenshots] = process.argv.slice(2);
const problems = [];
const report = (where, problem) => problems.push(`${where}: ${problem}`);
const answerTo = (question) => JSON.parse(execFileSync(resolve(program), [resolve(model)], { input: `ask ${JSON.stringify(question)}\n`, encoding: "utf8" }));
const words = (page, id) => page.locator(`#${id} figcaption`).textContent();
const says = async (page, where, id, expected) => {
  const came = await page.waitForFunction(([one, text]) => document.querySelector(`#${one} figcaption`).textContent === text, [id, expected], { timeout: 60_000 }).catch(() => null);
  if (!came) report(where, `${id} says “${await words(page, id)}”, not “${expected}”`);
};
const ready = (page) => page.waitForFunction(() => document.querySelector("#inside-status").textContent.startsWith("The model reads"), null, { timeout: 120_000 });

async function use(page) {
  await ready(page);
  const text = "Call me Ish", whole = answerTo({ text });
  await page.fill("#inside-text", text);
  await says(page, "a text", "guesses", draw.guess_words(whole));
  await page.click('.look[data-block="1"][data-head="2"]');
  await says(page, "a head", "head", draw.head_words(whole, 1, 2));

  const parts = ["0.1", "mlp.0"];
  for (const part of parts) await page.click(`.off[data-part="${part}"]`);
  await says(page, "two parts left out", "guesses", draw.guess_words(answerTo({ text, without: parts }), whole));
  for (const part of parts) await page.click(`.off[data-part="${part}"]`);
  await says(page, "the parts are back", "guesses", draw.guess_words(whole));
  await page.waitForFunction((best) => document.querySelector("#effects th:last-child").textContent.startsWith(best), `“${draw.shown(whole.next[0].piece)}”`, { timeout: 60_000 }).catch(() => report("effects", "are not those of the text"));

  await page.fill("#inside-text", "語");
  await page.waitForFunction(() => /no character/.test(document.querySelector("#inside-status").textContent), null, { timeout: 30_000 }).catch(() => report("a text that it cannot read", "is not refused"));
  await page.fill("#inside-text", text);
  await says(page, "a text again", "guesses", draw.guess_words(whole));

  await page.fill("#learn-steps", "6");
  await page.click("#learn");
  await page.waitForFunction(() => document.querySelector("#written").textContent.includes("after 6 steps"), null, { timeout: 180_000 }).catch(() => report("training", "does not end in a text"));
  if (!/ 6 steps, from /.test(await page.getAttribute("#learn-losses", "aria-label"))) report("training", "the curve does not have its losses");
  await page.waitForFunction((old) => document.querySelector("#guesses figcaption").textContent !== old, draw.guess_words(whole), { timeout: 60_000 }).catch(() => report("training", "the guesses stay"));
  await page.click("#again");
  await says(page, "the first weights", "guesses", draw.guess_words(whole));
}

async function look(page) {
  for (const width of [1400, 768, 360]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      const where = `${width} pixels, ${colorScheme}`;
      for (const fault of await page.evaluate(findFaults)) report(where, fault);
      for (const fault of await accessibilityFaults(page)) report(where, fault);
      if (screenshots) await page.screenshot({ path: join(screenshots, `inside_${width}_${colorScheme}.png`), fullPage: true });
    }
  }
}

/** The text of the first page's form is the one that the page begins with. */
async function fromFirstPage(page) {
  const text = "Call me Ish";
  await page.goto(`${server.address}index.html`);
  await page.fill("#ask", text);
  await page.click(".ask button");
  await ready(page);
  await says(page, "the text of the first page", "guesses", draw.guess_words(answerTo({ text })));
}

async function withoutModule(browser, address) {
  const page = await browser.newPage();
  await page.route("**/*.wasm", (route) => route.abort());
  await page.goto(address);
  const first = await words(page, "guesses");
  await page.waitForFunction(() => !document.querySelector("#inside-status").textContent.startsWith("The numbers below"), null, { timeout: 60_000 }).catch(() => report("without the module", "nothing is said"));
  if ((await words(page, "guesses")) !== first) report("without the module", "what was recorded is gone");
  await page.close();
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const server = await serveFolder(folder);
const address = `${server.address}inside.html`;
if (screenshots) mkdirSync(screenshots, { recursive: true });
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.on("pageerror", (error) => report("the page", `script error: ${error.message}`));
  page.on("console", (message) => report("the page", `console ${message.type()}: ${message.text()}`));
  await page.goto(address);
  await use(page);
  await look(page);
  await fromFirstPage(page);
  await withoutModule(browser, address);
} finally {
  await browser.close();
  server.close();
}
problems.forEach((problem) => console.error(problem));
console.log(`inside a model, ${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;
