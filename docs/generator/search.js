// The search, in the dialog that site.js opens. It stands behind search_terms.mjs and MiniSearch in one file, which site.js loads
// with the index when the reader first opens the dialog.
const index = MiniSearch.loadJS(searchIndex, indexOptions);
const dialog = searchDialog();
const [input, list, status] = ["input", "ol", "[role=status]"].map((selector) => dialog.querySelector(selector));
const links = () => [...list.querySelectorAll("a")];

function element(name, className, ...content) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

/** A text in which the words that were found are marked. */
function marked(text, terms) {
  const pattern = new RegExp(`(${terms.map((term) => term.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|")})`, "giu");
  return text.split(pattern).map((part, i) => (i % 2 ? element("mark", "", part) : part));
}

function show() {
  const query = input.value.trim();
  const results = query ? find(index, query, document.documentElement.lang) : [];
  list.replaceChildren(...results.map(({ title, context, href, kind, language, excerpt, terms }) => {
    const name = element("strong", "", ...marked(title, terms));
    const where = element("span", "where", kind === "Lesson" ? context : [kind, context].filter(Boolean).join(" · "));
    const link = element("a", kind === "API" || kind === "Source" ? "name" : "", name, where, element("span", "excerpt", ...marked(excerpt, terms)));
    link.href = new URL(href, siteFolder);
    link.lang = language;
    return element("li", "", link);
  }));
  list.scrollTop = 0;
  status.textContent = !query ? "" : said(results.length === 1 ? "1 result" : results.length ? "# results" : "Nothing found. Try another word, or fewer words.", results.length);
}

input.addEventListener("input", show);
dialog.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  links()[0]?.click();
});
dialog.addEventListener("keydown", (event) => {
  if (event.isComposing) return; // the arrows choose among its characters
  const places = [input, ...links()];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    places[(places.indexOf(document.activeElement) + step + places.length) % places.length].focus();
  } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " ") {
    input.focus(); // who types on goes on looking
  }
});

show(); // for what was written while this was loaded
openSearch = showSearch;
