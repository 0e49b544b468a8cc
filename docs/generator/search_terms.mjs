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

/** What the index holds of an entry `{title, context, href, kind, language, text, excerpt}`. */
export const indexOptions = {
  fields: ["title", "text"],
  storeFields: ["title", "context", "href", "kind", "language", "excerpt"],
  tokenize: indexWords,
};

const weights = { API: 3, Lesson: 1.5, Guide: 1.5, Figure: 1.5, Source: 0.6 };
const squashed = (name) => name.toLowerCase().replace(/[\s_:]/g, "");

/** Whether the name of the entry is sought, or its last parts: `nn::Linear`, `layer norm`. */
function isNamed({ title, kind }, sought) {
  if (kind !== "API") return false;
  return `::${title.toLowerCase()}`.endsWith(`::${sought}`) || squashed(title.split("::").at(-1)) === squashed(sought);
}

/** A name of Python or C++, with its module or without, as the API has it: `torch.nn.Linear(2, 3)` is `nn::linear`. */
const asName = (query) => query.trim().toLowerCase().replace(/\(.*$/, "").replace(/(?<=\w)\.(?=\w)/g, "::").replace(/^(torch|etude)::/, "");

/** The best results for a query of a reader of `language`, entries with a `score`. */
export function find(index, query, language) {
  const foreign = (entry) => entry.language !== "en" && entry.language !== language;
  const options = {
    tokenize: queryWords,
    boost: { title: 5 },
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 3 && !isUnspaced(term) ? 0.2 : false),
    boostDocument: (id, term, entry) => weights[entry.kind] * (foreign(entry) ? 0.1 : entry.language === "en" ? 1 : 4),
  };
  const sought = asName(query);
  const all = index.search(sought, { ...options, combineWith: "AND" });
  const results = all.length ? all : index.search(sought, options);
  // Among alike ones the shorter name, which has less that was not asked for.
  const score = (result) => result.score * (isNamed(result, sought) ? 1000 : 1 + 1 / result.title.length);
  const sorted = results.map((result) => ({ ...result, score: score(result) })).sort((a, b) => b.score - a.score);
  const places = new Set(); // several names may stand in one place
  return sorted.filter(({ href }) => !places.has(href) && places.add(href)).slice(0, 24);
}
