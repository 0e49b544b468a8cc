// Trains in the page on which models learn, in headless Chromium: node training_check.mjs CHROMIUM SITE PROGRAM [SCREENSHOTS]
//
// A GPT is trained, paused, and goes on; it writes; its checkpoint is saved and loaded again, and PROGRAM, the terminal's
// char_gpt, goes on with it. Then words are written backwards. What is wrong is listed, and the exit code is 1.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { accessibilityFaults } from "./accessibility.mjs";
import { serveFolder } from "./serve.mjs";

const [executablePath, folder, program, screenshots] = process.argv.slice(2);
const patience = { timeout: 120_000 };
const steps = 90;
const problems = [];
const check = (what, holds) => holds || problems.push(what);

const step = (page, id = "numbers") => page.evaluate((name) => Number(/^Step (\d+)/.exec(document.getElementById(name).textContent)?.[1] ?? -1), id);
const waitForStep = (page, least, id = "numbers") =>
  page.waitForFunction(([name, wanted]) => Number(/^Step (\d+)/.exec(document.getElementById(name).textContent)?.[1] ?? -1) >= wanted, [id, least], patience);
const waitForText = (page, id, pattern) => page.waitForFunction(([name, source]) => new RegExp(source).test(document.getElementById(name).textContent), [id, pattern], patience);
const label = (page, id) => page.getAttribute(`#${id}`, "aria-label");

async function train(page) {
  check("the text is there", (await page.inputValue("#text")).length > 10_000);
  await page.fill("#steps", `${steps}`);
  await page.click("#train");
  await waitForStep(page, 20);
  await page.click("#train");
  await page.waitForFunction(() => document.getElementById("train").textContent === "Continue", null, patience);
  await page.waitForTimeout(1000); // a step that was at work ends
  const paused = await step(page);
  await page.waitForTimeout(500);
  check("stands still when it is paused", (await step(page)) === paused && paused < steps);
  check("the picture of the losses says how far it is", (await label(page, "losses")).startsWith(`Loss over ${paused} of ${steps} steps`));
  check("the bold line says of which step it is", !/^Step/.test(await page.textContent("#status")));
  check("has written meanwhile", (await page.locator("#samples li").count()) > 0);
  await page.click("#train");
  await waitForStep(page, paused + 5);
}

async function look(page) {
  await waitForStep(page, 40);
  await page.click("#train");
  await page.waitForFunction(() => document.getElementById("train").textContent === "Continue", null, patience);
  const now = await label(page, "attention");
  check("squares of attention are there", (await page.locator("#attention rect").count()) >= 100);
  await page.selectOption("#layer", { value: "1" });
  check("another layer looks elsewhere", (await label(page, "attention")) !== now);
  await page.focus("#kept");
  await page.keyboard.press("Home");
  check("the slider goes back to step 0", (await page.textContent("#kept-step")) === "0");
  check("looked elsewhere at the beginning", (await label(page, "attention")) !== now);
}

async function write(page) {
  await page.fill("#length", "60");
  await page.fill("#top-k", "5");
  await page.click("#write");
  await waitForText(page, "writing", "^Written$");
  const written = await page.textContent("#written");
  check("writes 60 characters", [...written].length === [..."The "].length + 60);
  check("shows no more than five that are drawn from", (await page.evaluate(() => [...document.querySelectorAll("#bars .drawn-from")].filter((bar) => bar.getAttribute("width") > 0).length)) <= 5);
  check("the cache is full", /: 32 of 32 characters/.test(await page.textContent("#cache-text")));
  await page.click("#write");
  await waitForText(page, "writing", "^Written$");
  check("one seed writes one text", (await page.textContent("#written")) === written);
  await page.fill("#beams", "3");
  await page.click("#write");
  await waitForText(page, "writing", "^Written$");
  check("beams write something else", (await page.textContent("#written")) !== written);
}

/** The checkpoint goes to the terminal and comes back. */
async function carry(page, place) {
  const files = {};
  for (const [id, name] of [["save", "checkpoint.safetensors"], ["save-text", "text.txt"]]) {
    const [download] = await Promise.all([page.waitForEvent("download", patience), page.click(`#${id}`)]);
    check(`the file is called ${name}`, download.suggestedFilename() === name);
    files[id] = join(place, name);
    await download.saveAs(files[id]);
  }
  const saved = await step(page);
  const words = ["--layers", "2", "--heads", "4", "--width", "32", "--context", "32", "--steps", `${steps}`, "--sample", "0"];
  const { status, stderr } = run(program, ["--text", files["save-text"], "--out", place, ...words, "--resume"]);
  check(`the terminal goes on with it: ${stderr}`, status === 0);
  await page.setInputFiles("#load", files.save);
  await waitForText(page, "status", `^Loaded at step ${steps}$`);
  check("what the terminal saved has its steps", (await step(page)) === steps && saved < steps);
  check("there is nothing left to train", await page.isDisabled("#train"));
  await page.fill("#steps", `${steps + 5}`);
  await page.click("#train");
  await waitForText(page, "status", `^Done: ${steps + 5} steps`);
  check("goes on with more steps", (await step(page)) === steps + 5);
}

