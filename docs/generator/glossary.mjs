// The words of the glossary, docs/glossary.md, and the links from where a page uses one first.
//
// An entry is a section: a definition, a line with other names and a link to what explains the word, and a comment with the forms by which
// it is known on pages, and the pages where these mean something else:
//
//   ## Logit
//
//   The number that ... . Any number is allowed ... .
//
//   Also: unnormalised log-probability. See [lesson 0](what_a_transformer_is.md#choosing) and [lesson 12](../tutorials/12_sampling.cpp#logits).
//   <!-- forms: logit, logits; not on: a_page, another -->
import { basename } from "node:path";
import { escapeHtml } from "./html.mjs";
import { slug } from "./markdown.mjs";

/**
 * The entries of the text of a glossary: `{word, id, definition, also, forms, notOn, seen, places}`; `definition` and `also` are Markdown,
 * `places` is what explains the word, each `{file, page, id}`, `id` being empty for a whole page, and `seen` the last of them. Throws an Error that begins with `file:line:` if an entry lacks something.
 */
export function parseGlossary(text, file) {
  const [first, ...sections] = text.split(/^## (?=\S)/m);
  let line = first.split("\n").length;
  return sections.map((section) => {
    const fail = (message) => {
      throw new Error(`${file}:${line}: ${message}`);
    };
    const [word] = section.split("\n");
    const [, definition, also = "", see, forms, others = ""] =
      /^.*\n\n([\s\S]+?)\n\n(?:Also: ([^\n]+?)\. )?See ([^\n]+\]\([^)\s]+\))\.\n<!-- forms: ([^;>]+?)(?:; not on: ([^;>]+?))? -->\s*$/.exec(section) ??
      fail(`${word} needs a definition, a line "Also: other names. See [what explains it](...)." and <!-- forms: a, b; not on: a page -->`);
    line += section.split("\n").length - 1;
    const places = [...see.matchAll(/\]\(([^)#\s]+)#?([^)\s]*)\)/g)].map(([, path, id]) => ({ file: path, page: basename(path).replace(/\.\w+$/, ""), id }));
    const list = (items) => items.split(/,\s*/).filter(Boolean);
    return { word, id: slug(word), definition: definition.replace(/\n/g, " "), also, forms: list(forms), notOn: list(others), places, seen: places.at(-1) };
  });
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** What finds forms in text, the longest first; one that begins with a small letter is also found with a capital. */
function formsPattern(forms) {
  const one = (form) => form.split(" ").map(escaped).join("\\s+").replace(/^\p{Ll}/u, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const all = [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).map(one);
  // What stands in quotation marks are the words of others, and what is joined to more by hyphens, points or colons is another word.
  return new RegExp(`&quot;(?:(?!&quot;).){1,80}&quot;|(?<![\\p{L}\\p{N}_-]|&|\\p{L}[.])(${all.join("|")})(?![\\p{L}\\p{N}_]|[-.][\\p{L}\\p{N}]|::)`, "gu");
}

// Elements whose text is no prose, or leads somewhere already.
const closed = /^<(a|button|code|dt|footer|h[1-6]|head|header|label|nav|pre|select|summary|svg|textarea|th)\b|^<(span) class="katex|^<(details) class="other"|^<(section)\b.* id="references"/;

/** Where the element ends that begins at `i`, of tag `name`. */
function endOf(pieces, i, name) {
  let depth = 0;
  for (; i < pieces.length; ++i) {
    if (new RegExp(`^<${name}\\b`).test(pieces[i])) ++depth;
    else if (pieces[i] === `</${name}>` && !--depth) break;
  }
  return i;
}

/**
 * The function from the HTML of a page and its name to the same HTML with links: of each word where the page uses it first, unless the
 * page itself has explained it by then. `plain` makes text of Markdown.
 */
export function wordLinker(words, plain) {
  if (!words.length) return (html) => html;
  const byForm = new Map(words.flatMap((word) => word.forms.map((form) => [form, word])));
  const tips = new Map(words.map((word) => [word, escapeHtml(firstSentence(plain(word.definition)))]));
  const pattern = formsPattern(byForm.keys());
  const wordOf = (text) => {
    const form = text.replace(/\s+/g, " ");
    return byForm.get(form) ?? byForm.get(form[0].toLowerCase() + form.slice(1));
  };
  return (html, page) => {
    const known = new Set(words.filter(({ notOn, places }) => notOn.includes(page) || places.some((one) => one.page === page && !one.id)));
    const link = (text) =>
      text.replace(pattern, (found, form) => {
        const word = form && wordOf(form);
        if (!word || known.has(word)) return found;
        known.add(word);
        return `<a class="term" href="glossary.html#${word.id}" title="${tips.get(word)}">${found}</a>`;
      });
    const pieces = html.split(/(<[^>]*>)/);
    const out = [];
    for (let i = 0; i < pieces.length; ++i) {
      const id = /^<(?:section|h[2-6])\b.* id="([^"]+)"/.exec(pieces[i])?.[1];
      for (const word of id ? words : []) if (word.places.some((one) => one.page === page && one.id === id)) known.add(word);
      const name = closed.exec(pieces[i])?.slice(1).find(Boolean);
      if (name) {
        const end = endOf(pieces, i, name);
        for (; i < end; ++i) out.push(pieces[i]);
      }
      out.push(i < pieces.length && !pieces[i].startsWith("<") ? link(pieces[i]) : pieces[i]);
    }
    return out.join("");
  };
}

/** A text up to its first full stop. */
export const firstSentence = (text) => text.split(/(?<=[.!?])\s+(?=\p{Lu})/u)[0];
