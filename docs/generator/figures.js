// Loads what lets the figures answer. From a file browsers load no modules, so that the page says what to do.
(() => {
  const say = (words) => Object.assign(document.querySelector(".serving"), { textContent: words, hidden: false });
  if (location.protocol === "file:") {
    say("To move the figures, serve this folder and open the page from there: python3 -m http.server, then http://localhost:8000/figures.html");
  } else {
    import(new URL("live/figures_page.mjs", document.currentScript.src)).then(
      () => document.documentElement.classList.add("moving"),
      () => say("The figures stand still: the folder live, with what computes them, is not beside this page."),
    );
  }
})();
