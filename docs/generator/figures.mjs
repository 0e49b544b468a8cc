// The interactive figures: what they show, where lessons speak of it, and their controls with the values that the pictures of
// the pages are made with. `node figures.mjs` prints what docs_figures reads: each figure with these values.
//
// Lessons are named NAME#CELL. A control is [name, label, kind, value, what the kind needs]: the least and the largest value of
// a range, the same of a number and perhaps its step, the choices of a select as pairs of value and label.
import { fileURLToPath } from "node:url";

const width = (value) => ["width", "width", "number", value, 2, 128, 2];
const base = ["base", "base", "number", 10000, 1, 1000000];

export const figures = [
  {
    name: "sines",
    title: "The table of sines and cosines",
    lessons: ["01_loops#In08", "03_annotated_page#heat_map"],
    text: "A row for each position and a column for each number that is added to a word's vector. Even columns are sines, odd ones cosines: $\\sin(p\\,\\omega_i)$ and $\\cos(p\\,\\omega_i)$ with $\\omega_i = \\text{base}^{-2i/\\text{width}}$. The stronger a colour, the farther from zero; orange is above zero, blue below. What happens to the columns at the right when the base is 20?",
    controls: [["position", "position", "range", 10, 0, 127], ["positions", "positions", "range", 40, 2, 128], width(32), base],
  },
  {
    name: "pair",
    title: "A pair that turns",
    lessons: ["05_input_embedding#wavelengths", "05_input_embedding#rotation"],
    text: "A sine and a cosine of one speed are the hand of a clock. Each step to the next position turns it by the same angle $\\omega_i$, wherever it stands. The first pair is the fastest; the last one hardly moves.",
    controls: [["position", "position", "range", 12, 0, 100, "play"], ["pair", "pair", "range", 3, 0, 63], width(32), base],
  },
  {
    name: "distance",
    title: "Dot product over distance",
    lessons: ["05_input_embedding#distance", "05_input_embedding#distance_plot"],
    text: "The dot product of the rows of two positions. Move the position: the curve stays, since it depends on the distance alone. It is as high at the distance $-5$ as at $5$, so that it does not say on which side a word stands.",
    controls: [["distance", "distance", "range", 5, -50, 50], ["position", "position", "range", 50, 50, 500], width(32), base],
  },
  {
    name: "attention",
    title: "Attention with words of your own",
    lessons: ["08_attention#softmax", "08_attention#weights_plot"],
    text: "Scores $QK^\\top/\\sqrt{d}$ and the weights that the softmax makes of them, a row for each word that asks. *The*, *dog*, *saw* and *itself* have the four numbers of the lesson: article, thing, action, pointer. Every other word gets four random numbers, always the same. $W_K$ changes nothing; $W_Q$ is yours. What does the scale do while the emphasis is large?",
    controls: [
      ["words", "words, at most eight", "text", "the dog saw itself"],
      ["query", "W_Q", "select", "lesson", [["lesson", "the lesson's"], ["identity", "identity"], ["swapped", "thing and action swapped"], ["random", "random"], ["own", "your own, below"]]],
      ["emphasis", "emphasis, which W_Q is multiplied with", "range", 4, 0, 16],
      ["scale", "divide the scores by the root of d", "checkbox", true],
      ["matrix", "your own W_Q, four lines of four numbers", "textarea", "0 1 0 0\n0 0 1 0\n0 1 0 0\n0 1 0 0"],
    ],
  },
  {
    name: "heads",
    title: "Heads of a model that has learned",
    lessons: ["09_heads_and_masks#heads_plot"],
    text: "A layer of attention learns to name, for each letter of a word, the letters before and after it. It is trained here, on random words, while you move the steps. With two heads, one learns to look back and the other ahead. One head alone can look at both neighbours, but no longer tells which is which. A row for each letter that asks.",
    controls: [["word", "word, 3 to 10 letters", "text", "transform"], ["heads", "heads", "select", 2, [[1, "1"], [2, "2"], [4, "4"]]], ["steps", "steps of training", "range", 400, 0, 400, 20]],
  },
  {
    name: "gradients",
    title: "The gradient on its way down",
    lessons: ["10_transformer_block#flow"],
    text: "Blocks with drawn weights, and the size of the gradient of `linear1` in each. With the norms last it jumps, and the last blocks get more than the first. With the norms first it changes slowly, and the first blocks get most. Another seed draws other weights.",
    controls: [["layers", "blocks", "range", 12, 1, 24], ["norms", "norms", "select", "both", [["both", "first and last"], ["last", "last"], ["first", "first"]]], ["seed", "seed", "number", 0, 0, 1000]],
  },
  {
    name: "schedule",
    title: "Learning rates over a training run",
    lessons: ["11_training_a_gpt#schedule"],
    text: "A schedule sets the learning rate before each step. The curve shows the rates that the optimizer had. Of the schedules to choose, only the first three have a warm-up.",
    controls: [
      ["kind", "schedule", "select", "warm_cosine", [["warm_cosine", "warm-up, then a cosine"], ["noam", "of the transformer's paper"], ["one_cycle", "one cycle"], ["cosine", "cosine"], ["linear", "straight line"], ["exponential", "exponential"], ["constant", "constant"]]],
      ["warm_up", "steps of warm-up", "range", 20, 1, 300],
      ["steps", "steps", "number", 320, 10, 2000],
      ["rate", "highest rate", "number", 0.01, 0.000001, 1, "any"],
    ],
  },
  {
    name: "loss",
    title: "The loss while a model learns",
    lessons: ["11_training_a_gpt#curve"],
    text: "A small network learns in which order two words stand. It is trained anew for each picture. Without positions it can only guess, whatever the rate. Too large a rate makes the loss jump, too small a one leaves it where it began.",
    controls: [
      ["optimizer", "optimizer", "select", "momentum", [["sgd", "gradient descent"], ["momentum", "with momentum 0.9"], ["adamw", "AdamW"]]],
      ["rate", "learning rate", "number", 0.2, 0.00001, 10, "any"],
      ["steps", "steps", "range", 200, 1, 300],
      ["positions", "the model knows positions", "checkbox", true],
    ],
  },
  {
    name: "byte_pairs",
    title: "Byte pairs that merge in your own text",
    lessons: ["15_byte_pairs#learning", "15_byte_pairs#growth"],
    text: "At first each byte is a token. Again and again the most frequent pair of neighbours becomes one token, until no pair occurs twice. Blanks are shown as ␣. The text stays on your machine.",
    controls: [["text", "text", "textarea", "the dog saw the moon, the moon saw the dog, the dog saw itself in the pond by the log."], ["merges", "merges", "range", 10, 0, 100]],
  },
];

/** What a figure is asked with before its controls are moved. */
export const firstControls = ({ controls }) => Object.fromEntries(controls.map(([name, , , value]) => [name, value]));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const figure of figures) console.log(figure.name, JSON.stringify(firstControls(figure)));
}
