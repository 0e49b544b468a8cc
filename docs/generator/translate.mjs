// Translations of lessons: docs/translations/LANGUAGE/NAME.po, in gettext's form, an entry per paragraph, and per text of the help with exercises.
//
//   node translate.mjs REPOSITORY    writes what has changed in the lessons into all translations: a new paragraph is
//                                    empty there, one that has become another is marked as fuzzy
import { existsSync, readFileSync, readdirSync, writeFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import PO from "pofile";
import { name as firstName, readFirstLesson } from "./first_lesson.mjs";
import { mapHelp, readHelp } from "./help.mjs";
import { parseTutorial } from "./parse.mjs";

/**
 * The paragraphs of a Markdown text. Code and formulas on lines of their own are `kept` as they are; diagrams and pictures have words, which
 * are `drawn`.
 */
export function paragraphs(markdown) {
  const found = [];
  let lines = [];
  let fence = false;
  const end = () => {
    const text = lines.join("\n");
    const drawn = /^```((?:diagram|picture \w+)) ([\s\S]*)\n```$/.exec(text);
    if (drawn) found.push({ text: drawn[2], drawn: drawn[1] });
    else if (text.trim()) found.push({ text, kept: /^\s*(```|\$\$[\s\S]*\$\$\s*$)/.test(text) });
    lines = [];
  };
  for (const line of markdown.split("\n")) {
    const mark = line.startsWith("```");
    if (mark && !fence) end();
    if (fence || line.trim()) lines.push(line);
    else end();
    if (mark && fence) end();
    if (mark) fence = !fence;
  }
  end();
  return found;
}

/** The tutorial with `change(context, text)` in place of each of its texts; contexts are unique in a tutorial. */
export function mapTexts(tutorial, change) {
  const block = (context, markdown) => {
    let number = 0;
    const changed = ({ text, kept, drawn }) => {
      if (drawn) return `\`\`\`${drawn} ${change(`${context} ${drawn}`, text)}\n\`\`\``;
      return kept ? text : change(`${context}.${++number}`, text);
    };
    return paragraphs(markdown ?? "").map(changed).join("\n\n");
  };
  const rows = (id, list, what) => list.map((row, i) => ({ ...row, text: block(`${id}${what}${i + 1}`, row.text) }));
  return {
    ...tutorial,
    title: change("title", tutorial.title),
    facts: tutorial.facts && {
      ...tutorial.facts,
      outcomes: tutorial.facts.outcomes.map((text, i) => change(`outcome ${i + 1}`, text)),
      needs: tutorial.facts.needs && change("needs", tutorial.facts.needs),
    },
    intro: block("introduction", tutorial.intro),
    cells: tutorial.cells.map((cell) => ({
      ...cell,
      title: change(`${cell.id} title`, cell.title),
      rows: rows(cell.id, cell.rows, " "),
      answer: cell.answer && rows(cell.id, cell.answer, " answer "),
    })),
    summary: tutorial.summary && { ...tutorial.summary, text: block("summary", tutorial.summary.text) },
    references: tutorial.references && {
      ...tutorial.references,
      title: tutorial.references.title && change("references title", tutorial.references.title),
      text: block("references", tutorial.references.text),
    },
    help: mapHelp(tutorial.help ?? {}, change),
  };
}

const readPo = (path) => (existsSync(path) ? PO.parse(readFileSync(path, "utf8")) : new PO());

/** The languages in which at least something of the lesson is translated. */
export function languagesOf(repository, name) {
  const folder = join(repository, "docs/translations");
  if (!existsSync(folder)) return [];
  const begun = (language) => readPo(join(folder, language, `${name}.po`)).items.some(({ msgstr }) => msgstr[0]);
  return readdirSync(folder).filter(begun).sort();
}

/** What must be in a translation as it is in the text: code, formulas, where links lead, references, and the shapes and arrows of a diagram. */
function fixed(text) {
  return [...text.matchAll(/`[^`]+`|\$[^$\s](?:[^$]*[^$\s])?\$|\]\([^)]+\)|\[[^\]]+\](?!\()|^.* -> .*$/gm)].map(([part]) => part.replace(/\s+/g, " ")).sort();
}

/**
 * The tutorial in the words of a translation, and how many of its texts are `behind`: those are in English, after the
 * sentence `note`. An exercise has no help until a part of it is translated. Throws an Error if a translation has other code, formulas or links than the text.
 */
export function translateTutorial(tutorial, path, note) {
  const entries = new Map(readPo(path).items.map((item) => [item.msgctxt, item]));
  let behind = 0;
  let count = 0;
  const isBegun = (id) => [...entries.values()].some(({ msgctxt, msgstr }) => msgstr[0] && /^(\w+) (?:ask|hint)\b/.exec(msgctxt)?.[1] === id);
  const help = Object.fromEntries(Object.entries(tutorial.help ?? {}).filter(([id]) => !/^exercise\d$/.test(id) || isBegun(id)));
  const translated = mapTexts({ ...tutorial, help }, (context, text) => {
    ++count;
    const item = entries.get(context);
    // What is wrapped into other lines is the same text.
    if (item?.msgid !== text || item.flags.fuzzy || !item.msgstr[0]) {
      ++behind;
      return context.includes(".") ? `> ${note}\n\n${text}` : text;
    }
    const [expected, got] = [fixed(text), fixed(item.msgstr[0])];
    if (expected.join("\n") !== got.join("\n"))
      throw new Error(`${path}: "${context}" has ${got.join(" ") || "nothing"} where the text has ${expected.join(" ") || "nothing"}`);
    return item.msgstr[0];
  });
  return { tutorial: translated, behind, count };
}

/** The one form in which a translation is written: nothing stands in its head that says nothing. */
export function poText(items, language) {
  const po = new PO();
  po.headers = { "Content-Type": "text/plain; charset=UTF-8", Language: language, "Project-Id-Version": "etude" };
  po.items = items;
  return po.toString().trimEnd() + "\n";
}

/** The text of a translation, brought up to its lesson. */
export function updatedPo(tutorial, path, language) {
  const old = new Map(readPo(path).items.map((item) => [item.msgctxt, item]));
  const items = [];
  mapTexts(tutorial, (context, text) => {
    const before = old.get(context);
    const item = new PO.Item();
    Object.assign(item, { msgctxt: context, msgid: text, msgstr: before?.msgstr[0] ? before.msgstr : [""] });
    if (item.msgstr[0] && (before.msgid !== text || before.flags.fuzzy)) item.flags.fuzzy = true;
    items.push(item);
    return text;
  });
  return poText(items, language);
}

/** A lesson by its name, with its help. */
function readLesson(repository, name) {
  if (name === firstName) return readFirstLesson(repository);
  const source = `tutorials/${name}.cpp`;
  return { ...parseTutorial(readFileSync(join(repository, source), "utf8"), source), help: readHelp(repository, name) };
}

function update(repository) {
  const folder = join(repository, "docs/translations");
  for (const language of readdirSync(folder)) {
    for (const file of readdirSync(join(folder, language)).filter((name) => name.endsWith(".po"))) {
      const path = join(folder, language, file);
      const text = updatedPo(readLesson(repository, basename(file, ".po")), path, language);
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) update(process.argv[2] ?? ".");
