// What the pages can do besides, where scripts run: change colours, copy code, take the focus only where a box scrolls, and
// search.
const siteWords = JSON.parse(document.currentScript.dataset.words ?? "{}");

/** A text of the site's scripts in the language of the page; # stands for a value. */
const said = (text, ...values) => (siteWords[text] ?? text).replace(/#/g, () => values.shift());

const root = document.documentElement;
const themeButton = document.querySelector(".theme");
const themes = { "": "as in the system", light: "light", dark: "dark" };

/** Shows the theme, "" being the system's, and remembers it where it may. */
function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  themeButton.title = `${said("Colours")}: ${said(themes[theme])}`;
  themeButton.setAttribute("aria-label", themeButton.title);
  try {
    if (theme) localStorage.setItem("theme", theme);
    else localStorage.removeItem("theme");
  } catch {} // no access: for this page only
}

setTheme(root.dataset.theme ?? "");
themeButton.addEventListener("click", () => {
  const names = Object.keys(themes);
  setTheme(names[(names.indexOf(root.dataset.theme ?? "") + 1) % names.length]);
});
addEventListener("storage", ({ key, newValue }) => {
  if (key === "theme") setTheme(newValue ?? ""); // chosen in another window
});

for (const pre of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.setAttribute("aria-label", said("Copy"));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), 1500);
    } catch {
      getSelection().selectAllChildren(pre); // no access: the text is at least selected
    }
  });
  const frame = document.createElement("div");
  frame.className = "copyable";
  pre.replaceWith(frame);
  frame.append(pre, button);
}

// The contents cover what they lead to.
document.querySelector(".contents ol")?.addEventListener("click", ({ target }) => {
  if (target.closest("a")) target.closest("details").open = false;
});

function takeFocus() {
  for (const box of document.querySelectorAll("pre, .plot, .table, .formula")) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
takeFocus();
document.fonts.ready.then(takeFocus); // another font, another width
addEventListener("resize", takeFocus);
document.addEventListener("toggle", takeFocus, true);

// The dialog of the search opens at once. The search and its index are loaded when it is first opened.
const siteFolder = new URL(".", document.currentScript.src);
const searchButton = document.querySelector(".open-search");
const load = (name) =>
  new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src: new URL(name, siteFolder), onload: resolve, onerror: reject });
    document.head.append(script);
  });

function searchDialog() {
  const made = document.querySelector("dialog.search");
  if (made) return made;
  const dialog = document.createElement("dialog");
  dialog.className = "search";
  dialog.setAttribute("aria-label", said("Search"));
  dialog.innerHTML = `<form role="search"><input type="text" aria-label="${said("Search")}" placeholder="${said("Lessons, guides, API, sources")}"
autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go"><button type="button">${said("Close")}</button></form>
<p role="status"></p><ol></ol>`;
  dialog.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  dialog.querySelector("button").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target.closest("a")) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}

function showSearch() {
  searchDialog().showModal();
  searchDialog().querySelector("input").select();
}

let loading = null;
const loadSearch = async () => {
  showSearch();
  loading ??= load("search_index.js").then(() => load("search.js"));
  await loading.catch(() => (loading = null)); // what failed to load is tried again
  if (openSearch === loadSearch) searchDialog().querySelector("[role=status]").textContent = said("The search could not be loaded.");
};
let openSearch = loadSearch; // until search.js has loaded and runs
searchButton.addEventListener("click", () => openSearch());
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, dialog");
  const isAsked = event.key.toLowerCase() === "k" ? (event.ctrlKey || event.metaKey) && !event.altKey : event.key === "/" && !event.ctrlKey && !event.metaKey;
  if (!isAsked || isTyping) return;
  event.preventDefault();
  openSearch();
});
