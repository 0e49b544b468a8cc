// Makes the site: node generate.mjs REPOSITORY RECORD SITE DOXYGEN [LIVE] [--partial]
//
// Reads REPOSITORY/tutorials/NN_name.cpp, what the programs recorded in RECORD/NN_name, REPOSITORY/docs/*.md and
// docs/examples/*.cpp, and the XML that Doxygen wrote to DOXYGEN; writes a folder of static pages, SITE, which has to be
// new. With LIVE, the folder where docs/live was built, the lessons' cells run in their pages. With --partial the reference
// may lack names; otherwise what it lacks is an error. With --no-answers the site has no answers, hints and questions of exercises.
// ETUDE_SITE is the address at which the site will be, https://HOST/PATH: cards of links and 404.html need it.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { breakable, markdownRenderer, plainText } from "./markdown.mjs";
import * as wholeCourse from "./course.mjs";
import { entriesOf, placesOf } from "./api.mjs";
import { figures as allFigures } from "./figures.mjs";
import { parseGlossary, wordLinker } from "./glossary.mjs";
import { firstAnswer, firstLessonPage, firstLessonScript, readFirstLesson } from "./first_lesson.mjs";
import { figuresList, figuresPage, withFigureLinks } from "./figures_page.mjs";
import { address as cellAddress, indexPage } from "./home.mjs";
import { escapeHtml } from "./html.mjs";
import { lookingFigure, lookingLesson } from "./looking.mjs";
import { firstText } from "./inside.mjs";
import { sections as insideSections, writeInside } from "./inside_page.mjs";
import { nameLinker } from "./links.mjs";
import { checkLesson, listItems } from "./lesson.mjs";
import { missingPage } from "./missing_page.mjs";
import { guidePage, readingPage, tutorialPage, withoutMissing } from "./page.mjs";
import { readHelp } from "./help.mjs";
import { parseTutorial, withoutAnswers } from "./parse.mjs";
import { drawPicture } from "./pictures.mjs";
import { isReading, parseReading } from "./reading.mjs";
import { entryPage, readReference, referenceIndex } from "./reference.mjs";
import { apiEntry, bareText, figureEntry, guideEntries, lessonEntries, searchScripts, sourceEntry } from "./search_index.mjs";
import { card, siteAddress, withCard } from "./share.mjs";
import { layerTitle, sourceHtml, sourcesIndex } from "./source_pages.mjs";
import { listSources, sourceLink } from "./sources.mjs";
import { writeTraining } from "./training_page.mjs";
import { writeTry } from "./try_page.mjs";
import { thumbnail } from "./thumbnail.mjs";
import { languagesOf, translateTutorial } from "./translate.mjs";

const styles = ["base", "rows", "home", "lesson", "sources", "reference", "tools", "figures", "pictures", "first_lesson"]; // what comes later wins
const here = fileURLToPath(new URL(".", import.meta.url));
const read = (path) => readFileSync(path, "utf8");
const namesIn = (folder, pattern) => readdirSync(folder).filter((name) => pattern.test(name)).sort();

/**
 * Writes the site and returns the number of pages. Throws an Error that says what is wrong in which file. `course` is
 * what course.mjs has; without one, lessons need not be complete. `doxygen` is the folder of Doxygen's XML, or null, and
 * `complete` says whether it is an error if the reference lacks something. `live` is the folder where docs/live was built, or null.
 * `address` is that of the site, or null; `answers` says whether pages show those of the exercises.
 */
