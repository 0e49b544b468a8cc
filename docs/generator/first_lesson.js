// Lets the figures of lesson 0 be touched: with what was recorded, and with what the model says of the reader's text where it can run.
const lessonScript = document.currentScript;
const otherWords = JSON.parse(lessonScript.dataset.words ?? "{}");
const word = (text) => otherWords[text] ?? text;
const lessonMain = document.querySelector("main");
const isServed = lessonMain.dataset.live !== undefined && location.protocol !== "file:";
const choices = Object.fromEntries(Object.keys(figures).map((name) => [name, firstChoice(recorded)]));
const begins = recorded.pieces.join("");
let answer = recorded;

const element = (html) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
};

/** A figure of the page: what is drawn, what is said, and what it is called for those who do not see it. */
class Figure {
  constructor(drawing) {
    this.name = drawing.dataset.figure;
    this.drawing = drawing;
    this.says = drawing.nextElementSibling;
    const [title, description] = drawing.querySelectorAll("svg title, svg desc");
    this.labels = title && { title: title.textContent, description: description.textContent, prefix: title.id.replace(/title$/, "") };
    drawing.addEventListener("change", ({ target }) => this.choose({ [target.name.split("-")[1]]: Number(target.value) }));
    for (const happening of ["click", "pointerover"])
      drawing.addEventListener(happening, ({ target }) => {
        const { number, at, looked } = target.dataset;
        if (number !== undefined) this.choose({ number: Number(number) });
        if (looked !== undefined) this.choose({ at: Number(at), looked: Number(looked) });
      });
    drawing.addEventListener("click", ({ target }) => {
      const piece = target.closest("[data-append]")?.dataset.append;
      if (piece !== undefined) append(piece, this);
    });
  }

  choose(some) {
    const choice = Object.assign(choices[this.name], some);
    if (choice.looked > choice.at) choice.looked = choice.at; // nobody looks ahead
    this.show(true);
  }

  /** `isActing` says whether the reader did something here, and is told what came of it. */
  show(isActing) {
    const { activeElement } = document;
    const same = this.drawing.contains(activeElement) && (activeElement.name ? `[name="${activeElement.name}"]:checked` : "button");
    this.drawing.innerHTML = figures[this.name](answer, choices[this.name], { isLive: true, canWrite: isServed, label: word, ...this.labels });
    if (same) this.drawing.querySelector(same)?.focus({ preventScroll: true });
    this.says.setAttribute("aria-live", isActing ? "polite" : "off");
    this.says.textContent = figures[this.name].words(answer, choices[this.name], word);
  }
}

const shownFigures = new Map([...document.querySelectorAll("[data-figure]")].map((drawing) => [drawing.dataset.figure, new Figure(drawing)]));

/** Controls between a figure and its sentence. */
function control(name, html) {
  const box = element(`<div class="controls"><fieldset>${html}</fieldset></div>`);
  shownFigures.get(name).drawing.before(box);
  return box;
}

const options = (text, count) => Array.from({ length: count }, (_, i) => `<option value="${i}">${filled(text, i + 1)}</option>`).join("");

{
  const box = control(
    "attention",
    `<div><label for="which-block">${word("block")}</label><select id="which-block" autocomplete="off">${options(word("block #"), recorded.attention.length)}</select></div>
<div><label for="which-head">${word("head")}</label><select id="which-head" autocomplete="off">${options(word("head #"), recorded.attention[0].length)}</select></div>`,
  );
  const [block, head] = box.querySelectorAll("select");
  const { attention: choice } = choices;
  [block.value, head.value] = [choice.block, choice.head];
  box.addEventListener("change", () => shownFigures.get("attention").choose({ block: Number(block.value), head: Number(head.value) }));
}
{
  const box = control("choosing", `<div><label for="temperature">${word("temperature")} <output for="temperature">1.0</output></label><div class="slider"><input id="temperature" type="range" min="0.1" max="3" step="0.1" value="1" autocomplete="off"></div></div>`);
  box.addEventListener("input", ({ target }) => {
    box.querySelector("output").value = target.valueAsNumber.toFixed(1);
    shownFigures.get("choosing").choose({ temperature: target.valueAsNumber });
  });
}

let model; // what answers, once it is loaded
let asked = 0;

/** The model's answer to a text; of several questions only the last one is shown. */
async function ask(text, acting) {
  const mine = ++asked;
  const field = document.getElementById("text-so-far");
  if (field.value !== text) field.value = text;
  try {
    model ??= import(new URL("live/inside.mjs", lessonScript.src)).catch(() => {
      model = undefined;
      throw new Error(word("The model could not be loaded."));
    });
    const came = await (await model).ask(text);
    if (mine !== asked) return;
    if (!came.pieces.length) throw new Error(word("The model knows none of these characters."));
    answer = came;
    for (const [name, choice] of Object.entries(choices)) {
      const { temperature, block, head } = choice;
      Object.assign(choice, firstChoice(answer), { temperature, block, head });
      if (name === "attention") choice.looked = lookedMost(answer, choice);
    }
    for (const figure of shownFigures.values()) figure.show(figure === acting);
  } catch (error) {
    if (mine === asked) shownFigures.get("next").says.textContent = error.message;
  }
}

const append = (piece, acting) => ask(document.getElementById("text-so-far").value + piece, acting);

if (isServed) {
  const box = control("next", `<div class="wide"><label for="text-so-far">${word("the text so far")}</label><textarea id="text-so-far" rows="2" spellcheck="false" autocomplete="off"></textarea></div><div><button type="button">${word("As it was")}</button></div>`);
  const field = box.querySelector("textarea");
  field.value = begins;
  field.addEventListener("input", () => field.value && ask(field.value, shownFigures.get("next")));
  box.querySelector("button").addEventListener("click", () => ask(begins, shownFigures.get("next")));

  const draws = element(`<div class="controls"><fieldset><div><button type="button" data-count="1">${word("Draw a piece")}</button></div><div><button type="button" data-count="30">${word("Draw thirty")}</button></div></fieldset><p class="text" aria-live="polite"></p></div>`);
  const { drawing } = shownFigures.get("choosing");
  drawing.after(draws);
  const written = draws.querySelector(".text");
  draws.addEventListener("click", async ({ target }) => {
    for (let i = 0; i < Number(target.dataset.count ?? 0); ++i) {
      await append(drawn(atTemperature(answer.next, choices.choosing.temperature), Math.random()), shownFigures.get("choosing"));
    }
    written.textContent = [...document.getElementById("text-so-far").value].map(shown).join("");
  });
} else {
  document.querySelector(".serving")?.removeAttribute("hidden"); // where the model could run, if the folder were served
}
for (const figure of shownFigures.values()) figure.show(false);
