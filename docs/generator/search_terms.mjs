// How texts become words, and words results: for the index, which is made with the pages, and for the reader's browser.

const letters = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー";
const word = new RegExp(`[${letters}]+|(?:(?![${letters}])[\\p{L}\\p{N}_])+`, "gu");
const isUnspaced = (text) => new RegExp(`[${letters}]`, "u").test(text);

/** Where words are not set apart, pairs of letters stand for them. */
const pairs = (run) => (run.length === 1 ? [run] : [...run].slice(1).map((letter, i) => [...run][i] + letter));

/** What a text is found by: `layer_norm` and `LayerNorm` as one word and as two. */
export function indexWords(text) {
  return (text.match(word) ?? []).flatMap((run) => {
    if (isUnspaced(run)) return pairs(run);
    const parts = run.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{N}\p{Lo}]+|\p{L}/gu) ?? [];
    return parts.length > 1 ? [run.replaceAll("_", ""), ...parts] : parts;
  });
}

/** The words that a reader looks for. */
export function queryWords(text) {
  return (text.match(word) ?? []).flatMap((run) => (isUnspaced(run) ? pairs(run) : run.split("_").filter(Boolean)));
}

const common = new Set(
  ("a about all an and any are as at be but by can could do does each every for from get has have how i if in into is it its many me mean much my need " +
    "not of on or out should so that the their them then there they this to use was we what when where which who why will with without would you your").split(" "),
);
const isTelling = (word) => !common.has(word.toLowerCase()) && !/^\d+x\d+$/.test(word); // nor is a shape, in an error that was pasted

/** A word without its ending, of which at least four letters stay: `masks` as `mask`, `masking` too; and `normalize` as `normalise`. */
const stem = (word) => word.replace(/(?<=\p{L}{3}i)z(?=[aei])/u, "s").replace(/(?<=\p{L}{3})ies$/u, "y").replace(/(?<=\p{L}{4})(ing?|ed|es?|(?<![sui])s)$/u, "");

/** What the index holds of an entry `{title, context, href, kind, language, terms, text, program, excerpt}`. */
export const indexOptions = {
  fields: ["title", "terms", "text", "program"],
  storeFields: ["title", "context", "href", "kind", "language", "excerpt"],
  tokenize: indexWords,
  processTerm: (term, field) => {
    const word = term.toLowerCase();
    return (field === "text" || field === "program") && common.has(word) ? null : stem(word);
  },
};

const boost = { title: 5, terms: 4, text: 1, program: 0.3 };
const weights = { Lesson: 3, Guide: 2, Figure: 1.5, Word: 0.7, API: 0.7, Source: 0.3 };
const isExercise = ({ href }) => href.includes("#exercise");
const weightOf = (entry) => weights[entry.kind] * (isExercise(entry) ? 0.3 : 1);
const squashed = (name) => name.toLowerCase().replace(/[\s_:]/g, "");

/** A name of Python or C++, with its module or without, as the API has it: `torch.nn.Linear(2, 3)` is `nn::linear`. */
const asName = (query) => query.trim().toLowerCase().replace(/\(.*$/, "").replace(/(?<=\w)\.(?=\w)/g, "::").replace(/^(torch|etude)::/, "");

/** Whether the name of the entry is sought, or its last parts: `nn::Linear`, `layer norm`, `linear.h`; or the word of the glossary. */
function isNamed({ title, kind }, name) {
  if (kind === "Word") return stem(squashed(title)) === stem(squashed(name));
  if (kind === "Source") return title.toLowerCase().split(", ").includes(name.replace("::", "."));
  if (kind !== "API") return false;
  return `::${title.toLowerCase()}`.endsWith(`::${name}`) || squashed(title.split("::").at(-1)) === squashed(name);
}

/** The words of a text that tell something, in the form in which they are compared. */
const told = (text) => queryWords(text).filter(isTelling).map((word) => stem(word.toLowerCase())).join(" ");

/** Whether somebody writes code: `nn.Linear`, `layer_norm`, `LayerNorm`. */
const isCode = (query) => /\w(::|[._(])\w|\w\(|\p{Ll}\p{Lu}/u.test(query);

/** The results for what a reader of `language` typed, or pasted from a terminal, the best first. */
export function find(index, typed, language) {
  const query = typed.replace(/^.*(Error|what\(\)):\s+/s, "");
  const all = queryWords(isCode(query) ? asName(query) : query);
  const telling = all.filter(isTelling);
  const words = telling.length ? telling : all;
  const name = isCode(query) ? asName(query) : words.join(" ").toLowerCase();
  const foreign = (entry) => entry.language !== "en" && entry.language !== language;
  const options = {
    tokenize: () => words,
    boost,
    prefix: (term) => term.length > 1,
    boostDocument: (id, term, entry) => weightOf(entry) * (foreign(entry) ? 0.1 : entry.language === "en" ? 1 : 4),
  };
  const fuzzy = (term) => term.length > 3 && !isUnspaced(term) && (term.length > 7 ? 2 : 1); // letters that may be wrong
  const search = (how) => index.search(query, { ...options, ...how });
  // First what has every word; then, if that is little, every word with small mistakes; then some of the words.
  const sorted = search({ combineWith: "AND" });
  for (const how of [{ combineWith: "AND", fuzzy }, {}, { fuzzy }]) if (sorted.length < 3) sorted.push(...search(how));
  // Who writes code wants its name first, who writes a word what it is.
  const isAbout = ({ match }) => Object.values(match).flat().some((field) => field === "title" || field === "terms");
  const teaches = (result) => !isCode(query) && /Lesson|Guide/.test(result.kind) && !isExercise(result) && !foreign(result) && isAbout(result);
  const named = sorted.filter((result) => isNamed(result, name) && !(isCode(query) && result.kind === "Word"));
  const isSpelled = ({ title }) => title === query.trim(); // `layer_norm` before `nn::LayerNorm`
  const isWhole = ({ title, kind }) => kind === "Lesson" && told(title) === told(query); // "What a transformer is" says what was asked
  const taught = sorted.filter(teaches).sort((a, b) => isWhole(b) - isWhole(a));
  const order = [...taught.slice(0, 2), ...named.filter(isSpelled), ...named, ...sorted];
  const places = new Set(); // several names may stand in one place
  return order.filter(({ href }) => !places.has(href) && places.add(href)).slice(0, 24);
}
