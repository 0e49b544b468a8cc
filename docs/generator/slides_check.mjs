// Opens slides in headless Chromium: node slides_check.mjs CHROMIUM FOLDER SCREENSHOTS [PATTERN]
//
// No slide is cut, at the size for which it is made, nor is anything lost; keys and buttons turn slides. What is wrong is listed.
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, folder, screenshots, pattern = ""] = process.argv.slice(2);
const problems = [];
mkdirSync(screenshots, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ["--disable-gpu", "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"] });

/** In the page: what sticks out of each slide. */
function cutSlides() {
  return [...document.querySelectorAll(".slide")].flatMap((slide, i) => {
    const content = slide.querySelector(".content");
    const edge = slide.getBoundingClientRect();
    const excess = content.scrollHeight - content.clientHeight;
    const wide = [...content.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > edge.right + 1 && !one.closest(".katex-mathml, .hide-tail"));
    const small = [...content.querySelectorAll("pre")].some((one) => parseFloat(getComputedStyle(one).fontSize) < 11);
    return [...(excess > 1 ? [`slide ${i + 1} is cut by ${excess} pixels`] : []), ...(wide.length ? [`slide ${i + 1} is too wide: ${wide[0].textContent.slice(0, 60)}`] : []), ...(small ? [`slide ${i + 1} has code too small to read`] : [])];
  });
}
const textOf = () => [...document.querySelectorAll(".content")].map((one) => one.textContent).join("").replace(/\s+/g, "");

try {
  const names = readdirSync(folder).filter((name) => name.endsWith(".html") && name.match(pattern)).sort();
  if (!names.length) problems.push(`no slides in ${folder}`);
  const plain = await browser.newPage({ javaScriptEnabled: false });
  const page = await browser.newPage({ viewport: { width: 1280, height: 764 }, colorScheme: "light" });
  let name;
  page.on("pageerror", (error) => problems.push(`${name}: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(data:|file:)/.test(request.url())) problems.push(`${name}: loads ${request.url()}`);
  });
  for (name of names) {
    const report = (problem) => problems.push(`${name}: ${problem}`);
    const address = pathToFileURL(resolve(folder, name)).href;
    await page.goto(address);
    await page.waitForSelector("html.ready", { state: "attached" });
    (await page.evaluate(cutSlides)).forEach(report);
    await plain.goto(address);
    if ((await plain.evaluate(textOf)) !== (await page.evaluate(textOf))) report("what stands on the slides is not what is in the file");
    const place = () => page.locator("#place").textContent();
    const count = await page.locator(".slide").count();
    await page.keyboard.press("ArrowRight");
    if ((await place()) !== `2 / ${count}`) report(`the arrow leads to ${await place()}`);
    await page.keyboard.press("End");
    if ((await place()) !== `${count} / ${count}`) report(`End leads to ${await place()}`);
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    if (!(await page.locator(".shown .notes").isVisible())) report("the notes do not show");
    await page.keyboard.press("n");
    for (let i = 0; pattern && i < count; ++i) {
      await page.emulateMedia({ colorScheme: i % 2 ? "dark" : "light" });
      await page.screenshot({ path: join(screenshots, `${name.replace(".html", "")}_${String(i + 1).padStart(2, "0")}.png`) });
      await page.keyboard.press("ArrowRight");
    }
  }
  console.log(`${names.length} files of slides opened, ${problems.length} problems`);
} finally {
  await browser.close();
}
problems.forEach((problem) => console.error(problem));
process.exitCode = problems.length ? 1 : 0;
