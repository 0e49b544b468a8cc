// Runs inside a page: each function is sent to the browser as it stands, so it may use nothing from outside.

/** What the page says. */
export function pageText() {
  return document.body.innerText;
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
    if (w < 100 || h < 50) faults.push(`a figure is ${w} by ${h} pixels: ${figure.getAttribute("aria-label")}`);
  }
  for (const { family, status } of document.fonts) {
    if (status === "error") faults.push(`the font ${family} did not load`);
  }
  if (!document.querySelector("h1")) faults.push("has no heading");
  if (document.querySelector("script")) faults.push("has a script");
  if (document.querySelector(".katex-error")) faults.push("has a formula that could not be set");
  if (!getComputedStyle(document.body).getPropertyValue("--page")) faults.push("its style did not load");
  return faults;
}
