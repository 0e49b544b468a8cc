// Tries the page "Try it" in headless Chromium: node try_check.mjs CHROMIUM SITE [SCREENSHOTS]
//
// Each program is chosen and run, and has to end well. In one a value is changed, and the program is copied with it.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { serveFolder } from "./serve.mjs";

const [executablePath, site, screenshots] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const server = await serveFolder(site);
const problems = [];

try {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`script error: ${error.message}`));
  page.on("console", (message) => problems.push(`console ${message.type()}: ${message.text()}`));
  await page.goto(`${server.address}try.html`);
  await page.waitForFunction(() => document.querySelectorAll(".program:not([hidden])").length === 1);
  const names = await page.$$eval(".program", (all) => all.map(({ id }) => id));
  const run = async (name) => {
    await page.click(`.programs a[href="#${name}"]`);
    const begin = performance.now();
    await page.click(`[id="${name}"] .run`);
    await page.waitForFunction((id) => /Done|Exit|load/.test(document.getElementById(id).querySelector(".state").textContent), name, { timeout: 60_000 });
    assert.equal(await page.textContent(`[id="${name}"] .state`), "Done", name);
    return performance.now() - begin;
  };
  const times = [];
  for (const name of names) times.push(await run(name));
  console.log(`${names.length} programs ran in the page; the first took ${Math.round(times[0])} ms, the others ${Math.round(Math.max(...times.slice(1)))} ms at most`);

  await page.click('.programs a[href="#02_tensors"]');
  await page.fill("[id='02_tensors-rows']", "2");
  await run("02_tensors");
  assert.match(await page.textContent("[id='02_tensors'] .printed"), /\[2, 4\]/);
  await page.click("[id='02_tensors'] .take");
  await page.waitForFunction(() => /Copied/.test(document.getElementById("02_tensors").querySelector(".state").textContent));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^\/\/ g\+\+ .*02_tensors\.cpp[^]*rows = 2, columns = 4[^]*return 0;/);
  assert.doesNotMatch(copied, /parameter/);
  await run("13_checkpoint");
  assert.equal(await page.textContent("[id='13_checkpoint'] .written"), "Download model.safetensors");

  for (const width of screenshots ? [1400, 768, 360] : []) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: join(screenshots, `try_${width}_${colorScheme}.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) problems.push(`${wide} pixels wider than a window of ${width}`);
    }
  }
  const opened = await context.newPage();
  await opened.goto(pathToFileURL(resolve(site, "try.html")).href);
  assert.ok(await opened.isVisible(".needs-server"));
} finally {
  await browser.close();
  server.close();
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;
