// Weighs the pages of a site, and looks for what a browser need not run to see: node budget.mjs SITE
//
// What a page loads when it is opened is counted as hosts send it, compressed: the page, styles, scripts, pictures in files, and the
// fonts that its styles name, of which a browser takes those that it needs. `whole` is everything but fonts, as it lies on the disk.
// The first kind that matches counts. What is loaded later, by a reader's wish, has budgets of its own.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export const kinds = [
  { kind: "first page", pattern: /^index\.html$/, html: 40_000, css: 20_000, js: 10_000, images: 0, fonts: 0, whole: 200_000 },
  { kind: "lesson with heat maps of a text", pattern: /\b06_own_input\.html$/, html: 145_000, css: 20_000, js: 15_000, images: 0, fonts: 330_000, whole: 900_000 },
  { kind: "lesson", pattern: /^(\w\w\/)?\d\d_\w+\.html$/, html: 90_000, css: 20_000, js: 15_000, images: 0, fonts: 330_000, whole: 550_000 },
  { kind: "source", pattern: /^source/, html: 60_000, css: 20_000, js: 5_000, images: 0, fonts: 0, whole: 700_000 },
  { kind: "reference", pattern: /^api/, html: 60_000, css: 20_000, js: 5_000, images: 0, fonts: 330_000, whole: 700_000 },
  { kind: "tool", pattern: /^(figures|training|try)\.html$/, html: 80_000, css: 20_000, js: 15_000, images: 0, fonts: 330_000, whole: 700_000 },
  { kind: "page with a model", pattern: /^(\w\w\/)?(what_a_transformer_is|inside)\.html$/, html: 60_000, css: 20_000, js: 40_000, images: 0, fonts: 330_000, whole: 400_000 },
  { kind: "guide with sources", pattern: /^mini\.html$/, html: 80_000, css: 20_000, js: 5_000, images: 0, fonts: 330_000, whole: 750_000 },
  { kind: "guide", pattern: /\.html$/, html: 60_000, css: 20_000, js: 5_000, images: 0, fonts: 330_000, whole: 500_000 },
];
/** Of files that are loaded later; compressed. */
export const later = [
  { kind: "the search and its index", pattern: /^search(_index)?\.js$/, most: 1_500_000 },
  { kind: "trained models", pattern: /\.safetensors$/, most: 3_000_000 },
  { kind: "the modules that run C++", pattern: /^live\/.*\.(wasm|mjs)$/, most: 8_000_000 },
];

const read = (path) => readFileSync(path);
const known = new Map();
/** The bytes of a file as a host sends it: fonts are compressed already. */
function sent(path) {
  if (!known.has(path)) known.set(path, /\.(woff2|png)$/.test(path) ? statSync(path).size : gzipSync(read(path)).length);
  return known.get(path);
}

/** What a page loads when it is opened, by kind: paths from the folder of the site. */
export function loadedBy(html, name, site) {
  const from = (file) => (path) => normalize(join(dirname(file), path));
  const all = (pattern, text = html) => [...text.matchAll(pattern)].map((match) => match[1]);
  const css = all(/<link rel="stylesheet" href="([^"]+)"/g).map(from(name));
  const fonts = css.flatMap((file) => all(/url\(([^):]+\.woff2)\)/g, read(join(site, file)).toString()).map(from(file)));
  return { html: [name], css, js: all(/<script[^>]* src="([^"]+)"/g).map(from(name)), images: all(/<img[^>]* src="(?!data:)([^"]+)"/g).map(from(name)), fonts };
}