export function generate(repository, record, site, course = null, { doxygen = null, complete = false, live = null, address = null, answers = true } = {}) {
  const tutorials = readTutorials(repository, answers);
  const guides = readGuides(repository);
  const said = course && firstAnswer(record);
  const first = said && readFirstLesson(repository);
  const list = { tutorials, guides, first };
  const pictures = {};
  let looking = "";
  const entries = guides.flatMap(guideEntries);
  let count = tutorials.length + guides.length + 2 + Boolean(first);
  if (course && answers) tutorials.forEach((tutorial) => checkLesson(tutorial, tutorial.file));
  const reference = readReference(repository, doxygen, complete);
  const linkNames = nameLinker(placesOf(reference.symbols), reference.python.names);
  const linkWords = wordLinker(guides.flatMap(({ words }) => words), bareText);
  const written = new Map();
  const write = (name, html, source = "", folder = "") => written.set(join(folder, name), breakable(linkNames(html, { source, page: name.replace(/^api_/, ""), folder: folder && "../" })));
  const writeLinked = (name, html) => write(name, linkWords(html, name));

  mkdirSync(site);
  copyStyle(site, live ? [...styles, "live"] : styles);
  if (live) copyLive(live, site);
  const lists = new Map(); // by language, with the titles of the lessons that have a page in it
  const titled = (one, code) => (languagesOf(repository, one.name).includes(code) ? translation(repository, one, code).translated : one);
  const listIn = (code) => lists.get(code) ?? lists.set(code, { ...list, tutorials: tutorials.map((one) => titled(one, code)), first: first && titled(first, code) }).get(code);
  const figures = figuresPage(record, list);
  if (figures) entries.push(...allFigures.map(figureEntry));
  const inside = writeInside(site, { record, isLive: Boolean(live), write: writeLinked });
  if (inside) entries.push(...insideSections.map(figureEntry));
  if (first) {
    entries.push(...lessonEntries(first, 0));
    const link = linkFrom(repository, "docs", list);
    const codes = ["en", ...languagesOf(repository, first.name)];
    const page = { answer: said, course, place: (target) => cellAddress(target, tutorials), isLive: Boolean(live) };
    write(first.name, linkWords(firstLessonPage({ ...page, lesson: first, site: list, link, languages: languageLinks(codes, "en", first.name) }), first.name));
    for (const code of codes.slice(1)) {
      const { labels, label, translated, note } = translation(repository, first, code);
      const address = (href) => upwards(href, code, repository);
      const html = firstLessonPage({ ...page, lesson: translated, site: listIn(code), link: (href) => address(link(href)), address, label, language: code, note, languages: languageLinks(codes, code, first.name) });
      write(first.name, html, "", code);
      entries.push(...lessonEntries(translated, 0, { language: code, word: labels.Lesson }));
      ++count;
    }
    writeFileSync(join(site, "first_lesson.js"), firstLessonScript(said));
  }
  for (const [i, tutorial] of tutorials.entries()) {
    const folder = join(record, tutorial.name);
    const outputs = Object.fromEntries(tutorial.cells.map((cell) => [cell.id, recorded(folder, cell, tutorial.file)]));
    entries.push(...lessonEntries(tutorial, i + 1, { outputs }));
    const renderer = (link, label) => withBlocks(tutorial, markdownRenderer({ figure: figureIn(folder), link, nameFigures: Boolean(live), picture: pictureFrom(tutorial, outputs) }), label);
    const link = linkFrom(repository, "tutorials", list);
    const markdown = renderer(link);
    const codes = ["en", ...languagesOf(repository, tutorial.name)];
    const page = { outputs, site: list, compared: differences(repository, tutorial), isLive: Boolean(live) };
    if (live) writeFileSync(join(site, "live", `${tutorial.name}.json`), JSON.stringify(expectedOutputs(repository, tutorial)));
    const html = linkWords(tutorialPage({ ...page, tutorial: { ...tutorial, block: markdown.block }, markdown, languages: languageLinks(codes, "en", tutorial.name) }), tutorial.name);
    write(tutorial.name, figures ? withFigureLinks(html, tutorial.name) : html, tutorial.source);
    pictures[tutorial.name] = pictureOf(tutorial, folder, outputs);
    if (course && tutorial.name === lookingLesson) looking = lookingFigure(sourceOf(tutorial, outputs));
    for (const code of codes.slice(1)) {
      const { labels, label, translated, note } = translation(repository, tutorial, code);
      const up = renderer((href) => upwards(link(href), code, repository), label);
      const html = tutorialPage({
        ...page, site: listIn(code), markdown: up, language: code, note,
        tutorial: { ...translated, block: up.block },
        label,
        address: (name) => upwards(`${name}.html`, code, repository),
        languages: languageLinks(codes, code, tutorial.name),
      });
      write(tutorial.name, figures ? withFigureLinks(html, tutorial.name, "../", label) : html, tutorial.source, code);
      entries.push(...lessonEntries(translated, i + 1, { language: code, word: labels.Lesson }));
      ++count;
    }
  }
  for (const guide of guides) {
    const markdown = markdownRenderer({ figure: figureIn(join(repository, "docs")), link: linkFrom(repository, "docs", list) });
    const block = locating(guide.file, markdown.block);
    const reading = isReading(guide.text) && parseReading(guide.text, guide.file, (file) => read(join(repository, file)));
    const html = reading ? readingPage({ guide, reading, site: list, markdown: { ...markdown, block } }) : guidePage({ guide, site: list, markdown: { ...markdown, block: (text) => block(text, 1, {}) } });
    write(guide.name, guide.words.length ? html : linkWords(html, guide.name));
  }
  const { pages, examplesSource } = reference;
  for (const page of pages) write(`api_${page.name}`, linkWords(entryPage(page, reference), `api_${page.name}`), examplesSource);
  write("api", referenceIndex(pages, reference));
  const sources = writeSources(repository, list, write, answers);
  entries.push(...entriesOf(reference.symbols).map(apiEntry), ...sources.map(sourceEntry));
  for (const [name, script] of Object.entries(searchScripts(entries))) writeFileSync(join(site, name), script);
  count += pages.length + sources.length + 2;
  if (figures) {
    writeLinked("figures", figures);
    cpSync(join(here, "figures.js"), join(site, "figures.js"));
    ++count;
  }
  const training = writeTraining(site, { repository, record, tutorials, isLive: Boolean(live), write: writeLinked });
  const tried = writeTry(site, { repository, record, isLive: Boolean(live), write: writeLinked });
  count += Boolean(training) + Boolean(inside) + Boolean(tried);
  write("index", indexPage({ site: list, markdown: reference.markdown, course: course ?? { paths: [] }, pictures, looking, source: publicAddress(repository), figures: inside + training + tried + (figures && figuresList()), pages: [inside && "inside", training && "training"].filter(Boolean), ask: inside && live ? firstText : "", languages: first ? languageLinks(["en", ...languagesOf(repository, first.name)], "en", first.name) : [], reference: pages }));
  write("404", missingPage({ site: list, markdown: reference.markdown, address }));
  if (address) cpSync(join(here, "..", card.name), join(site, card.name));
  for (const code of lists.keys()) mkdirSync(join(site, code));
  for (const [name, html] of written) writeFileSync(join(site, `${name}.html`), withCard(withoutMissing(html, (other) => written.has(other)), `${name}.html`, address));
  return count;
}

