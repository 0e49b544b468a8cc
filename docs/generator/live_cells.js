// Runs the C++ of a lesson's page in a worker. A run begins with the first cell, since cells share variables, and ends with a
// given one; each cell that ends takes the place of what was recorded. The module is loaded with the first run.
"use strict"; // names stay in the block
{
  const { lesson, words } = document.currentScript.dataset;
  const folder = new URL("live/", document.currentScript.src);
  const translated = JSON.parse(words ?? "{}");
  const label = (text) => translated[text] ?? text;
  const word = (text, ...values) => label(text).replace(/#/g, () => values.shift());

  /** A cell of the page: its element, and its parts as they were recorded, to be put back. */
  const cells = [...document.querySelectorAll(".cell")].map((element) => {
    const get = (name) => element.querySelector(name);
    const figures = [...element.querySelectorAll("[data-figure]")].map((figure) => ({ figure, name: figure.dataset.figure, recorded: figure.querySelector("svg") }));
    const output = get(".output pre");
    return { element, id: element.id, badge: get(".badge"), button: get("button.run"), output, recorded: output?.textContent, figures, state: "" };
  });
  const pictures = [...document.querySelectorAll("[data-picture]")].map((figure) => ({ figure, name: figure.dataset.picture, recorded: figure.querySelector("svg") }));
  const runAll = document.querySelector(".run-all");
  const runAllButton = runAll.querySelector("button");
  const status = document.createElement("p"); // for screen readers: what a run came to
  status.className = "live-status";
  status.setAttribute("role", "status");
  document.body.append(status);

  let loading = null; // {compiled, recorded, inlineSvg}
  let drawPicture = null;
  let total = 0; // the number of cells that can agree
  let worker = null;
  let current = null; // the run in progress
  let next = -1; // the last cell of the run after it
  let impatience = 0;
  let reached = -1; // the last cell that runs again when a parameter changes
  let counts = false; // whether a whole lesson was asked for
  let drawn = 0;

  function load() {
    const recorded = fetch(new URL(`${lesson}.json`, folder)).then((response) => response.json());
    const compiled = import(new URL("module.mjs", folder)).then(({ compile }) => compile(new URL("etude_live.wasm", folder)));
    const drawing = pictures.length && import(new URL("pictures.mjs", folder)).then((module) => ({ drawPicture } = module));
    loading ??= Promise.all([compiled, recorded, import(new URL("svg.mjs", folder)), drawing]).then(([compiled, recorded, { inlineSvg }]) => {
      for (const cell of cells) cell.canAgree = cell.id in recorded;
      total = cells.filter(({ canAgree }) => canAgree).length;
      return { compiled, recorded, inlineSvg };
    });
    loading.catch(() => (loading = null)); // it is tried again
    return loading;
  }

  const quoted = (agrees) =>
    ({ "equal in bytes": word("same bytes as PyTorch 1.13.1"), "by layout": word("same layout as PyTorch 1.13.1"), "by a rule of its own": word("agrees with PyTorch 1.13.1") })[agrees] ??
    word("# of PyTorch 1.13.1", agrees);

  /** The badge of a cell, and what there is to say in more than a few words. */
  function mark(cell, state, text = "", more = "") {
    cell.state = state;
    cell.element.querySelector(".live-more")?.remove();
    if (!cell.badge) return;
    cell.badge.dataset.state = state;
    cell.badge.textContent = text;
    if (!more) return;
    const pre = document.createElement("pre");
    pre.className = "live-more";
    pre.tabIndex = 0;
    pre.textContent = more;
    cell.badge.closest("figcaption, .drawn").after(pre);
  }

  /** What was recorded stands there again. */
  function putBack(cell) {
    if (cell.output) cell.output.textContent = cell.recorded;
    for (const { figure, recorded } of cell.figures) figure.querySelector("svg").replaceWith(recorded);
    mark(cell, "");
  }

  function show(result, inlineSvg) {
    const cell = cells.find(({ id }) => id === result.id);
    if (!cell) return;
    if (cell.output) cell.output.textContent = result.printed.replace(/\n+$/, "");
    for (const { figure, name, recorded } of cell.figures) {
      const svg = result.figures.find((one) => one.name === name)?.svg;
      if (!svg) continue;
      const template = document.createElement("template");
      template.innerHTML = inlineSvg(svg, `live${++drawn}`, recorded.getAttribute("aria-label") ?? "");
      figure.querySelector("svg").replaceWith(template.content);
    }
    if (result.failure) mark(cell, "failed", word("error"), result.failure);
    else if (result.difference) mark(cell, "differs", word("differs"), result.difference);
    else if (result.own) mark(cell, "own", word("your numbers"));
    else if (result.agrees) mark(cell, "agrees", quoted(result.agrees));
    else mark(cell, "ran", cell.output ? "" : word("ran here"));
    drawPictures();
  }

  /** A picture is drawn from what its cells printed here, once all of them have run; else it is as it was recorded. */
  function drawPictures() {
    for (const { figure, name, recorded } of pictures) {
      const has = (id) => cells.find((cell) => cell.id === id);
      const read = new Set();
      const source = {
        printed: (id) => (read.add(has(id)), has(id).output.textContent),
        code: (id) => [...has(id).element.querySelectorAll(".row > .code pre.cpp")].map((pre) => pre.textContent).join("\n"),
      };
      const title = recorded.querySelector("title");
      const words = { title: title.textContent, description: recorded.querySelector("desc").textContent, prefix: title.id.replace(/title$/, ""), label };
      const template = document.createElement("template");
      try {
        template.innerHTML = drawPicture(name, lesson, source, words);
      } catch {
        read.clear(); // an error took the place of numbers
      }
      const isOwn = read.size && [...read].every(({ state }) => state && state !== "failed");
      figure.querySelector("svg").replaceWith(isOwn ? template.content : recorded);
    }
  }

  /** Buttons stop what they began; a run that is over at once is not shown as one. */
  function showRunning(run) {
    run.isShown = true;
    for (const cell of run.cells) cell.element.classList.toggle("waiting", !run.done.has(cell.id));
    for (const { element, button } of cells) if (button) button.textContent = word(element.classList.contains("waiting") ? "Stop" : "Run");
    run.cells.find(({ id }) => !run.done.has(id))?.element.classList.add("at-work");
    runAllButton.textContent = word("Stop");
  }

  function showRest(run) {
    clearTimeout(run.timer);
    for (const { element, button } of cells) {
      element.classList.remove("waiting", "at-work");
      if (button) button.textContent = word("Run");
    }
    runAllButton.textContent = word("Run all cells here");
  }

  const parameters = [...document.querySelectorAll(".parameter")].map((element) => ({
    element,
    name: element.dataset.name,
    isNumber: /whole|number/.test(element.dataset.kind),
    field: element.querySelector(".value"),
    slider: element.querySelector("[type=range]"),
    button: element.querySelector(".reset"),
  }));
  const initial = ({ field }) => field.defaultValue ?? [...field.options].find((one) => one.defaultSelected).value;
  const isChanged = (one) => (one.isNumber ? Number(one.field.value) !== Number(initial(one)) : one.field.value !== initial(one));
  const changes = () => Object.fromEntries(parameters.filter((one) => one.field.checkValidity() && isChanged(one)).map(({ name, isNumber, field }) => [name, isNumber ? String(Number(field.value)) : field.value])); // 1e2 is 100

  async function start(last) {
    const run = { last, cells: cells.slice(0, last + 1), done: new Set(), isShown: false };
    current = run;
    runAll.dataset.running = "";
    next = -1;
    reached = Math.max(reached, last);
    run.timer = setTimeout(showRunning, 150, run);
    try {
      const { compiled, recorded, inlineSvg } = await load();
      if (current !== run) return;
      worker ??= new Worker(new URL("worker.mjs", folder), { type: "module" });
      worker.onerror = () => {
        worker?.terminate();
        worker = null;
        if (current === run) finish(run, { code: 1, error: "the worker did not start" }, cells[last]);
      };
      worker.onmessage = ({ data }) => {
        if (current !== run) return;
        if (data.end) return finish(run, data.end);
        run.done.add(data.cell.id);
        show(data.cell, inlineSvg);
        run.cells.find(({ id }) => id === data.cell.id)?.element.classList.remove("at-work");
        if (run.isShown) showRunning(run);
        countCells();
      };
      worker.postMessage({ compiled, lesson, cell: last === cells.length - 1 ? "" : cells[last].id, parameters: changes(), recorded });
    } catch (error) {
      if (current === run) finish(run, { code: 1, error: String(error) }, cells[last]);
    }
  }

  /** The run is over: what it did not come to is as it was recorded. */
  function finish(run, { code, error }, at = run.cells.find((cell) => cell.badge && !run.done.has(cell.id))) {
    clearTimeout(impatience);
    current = null;
    delete runAll.dataset.running;
    showRest(run);
    run.cells.filter(({ id }) => !run.done.has(id)).forEach(putBack);
    if (drawPicture) drawPictures();
    if (code !== 0 && at) mark(at, "failed", word("error"), error.split("\n").map((line) => line.replace(/^error: /, "")).filter((line) => !/: stopped in cell /.test(line)).join("\n"));
    takeFocus(); // of site.js
    if (next >= 0) return void start(next);
    const count = countCells();
    status.textContent = code !== 0 ? word("error") : run.last === cells.length - 1 ? count : cells[run.last].badge?.textContent;
  }

  /** The number of cells that agree. It is shown where a whole lesson was asked for. */
  function countCells() {
    const number = (state) => cells.filter((one) => one.state === state).length;
    const parts = [word("# of # cells agree", number("agrees"), total)];
    const own = cells.filter(({ state, canAgree }) => state === "own" && canAgree).length; // the others print what nobody recorded
    if (own) parts.push(word("# with your numbers", own));
    if (number("differs") + number("failed")) parts.push(word("# differ", number("differs") + number("failed")));
    if (counts) runAll.querySelector(".count").textContent = parts.join(word(", "));
    return parts.join(word(", "));
  }

  function stop() {
    const run = current;
    clearTimeout(run.timer);
    worker?.terminate();
    worker = null;
    next = -1;
    finish(run, { code: 0, error: "" });
    reached = cells.findLastIndex(({ state }) => state);
    status.textContent = word("stopped");
  }

  /** Runs up to a cell; while another run is in progress, after it, or in its place if it takes long. */
  function ask(last, place) {
    if (location.protocol === "file:") return explain(place);
    if (!current) return void start(last);
    next = Math.max(next, last, current.last);
    clearTimeout(impatience);
    impatience = setTimeout(() => {
      if (!current || next < 0) return;
      const last = next;
      showRest(current);
      worker?.terminate();
      worker = null;
      start(last);
    }, 300);
  }

  /** Browsers start no worker in a page that was opened from a file. */
  function explain(place) {
    const name = location.pathname.split("/").pop();
    const text = document.querySelector(".live-help") ?? document.createElement("p");
    text.className = "live-help";
    text.setAttribute("role", "status");
    text.innerHTML = word("This page was opened from a file, and browsers run no WebAssembly there. Start <code>python3 -m http.server</code> in the folder of the site and open <code></code>.");
    text.lastElementChild.textContent = `http://localhost:8000/${document.documentElement.lang === "en" ? "" : `${document.documentElement.lang}/`}${name}`;
    place.after(text);
  }

  for (const [i, { button, element }] of cells.entries()) {
    button?.addEventListener("click", () => (element.classList.contains("waiting") ? stop() : ask(i, button.closest("figcaption, .drawn"))));
  }
  runAllButton.addEventListener("click", () => {
    if (current?.isShown) return stop();
    counts = true;
    ask(cells.length - 1, runAll);
  });

  // Sliders of numbers over a wide range are logarithmic. Their values have three digits.
  for (const one of parameters) {
    const { element, field, slider, button } = one;
    const i = cells.findIndex((cell) => cell.element.contains(element));
    const until = i + cells.slice(i).findIndex((cell) => cell.button);
    const [least, most] = [Number(field.min), Number(field.max)];
    const steps = Number(slider?.max);
    const isWhole = element.dataset.kind === "whole";
    const isWide = !isWhole && least > 0 && most / least > 100;
    const valueAt = (x) => (isWhole ? x : Number((isWide ? least * (most / least) ** (x / steps) : least + ((most - least) * x) / steps).toPrecision(3)));
    const placeOf = (value) => (isWhole ? value : steps * (isWide ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least)));
    const follow = () => {
      if (!slider) return;
      slider.value = placeOf(Number(field.value));
      slider.setAttribute("aria-valuetext", field.value);
    };
    const change = () => {
      button.disabled = !isChanged(one);
      if (field.checkValidity()) ask(Math.max(until, reached), element.parentElement);
    };
    slider?.addEventListener("input", () => {
      field.value = valueAt(Number(slider.value));
      slider.setAttribute("aria-valuetext", field.value);
      change();
    });
    field.addEventListener("input", () => {
      if (field.checkValidity()) follow();
      change();
    });
    button.addEventListener("click", () => {
      field.value = initial(one);
      follow();
      change();
      field.focus(); // the button cannot keep it
    });
    follow();
  }
}
