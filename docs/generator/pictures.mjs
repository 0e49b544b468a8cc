// The pictures of the lessons, by the name that a fence ```picture has. Each is drawn from what its lesson printed and declares:
// `printed(id)` is the output of a cell, `code(id)` its C++.
import { Drawing, place, shapeText, wordsWidth } from "./drawing.mjs";
import { shapeOf, shapes, short, tensors } from "./printed.mjs";

const shortRows = (rows) => rows.map((row) => row.map(short));

/** The groups of a pattern in code or in what was printed. Throws an Error if it is not there. */
function matched(pattern, text) {
  const match = pattern.exec(text);
  if (!match) throw new Error(`a picture of the lesson looks for ${pattern} and does not find it`);
  return match.slice(1);
}

/** What a list of words in the code holds. */
export const wordsIn = (code) => [...matched(/words\{([^}]*)\}/, code)[0].matchAll(/"([^"]*)"/g)].map(([, word]) => word);

/** Lesson 8: how far words are apart, read one after another and with attention. */
function oneStep(d, { code }) {
  const words = wordsIn(code("words"));
  const last = words.length - 1;
  const [left, wide, high, step] = [16, 62, 28, 82];
  const boxes = (y, content, tone) => words.map((word, i) => d.operation(left + i * step, y, wide, content ?? word, { tone, height: high }));
  const title = (y, text) => d.text(left, y, text, { kind: "bold", anchor: "start" });

  title(22, d.words("word after word: # steps from first to last", last));
  const read = boxes(36);
  const states = boxes(100, d.words("state"), "warm");
  states.forEach((state, i) => {
    d.arrow([read[i].foot, state.top]);
    if (i) d.arrow([states[i - 1].end, state.left], "warm");
  });

  title(170, d.words("attention: one step from each word to each word"));
  const asked = boxes(184);
  const asks = boxes(270, undefined, "accent");
  for (const [i, to] of asks.entries()) for (const from of asked) d.line([from.foot, to.top], i === last ? "accent" : "plain");
  return [Math.max(400, left + 16 + wordsWidth(d.words("attention: one step from each word to each word"))), 310];
}

/** Lesson 8: what one word asks, what it is found by, and what it gets. */
function oneWord(d, { printed, code }) {
  const words = wordsIn(code("words"));
  const [x] = tensors(printed("words"));
  const [q, k, v] = tensors(printed("queries"));
  const [scores] = tensors(printed("scores"));
  const [weights] = tensors(printed("softmax"));
  const [output] = tensors(printed("mixture"));
  const me = words.length - 1;
  const [asks, found, given] = ["accent", "warm", "green"];
  const [wide, high] = [36, 26];
  const shape = (part) => shapeText(shapeOf(part));
  const vector = (x, y, part, values, tone) => d.grid(x, y, { part, values: shortRows([values]), tone, wide });
  const matrix = (x, y, part, values, tone) => d.grid(x, y, { part, values: shortRows(values), tone, wide });
  const column = (x, part, values, more) => d.grid(x, y, { part, values: values.map((value) => [short(value)]), wide: 50, tone: asks, ...more });

  // The word and its three products.
  const [left, centre, right, y] = [58, 214, 454, 268];
  const word = vector(centre, 18, "x", x[me]);
  const fork = [word.middle, 61];
  d.line([word.foot, fork]);
  d.text(word.x - 10, word.centre + 5, words[me], { kind: "bold", anchor: "end" });
  d.text(word.right + 10, word.centre + 5, `x ${shape(x[me])}`, { kind: "shape", anchor: "start" });
  const product = (from, letter, tone, all) => {
    const box = d.operation(from, 78, 4 * wide, `x W_${letter}`, { tone });
    d.arrow([fork, [box.middle, 61], box.top], tone);
    const row = vector(from, 142, letter.toLowerCase(), all[me], tone);
    d.text(from + 4, 135, `${letter.toLowerCase()} ${shape(all[me])}`, { kind: "shape", anchor: "start" });
    d.arrow([box.foot, row.top], tone);
    d.arrow([row.foot, [row.middle, y - 42]], tone);
    return row;
  };
  product(left, "K", found, k);
  const query = product(centre, "Q", asks, q);
  product(right, "V", given, v);
  d.text(query.middle + 10, 200, d.words("times each key"), { kind: "soft", anchor: "start" });

  // All words: found by their keys, mixed from their values.
  const keys = matrix(left, y, "K", k, found);
  const score = column(query.middle - 25, "scores", scores[me]);
  const weight = column(score.right + 66, "weights", weights[me], { strength: (i) => weights[me][i] });
  const values = matrix(right, y, "V", v, given);
  d.rowNames(keys, words);
  for (const [grid, name, tensor] of [[keys, "K", k], [score, d.words("scores"), scores[me]], [weight, d.words("weights"), weights[me]], [values, "V", v]]) {
    d.text(grid.middle, y - 26, name, { kind: "bold" });
    d.text(grid.middle, y - 9, shape(tensor), { kind: "shape" });
  }
  for (const [grid, tone] of [[keys, found], [values, given]]) d.frame(place(grid.x, y + me * high, grid.width, high), tone);
  d.arrow([keys.end, score.left], found);
  d.arrow([score.end, weight.left], asks);
  const between = (score.right + weight.x) / 2;
  d.text(between, score.centre - 8, `/ ${Math.sqrt(x[me].length)}`, { kind: "soft" });
  d.text(between, score.centre + 20, "softmax", { kind: "soft" });

  // The weighted sum.
  const sum = vector(right, values.bottom + 56, "o", output, given);
  d.arrow([values.foot, sum.top], given);
  d.arrow([weight.foot, [weight.middle, sum.centre], sum.left], asks);
  d.text(weight.middle - 12, sum.centre - 6, d.words("what # gets: o #", words[me], shape(output)), { kind: "bold", anchor: "end" });
  d.text(weight.middle - 12, sum.centre + 14, d.words("the values, each times its weight"), { kind: "soft", anchor: "end" });
  return [right + 4 * wide + 16, sum.bottom + 16];
}

