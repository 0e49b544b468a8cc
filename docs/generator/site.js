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

// The search and its index are loaded when they are first asked for.
const siteFolder = new URL(".", document.currentScript.src);
const searchButton = document.querySelector(".open-search");
const load = (name) =>
  new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src: new URL(name, siteFolder), onload: resolve, onerror: reject });
    document.head.append(script);
  });

let loading = null;
const loadSearch = async () => {
  loading ??= load("search_index.js").then(() => load("search.js"));
  // search.js sets openSearch, unless the browser cannot read it; what failed to load is tried again.
  await loading.then(() => openSearch !== loadSearch && openSearch(), () => (loading = null));
};
let openSearch = loadSearch;
searchButton.addEventListener("click", () => openSearch());
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, dialog");
  const isAsked = event.key.toLowerCase() === "k" ? (event.ctrlKey || event.metaKey) && !event.altKey : event.key === "/" && !event.ctrlKey && !event.metaKey;
  if (!isAsked || isTyping) return;
  event.preventDefault();
  openSearch();
});
