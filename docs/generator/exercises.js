// Answers the questions of a lesson's exercises, and keeps in the browser how far one is: {"08_attention": {"exercise1": "right", "exercise2": 2}}.
// On the first page it tells how far that is.
const keptAs = "exercises";
const exerciseWords = JSON.parse(document.currentScript.dataset.words ?? "{}");
const exerciseWord = (text, value) => (exerciseWords[text] ?? text).replace("#", value);

/** What is kept; nothing where the browser lets nothing be kept. */
function progress() {
  try {
    return JSON.parse(localStorage.getItem(keptAs)) ?? {};
  } catch {
    return {};
  }
}

function keep({ lesson, exercise }, state) {
  const all = progress();
  all[lesson] = { ...all[lesson], [exercise]: state };
  try {
    localStorage.setItem(keptAs, JSON.stringify(all));
  } catch {} // for this page only
}

const times = (count) => (count === 1 ? exerciseWord("once") : exerciseWord("# times", count));

/** The number that somebody wrote: 0.5, 0,5, 0,375, 1/2, -4, 7,087,872; NaN for what is none. */
function numberOf(text) {
  const plain = text.trim().replace(/\s/g, "").replace(/\u2212/g, "-");
  const parts = (/^-?[1-9]\d{0,2}(,\d{3})+$/.test(plain) ? plain.replace(/,/g, "") : plain.replace(",", ".")).split("/");
  if (parts.length > 2 || parts.some((part) => part === "")) return NaN;
  return parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(parts[0]);
}

/** What an answer is told: `{right, says}`, or `{says}` where there is none. */
function judge(form) {
  const field = form.querySelector("input[data-number]");
  if (!field) {
    const chosen = form.querySelector("input:checked");
    return chosen ? { right: "right" in chosen.dataset, says: chosen.dataset.says } : { says: exerciseWord("Choose one of them.") };
  }
  const given = numberOf(field.value);
  if (Number.isNaN(given)) return { says: exerciseWord("Write a number, such as 0.5 or 1/2.") };
  const { number, within, near } = field.dataset;
  const decimal = /^[^,]*\d,\d{3}$/.test(field.value.trim()) ? numberOf(field.value.replace(",", ".")) : given; // 10,825 may be either
  const isAbout = (value, distance) => [given, decimal].some((one) => Math.abs(one - value) <= distance);
  if (isAbout(number, within)) return { right: true, says: "" };
  const known = JSON.parse(near).find(([value]) => isAbout(value, 5e-4 * Math.abs(value)));
  return { right: false, says: known ? known[1] : "" };
}

/** A text without its signs of code and emphasis. */
const plainOf = (text) => text.replace(/`([^`]*)`|\*(\S|\S[^*]*\S)\*/g, (all, code, word) => code ?? word);

/** Marks the exercise in the contents of the page, too. */
function mark(form, state) {
  const link = document.querySelector(`.contents a[href="#${form.dataset.exercise}"]`);
  if (!link) return;
  let note = link.parentElement.querySelector(".state");
  if (!note) link.after(" ", (note = Object.assign(document.createElement("span"), { className: "state" })));
  note.textContent = state === "right" ? exerciseWord("right") : exerciseWord("tried #", times(state));
}

for (const form of document.querySelectorAll("form.question")) {
  const verdict = form.querySelector(".verdict");
  let state = progress()[form.dataset.lesson]?.[form.dataset.exercise];
  form.hidden = false;
  if (state) {
    verdict.textContent = state === "right" ? exerciseWord("You answered this right before.") : exerciseWord("Tried #.", times(state));
    mark(form, state);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { right, says } = judge(form);
    form.classList.toggle("is-right", right === true);
    form.classList.toggle("is-wrong", right === false);
    verdict.textContent = right === undefined ? says : `${right ? exerciseWord("Right.") : exerciseWord("Not yet.")} ${plainOf(says)}`.trim();
    state = progress()[form.dataset.lesson]?.[form.dataset.exercise] ?? state; // another tab may have gone on
    if (right === undefined || (state === "right" && !right)) return;
    state = right ? "right" : (state ?? 0) + 1;
    keep(form.dataset, state);
    mark(form, state);
  });
}

for (const card of document.querySelectorAll("[data-questions]")) {
  const states = Object.values(progress()[card.dataset.lesson] ?? {});
  if (!states.length) continue;
  const right = states.filter((one) => one === "right").length;
  const all = Number(card.dataset.questions);
  const note = Object.assign(document.createElement("span"), { className: "state", textContent: `${right} of ${all} ${all === 1 ? "question" : "questions"} right` });
  note.classList.toggle("is-right", right >= all);
  card.querySelector(".number").after(note);
}