/** Faults that are seen in the text of a page: a list of sentences. */
export function headFaults(html) {
  const faults = [];
  const content = (name) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(html)?.[1] ?? "";
  const [title] = /(?<=<title>)[^<]*/.exec(html) ?? [""];
  if (!title.trim() || title.length > 110) faults.push(`its title has ${title.length} letters`);
  if (!content("description").trim()) faults.push("it has no description");
  for (const name of ["og:title", "og:description", "og:type", "twitter:card"]) if (!content(name).trim()) faults.push(`it has no ${name}`);
  if (!/^width=device-width, initial-scale=1$/.test(content("viewport"))) faults.push("its viewport is not that of a phone");
  if (!/^<!DOCTYPE html>\n<html lang="\w\w(-\w+)?"/.test(html)) faults.push("it has no language");
  if (html.indexOf('<meta charset="utf-8">') < 0 || html.indexOf('<meta charset="utf-8">') > 1000) faults.push("its encoding stands too late");
  for (const [tag] of html.matchAll(/<script[^>]*>/g)) if (!/ defer>$|theme\.js">$/.test(tag)) faults.push(`it waits for ${tag}`);
  for (const [tag] of html.matchAll(/<img\b[^>]*>/g)) if (!/ width="\d+"/.test(tag) || !/ height="\d+"/.test(tag)) faults.push(`the text moves when this comes: ${tag}`);
  for (const [tag] of html.matchAll(/<(?:script|link|img|iframe|source)\b[^>]* (?:src|href)="(?:https?:)?\/\/[^>]*>/g)) if (!/rel="canonical"/.test(tag)) faults.push(`it loads from elsewhere: ${tag}`);
  for (const [, href] of html.matchAll(/ (?:href|src)="(\/[^"]*)"/g)) faults.push(`this leads out of the folder of the site: ${href}`);
  return faults;
}

const files = (site) => readdirSync(site, { recursive: true }).filter((name) => statSync(join(site, name)).isFile());

/** `{faults, table}` of a site: sentences, and the heaviest page of each kind. `budgets` are as `kinds`. */
export function weighSite(site, budgets = kinds, others = later) {
  const faults = [];
  const table = new Map();
  for (const name of files(site).filter((one) => one.endsWith(".html")).sort()) {
    const html = read(join(site, name)).toString();
    if (name !== "404.html") faults.push(...headFaults(html).map((fault) => `${name}: ${fault}`));
    const at404 = name === "404.html" && html.includes('href="/');
    if (at404) continue; // its links begin at the root of a host
    const loaded = loadedBy(html, name, site);
    const missing = Object.values(loaded).flat().find((file) => !existsSync(join(site, file)));
    if (missing) {
      faults.push(`${name}: it loads ${missing}, which is not there`);
      continue;
    }
    const weights = Object.fromEntries(Object.entries(loaded).map(([part, some]) => [part, some.reduce((sum, file) => sum + sent(join(site, file)), 0)]));
    weights.whole = Object.entries(loaded).flatMap(([part, some]) => (part === "fonts" ? [] : some)).reduce((sum, file) => sum + statSync(join(site, file)).size, 0);
    const budget = budgets.find(({ pattern }) => pattern.test(name));
    const row = table.get(budget.kind) ?? table.set(budget.kind, { pages: 0, html: 0, css: 0, js: 0, images: 0, fonts: 0, whole: 0 }).get(budget.kind);
    ++row.pages;
    for (const [part, weight] of Object.entries(weights)) {
      row[part] = Math.max(row[part], weight);
      if (weight > budget[part]) faults.push(`${name}: ${part} of ${weight} bytes, of ${budget[part]} for a ${budget.kind}`);
    }
  }
  for (const { kind, pattern, most } of others) {
    const weight = files(site).filter((name) => pattern.test(name)).reduce((sum, name) => sum + sent(join(site, name)), 0);
    if (weight > most) faults.push(`${kind}: ${weight} bytes, of ${most}`);
    table.set(kind, { whole: weight });
  }
  return { faults, table: Object.fromEntries(table) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { faults, table } = weighSite(process.argv[2]);
  console.log("bytes, the heaviest of each kind, compressed, and whole as on the disk");
  console.table(table);
  faults.forEach((fault) => console.error(fault));
  process.exitCode = faults.length ? 1 : 0;
}
