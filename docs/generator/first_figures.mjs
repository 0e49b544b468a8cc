// The figures of lesson 0, as functions of what the page's model said of a text. They run where pages are made and, with the rest of
// first_lesson.js, in the reader's browser.
//
// An answer is `{pieces, ids, vectors, attention, blocks, next}`: `attention[block][head][i][j]` is how much piece i takes of piece j,
// `blocks[block][i]` are the guesses after a block at piece i, and `next` the guesses at the end, `{piece, share}`, the best first. The
// `choice` is what a reader looks at: `{at, looked, block, head, number, temperature}`. With `isLive` what can be touched is a control, and
// with `canWrite`, where the model runs, the guesses are, too. `label` gives a word or a sentence in the language of the page.
import { escapeHtml, filled } from "./html.mjs";

/** What is drawn and said here, as `label` knows it; # stands for a piece, a number or a list of these. */
export const figureWords = [
  "blank", "end of line", "tab", "place #: #", "append #", ", ", " and ", "# to #", "# at place #", "its own piece",
  "After # the model gives #. The # pieces that are not shown get # together.",
  "Piece of the text", "The text has # pieces, and the vocabulary #.", "# has the id #.", "# has the id #, at each of its # places.",
  "Piece with this vector", "The vector of # at place # has # numbers. It begins with #.", "Number # is #.",
  "looks", "at", "Piece that looks", "Piece that it looks at", "Block #, head #: # takes # of the value of #. All its weights together: #.", "# of the others",
  "before block 1", "after block #", "Piece after which is guessed",
  "After place #, #: before the first block the best guess is # with #, after the last one # with #.", "What really comes is #.",
  "At the temperature #, # has the probability #; the model gave #.",
];

const shownBlank = { " ": "␣", "\n": "⏎", "\t": "⇥" };
const spoken = { " ": "blank", "\n": "end of line", "\t": "tab" };

/** A piece as it is written in figures and in sentences. */
export const shown = (piece) => [...piece].map((sign) => shownBlank[sign] ?? sign).join("");
const quoted = (piece) => `“${shown(piece)}”`;

const minus = (text) => text.replace("-", "−");
export const share = (value) => value.toFixed(2);
const number = (value) => minus(value.toFixed(2));
const percent = (value) => `${Math.round(100 * value)}%`;
const list = (texts, label) => [texts.slice(0, -1).join(label(", ")), texts.at(-1)].filter(Boolean).join(label(" and "));
const sentences = (...all) => all.filter(Boolean).join(" ").replace(/。 /g, "。");
const named = (piece, label) => (piece in spoken ? label(spoken[piece]) : piece);

/** Guesses at a temperature: each share to the power of one by it, divided by the sum of them all. */
export function atTemperature(next, temperature) {
  const most = Math.max(...next.map((one) => one.share));
  const powers = next.map((one) => (one.share / most) ** (1 / temperature)); // the largest is 1, so that none is too large
  const sum = powers.reduce((a, b) => a + b);
  return next.map(({ piece }, i) => ({ piece, share: powers[i] / sum }));
}

/** The piece that a number between 0 and 1 draws. */
export function drawn(next, lot) {
  let sum = 0;
  return (next.find((one) => (sum += one.share) > lot) ?? next[0]).piece;
}

/** What a figure shows of a long text: its end. */
const longest = 24;
const firstOf = ({ pieces }) => Math.max(0, pieces.length - longest);

/**
 * The pieces of the text in boxes, of which `chosen` is framed. `below(i)` is a text under a piece, `strength(i)` between 0 and 1 how dark
 * its box is. If it is live, each is one of the choices of `name`; those that `isOpen` does not allow are not.
 */
function strip({ pieces }, { chosen, name, title, below, strength, isOpen = () => true, isLive, label, from = 0 }) {
  const boxes = pieces.slice(from).map((piece, k) => {
    const i = from + k;
    const inside = `<b>${escapeHtml(shown(piece))}</b>${below ? `<small>${below(i)}</small>` : ""}`;
    const style = strength ? ` style="--strength: ${percent(0.4 * strength(i))}"` : "";
    const kind = `piece${i === chosen ? " chosen" : ""}${isOpen(i) ? "" : " closed"}`;
    if (!isLive || !isOpen(i)) return `<span class="${kind}"${style}>${inside}</span>`;
    const says = escapeHtml(filled(label("place #: #"), i + 1, named(piece, label)));
    return `<label class="${kind}"${style}><input type="radio" name="${name}" value="${i}" aria-label="${says}"${i === chosen ? " checked" : ""}>${inside}</label>`;
  });
  return `<div class="strip"${isLive ? ` role="radiogroup" aria-label="${label(title)}"` : ""}>${boxes.join("")}</div>`;
}

const mostBars = 6;

