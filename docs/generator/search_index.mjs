// The index of the search: what can be found in the pages, and the scripts that find it without a server.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import MiniSearch from "minisearch";
import { plainText, slug } from "./markdown.mjs";
import { parseSource } from "./sources.mjs";
import { indexOptions } from "./search_terms.mjs";

/** The words of a Markdown text, without markup and figures. */
export function bareText(markdown) {
  return markdown
    .replace(/^```diagram [\s\S]*?^```$/gm, " ")
    .replace(/^```.*$/gm, " ")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^\s*(?:[-#>|]+|\d+\.) |[|\\]/gm, " ")
    .replace(/[`*$]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function entry(kind, title, context, href, text, language = "en") {
  const bare = bareText(text);
  const excerpt = bare.length > 130 ? `${bare.slice(0, 130).replace(/\s\S*$/, "")} ...` : bare;
  return { kind, title: plainText(title), context, href, text: bare, excerpt, language };
}

/** A lesson and its cells; `number` is its place, `word` what a lesson is called in its language. */
export function lessonEntries({ name, title, intro, facts, cells }, number, language = "en", word = "Lesson") {
  const href = `${language === "en" ? "" : `${language}/`}${name}.html`;
  const outcomes = facts ? `${facts.outcomes.join("; ")}. ` : "";
  const place = `${word} ${number}`;
  return [
    entry("Lesson", title, place, href, outcomes + intro, language),
    ...cells.map((cell) => {
      const text = [...cell.rows, ...(cell.answer ?? [])].map((row) => row.text).join("\n\n");
      return entry("Lesson", cell.title, `${place} · ${plainText(title)}`, `${href}#${cell.id}`, text, language);
    }),
  ];
}

/** A guide and its sections. */
export function guideEntries({ name, title, text }) {
  const [first, ...sections] = text.replace(/^# .*\n/, "").split(/^##+ (?=\S)/m);
  return [
    entry("Guide", title, "", `${name}.html`, first),
    ...sections.map((section) => {
      const [, heading, body] = /^(.*)\n?([\s\S]*)$/.exec(section);
      return entry("Guide", heading, plainText(title), `${name}.html#${slug(heading)}`, body);
    }),
  ];
}

/** A figure that answers. */
export const figureEntry = ({ name, title, text }) => entry("Figure", title, "", `figures.html#${name}`, text);

/** A name of the API, `{name, page, anchor, text}`. */
export const apiEntry = ({ name, page, anchor, text }) => entry("API", name.replace(/^etude::/, ""), "", `${page}.html#${anchor}`, text);

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
