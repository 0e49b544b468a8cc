// Loads what lets the figures answer. From a file browsers load no modules, so that the page says what to do.
(() => {
  const say = (...words) => {
    const place = document.querySelector(".serving");
    place.replaceChildren(...words);
    place.hidden = false;
  };
  const code = (text) => Object.assign(document.createElement("code"), { textContent: text });
  if (location.protocol === "file:") {
    say("To move the figures, serve this folder and open the page from there: ", code("python3 -m http.server"), ", then ", code("http://localhost:8000/figures.html"), ".");
  } else {
    import(new URL("live/figures_page.mjs", document.currentScript.src)).then(
      () => document.documentElement.classList.add("moving"),
      () => say("The figures stand still: the folder live, with what computes them, is not beside this page."),
    );
  }
})();