/** The best guesses as bars; if the model runs, each is a button that appends its piece. */
function bars(guesses, canWrite, label) {
  const rows = guesses.slice(0, mostBars).map(({ piece, share: value }) => {
    const inside = `<b>${escapeHtml(shown(piece))}</b><span class="length"><span style="width: ${(100 * value).toFixed(1)}%"></span></span><span class="share">${share(value)}</span>`;
    return `<li>${canWrite ? `<button type="button" data-append="${escapeHtml(piece)}"><span class="unseen">${filled(label("append #"), piece in spoken ? label(spoken[piece]) : "")} </span>${inside}</button>` : inside}</li>`;
  });
  return `<ol class="bars">${rows.join("")}</ol>`;
}

/** A cell of an SVG; what is below zero has another tone. */
const cell = ({ x, y, wide, high, value, most, data, isChosen }) =>
  `<rect class="cell ${value < 0 ? "below" : "above"}${isChosen ? " chosen" : ""}" style="--strength: ${percent(Math.min(1, Math.abs(value) / most))}" x="${x}" y="${y}" width="${wide}" height="${high}" ${data}/>`;

const svg = (width, height, { title, description, prefix }, body) =>
  `<svg class="cells" role="img" aria-labelledby="${prefix}title ${prefix}desc" viewBox="0 0 ${width} ${height}" style="max-width: ${width}px; min-width: ${Math.ceil(0.75 * width)}px">
<title id="${prefix}title">${escapeHtml(title)}</title><desc id="${prefix}desc">${escapeHtml(description)}</desc>${body}</svg>`;

function next(answer, choice, { canWrite, label }) {
  return `<p class="text">${escapeHtml(answer.pieces.map(shown).join(""))}<span class="gap">?</span></p>${bars(answer.next, canWrite, label)}`;
}
next.words = ({ pieces, next: guesses }, choice, label) => {
  const best = guesses.slice(0, 3).map(({ piece, share: value }) => filled(label("# to #"), share(value), quoted(piece)));
  const rest = guesses.slice(mostBars).reduce((sum, one) => sum + one.share, 0);
  return filled(label("After # the model gives #. The # pieces that are not shown get # together."), quoted(pieces.join("")), list(best, label), guesses.length - mostBars, share(rest));
};

function pieces(answer, { at }, { isLive, label }) {
  return strip(answer, { chosen: at, name: "pieces-at", title: "Piece of the text", below: (i) => answer.ids[i], isLive, label });
}
pieces.words = ({ pieces: all, ids, next: guesses }, { at }, label) => {
  const same = all.filter((_, i) => ids[i] === ids[at]).length;
  const whole = filled(label("The text has # pieces, and the vocabulary #."), all.length, guesses.length);
  return sentences(whole, filled(same > 1 ? label("# has the id #, at each of its # places.") : label("# has the id #."), quoted(all[at]), ids[at], same));
};

const perRow = 16;

function vectors(answer, { at, number: chosen }, { isLive, label, ...labels }) {
  const vector = answer.vectors[at];
  const [wide, high] = [24, 20];
  const most = Math.max(...answer.vectors.flat().map(Math.abs));
  const cells = vector.map((value, i) => cell({ x: 2 + (i % perRow) * wide, y: 2 + Math.floor(i / perRow) * high, wide, high, value, most, data: `data-number="${i}"`, isChosen: i === chosen }));
  if (chosen !== undefined) cells.push(...cells.splice(chosen, 1)); // its frame is above the others
  return strip(answer, { chosen: at, name: "vectors-at", title: "Piece with this vector", isLive, label }) + svg(4 + perRow * wide, 4 + Math.ceil(vector.length / perRow) * high, labels, cells.join(""));
}
vectors.words = ({ pieces: all, vectors: rows }, { at, number: chosen }, label) => {
  const vector = rows[at];
  const one = chosen === undefined ? "" : filled(label("Number # is #."), chosen + 1, number(vector[chosen]));
  const begin = vector.slice(0, 4).map(number).join(label(", "));
  return sentences(filled(label("The vector of # at place # has # numbers. It begins with #."), quoted(all[at]), at + 1, vector.length, begin), one);
};