function run(command, words) {
  try {
    execFileSync(command, words, { stdio: ["ignore", "ignore", "pipe"] });
    return { status: 0, stderr: "" };
  } catch ({ status, stderr }) {
    return { status, stderr: `${stderr}` };
  }
}

async function reverse(page) {
  await page.fill("#reverse-steps", "12");
  await page.click("#reverse-train");
  await waitForStep(page, 12, "reverse-numbers");
  check("draws what the decoder looks at", (await page.locator("#reverse-attention rect").count()) === 12 * 11);
  check("says what it makes of the word", /transformer →/.test(await page.textContent("#reverse-numbers")));
  check("counts the words", /of 100 new words/.test(await page.textContent("#reverse-status")));
}

/** What the page says of a file that is none of its checkpoints; what has been learnt stays. */
async function foreign(page) {
  const before = await step(page);
  const safetensors = (head, data) => {
    const list = Buffer.from(JSON.stringify(head));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(list.length));
    return Buffer.concat([length, list, Buffer.alloc(data)]);
  };
  const tensor = { dtype: "F32", shape: [2], data_offsets: [0, 8] };
  for (const [buffer, says] of [
    [safetensors({ "model.norm.weight": tensor }, 8), "it is a safetensors file of something else, with 1 tensor; one is called model\\.norm\\.weight"],
    [safetensors({ "model.norm.weight": tensor }, 4), "it is a safetensors file of which the end is missing"],
    [Buffer.from("a poem, and no model"), "it is no safetensors file"],
  ]) {
    await page.setInputFiles("#load", { name: "model.safetensors", mimeType: "application/octet-stream", buffer });
    await waitForText(page, "status", `^model\\.safetensors is no checkpoint of this page or of char_gpt: ${says}$`);
  }
  check("a foreign file changes nothing", (await step(page)) === before);
}

/** A text of one's own, and what the page says of what cannot be. */
async function own(page) {
  await page.click("#anew");
  await page.setInputFiles("#text-file", { name: "picture.txt", mimeType: "text/plain", buffer: Buffer.from([0x89, 0x50, 0xff, 0xfe]) });
  await waitForText(page, "status", "^picture.txt is not a text in UTF-8$");
  await page.fill("#text", "too short");
  check("says how long a text has to be", (await page.textContent("#text-count")) === "9 characters; a model of this size needs 321");
  await page.click("#train");
  await waitForText(page, "status", "^the text has 9 characters, and a tenth of them must be more than the context of 32$");
  await page.fill("#text", Array.from({ length: 300 }, (_, i) => `${i * 7}+${i}=${i * 8}\n`).join(""));
  const begin = performance.now();
  await page.click("#train");
  await waitForStep(page, 1);
  const first = performance.now() - begin;
  console.log(`first step after ${first.toFixed(0)} ms`);
  check(`the first step of a text takes ${first.toFixed(0)} ms`, first < 1000);
  await waitForStep(page, 3);
  check("the prompt fits the text", /^[\d+=]+$/.test(await page.inputValue("#prompt")));
  await page.fill("#prompt", "Zoo");
  await page.fill("#beams", "1");
  await page.click("#write");
  await waitForText(page, "writing", "Z");
}

/** As it is read, and on screens of several widths. */
async function pictures(page) {
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  for (const [width, scheme] of [[1400, "light"], [1400, "dark"], [768, "light"], [360, "light"], [360, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(200);
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(`fits ${width} pixels`, excess <= 0);
    for (const fault of await accessibilityFaults(page)) problems.push(`${width} pixels, ${scheme}: ${fault}`);
    if (screenshots) await page.screenshot({ path: join(screenshots, `training_${width}_${scheme}.png`), fullPage: true });
  }
}

const place = mkdtempSync(join(tmpdir(), "etude-training-"));
const server = await serveFolder(resolve(folder));
const browser = await chromium.launch({ executablePath, args: ["--disable-gpu", "--no-sandbox"] });
try {
  const page = await (await browser.newContext({ acceptDownloads: true })).newPage();
  for (const event of ["console", "pageerror", "requestfailed"]) page.on(event, (what) => problems.push(`${event}: ${what.text?.() ?? what.message ?? what.url()}`));
  await page.goto(`${server.address}training.html`);
  await page.waitForFunction(() => !document.getElementById("save-text").disabled, null, patience);
  await train(page);
  await look(page);
  await write(page);
  await reverse(page);
  await pictures(page);
  await carry(page, place);
  await foreign(page);
  await own(page);
} catch (error) {
  problems.push(error.message);
} finally {
  await browser.close();
  server.close();
  rmSync(place, { recursive: true });
}
problems.forEach((problem) => console.error(problem));
console.log(`training in the page: ${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;