/** The pages of the sources, and their list. */
function writeSources(repository, list, write, answers) {
  const shown = (file, text) => (answers || !/^tutorials\/\d\d_/.test(file) ? text : withoutAnswers(text));
  const pages = listSources(repository).map((page) => ({ ...page, files: page.files.map((file) => ({ file, text: shown(file, read(join(repository, file))) })) }));
  const markdown = (file) => {
    const renderer = markdownRenderer({ figure: () => "", link: linkFrom(repository, dirname(file), list) });
    return { block: locating(file, (text, options) => renderer.block(text, options)) };
  };
  const layers = pages.filter(({ isLayer }) => isLayer).map(({ name, files }) => ({ name, title: layerTitle(files[0]) }));
  const mini = pages.flatMap(({ files }) => files.filter(({ file }) => file.startsWith("framework/mini/")));
  for (const page of pages) write(page.name, sourceHtml(page, (file) => existsSync(join(repository, file)), markdown, layers, mini));
  write("sources", sourcesIndex(pages));
  return pages;
}

export function readTutorials(repository, answers = true) {
  return namesIn(join(repository, "tutorials"), /^\d\d_\w+\.cpp$/).map((name) => {
    const file = `tutorials/${name}`;
    const source = read(join(repository, file));
    const tutorial = parseTutorial(source, file);
    tutorial.help = answers ? readHelp(repository, basename(name, ".cpp")) : {};
    if (!answers) for (const cell of tutorial.cells) delete cell.answer;
    return { ...tutorial, file, source, name: basename(name, ".cpp"), description: firstParagraph(tutorial.intro) };
  });
}

export function readGuides(repository) {
  return namesIn(join(repository, "docs"), /^(?!what_a_transformer_is).*\.md$/).map((name) => {
    const file = `docs/${name}`;
    const text = read(join(repository, file));
    const title = /^# (.+)\n/.exec(text)?.[1];
    if (!title) throw new Error(`${file}:1: a guide begins with \`# Title\``);
    const words = name === "glossary.md" ? parseGlossary(text, file) : [];
    return { file, name: basename(name, ".md"), title, text: text.replace(/<!--[^]*?-->/g, ""), words, description: firstParagraph(text.slice(text.indexOf("\n"))) };
  });
}