function attention(answer, { at, looked, block, head }, { isLive, label, ...labels }) {
  const from = firstOf(answer);
  const weights = answer.attention[block][head];
  const row = weights[at];
  const shownPieces = answer.pieces.slice(from);
  const [size, left, top] = [22, 30, 28];
  const parts = [];
  for (const [i, piece] of shownPieces.entries()) {
    const y = top + i * size;
    parts.push(`<text x="${left - 8}" y="${y + 16}" text-anchor="end">${escapeHtml(shown(piece))}</text><text x="${left + (i + 0.5) * size}" y="${top - 8}" text-anchor="middle">${escapeHtml(shown(piece))}</text>`);
    for (let j = 0; j <= i; ++j) parts.push(cell({ x: left + j * size, y, wide: size, high: size, value: weights[from + i][from + j], most: 1, data: `data-at="${from + i}" data-looked="${from + j}"` }));
  }
  if (at >= from) parts.push(`<rect class="frame" x="${left}" y="${top + (at - from) * size}" width="${(at - from + 1) * size}" height="${size}"/>`);
  if (at >= from && looked >= from) parts.push(`<rect class="frame strong" x="${left + (looked - from) * size}" y="${top + (at - from) * size}" width="${size}" height="${size}"/>`);
  const side = shownPieces.length * size;
  const looks = strip(answer, { chosen: at, name: "attention-at", title: "Piece that looks", isLive, label, from });
  const seen = strip(answer, { chosen: looked, name: "attention-looked", title: "Piece that it looks at", below: (i) => (i <= at ? share(row[i]) : ""), strength: (i) => (i <= at ? row[i] : 0), isOpen: (i) => i <= at, isLive, label, from });
  return `<div class="looking"><span>${label("looks")}</span>${looks}<span>${label("at")}</span>${seen}</div>${svg(left + side + 4, top + side + 4, labels, parts.join(""))}`;
}
attention.words = (answer, { at, looked, block, head }, label) => {
  const row = answer.attention[block][head][at].slice(0, at + 1);
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
  const largest = order.filter((j) => row[j] >= 0.005).slice(0, 4);
  const rest = row.reduce((sum, value) => sum + value, 0) - largest.reduce((sum, j) => sum + row[j], 0);
  const sum = `${largest.map((j) => share(row[j])).join(" + ")}${rest >= 0.005 ? ` + ${filled(label("# of the others"), share(rest))}` : ""} = ${share(row.reduce((a, b) => a + b))}`;
  const place = (j) => filled(label("# at place #"), quoted(answer.pieces[j]), j + 1);
  const source = looked === at ? label("its own piece") : place(looked);
  return filled(label("Block #, head #: # takes # of the value of #. All its weights together: #."), block + 1, head + 1, place(at), share(row[looked]), source, sum);
};

function blocks(answer, { at }, { isLive, label }) {
  const rows = answer.blocks.map((block, i) => {
    const cells = block[at].slice(0, 3).map(({ piece, share: value }) => `<td style="--strength: ${percent(0.4 * value)}"><b>${escapeHtml(shown(piece))}</b> ${share(value)}</td>`);
    return `<tr><th scope="row">${i === 0 ? label("before block 1") : filled(label("after block #"), i)}</th>${cells.join("")}</tr>`;
  });
  return `${strip(answer, { chosen: at, name: "blocks-at", title: "Piece after which is guessed", isLive, label, from: firstOf(answer) })}<table class="guesses"><tbody>${rows.reverse().join("")}</tbody></table>`;
}
blocks.words = ({ pieces: all, blocks: rows }, { at }, label) => {
  const [first] = rows[0][at];
  const [last] = rows.at(-1)[at];
  const came = at + 1 < all.length ? filled(label("What really comes is #."), quoted(all[at + 1])) : "";
  const guess = filled(label("After place #, #: before the first block the best guess is # with #, after the last one # with #."), at + 1, quoted(all[at]), ...[first, last].flatMap((one) => [quoted(one.piece), share(one.share)]));
  return sentences(guess, came);
};

function choosing(answer, { temperature }, { canWrite, label }) {
  return bars(atTemperature(answer.next, temperature), canWrite, label);
}
choosing.words = ({ next: guesses }, { temperature }, label) => {
  const [best] = guesses;
  const [now] = atTemperature(guesses, temperature);
  return filled(label("At the temperature #, # has the probability #; the model gave #."), temperature.toFixed(1), quoted(best.piece), share(now.share), share(best.share));
};

export const figures = { next, pieces, vectors, attention, blocks, choosing };

/** The piece before `at` that a head takes most from, or `at` where there is none before. */
export function lookedMost({ attention: weights }, { at, block, head }) {
  const row = weights[block][head][at].slice(0, at);
  return row.length ? row.indexOf(Math.max(...row)) : at;
}

/** What is looked at first: the last piece, with the head that takes most from a piece before it. */
export function firstChoice(answer) {
  const at = answer.pieces.length - 1;
  const heads = answer.attention.flatMap((all, block) => all.map((_, head) => ({ at, block, head })));
  const taken = heads.map((one) => answer.attention[one.block][one.head][at][lookedMost(answer, one)]);
  const best = heads[taken.indexOf(Math.max(...taken))];
  return { ...best, looked: lookedMost(answer, best), number: undefined, temperature: 1 };
}

/** A figure with its sentence. */
export function figureHtml(name, answer, choice, { label = (text) => text, ...options }) {
  return `<div class="touched" data-figure="${name}">${figures[name](answer, choice, { ...options, label })}</div><p class="says">${escapeHtml(figures[name].words(answer, choice, label))}</p>`;
}
