// In the file of slides: divides what is too long, fits slides to the window, and turns them by keys and buttons.
"use strict";
const deck = document.querySelector("#deck");
const root = document.documentElement;
const isOver = (content) => content.scrollHeight > content.clientHeight + 1;

/** A slide behind this one, with the same title. */
function nextOf(slide) {
  const next = slide.cloneNode(false);
  const title = slide.querySelector("h1, h2");
  const heading = document.createElement("h2");
  heading.innerHTML = title.innerHTML;
  heading.classList.add("more");
  const content = document.createElement("div");
  content.className = "content";
  next.append(heading, content);
  next.classList.remove("title");
  slide.after(next);
  return content;
}

/** Moves what does not fit to a slide behind: whole boxes, or of a single one its last lines or items. */
function divide(slide) {
  const content = slide.querySelector(".content");
  if (!isOver(content)) return;
  let moved = [];
  while (content.children.length > 1 && isOver(content)) moved.unshift(content.removeChild(content.lastElementChild));
  if (isOver(content)) {
    const whole = content.firstElementChild;
    const list = whole.querySelector("code, tbody") ?? whole;
    if (list.children.length > 1) {
      const rest = whole.cloneNode(true);
      const others = rest.querySelector("code, tbody") ?? rest;
      while (list.children.length > 1 && isOver(content)) list.lastElementChild.remove();
      for (let i = list.children.length; i; --i) others.firstElementChild.remove();
      if (rest.localName === "ol") rest.start = (whole.start ?? 1) + list.children.length;
      moved.unshift(rest);
    } else if (!content.classList.contains("small")) {
      content.classList.add("small"); // one thing that is too large
      content.append(...moved);
      return divide(slide);
    }
  }
  if (!moved.length) return;
  const next = nextOf(slide);
  next.append(...moved);
  divide(next.parentElement);
}

let at = 0;
const slides = () => [...deck.children];
function show(number) {
  const all = slides();
  at = Math.max(0, Math.min(all.length - 1, number || 0));
  all.forEach((one, i) => one.classList.toggle("shown", i === at));
  document.querySelector("#place").textContent = `${at + 1} / ${all.length}`;
  history.replaceState(null, "", `#${at + 1}`);
}

function fit() {
  const notes = root.classList.contains("with-notes") ? 0.7 : 1;
  root.style.setProperty("--scale", Math.min(innerWidth / 1280, ((innerHeight - 44) * notes) / 720));
}

function toggleNotes() {
  const isOn = root.classList.toggle("with-notes");
  document.querySelector("#show-notes").setAttribute("aria-pressed", String(isOn));
  fit();
}

root.classList.add("divided");
document.fonts.load('1em "KaTeX_Main"').catch(() => {}).then(() => document.fonts.ready).then(() => {
  for (const slide of slides()) {
    slide.classList.add("shown");
    divide(slide);
  }
  slides().forEach((one, i) => (one.dataset.number = i + 1));
  fit();
  show(Number(location.hash.slice(1) || 1) - 1);
  root.classList.add("ready");
});
addEventListener("resize", fit);
addEventListener("hashchange", () => show(Number(location.hash.slice(1) || 1) - 1));
document.querySelector("#back").addEventListener("click", () => show(at - 1));
document.querySelector("#on").addEventListener("click", () => show(at + 1));
document.querySelector("#show-notes").addEventListener("click", toggleNotes);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onButton = event.target.closest("button") && (event.key === " " || event.key === "Enter");
  const step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }[event.key];
  if (onButton) return;
  if (step) show(at + step);
  else if (event.key === "Home") show(0);
  else if (event.key === "End") show(Infinity);
  else if (event.key === "n") toggleNotes();
  else return;
  event.preventDefault();
});
