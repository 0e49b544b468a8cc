// Makes the site: node generate.mjs REPOSITORY RECORD SITE
//
// Reads REPOSITORY/tutorials/NN_name.cpp, what the programs recorded in RECORD/NN_name, and REPOSITORY/docs/*.md;
// writes a folder of static pages, SITE, which has to be new.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { markdownRenderer, plainText } from "./markdown.mjs";
import { guidePage, indexPage, tutorialPage } from "./page.mjs";
import { parseTutorial } from "./parse.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const read = (path) => readFileSync(path, "utf8");
const namesIn = (folder, pattern) => readdirSync(folder).filter((name) => pattern.test(name)).sort();

/** Writes the site and returns the number of pages. Throws an Error that says what is wrong in which file. */
export function generate(repository, record, site) {
  const tutorials = readTutorials(repository);
  const guides = readGuides(repository);
  const list = { tutorials, guides };
  const write = (name, html) => writeFileSync(join(site, `${name}.html`), html);

  mkdirSync(site);
  copyStyle(site);
  for (const tutorial of tutorials) {
    const folder = join(record, tutorial.name);
    const markdown = markdownRenderer({ figure: figureIn(folder), link: linkFrom(repository, "tutorials", list) });
    const outputs = Object.fromEntries(tutorial.cells.map((cell) => [cell.id, recorded(folder, cell, tutorial.file)]));
    tutorial.block = locating(tutorial.file, markdown.block);
    tutorial.markdown = markdown;
    write(tutorial.name, tutorialPage({ tutorial, outputs, site: list, markdown }));
  }
  for (const guide of guides) {
    const markdown = markdownRenderer({ figure: figureIn(join(repository, "docs")), link: linkFrom(repository, "docs", list) });
    const block = locating(guide.file, markdown.block);
    write(guide.name, guidePage({ guide, site: list, markdown: { ...markdown, block: (text) => block(text, 1, {}) } }));
  }
  write("index", indexPage({ site: list, markdown: markdownRenderer({ link: () => null }), figure: firstFigure(tutorials) }));
  return tutorials.length + guides.length + 1;
}

function readTutorials(repository) {
  return namesIn(join(repository, "tutorials"), /^\d\d_\w+\.cpp$/).map((name) => {
    const file = `tutorials/${name}`;
    const tutorial = parseTutorial(read(join(repository, file)), file);
    return { ...tutorial, file, name: basename(name, ".cpp"), description: firstParagraph(tutorial.intro) };
  });
}

function readGuides(repository) {
  return namesIn(join(repository, "docs"), /\.md$/).map((name) => {
    const file = `docs/${name}`;
    const text = read(join(repository, file));
    const title = /^# (.+)\n/.exec(text)?.[1];
    if (!title) throw new Error(`${file}:1: a guide begins with \`# Title\``);
    return { file, name: basename(name, ".md"), title, text, description: firstParagraph(text.slice(text.indexOf("\n"))) };
  });
}

/** The first figure of all tutorials as HTML. */
function firstFigure(tutorials) {
  for (const { cells, markdown } of tutorials) {
    const figure = /^!\[[^\]]+\]\([^)\s]+\)$/m.exec(cells.flatMap(({ rows }) => rows.map(({ text }) => text)).join("\n"));
    if (figure) return markdown.block(figure[0]);
  }
  return "";
}

const firstParagraph = (text) => text.trim().split(/\n\s*\n/)[0];

function recorded(folder, { id, line }, file) {
  const path = join(folder, `${id}.txt`);
  if (!existsSync(path)) throw new Error(`${file}:${line}: cell ${id} recorded no output: ${path} does not exist`);
  return read(path);
}

function figureIn(folder) {
  return (name) => {
    if (!/^[\w.-]+\.svg$/.test(name)) throw new Error(`a figure is NAME.svg, got ${name}`);
    if (!existsSync(join(folder, name))) throw new Error(`the figure ${name} does not exist in ${folder}`);
    return read(join(folder, name));
  };
}

/** Links into the repository lead to the page of a tutorial or guide; its other files have none. */
function linkFrom(repository, folder, { tutorials, guides }) {
  return (href) => {
    if (/^(https?:|#)/.test(href)) return href;
    const [path, fragment] = href.split("#");
    const file = relative(repository, resolve(repository, folder, path));
    if (!existsSync(join(repository, file))) throw new Error(`the link ${href} leads to no file`);
    const page = [...tutorials, ...guides].find((one) => one.file === file);
    return page ? `${page.name}.html${fragment ? `#${fragment}` : ""}` : null;
  };
}

/** Errors of `block` begin with the file and the line of the text. */
function locating(file, block) {
  return (text, line, options) => {
    try {
      return block(text, options);
    } catch (error) {
      throw new Error(`${file}:${line}: ${error.message}`, { cause: error });
    }
  };
}

function copyStyle(site) {
  const katex = join(here, "node_modules/katex/dist");
  mkdirSync(join(site, "katex/fonts"), { recursive: true });
  for (const font of namesIn(join(katex, "fonts"), /\.woff2$/)) {
    cpSync(join(katex, "fonts", font), join(site, "katex/fonts", font));
  }
  // Every browser that can show the pages reads WOFF2; the other two formats are left out.
  const css = read(join(katex, "katex.min.css")).replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, "");
  writeFileSync(join(site, "katex/katex.min.css"), css);
  cpSync(join(here, "style.css"), join(site, "style.css"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const [repository, record, site] = process.argv.slice(2).map((path) => resolve(path));
    console.log(`${generate(repository, record, site)} pages`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
