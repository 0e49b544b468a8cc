// The figure that moves on the first page: word after word looks at the others, each line as strong as the weight that lesson 8 printed.
// style/home.css moves it, and holds it where a reader chooses a word.
import { escapeHtml } from "./html.mjs";
import { wordsIn } from "./pictures.mjs";
import { tensors } from "./printed.mjs";

export const lookingLesson = "08_attention";
const cell = "softmax";
const [width, height, apart, first] = [560, 272, 132, 82]; // of the drawing, and of the words in it
const [top, foot] = [176, 212]; // of the words

const percent = (weight) => `${Math.round(100 * weight)} %`;

/** The way from one word to another, or from a word to itself. */
function way(from, to) {
  const [a, b] = [from, to].map((i) => first + i * apart);
  if (from === to) return `M${a - 10} ${top}C${a - 48} ${top - 62} ${a + 48} ${top - 62} ${a + 10} ${top}`;
  const rise = top - 28 - 62 * Math.abs(to - from) ** 0.75;
  const side = Math.sign(b - a);
  return `M${a + 24 * side} ${top}C${a + 30 * side} ${rise} ${b - 30 * side} ${rise} ${b - 16 * side} ${top}`;
}

/** One word that looks: its frame, a line to each word, and the shares below them. */
function frame(weights, from) {
  const lines = weights.map((weight, to) => `<path pathLength="1" d="${way(from, to)}" stroke-width="${(1 + 15 * weight).toFixed(1)}"/>`);
  const shares = weights.map((weight, to) => `<text class="share" x="${first + to * apart}" y="${foot + 34}" opacity="${(0.75 + 0.25 * weight).toFixed(2)}">${percent(weight)}</text>`);
  return `<g class="gaze" style="--turn: ${from}"><rect x="${first + from * apart - 50}" y="${top}" width="100" height="${foot - top}" rx="9"/>${lines.join("")}${shares.join("")}</g>`;
}

/** `printed(id)` is the output of a cell of the lesson, `code(id)` its C++. */
export function lookingFigure({ printed, code }) {
  const words = wordsIn(code("words"));
  const [weights] = tensors(printed(cell));
  if (words.length !== 4 || weights.length !== 4) throw new Error(`the figure of the first page moves four words, lesson ${lookingLesson} has ${words.length}`);
  const said = words.map((word, i) => `${word} looks at ${words.map((other, j) => `${other} with ${percent(weights[i][j])}`).join(", ")}`).join("; ");
  const choice = (value, label, checked) => `<label><input type="radio" name="looking" value="${value}"${checked ? " checked" : ""}> ${escapeHtml(label)}</label>`;
  return `<figure class="who-looks">
<svg role="img" aria-labelledby="looking-title" aria-describedby="looking-desc" viewBox="0 0 ${width} ${height}">
<title id="looking-title">Who looks at whom</title><desc id="looking-desc">${escapeHtml(said)}.</desc>
${weights.map(frame).join("\n")}
${words.map((word, i) => `<text class="word" x="${first + i * apart}" y="${top + 25}">${escapeHtml(word)}</text>`).join("")}
</svg>
<form><fieldset><legend>Which word looks?</legend>${choice("all", "each in turn", true)}${words.map((word, i) => choice(i, word)).join("")}</fieldset></form>
<figcaption>How much each word takes from the others is called attention. <a href="${lookingLesson}.html#${cell}">Lesson 8</a> computes these shares, and PyTorch prints the same.</figcaption>
</figure>`;
}
