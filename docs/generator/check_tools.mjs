// Uses what scripts add to the pages, as a reader would: the search, the colours, the line numbers.

/** `open(options, report)` gives a new page in a context of its own; `inspect(frame)` reports what is wrong with it. */
export async function checkTools(open, inspect, site, report) {
  for (const [width, way] of [[1400, searchByKeyboard], [360, searchByTouch], [1400, changeColours], [1400, followLine]]) {
    const reportWidth = (problem) => report(`${way.name} at ${width} pixels: ${problem}`);
    const page = await open({ viewport: { width, height: 800 }, colorScheme: "light" }, reportWidth);
    await page.goto(site.address("08_attention.html"));
    await way(page, { site, report: reportWidth, inspect: () => inspect(page.mainFrame(), reportWidth, {}), picture: (scheme) => page.screenshot({ path: site.picture("search.html", width, scheme) }) });
    await page.context().close();
  }
}

/** Waits until `condition` holds in the page, or reports that it does not. */
async function expect(page, report, what, condition, argument) {
  await page.waitForFunction(condition, argument, { timeout: 20_000 }).catch(() => report(`${what}, but not so`));
}

const firstResult = () => document.querySelector(".search ol a")?.getAttribute("href") ?? "";
const teachesSoftmax = () => document.querySelector(".search ol a")?.href.endsWith("/08_attention.html#softmax");

async function searchByKeyboard(page, { report, inspect, picture }) {
  await page.keyboard.press("/");
  await expect(page, report, "`/` opens the search", () => document.activeElement.matches(".search input"));
  for (const [query, name] of [["nn::Linear", "nn::Linear"], ["layer_norm", "layer_norm"], ["layer norm", "The layer norm"], ["sofmax", "From scores to weights"]]) {
    await page.keyboard.press("Control+A");
    await page.keyboard.type(query);
    await expect(page, report, `${query} finds ${name} first`, (title) => document.querySelector(".search ol strong")?.textContent === title, name);
  }
  await inspect();
  await picture("light");
  await page.emulateMedia({ colorScheme: "dark" });
  await inspect();
  await picture("dark");
  await page.keyboard.press("Escape");
  await expect(page, report, "Escape closes the search", () => !document.querySelector(".search").open);
  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("softmax");
  await expect(page, report, "softmax finds its lesson first", teachesSoftmax);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  const href = await page.evaluate(firstResult);
  await expect(page, report, "arrows choose a result", (first) => document.activeElement.getAttribute("href") === first, href);
  await page.keyboard.press("Enter");
  await expect(page, report, `Enter leads to ${href}`, (address) => location.href === address, href);
}

async function searchByTouch(page, { report, inspect, picture }) {
  await page.click(".open-search");
  await expect(page, report, "the button opens the search", () => document.activeElement.matches(".search input"));
  await page.keyboard.type("softmax");
  await expect(page, report, "softmax finds its lesson first", teachesSoftmax);
  await inspect();
  await picture("light");
  await page.click(".search button");
  await expect(page, report, "the button closes the search", () => !document.querySelector(".search").open);
}

async function changeColours(page, { report }) {
  const ground = () => page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".diagram text")).fill].join());
  const light = await ground();
  await page.click(".theme");
  if ((await ground()) !== light) report("the first choice is light, which the system has");
  await page.click(".theme");
  const dark = await ground();
  if (dark === light) report("dark looks like light");
  await page.reload();
  if ((await ground()) !== dark) report("the choice does not survive a reload");
  await page.emulateMedia({ media: "print" });
  if ((await ground()) !== light) report("is printed dark");
  await page.emulateMedia({ media: "screen" });
  await page.click(".theme");
  if ((await ground()) !== light) report("does not go back to the system's colours");
}

async function followLine(page, { site, report }) {
  const number = page.locator(".gutter a").nth(5);
  const line = await number.getAttribute("data-n");
  const code = await page.evaluate(() => document.querySelector(".gutter a").closest(".numbered").querySelector("pre").textContent.split("\n")[0]);
  const first = await page.evaluate(() => document.querySelector(".gutter a").dataset.n);
  await number.click();
  await expect(page, report, `line ${line} leads to line ${line} of the source`, (n) => document.querySelector(":target")?.dataset.n === n, line);
  const box = await page.locator(":target").boundingBox();
  if (!box || box.y < 0 || box.y > 800) report(`line ${line} is not in sight`);
  const shown = await page.evaluate((n) => document.querySelector("pre").textContent.split("\n")[n - 1], first);
  if (shown.trim() !== code.trim()) report(`line ${first} is "${shown}" in the source and "${code}" in the lesson`);
}
