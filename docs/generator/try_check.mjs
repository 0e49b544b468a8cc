// Tries the page "Try it" in headless Chromium: node try_check.mjs CHROMIUM SITE PROGRAM [SCREENSHOTS]
//
// Each program is chosen and run, and has to end well. In one a value is changed, and the program is copied with it; one that takes
// long is stopped. A checkpoint that the page wrote is what docs_try, the PROGRAM, writes, and each goes on with the other's.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { serveFolder } from "./serve.mjs";

const [executablePath, site, program, screenshots] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), "etude-try-"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const server = await serveFolder(site);
const problems = [];

/** The header of a checkpoint, and its numbers. */
function partsOf(file) {
  const bytes = readFileSync(file), end = 8 + Number(bytes.readBigUInt64LE());
  const header = bytes.toString("utf8", 8, end);
  const numbers = Object.values(JSON.parse(header)).filter(({ dtype }) => dtype === "F32").flatMap(({ data_offsets: [from, to] }) =>
    Array.from({ length: (to - from) / 4 }, (_, i) => bytes.readFloatLE(end + from + 4 * i)));
  assert.ok(numbers.length > 0);
  return { header, numbers };
}

/** Both programs wrote the same, but for the last digits. */
function compareFiles(ours, theirs) {
  const [one, other] = [partsOf(ours), partsOf(theirs)];
  assert.equal(one.header, other.header);
  one.numbers.forEach((value, i) => assert.ok(Math.abs(value - other.numbers[i]) <= 1e-5, `${value} and ${other.numbers[i]}`));
}

/** Stops a program that takes long; then a short run ends. */
async function stopOne(page, run) {
  const id = "11_small_gpt", at = (part) => `[id="${id}"] ${part}`;
  await page.click(`.programs a[href="#${id}"]`);
  await page.fill(at("[data-name=steps]"), "1000");
  await page.click(at(".run"));
  await page.waitForFunction((name) => /step 10 /.test(document.getElementById(name).querySelector(".printed").textContent), id, { timeout: 60_000 });
  await page.click(at(".stop"));
  assert.equal(await page.textContent(at(".state")), "Stopped");
  assert.ok(await page.isDisabled(at(".stop")));
  const printed = await page.textContent(at(".printed"));
  await page.waitForTimeout(1000);
  assert.equal(await page.textContent(at(".printed")), printed);
  assert.doesNotMatch(printed, /step 1000 /);
  await page.fill(at("[data-name=steps]"), "10");
  await run(id);
  assert.match(await page.textContent(at(".printed")), /^step 10  loss .*\n.*\n$/);
}

/** A checkpoint goes from the page to the terminal and back, and both go on alike. */
async function carryFile(page, run) {
  const id = "13_checkpoint", at = (part) => `[id="${id}"] ${part}`;
  const written = join(place, "page.safetensors"), native = join(place, "model.safetensors");
  const inTerminal = () => execFileSync(resolve(program), [id], { cwd: place, encoding: "utf8" });
  const download = async () => {
    assert.equal(await page.textContent(at(".written")), "Download model.safetensors");
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(at(".written a"))]);
    assert.equal(file.suggestedFilename(), "model.safetensors");
    await file.saveAs(written);
  };
  await run(id);
  assert.doesNotMatch(await page.textContent(at(".printed")), /goes on/);
  await download();
  inTerminal();
  compareFiles(written, native);
  await page.setInputFiles(at("[data-file]"), native);
  await run(id);
  assert.match(await page.textContent(at(".printed")), /^goes on after step 20\nstep 25 /);
  await download();
  assert.match(inTerminal(), /^goes on after step 20\nstep 25 /);
  compareFiles(written, native);
  await page.setInputFiles(at("[data-file]"), written);
  await run(id);
  assert.match(await page.textContent(at(".printed")), /^goes on after step 40\n/);
}

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
  await stopOne(page, run);
  await carryFile(page, run);
  await page.click(".programs a");

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
  rmSync(place, { recursive: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;