/** Lesson 9: the width is cut into heads, each attends, and they stand side by side again. */
function twoHeads(d, { printed, code }) {
  const words = wordsIn(code("one_head"));
  const [, whole] = shapes(printed("projection")); // [words, batch, width]
  const [cut] = shapes(printed("weights")); // [batch, heads, words, words]
  const [[weights]] = tensors(printed("weights"));
  const [joined] = shapes(printed("join"));
  const [output] = tensors(printed("output"));
  const [heads, length, width] = [cut[1], words.length, whole[2]];
  const part = width / heads;
  const tones = ["accent", "warm"];
  const small = 17;
  const middle = 290;
  const ofHead = (i, j) => tones[Math.floor(j / part)];
  const three = (x, y, columns, part, tone) =>
    ["q", "k", "v"].map((letter, i) => {
      const grid = d.grid(x + i * (columns * small + 20), y, { part: `${part}${letter}`, rows: length, columns, wide: small, high: small, tone });
      d.text(grid.middle, y - 8, letter, { kind: "bold" });
      return grid;
    });

  const all = three(middle - (3 * width * small + 40) / 2, 34, width, "", ofHead);
  d.rowNames(all[0], words);
  d.text(all[2].right + 14, all[2].centre + 5, d.words("each #", shapeText(whole)), { kind: "shape", anchor: "start" });
  const join = place(middle - (width * small) / 2 - 100, 502, width * small, length * small);
  const y = 182;
  for (let head = 0; head < heads; ++head) {
    const [tone, x] = [tones[head], head ? 370 : 70];
    const cells = d.grid(x, y + 152, { part: `weights${head}`, values: shortRows(weights[head]), wide: 46, tone, strength: (i, j) => weights[head][i][j] });
    const parts = three(cells.middle - (3 * part * small + 40) / 2, y, part, `head${head}`, tone);
    const from = all[1].middle + (head ? 1 : -1) * small * (part / 2);
    d.arrow([[from, all[1].bottom + 4], [from, y - 62], [cells.middle, y - 62], [cells.middle, y - 26]], tone);
    d.text(cells.middle - 12, y - 38, d.words("head #", head), { kind: "bold", anchor: "end" });
    d.text(cells.middle + 12, y - 38, shapeText([cut[0], heads, length, part]), { kind: "shape", anchor: "start" });
    d.rowNames(cells, words);
    d.arrow([parts[1].foot, [cells.middle, cells.y - 28]], tone);
    d.text(cells.middle - 8, y + 96, `softmax(q kᵀ / √${part})`, { kind: "soft", anchor: "end" });
    d.text(cells.middle, cells.y - 10, d.words("weights #", shapeText(cut)), { kind: "shape" });
    const into = join.x + small * (head * part + part / 2);
    const level = cells.bottom + 26;
    d.arrow([cells.foot, [cells.middle, level], [into, level], [into, join.y]], tone);
    d.text(cells.middle - 8, level - 8, d.words("times v"), { kind: "soft", anchor: "end" });
  }
  d.grid(join.x, join.y, { part: "joined", rows: length, columns: width, wide: small, high: small, tone: ofHead });
  d.rowNames(join, words);
  d.text(join.middle, join.bottom + 18, shapeText(joined), { kind: "shape" });
  const result = d.grid(370, join.y + join.height / 2 - 52, { part: "output", values: shortRows(output), wide: 46 });
  d.arrow([join.end, [result.x - 8, join.centre]]);
  d.text((join.right + result.x) / 2 - 4, join.centre - 8, "out_proj", { kind: "soft" });
  d.text(result.middle, result.bottom + 18, d.words("output #", shapeText(joined)), { kind: "shape" });
  return [590, result.bottom + 32];
}

