// Answers the questions of the lessons' exercises in headless Chromium, from files: node exercises_check.mjs CHROMIUM SITE
//
// Each question gets a wrong and a right answer by the keyboard, is told so in the language of its page, and is remembered when the page
// is opened again. What is wrong is listed, and the exit code is 1.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, folder] = process.argv.slice(2);
const problems = [];
let questions = 0;

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
let where = "";
const expect = (holds, problem) => holds || problems.push(`${where}: ${problem}`);

/** Answers all questions of the pages in a folder of a language, in a browser that has answered none; gives the page. */
async function answerAll(code) {
  const page = await (await browser.newContext()).newPage();
  page.on("pageerror", (error) => expect(false, `script error: ${error.message}`));
  for (const name of readdirSync(join(folder, code)).filter((file) => /^(\d\d_\w+|what_a_transformer_is)\.html$/.test(file))) {
    const address = pathToFileURL(join(resolve(folder), code, name)).href;
    where = join(code, name);
    await page.goto(address);
    const forms = await page.locator("form.question").all();
    if (!forms.length) continue;
    const words = JSON.parse((await page.locator('script[src$="exercises.js"]').getAttribute("data-words")) ?? "{}");
    expect(!code || words["Right."], "an answer is judged in English");
    const said = (text, value) => (words[text] ?? text).replace("#", value);
    for (const form of forms) {
      ++questions;
      const exercise = await form.getAttribute("data-exercise");
      where = `${join(code, name)}#${exercise}`;
      const verdict = () => form.locator(".verdict").textContent();
      const field = form.locator("input[data-number]");
      const isNumber = (await field.count()) === 1;
      await form.locator("button[type=submit]").press("Enter");
      expect([said("Write a number, such as 0.5 or 1/2."), said("Choose one of them.")].includes(await verdict()), "an empty answer is not asked for");
      const answer = async (right) => {
        if (isNumber) {
          const number = Number(await field.getAttribute("data-number"));
          await field.fill(String(right ? number : number + 12345));
          await field.press("Enter");
          return;
        }
        await form.locator(right ? "input[data-right]" : "input:not([data-right])").first().focus();
        await page.keyboard.press("Space");
        await page.keyboard.press("Enter");
      };
      await answer(false);
      expect((await verdict()).startsWith(said("Not yet.")), `a wrong answer is told: ${await verdict()}`);
      const state = page.locator(`.contents li:has(a[href="#${exercise}"]) .state`);
      expect((await state.textContent()) === said("tried #", said("once")), "the contents do not say that it was tried");
      await answer(true);
      expect((await verdict()).startsWith(said("Right.")), `a right answer is told: ${await verdict()}`);
      expect((await state.textContent()) === said("right"), "the contents do not say that it is right");
    }
    where = join(code, name);
    await page.reload();
    for (const form of await page.locator("form.question").all())
      expect((await form.locator(".verdict").textContent()) === said("You answered this right before."), "a right answer is forgotten");
  }
  return page;
}

for (const code of readdirSync(folder).filter((name) => /^\w\w$/.test(name))) await answerAll(code);
const page = await answerAll("");
where = "index.html";
await page.goto(pathToFileURL(join(resolve(folder), where)).href);
for (const card of await page.locator("[data-questions]").all()) {
  const [lesson, count] = await Promise.all(["data-lesson", "data-questions"].map((name) => card.getAttribute(name)));
  const state = await card.locator(".state.is-right").allTextContents();
  expect(state.length === 1 && state[0].startsWith(`${count} of ${count} `), `the card of ${lesson} says of its ${count} answers: ${state}`);
}
const without = await browser.newContext({ javaScriptEnabled: false });
const still = await without.newPage();
for (const name of readdirSync(folder).filter((file) => /^01_\w+\.html$/.test(file))) {
  await still.goto(pathToFileURL(join(resolve(folder), name)).href);
  where = `${name} without scripts`;
  expect(!(await still.locator("form.question").first().isVisible()), "a question is shown that nobody answers");
  expect(await still.locator("details.hint").first().isVisible(), "a hint is not shown");
}
await browser.close();
for (const problem of problems) console.log(problem);
console.log(`${questions} questions of exercises, ${problems.length} problems`);
process.exitCode = problems.length || !questions ? 1 : 0;
