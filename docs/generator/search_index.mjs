// The index of the search: what can be found in the pages, and the scripts that find it without a server.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import MiniSearch from "minisearch";
import { otherNames } from "./course.mjs";
import { slug } from "./markdown.mjs";
import { parseSource } from "./sources.mjs";
import { indexOptions } from "./search_terms.mjs";
import { typedFormula } from "./tex.mjs";

/** The words of a Markdown text, without markup and figures, formulas as one would type them. */
export function bareText(markdown) {
  const kept = []; // code, which holds no markup
  const keep = (text) => `\0${kept.push(text) - 1}\0`;
  return markdown
    .replace(/^```diagram [\s\S]*?^```$/gm, " ")
    .replace(/^```picture \w+ (.*)\n([\s\S]*?)^```$/gm, "$1. $2")
    .replace(/^```.*\n([\s\S]*?)^```$/gm, (all, code) => keep(code))
    .replace(/(`+)(.+?)\1/gs, (all, marks, code) => keep(code))
    .replace(/\$\$([\s\S]+?)\$\$|\$(?!\s)([^$]*[^$\s])\$(?!\d)/g, (all, display, inline) => keep(typedFormula(display ?? inline)))
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^[|: -]+$/gm, " ")
    .replace(/^\s*(?:[-#>]+|\d+\.) |(?<!\\)\|/gm, " ")
    .replace(/\\(?=[!-/:-@[-`{-~])|\*/g, "")
    .replace(/\0(\d+)\0/g, (all, i) => kept[i])
    .replace(/\s+/g, " ")
    .trim();
}

/** `terms` are further words that lead here, with what other books call it; `program` is what stands in code, outputs and errors. */
function entry(kind, title, context, href, text, { language = "en", terms = "", program = "" } = {}) {
  const bare = bareText(text);
  const excerpt = bare.length > 130 ? `${bare.slice(0, 130).replace(/\s\S*$/, "")} ...` : bare;
  const others = otherNames[href.replace(".html", "")] ?? "";
  return { kind, title: bareText(title), context, href, text: bare, terms: `${terms} ${others}`, program, excerpt, language };
}

/**
 * A lesson and its cells, which are also found by their names, their code and their `outputs`, by id. `number` is the place of
 * the lesson, `word` what a lesson is called in its language; code and outputs are those of the English one.
 */
export function lessonEntries({ name, title, intro, facts, cells, summary }, number, { outputs = {}, language = "en", word = "Lesson" } = {}) {
  const href = `${language === "en" ? "" : `${language}/`}${name}.html`;
  const outcomes = facts ? `${facts.outcomes.join("; ")}. ` : "";
  const place = `${word} ${number}`;
  return [
    entry("Lesson", title, place, href, `${outcomes}${intro}\n\n${summary?.text ?? ""}`, { language, terms: name.replace(/^\d+_/, "") }),
    ...cells.map((cell) => {
      const rows = [...cell.rows, ...(cell.answer ?? [])];
      const program = language === "en" ? [...rows.map(({ code }) => code), outputs[cell.id]].join("\n").replace(numbers, " ") : "";
      const terms = /^In\d|^exercise|_plot$/.test(cell.id) ? "" : cell.id;
      return entry("Lesson", cell.title, `${place} · ${bareText(title)}`, `${href}#${cell.id}`, rows.map(({ text }) => text).join("\n\n"), { language, terms, program });
    }),
  ];
}
const numbers = /(?<![\p{L}_])\d[\d.e]*/gu;

/** A guide and its sections; those of a glossary, with `words`, are also found by their forms. */
export function guideEntries({ name, title, text, words = [] }) {
  const [first, ...sections] = text.replace(/^# .*\n/, "").split(/^##+ (?=\S)/m);
  if (words.length) sections.length = 0;
  return [
    entry("Guide", title, "", `${name}.html`, first),
    ...words.map(({ word, id, definition, forms, also }) => entry("Word", word, title, `${name}.html#${id}`, `${definition} ${also}`, { terms: forms.join(", ") })),
    ...sections.map((section) => {
      const [, heading, body] = /^(.*)\n?([\s\S]*)$/.exec(section);
      return entry("Guide", heading, bareText(title), `${name}.html#${slug(heading)}`, body);
    }),
  ];
}

/** An interactive figure, of the page of figures or of another one. */
export const figureEntry = ({ name, title, text, page = "figures" }) => entry("Figure", title, "", `${page}.html#${name}`, text);

/** A name of the API, `{name, page, anchor, text, errors}`. */
export const apiEntry = ({ name, page, anchor, text, errors = [] }) =>
  entry("API", name.replace(/^etude::/, ""), "", `${page}.html#${anchor}`, text, { program: errors.filter((one) => one !== "none of its own").join(" ").replace(numbers, " ") });

/** A page of sources: the names of its files and of what they declare. */
export function sourceEntry({ name, files }) {
  const names = files.flatMap(({ text }) => parseSource(text).map((row) => row.name)).filter(Boolean);
  const title = files.map(({ file }) => basename(file)).join(", ");
  return entry("Source", title, files[0].file.replace(/\/[^/]*$/, ""), `${name}.html`, [...new Set(names)].join(", "));
}

/** The scripts of the search by name: the index, and what searches it. */
export function searchScripts(entries) {
  const index = new MiniSearch(indexOptions);
  index.addAll(entries.map((one, id) => ({ id, ...one })));
  const here = (path) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
  const license = `/* MiniSearch ${here("node_modules/minisearch/LICENSE.txt")}*/\n`;
  const library = license + here("node_modules/minisearch/dist/umd/index.js").replace(/^\/\/# sourceMappingURL.*$/m, "");
  const terms = here("search_terms.mjs").replace(/^export /gm, "");
  return { "search_index.js": `const searchIndex = ${JSON.stringify(index)};\n`, "search.js": `${library}\n{\n${terms}\n${here("search.js")}}\n` };
}