/** The shapes of lesson 10: [words, batch, inner width], and the width and the heads of its block. */
function blockSizes({ printed, code }) {
  const [[length, batch, inner]] = shapes(printed("feed_forward"));
  const [, width] = shapeOf(tensors(printed("same"))[0]);
  const heads = Number(matched(/Block block\(\d+, (\d+), /, code("feed_forward")));
  return { length, batch, inner, width, heads };
}

/** Lesson 10: the sum runs through a block, and what the norms do to it. */
function residualStream(d, source) {
  const [before, last, first] = tensors(source.printed("norm_first"));
  const words = ["the", "dog", "saw", "itself"];
  const { length, batch, inner, width } = blockSizes(source);
  const [stream, adds, norm] = ["accent", "green", "warm"];
  const variances = (x, y, part, values) => d.grid(x, y, { part, values: shortRows([values]), wide: 46, tone: stream });

  const half = (left, title, after, normsFirst) => {
    d.text(left, 20, title, { kind: "bold", anchor: "start" });
    const begin = variances(left, 66, `before${normsFirst ? "" : "_last"}`, before);
    words.forEach((word, i) => d.text(left + (i + 0.5) * 46, 58, word));
    d.text(begin.right + 10, begin.centre + 5, shapeText([length, batch, width]), { kind: "shape", anchor: "start" });
    const line = left + 46;
    const end = variances(left, 474, normsFirst ? "first" : "last", after);
    d.arrow([[line, begin.bottom], [line, end.y]], `${stream} stream`);
    const box = (y, content, tone) => d.operation(left + 84, y, 120, content, { tone, height: 28 });
    const branch = (y, content, inside) => {
      let at = y + 18;
      const boxes = [];
      if (normsFirst) boxes.push(box(at, d.words("norm"), norm)), (at += 46);
      boxes.push(box(at, content, adds));
      if (inside) d.text(boxes.at(-1).right + 10, boxes.at(-1).centre + 5, inside, { kind: "shape", anchor: "start" });
      const back = at + 46;
      d.arrow([[line, y], [boxes[0].middle, y], boxes[0].top], normsFirst ? norm : adds);
      if (normsFirst) d.arrow([boxes[0].foot, boxes[1].top], adds);
      d.arrow([boxes.at(-1).foot, [boxes[0].middle, back], [line + 13, back]], adds);
      d.node(line, back, "+", { tone: stream });
      if (!normsFirst) d.operation(line - 32, back + 30, 64, d.words("norm"), { tone: norm, height: 28 });
    };
    branch(112, d.words("attention"));
    branch(normsFirst ? 288 : 296, d.words("feed forward"), `${width} → ${inner} → ${width}`);
  };
  half(16, d.words("norms first"), first, true);
  half(334, d.words("norms last"), last, false);
  d.text(16, 522, d.words("In the cells: the variance of each word, before the block and after it."), { kind: "soft", anchor: "start" });
  return [640, 538];
}

/** Lesson 10: every tensor of a block, drawn to scale. */
function blockTree(d, source) {
  const { length: T, batch: B, inner: f, width: w, heads: H } = blockSizes(source);
  const [total, , attention, linear] = source.printed("count").split(/\s+/).map(Number);
  const rows = [
    [0, "block", total, [], [T, B, w]],
    [1, "norm1", 0, [[w], [w]], [T, B, w]],
    [1, "self_attn", attention, []],
    [2, "in_proj", 0, [[3 * w, w], [3 * w]], [T, B, 3 * w]],
    [2, "cut into heads", 0, [], [B, H, T, w / H]],
    [2, "weights", 0, [], [B, H, T, T]],
    [2, "times v", 0, [], [B, H, T, w / H]],
    [2, "side by side", 0, [], [T, B, w]],
    [2, "out_proj", 0, [[w, w], [w]], [T, B, w]],
    [1, "x + attention", 0, [], [T, B, w]],
    [1, "norm2", 0, [[w], [w]], [T, B, w]],
    [1, "feed_forward", linear, []],
    [2, "linear1", 0, [[f, w], [f]], [T, B, f]],
    [2, "relu", 0, [], [T, B, f]],
    [2, "linear2", 0, [[w, f], [w]], [T, B, w]],
    [1, "y + feed_forward", 0, [], [T, B, w]],
  ];
  const cell = 5;
  const room = cell * Math.max(f, 16); // of the widest tensor
  const weightsAt = 180;
  const shapesAt = weightsAt + room + 26;
  const outAt = shapesAt + 126;
  const outShapesAt = outAt + room + 12;
  d.text(weightsAt, 20, d.words("parameters"), { kind: "bold", anchor: "start" });
  d.text(outAt, 20, d.words("what comes out"), { kind: "bold", anchor: "start" });
  const scaled = (x, y, part, rows, columns, tone) => d.grid(x, y, { part, rows, columns, wide: cell, high: cell, tone });
  const parents = [];
  let y = 34;
  for (const [depth, name, count, parameters, out] of rows) {
    const tall = Math.max(26, ...parameters.map(([rows]) => rows * cell + 8));
    const centre = y + tall / 2;
    const x = 20 + depth * 18;
    d.text(x, centre + 5, d.words(name), { kind: count ? "bold" : "", anchor: "start" });
    parents[depth] = { x: x + 5, y: centre + 10 };
    if (depth) {
      const up = parents[depth - 1];
      d.line([[up.x, up.y], [up.x, centre], [x - 4, centre]], "branch");
    }
    if (count) d.text(weightsAt, centre + 5, d.words("# numbers", count), { kind: "soft", anchor: "start" });
    let at = weightsAt;
    for (const shape of parameters) {
      const grid = scaled(at, centre - (shape[0] * cell) / 2, `${name} parameter`, shape[0], shape[1] ?? 1, "warm");
      at = grid.right + 6;
    }
    if (parameters.length) d.text(shapesAt, centre + 5, parameters.map(shapeText).join(" "), { kind: "shape", anchor: "start" });
    if (out) {
      const [copies, high, wide] = out.length === 4 ? [out[1], out[2], out[3]] : [1, out[0], out[2]];
      for (let i = 0; i < copies; ++i) scaled(outAt + i * (wide * cell + 6), centre - (high * cell) / 2, `${name} output`, high, wide, "accent");
      d.text(outShapesAt, centre + 5, shapeText(out), { kind: "shape", anchor: "start" });
    }
    y += tall + 2;
  }
  return [outShapesAt + 96, y + 8];
}

/** Lesson 7: one step of the tape, with its numbers in both directions. */
function oneNode(d, { printed }) {
  const steps = [...printed("on_tape").matchAll(/^\d+ value (\S+) gradient (\S+)$/gm)].map(([, value, gradient]) => ({ value: Number(value), gradient: Number(gradient) }));
  const [x, w, , , , u] = steps;
  const [forwards, backwards] = ["accent", "warm"];
  const [wide, high, left, right] = [56, 28, 52, 486];
  const [middle, centre] = [336, 148];

  /** A number and its gradient, one above the other. */
  const number = (at, y, name, { value, gradient }, valueFirst) => {
    const [a, b] = [y, y + high];
    const cell = (place, part, content, tone) => d.grid(at, place, { part: `${name} ${part}`, values: [[short(content)]], tone, wide, high });
    return { value: cell(valueFirst ? a : b, "value", value, forwards), gradient: cell(valueFirst ? b : a, "gradient", gradient, backwards) };
  };
  const upper = number(left, 40, "w", w, true);
  const lower = number(left, 200, "x", x, false);
  const output = number(right, centre - high, "u", u, true);
  for (const [name, y] of [["w", 73], ["x", 233]]) d.text(left - 12, y, name, { kind: "bold", anchor: "end" });
  d.text(right + wide + 12, centre + 5, "u", { kind: "bold", anchor: "start" });

  const node = d.node(middle, centre, "×", { radius: 30 });
  const [outer, inner] = [middle + 10, middle - 10];
  const edge = 27;
  d.arrow([upper.value.end, [outer, upper.value.centre], [outer, centre - edge]], forwards);
  d.arrow([[inner, centre - edge], [inner, upper.gradient.centre], upper.gradient.end], `${backwards} back`);
  d.arrow([lower.value.end, [outer, lower.value.centre], [outer, centre + edge]], forwards);
  d.arrow([[inner, centre + edge], [inner, lower.gradient.centre], lower.gradient.end], `${backwards} back`);
  d.arrow([[middle + 26, output.value.centre], output.value.left], forwards);
  d.arrow([output.gradient.left, [middle + 26, output.gradient.centre]], `${backwards} back`);

  const rule = (y, by, other, result) => {
    const local = by === "w" ? "x" : "w";
    d.text(left + wide + 14, y, `dL/d${by} = ${short(u.gradient)} · ${short(other)} = ${short(result)}`, { anchor: "start" });
    d.text(left + wide + 14, y + 18, d.words("what comes in, times #", local), { kind: "soft", anchor: "start" });
  };
  rule(upper.gradient.centre + 20, "w", x.value, w.gradient);
  rule(lower.gradient.centre - 28, "x", w.value, x.gradient);
  d.text((node.right + right) / 2, output.value.centre - 10, "u = w x");
  d.text((node.right + right) / 2, output.gradient.centre + 22, `dL/du = ${short(u.gradient)}`);

  d.line([[left, 296], [left + 40, 296]], forwards);
  d.text(left + 50, 301, d.words("values, forwards"), { kind: "soft", anchor: "start" });
  d.line([[left + 190, 296], [left + 230, 296]], `${backwards} back`);
  d.text(left + 240, 301, d.words("gradients, backwards"), { kind: "soft", anchor: "start" });
  return [592, 320];
}

/** Lesson 15: how merges make tokens of bytes. */
function tokenTrees(d, { printed }) {
  const merges = new Map([...printed("vocabulary").matchAll(/^(\d+) \((\d+), (\d+)\) \[(.*?)\] \+ \[(.*?)\]$/gm)].map(([, id, left, right, a, b]) => [id, [{ id: left, text: a }, { id: right, text: b }]]));
  const [wide, high, floor] = [56, 46, 66];
  const bottom = 20 + 3 * floor;
  const shown = (text) => text.replace(/ /g, "·");
  const draw = ({ id, text }, left) => {
    const pair = merges.get(id);
    const children = [];
    let right = left;
    for (const child of pair ?? []) children.push(draw(child, right)), (right = children.at(-1).right + (children.length === 1 ? 16 : 0));
    const level = pair ? 1 + Math.max(...children.map(({ level }) => level)) : 0;
    const middle = pair ? (children[0].middle + children[1].middle) / 2 : left + wide / 2;
    const y = bottom - level * floor;
    for (const child of children) d.line([[child.middle, child.y], [child.middle, y + high + 10], [middle, y + high + 10], [middle, y + high]], "accent");
    d.grid(middle - wide / 2, y, { part: `token ${id}`, rows: 1, columns: 1, wide, high, tone: pair ? "accent" : "plain" });
    d.text(middle, y + 20, shown(text), { kind: "bold" });
    d.text(middle, y + 37, id, { kind: "shape" });
    return { middle, y, level, right: pair ? right : left + wide };
  };
  const one = draw({ id: "258", text: " the" }, 20);
  const two = draw({ id: "261", text: " was" }, one.right + 40);
  d.text(20, bottom + high + 28, d.words("Grey: bytes, with · for the blank. Blue: merges, numbered as they were learned."), { kind: "soft", anchor: "start" });
  return [two.right + 20, bottom + high + 42];
}

/** Lesson 12: each step adds its rows to K and V, and asks with its own queries alone. */
function fillingCache(d, { printed, code }) {
  const inside = code("inside");
  const tokens = matched(/sequence = etude::tensor\(\{\{([\d, ]+)\}\}\)/, inside)[0].split(", ");
  const capacity = Number(matched(/capacity=\*\/(\d+)/, inside));
  const steps = [...inside.matchAll(/model->forward\(sequence\.narrow\(1, (\d+), (\d+)\), &cache\)/g)].map(([, begin, count]) => [Number(begin), Number(count)]);
  const [width, heads] = matched(/d_model\((\d+)\).*heads\((\d+)\)/, code("generate")).map(Number);
  const [logits] = tensors(printed("inside"));
  const [without, withCache] = printed("cache").split(/\s+/);
  const [prompt] = matched(/length = (\d+);/, code("cache")).map(Number);
  const [wide, high, gap, top] = [42, 26, 10, 118];
  steps.forEach(([begin, count], i) => {
    const end = begin + count;
    const left = 36 + i * 196;
    const isNew = (row) => row >= begin && row < end;
    const tone = (own) => (row) => (row < end ? own : "free");
    d.text(left, 22, d.words("step #", i + 1), { kind: "bold", anchor: "start" });
    d.text(left, 42, i ? d.words("the next token goes in") : d.words("the prompt goes in"), { kind: "soft", anchor: "start" });
    d.grid(left, 52, { part: `in ${i}`, values: [tokens.slice(begin, end)], wide: 26, high: 24 });
    const queries = d.grid(left, top + begin * high, { part: `Q ${i}`, rows: count, columns: 1, wide, high, tone: "accent", strength: () => 0.8 });
    const keys = d.grid(left + wide + gap, top, { part: `K ${i}`, rows: capacity, columns: 1, wide, high, tone: tone("warm"), strength: (row) => (isNew(row) ? 0.8 : 0.1) });
    const values = d.grid(left + 2 * (wide + gap), top, { part: `V ${i}`, rows: capacity, columns: 1, wide, high, tone: tone("green"), strength: (row) => (isNew(row) ? 0.8 : 0.1) });
    for (const [grid, name] of [[queries, "Q"], [keys, "K"], [values, "V"]]) d.text(grid.middle, top - 8, name, { kind: "bold" });
    tokens.slice(0, end).forEach((token, row) => d.text(left - 8, top + row * high + 18, token, { kind: "number", anchor: "end" }));
    const held = shapeText([1, heads, end, width / heads]);
    d.text(left, keys.bottom + 22, `K, V ${held}`, { kind: "shape", anchor: "start" });
    d.text(left, keys.bottom + 42, d.words("logits #", shapeText([1, count, logits.length])), { kind: "shape", anchor: "start" });
  });
  const y = top + capacity * high + 76;
  const legend = [[d.words("computed in this step"), 0.8, "warm"], [d.words("kept"), 0.1, "warm"], [d.words("free"), 0, "free"]];
  let x = 36;
  for (const [words, share, tone] of legend) {
    d.grid(x, y - 13, { part: "legend", rows: 1, columns: 1, wide: 24, high: 16, tone, strength: () => share });
    d.text(x + 32, y, words, { kind: "soft", anchor: "start" });
    x += 60 + wordsWidth(words);
  }
  const counts = d.words("For # new tokens, # go through the model; without the cache # would.", withCache - prompt + 1, withCache, without);
  d.text(36, y + 26, counts, { kind: "soft", anchor: "start" });
  return [Math.max(592, 52 + wordsWidth(counts)), y + 42];
}

/** Lesson 11: what the model sees at each character of a window, and what it has to say. */
function questions(d, { printed }) {
  const [, seen, next] = printed("batch").split("\n");
  const [count, high, left, top] = [8, 26, 20, 40];
  const shown = (text) => [...text].slice(0, count).map((letter) => letter.replace(" ", "·"));
  const letters = shown(seen);
  const answers = d.grid(left + count * high + 56, top, { part: "next", values: shown(next).map((letter) => [letter]), wide: high, tone: "green" });
  for (let i = 0; i < count; ++i) {
    const row = d.grid(left, top + i * high, { part: `seen ${i}`, values: [letters.slice(0, i + 1)], wide: high, tone: "accent" });
    d.arrow([[row.right + 10, row.centre], [answers.x - 8, row.centre]], "green");
  }
  d.text(left, top - 14, d.words("what it sees"), { kind: "bold", anchor: "start" });
  d.text(answers.x, top - 14, d.words("what comes next"), { kind: "bold", anchor: "start" });
  const text = d.words("The first # of # questions; · is a blank.", count, seen.length);
  d.text(left, answers.bottom + 26, text, { kind: "soft", anchor: "start" });
  return [Math.max(420, left + 16 + wordsWidth(text)), answers.bottom + 42];
}

/** Lesson 9: the width cut into heads, and the cut that only looks right. */
function cutIntoHeads(d, { printed }) {
  const [numbers, heads] = tensors(printed("split"));
  const wrong = [tensors(printed("wrong_split"))[0]];
  const tones = ["accent", "warm"];
  const [wide, left, right] = [32, 20, 300];
  const half = numbers.length / 2;
  const show = (top, title, found, tone) => {
    d.text(left, top, title, { kind: "bold", anchor: "start" });
    const whole = d.grid(left, top + 14, { part: title, values: numbers, wide, tone });
    found.forEach((values, head) => {
      const grid = d.grid(right + head * (2 * wide + 40), top + 38, { part: `${title} ${head}`, values, wide, tone: tones[head] });
      d.text(grid.middle, grid.y - 8, d.words("head #", head), { kind: "soft" });
    });
    d.arrow([[whole.right + 14, whole.centre], [right - 16, whole.centre]]);
    return whole.bottom + 58;
  };
  const [good, bad] = [d.words("view and transpose: a part of every word"), d.words("view alone: all of the first words")];
  const next = show(26, good, heads, (i, j) => tones[Math.floor(j / half)]);
  const end = show(next, bad, wrong, (i) => tones[Math.floor(i / half)]);
  return [Math.max(right + 4 * wide + 60, left + 16 + wordsWidth(good)), end - 26];
}

/** Lesson 9: the weights without and with the mask. */
function behindTheMask(d, { printed, code }) {
  const words = wordsIn(code("one_head"));
  const [[[before]]] = tensors(printed("weights"));
  const after = tensors(printed("causal").replace(/False|True/g, "0")).at(-1);
  const [wide, top, left, step] = [40, 40, 66, 190];
  const ahead = (i, j) => j > i;
  const weights = (x, part, values) =>
    d.grid(x, top, { part, values: shortRows(values), wide, tone: (i, j) => (values[i][j] === 0 ? "free" : "accent"), strength: (i, j) => values[i][j] });
  const all = weights(left, "before", before);
  const mask = d.grid(left + step, top, { part: "mask", values: before.map((row, i) => row.map((_, j) => (ahead(i, j) ? "−∞" : ""))), wide, tone: (i, j) => (ahead(i, j) ? "warm" : "free") });
  const seen = weights(left + 2 * step, "after", after);
  d.rowNames(all, words);
  [[all, "without the mask"], [mask, "the mask on the scores"], [seen, "with the mask"]].forEach(([grid, text]) => d.text(grid.middle, top - 14, d.words(text), { kind: "bold" }));
  for (const [from, to] of [[all, mask], [mask, seen]]) d.arrow([[from.right + 5, from.centre], [to.x - 5, to.centre]]);
  words.forEach((word, j) => d.text(seen.x + (j + 0.5) * wide, seen.bottom + 20, word, { kind: "soft" }));
  return [seen.right + 20, seen.bottom + 36];
}

/** Lesson 10: the numbers of two words before and after the norm. */
function normedWords(d, { printed, code }) {
  const rows = JSON.parse(`[${matched(/two =\s*etude::tensor\(\{(\{.*\})\}\)/, code("layer_norm"))[0].replace(/(\d)f/g, "$1").replace(/\{/g, "[").replace(/\}/g, "]")}]`);
  const [, , normed] = tensors(printed("layer_norm"));
  const [wide, left, step, high] = [40, 30, 250, 120];
  const most = Math.max(...rows.flat().map(Math.abs), 1);
  const bars = (x, zero, values, scale, tone, part) => {
    values.forEach((value, i) => {
      const size = Math.max(1, Math.abs(value) * scale);
      const [at, y] = [x + i * (wide + 8), value < 0 ? zero : zero - size];
      d.grid(at, y, { part: `${part} ${i}`, rows: 1, columns: 1, wide, high: size, tone, strength: () => 0.8 });
      d.text(at + wide / 2, value < 0 ? y + size + 16 : y - 6, short(value), { kind: "number" });
    });
    d.line([[x - 8, zero], [x + values.length * (wide + 8), zero]]);
  };
  rows.forEach((values, row) => {
    const zero = 50 + high + row * (high + 74);
    bars(left, zero, values, high / most, "warm", `in ${row}`);
    bars(left + step, zero - 40, normed[row], 44, "accent", `out ${row}`);
    d.arrow([[left + 4 * (wide + 8) + 4, zero - 40], [left + step - 20, zero - 40]]);
  });
  d.text(left, 24, d.words("two words"), { kind: "bold", anchor: "start" });
  d.text(left + step, 24, d.words("after the norm: mean 0, variance 1"), { kind: "bold", anchor: "start" });
  return [Math.max(560, left + step + 20 + wordsWidth(d.words("after the norm: mean 0, variance 1"))), 2 * high + 150];
}

/** Lesson 12: the probabilities before and after top k. */
function bestWords(d, { printed, code }) {
  const words = wordsIn(code("logits"));
  const [[before]] = tensors(printed("logits"));
  const [, [after]] = tensors(printed("top_k").replace(/-inf/g, "0"));
  const [left, top, high, step, most] = [70, 40, 22, 30, 130];
  const right = left + most + 130;
  const bars = (x, values, part) =>
    values.forEach((value, i) => {
      const y = top + i * step;
      const bar = d.grid(x, y, { part: `${part} ${i}`, rows: 1, columns: 1, wide: Math.max(1, most * value), high, tone: after[i] ? "accent" : "free", strength: () => 0.8 });
      d.text(bar.right + 8, y + 16, short(value), { kind: "number", anchor: "start" });
    });
  words.forEach((word, i) => d.text(left - 10, top + i * step + 16, word, { anchor: "end" }));
  bars(left, before, "before");
  bars(right, after, "after");
  const middle = top + (words.length * step - (step - high)) / 2;
  d.arrow([[right - 64, middle], [right - 18, middle]]);
  d.text(left, top - 16, d.words("all words"), { kind: "bold", anchor: "start" });
  d.text(right, top - 16, d.words("the best #, scaled up to 1", after.filter(Boolean).length), { kind: "bold", anchor: "start" });
  return [right + most + 100, top + words.length * step + 10];
}

/** Lesson 12: the better first step leads to the worse end. */
function gardenPath(d, { printed, code }) {
  const [a, b, ax, ay, bx, by] = matched(/begin\[\] = \{([\d.]+), ([\d.]+)\}, then\[\]\[2\] = \{\{([\d.]+), ([\d.]+)\}, \{([\d.]+), ([\d.]+)\}\}/, code("garden_path"));
  const ends = printed("garden_path").trim().split("\n").map((line) => line.split(" "));
  const best = ends.reduce((one, other) => (Number(other[1]) > Number(one[1]) ? other : one))[0];
  const greedy = `${Number(a) > Number(b) ? "a" : "b"}${Number(a) > Number(b) ? (Number(ax) > Number(ay) ? "x" : "y") : Number(bx) > Number(by) ? "x" : "y"}`;
  const [left, top, step, wide, apart] = [24, 48, 46, 44, 130];
  const toneOf = (name) => (name === best ? "green" : name === greedy ? "warm" : "plain");
  const start = d.operation(left, top + 1.5 * step, 20, "");
  const join = (from, to, share, tone) => {
    d.line([from.end, to.left], tone);
    d.text((from.right + to.x) / 2, (from.centre + to.centre) / 2 - 8, share, { kind: "number" });
  };
  [[a, "a", [ax, ay]], [b, "b", [bx, by]]].forEach(([share, name, then], i) => {
    const tone = [best, greedy].map((one) => (one.startsWith(name) ? toneOf(one) : null)).find(Boolean) ?? "plain";
    const first = d.operation(left + apart, top + (2 * i + 0.5) * step, wide, name, { tone });
    join(start, first, share, tone);
    then.forEach((part, j) => {
      const [end, both] = ends[2 * i + j];
      const last = d.operation(left + 2 * apart + 20, top + (2 * i + j) * step, wide, end, { tone: toneOf(end) });
      join(first, last, part, toneOf(end));
      const what = end === best ? d.words("the best sequence") : end === greedy ? d.words("greedy") : "";
      d.text(last.right + 14, last.centre + 5, both, { kind: "number", anchor: "start" });
      d.text(last.right + 56, last.centre + 5, what, { kind: "soft", anchor: "start" });
    });
  });
  [[left + apart, "first step"], [left + 2 * apart + 20, "second step"]].forEach(([x, text]) => d.text(x + wide / 2, top - 18, d.words(text), { kind: "bold" }));
  return [Math.max(560, left + 2 * apart + wide + 100 + wordsWidth(d.words("the best sequence"))), top + 4 * step];
}

export const pictures = {
  best_words: { lesson: "12_sampling", draw: bestWords, words: ["all words", "the best #, scaled up to 1"] },
  garden_path: { lesson: "12_sampling", draw: gardenPath, words: ["first step", "second step", "greedy", "the best sequence"] },
  cut_into_heads: { lesson: "09_heads_and_masks", draw: cutIntoHeads, words: ["view and transpose: a part of every word", "view alone: all of the first words"] },
  behind_the_mask: { lesson: "09_heads_and_masks", draw: behindTheMask, words: ["without the mask", "the mask on the scores", "with the mask"] },
  normed_words: { lesson: "10_transformer_block", draw: normedWords, words: ["two words", "after the norm: mean 0, variance 1"] },
  one_node: { lesson: "07_autograd", draw: oneNode, words: ["what comes in, times #", "values, forwards", "gradients, backwards"] },
  one_word: { lesson: "08_attention", draw: oneWord, words: ["times each key", "scores", "weights", "what # gets: o #", "the values, each times its weight"] },
  one_step: {
    lesson: "08_attention",
    draw: oneStep,
    words: ["word after word: # steps from first to last", "state", "attention: one step from each word to each word"],
  },
  questions: { lesson: "11_training_a_gpt", draw: questions, words: ["what it sees", "what comes next", "The first # of # questions; · is a blank."] },
  two_heads: { lesson: "09_heads_and_masks", draw: twoHeads, words: ["each #", "head #", "weights #", "times v", "output #"] },
  residual_stream: {
    lesson: "10_transformer_block",
    draw: residualStream,
    words: ["norm", "attention", "feed forward", "norms first", "norms last", "In the cells: the variance of each word, before the block and after it."],
  },
  block_tree: {
    lesson: "10_transformer_block",
    draw: blockTree,
    words: ["parameters", "what comes out", "block", "cut into heads", "weights", "times v", "side by side", "x + attention", "# numbers"],
  },
  filling_cache: {
    lesson: "12_sampling",
    draw: fillingCache,
    words: [
      "step #", "the next token goes in", "the prompt goes in", "logits #", "computed in this step", "kept", "free",
      "For # new tokens, # go through the model; without the cache # would.",
    ],
  },
  token_trees: { lesson: "15_byte_pairs", draw: tokenTrees, words: ["Grey: bytes, with · for the blank. Blue: merges, numbered as they were learned."] },
};

/** The words in the pictures of a lesson; # stands for a value. */
export const wordsOfPictures = (lesson) => Object.values(pictures).flatMap((one) => (one.lesson === lesson ? one.words : []));

/** The picture `name` of a lesson as SVG. Throws an Error if the lesson has none of this name. */
export function drawPicture(name, lesson, source, { label = (text) => text, ...words }) {
  const picture = pictures[name];
  if (picture?.lesson !== lesson) throw new Error(`there is no picture "${name}" of ${lesson} in docs/generator/pictures.mjs`);
  const drawing = new Drawing(label);
  const [width, height] = picture.draw(drawing, source);
  return drawing.svg(Math.ceil(width), Math.ceil(height), words);
}