/** The renderer with errors that name the place, and the references of the lesson. */
function withBlocks(tutorial, markdown, label = (text) => text) {
  const references = tutorial.references ? listItems(tutorial.references.text).length : undefined;
  const block = locating(tutorial.file, (text, options) => markdown.block(text, { references, label, ...options }));
  return { ...markdown, block };
}

/** A picture of a lesson for the first page: a plot, that of its result if that is small enough, or the first lines of what its result prints. */
function pictureOf({ cells, facts }, folder, outputs) {
  const result = cells.find(({ id }) => id === facts?.result) ?? cells[0];
  for (const cell of [result, ...cells]) {
    for (const [, name] of cell.rows.map(({ text }) => text).join("\n").matchAll(/^!\[[^\]]+\]\(([\w.-]+\.svg)\)$/gm)) {
      const svg = thumbnail(figureIn(folder)(name));
      if (svg) return svg;
    }
  }
  const lines = outputs[result.id].split("\n").slice(0, 6).map((line) => line.slice(0, 60));
  return `<span class="printed">${escapeHtml(lines.join("\n"))}</span>`;
}

const languageNames = { en: "English", ja: "日本語", ko: "한국어", zh: "中文" };
const languageLinks = (codes, current, name) =>
  codes.map((code) => ({ code, name: languageNames[code] ?? code, href: (current === "en" ? "" : "../") + (code === "en" ? "" : `${code}/`) + `${name}.html` }));

/** A lesson in another language, the words of its page, and a sentence about what fell behind. */
function translation(repository, tutorial, code) {
  const folder = join(repository, "docs/translations", code);
  const labels = JSON.parse(read(join(folder, "page.json")));
  const { tutorial: translated, behind, count } = translateTutorial(tutorial, join(folder, `${tutorial.name}.po`), labels.behind);
  const described = { ...translated, description: firstParagraph(translated.intro) };
  return { labels, label: (text) => labels[text] ?? text, translated: described, note: behind ? `<p class="behind">${labels["paragraphs behind"]}: ${behind} / ${count}</p>\n` : "" };
}

