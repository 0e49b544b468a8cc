// Runs inside a page: each function is sent to the browser as it stands, so it may use nothing from outside.

/** What the page says, but for what only scripts show. */
export function pageText() {
  for (const tool of document.querySelectorAll(".tools, .live, .live-status, .controls, .serving, .learning, .needs-scripts, .needs-server, .searching")) tool.remove();
  const questions = [...document.querySelectorAll(".question:not([hidden])")]; // shown by a script, and looked at afterwards
  for (const question of questions) question.hidden = true;
  const text = document.body.innerText;
  for (const question of questions) question.hidden = false;
  return text;
}

/** What each cell of the page shows as its output: pairs of id and text. */
export function cellOutputs() {
  const text = (cell) => cell.querySelector(".output pre")?.textContent ?? "";
  return [...document.querySelectorAll(".cell")].map((cell) => [cell.id, text(cell)]);
}

/** What is wrong with the page as it is shown now: a list of sentences. */
export function findFaults() {
  const faults = [];
  const width = document.documentElement.clientWidth;
  const excess = document.documentElement.scrollWidth - width;
  const describe = (element) => `<${element.localName} class="${element.className}"> ${element.textContent.slice(0, 60)}`;

  // A box that is cut or scrolls inside itself holds what sticks out of it.
  const isHeld = (element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return true;
    }
    return false;
  };
  if (excess > 0) faults.push(`is ${excess} pixels wider than the ${width} of the window`);
  for (const element of document.querySelectorAll("main *")) {
    const outside = element.getBoundingClientRect().right - width > 1 && !isHeld(element);
    if (outside) faults.push(`sticks out on the right: ${describe(element)}`);
  }

  for (const figure of document.querySelectorAll(".plot svg")) {
    const { width: w, height: h } = figure.getBoundingClientRect();
    const name = figure.querySelector("title")?.textContent ?? figure.getAttribute("aria-label");
    if (w < 100 || h < 50) faults.push(`a figure is ${w} by ${h} pixels: ${name}`);
    const texts = [...figure.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 3 || b.bottom <= a.top + 3;
    for (let i = 0; i < boxes.length; ++i) {
      const over = boxes.findIndex((box, j) => j > i && !apart(boxes[i], box));
      if (over > 0) faults.push(`"${texts[i].textContent}" and "${texts[over].textContent}" overlap in the figure ${name}`);
    }
  }
  for (const code of document.querySelectorAll("pre, code")) {
    const size = parseFloat(getComputedStyle(code).fontSize);
    if (size < 14 && matchMedia("screen").matches) faults.push(`code of ${size} pixels: ${describe(code)}`);
  }
  // Lessons are written for the width of this window; what is folded away has none.
  if (width >= 1400 && document.querySelector("#summary")) {
    for (const code of document.querySelectorAll(".cell :is(.pytorch pre, pre.cpp)")) {
      if (code.scrollWidth > code.clientWidth + 1) faults.push(`code is cut by ${code.scrollWidth - code.clientWidth} pixels: ${describe(code)}`);
    }
  }
  for (const { family, status } of document.fonts) {
    if (status === "error") faults.push(`the font ${family} did not load`);
  }
  if (!document.querySelector("h1")) faults.push("has no heading");
  for (const script of document.querySelectorAll("script")) {
    if (!/^([^:]*|file:.*)\b(site|theme|search|search_index|live_cells|exercises|symbols|figures|inside|training|try|first_lesson)\.js$/.test(script.getAttribute("src") ?? "")) faults.push("has another script than the site's");
  }
  if (document.querySelector(".katex-error")) faults.push("has a formula that could not be set");
  if (!getComputedStyle(document.body).getPropertyValue("--page")) faults.push("its style did not load");
  return faults;
}