/** An address seen from a language's folder: its own page where there is one. */
function upwards(address, code, repository) {
  if (address === null || /^(https?:|#)/.test(address)) return address;
  const name = /^(\w+)\.html/.exec(address)?.[1];
  return name && languagesOf(repository, name).includes(code) ? address : `../${address}`;
}

/** The first paragraph, which also describes the page where there are no references. */
const firstParagraph = (text) => text.trim().split(/\n\s*\n/)[0].replace(/\s*\[\d+\](?![(:])/g, "");

function recorded(folder, { id, line }, file) {
  const path = join(folder, `${id}.txt`);
  if (!existsSync(path)) throw new Error(`${file}:${line}: cell ${id} recorded no output: ${path} does not exist`);
  return read(path);
}

/** What PyTorch printed, by the id of the cell. */
export function expectedOutputs(repository, { name }) {
  const folder = join(repository, "tutorials/expected", name);
  return Object.fromEntries(namesIn(folder, /\.txt$/).map((file) => [basename(file, ".txt"), read(join(folder, file))]));
}

/**
 * The number of a lesson's cells that print, and the `{reason, prints}` of those that do not print the same bytes with both versions of
 * PyTorch. Throws an Error for a row that is none of these.
 */
export function differences(repository, { name }) {
  const file = "tutorials/expected/differs.json";
  if (!existsSync(join(repository, file))) return null;
  const { reasons, cells } = JSON.parse(read(join(repository, file)));
  const expected = expectedOutputs(repository, { name });
  const rows = Object.entries(cells[name] ?? {}).map(([id, { reason, prints }]) => {
    if (expected[id] === undefined) throw new Error(`${file}: ${name} has no cell ${id} that prints`);
    if (expected[id] === prints) throw new Error(`${file}: ${name}/${id} prints the same bytes`);
    if (!reasons[reason]) throw new Error(`${file}: ${name}/${id} needs a reason: ${Object.keys(reasons).join(", ")}`);
    return [id, { reason: reasons[reason], prints }];
  });
  return { count: Object.keys(expected).length, rows: Object.fromEntries(rows) };
}

/** Reads the figures of a folder. */
export function figureIn(folder) {
  return (name) => {
    if (!/^[\w.-]+\.svg$/.test(name)) throw new Error(`a figure is NAME.svg, got ${name}`);
    if (!existsSync(join(folder, name))) throw new Error(`the figure ${name} does not exist in ${folder}`);
    return read(join(folder, name));
  };
}

/** What the cells of a lesson printed and declare: pictures are drawn from it. */
function sourceOf({ cells }, outputs) {
  const cell = (id) => cells.find((one) => one.id === id);
  return { printed: (id) => outputs[id], code: (id) => cell(id).rows.map(({ code }) => code).join("\n") };
}

/** Draws the pictures of a lesson. */
export const pictureFrom = (tutorial, outputs) => (name, words) => drawPicture(name, tutorial.name, sourceOf(tutorial, outputs), words);

/** Where anybody gets the repository from, as git knows it; null where its origin is none that a reader could use. */
export function publicAddress(repository) {
  const { stdout } = spawnSync("git", ["-C", repository, "config", "--get", "remote.origin.url"], { encoding: "utf8" });
  const [, host, path] = /^(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([\w.-]+\.[a-z]+)[:/]([\w./-]+?)(?:\.git)?\/?$/.exec(stdout?.trim() ?? "") ?? [];
  return host ? `https://${host}/${path}` : null;
}

/** Links into the repository lead to the page of a tutorial, a guide, what learns or a source; its other files have none. */
function linkFrom(repository, folder, { tutorials, guides, first }) {
  return (href) => {
    if (/^(https?:|#)/.test(href)) return href;
    const [path, fragment] = href.split("#");
    const file = relative(repository, resolve(repository, folder, path));
    if (!existsSync(join(repository, file))) throw new Error(`the link ${href} leads to no file`);
    const page = [...tutorials, ...guides, ...(first ? [first] : []), { file: "docs/live/train.cpp", name: "training" }].find((one) => one.file === file);
    return page ? `${page.name}.html${fragment ? `#${fragment}` : ""}` : sourceLink(file);
  };
}

/** Errors of `block` begin with the file and the line of the text, or of the place in it where an error says so. */
function locating(file, block) {
  return (text, line, options) => {
    try {
      return block(text, options);
    } catch (error) {
      throw new Error(`${file}:${line + (error.line ?? 0)}: ${error.message}`, { cause: error });
    }
  };
}

function copyStyle(site, styles) {
  const katex = join(here, "node_modules/katex/dist");
  mkdirSync(join(site, "katex/fonts"), { recursive: true });
  for (const font of namesIn(join(katex, "fonts"), /\.woff2$/)) {
    cpSync(join(katex, "fonts", font), join(site, "katex/fonts", font));
  }
  // Every browser that can show the pages reads WOFF2; the other two formats are left out.
  const css = read(join(katex, "katex.min.css")).replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, "");
  writeFileSync(join(site, "katex/katex.min.css"), css);
  writeFileSync(join(site, "style.css"), styles.map((name) => read(join(here, "style", `${name}.css`))).join("\n"));
  for (const name of ["theme.js", "site.js", "exercises.js"]) cpSync(join(here, name), join(site, name));
}

/** What pages need to run C++: the modules with their scripts, and what sets a figure. */
function copyLive(live, site) {
  mkdirSync(join(site, "live"));
  for (const name of namesIn(live, /\.(wasm|mjs|safetensors)$/)) cpSync(join(live, name), join(site, "live", name));
  for (const name of ["svg.mjs", "html.mjs", "pictures.mjs", "drawing.mjs", "printed.mjs"]) cpSync(join(here, name), join(site, "live", name));
  for (const name of ["live_cells.js", "symbols.js"]) cpSync(join(here, name), join(site, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const [partial, noAnswers] = ["--partial", "--no-answers"].map((option) => process.argv.includes(option));
    const [repository, record, site, doxygen, live = null] = process.argv.slice(2).filter((one) => !one.startsWith("--")).map((path) => resolve(path));
    if (!doxygen) throw new Error("usage: node generate.mjs REPOSITORY RECORD SITE DOXYGEN [LIVE] [--partial] [--no-answers]");
    const address = siteAddress(process.env.ETUDE_SITE);
    console.log(`${generate(repository, record, site, wholeCourse, { doxygen, complete: !partial, live, address, answers: !noAnswers })} pages`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
