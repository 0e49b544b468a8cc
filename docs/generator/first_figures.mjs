// The figures of lesson 0, as functions of what the page's model said of a text. They run where pages are made and, with the rest of
// first_lesson.js, in the reader's browser.
//
// An answer is `{pieces, ids, vectors, attention, blocks, next}`: `attention[block][head][i][j]` is how much piece i takes of piece j,
// `blocks[block][i]` are the guesses after a block at piece i, and `next` the guesses at the end, `{piece, share}`, the best first. The
// `choice` is what a reader looks at: `{at, looked, block, head, number, temperature}`. With `isLive` what can be touched is a control, and
// with `canWrite`, where the model runs, the guesses are, too.
import { escapeHtml } from "./html.mjs";

const shownBlank = { " ": "␣", "\n": "⏎", "\t": "⇥" };
const spoken = { " ": "blank", "\n": "end of line", "\t": "tab" };

/** A piece as it is written in figures and in sentences. */
export const shown = (piece) => [...piece].map((sign) => shownBlank[sign] ?? sign).join("");
const quoted = (piece) => `“${shown(piece)}”`;

const minus = (text) => text.replace("-", "−");
export const share = (value) => value.toFixed(2);
const number = (value) => minus(value.toFixed(2));
const percent = (value) => `${Math.round(100 * value)}%`;
const list = (texts) => (texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`);

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
function strip({ pieces }, { chosen, name, label, below, strength, isOpen = () => true, isLive, from = 0 }) {
  const boxes = pieces.slice(from).map((piece, k) => {
    const i = from + k;
    const inside = `<b>${escapeHtml(shown(piece))}</b>${below ? `<small>${below(i)}</small>` : ""}`;
    const style = strength ? ` style="--strength: ${percent(0.4 * strength(i))}"` : "";
    const kind = `piece${i === chosen ? " chosen" : ""}${isOpen(i) ? "" : " closed"}`;
    if (!isLive || !isOpen(i)) return `<span class="${kind}"${style}>${inside}</span>`;
    const says = escapeHtml(`place ${i + 1}: ${spoken[piece] ?? piece}`);
    return `<label class="${kind}"${style}><input type="radio" name="${name}" value="${i}" aria-label="${says}"${i === chosen ? " checked" : ""}>${inside}</label>`;
  });
  return `<div class="strip"${isLive ? ` role="radiogroup" aria-label="${label}"` : ""}>${boxes.join("")}</div>`;
}

const mostBars = 6;

/** The best guesses as bars; if the model runs, each is a button that appends its piece. */
function bars(guesses, canWrite) {
  const rows = guesses.slice(0, mostBars).map(({ piece, share: value }) => {
    const inside = `<b>${escapeHtml(shown(piece))}</b><span class="length"><span style="width: ${(100 * value).toFixed(1)}%"></span></span><span class="share">${share(value)}</span>`;
    return `<li>${canWrite ? `<button type="button" data-append="${escapeHtml(piece)}"><span class="unseen">append ${spoken[piece] ?? ""} </span>${inside}</button>` : inside}</li>`;
  });
  return `<ol class="bars">${rows.join("")}</ol>`;
}

/** A cell of an SVG; what is below zero has another tone. */
const cell = ({ x, y, wide, high, value, most, data, isChosen }) =>
  `<rect class="cell ${value < 0 ? "below" : "above"}${isChosen ? " chosen" : ""}" style="--strength: ${percent(Math.min(1, Math.abs(value) / most))}" x="${x}" y="${y}" width="${wide}" height="${high}" ${data}/>`;

const svg = (width, height, { title, description, prefix }, body) =>
  `<svg class="cells" role="img" aria-labelledby="${prefix}title ${prefix}desc" viewBox="0 0 ${width} ${height}" style="max-width: ${width}px; min-width: ${Math.ceil(0.75 * width)}px">
<title id="${prefix}title">${escapeHtml(title)}</title><desc id="${prefix}desc">${escapeHtml(description)}</desc>${body}</svg>`;

function next(answer, choice, { canWrite }) {
  return `<p class="text">${escapeHtml(answer.pieces.map(shown).join(""))}<span class="gap">?</span></p>${bars(answer.next, canWrite)}`;
}
next.words = ({ pieces, next: guesses }) => {
  const best = guesses.slice(0, 3).map(({ piece, share: value }) => `${share(value)} to ${quoted(piece)}`);
  const rest = guesses.slice(mostBars).reduce((sum, one) => sum + one.share, 0);
  return `After ${quoted(pieces.join(""))} the model gives ${list(best)}. The ${guesses.length - mostBars} pieces that are not shown get ${share(rest)} together.`;
};

function pieces(answer, { at }, { isLive }) {
  return strip(answer, { chosen: at, name: "pieces-at", label: "Piece of the text", below: (i) => answer.ids[i], isLive });
}
pieces.words = ({ pieces: all, ids, next: guesses }, { at }) => {
  const same = all.filter((_, i) => ids[i] === ids[at]).length;
  return `The text has ${all.length} pieces, and the vocabulary ${guesses.length}. ${quoted(all[at])} has the id ${ids[at]}${same > 1 ? `, at each of its ${same} places` : ""}.`;
};

const perRow = 16;

function vectors(answer, { at, number: chosen }, { isLive, ...labels }) {
  const vector = answer.vectors[at];
  const [wide, high] = [24, 20];
  const most = Math.max(...answer.vectors.flat().map(Math.abs));
  const cells = vector.map((value, i) => cell({ x: 2 + (i % perRow) * wide, y: 2 + Math.floor(i / perRow) * high, wide, high, value, most, data: `data-number="${i}"`, isChosen: i === chosen }));
  if (chosen !== undefined) cells.push(...cells.splice(chosen, 1)); // its frame is above the others
  return strip(answer, { chosen: at, name: "vectors-at", label: "Piece with this vector", isLive }) + svg(4 + perRow * wide, 4 + Math.ceil(vector.length / perRow) * high, labels, cells.join(""));
}
vectors.words = ({ pieces: all, vectors: rows }, { at, number: chosen }) => {
  const vector = rows[at];
  const one = chosen === undefined ? "" : ` Number ${chosen + 1} is ${number(vector[chosen])}.`;
  return `The vector of ${quoted(all[at])} at place ${at + 1} has ${vector.length} numbers. It begins with ${vector.slice(0, 4).map(number).join(", ")}.${one}`;
};

function attention(answer, { at, looked, block, head }, { isLive, ...labels }) {
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
  const looks = strip(answer, { chosen: at, name: "attention-at", label: "Piece that looks", isLive, from });
  const seen = strip(answer, { chosen: looked, name: "attention-looked", label: "Piece that it looks at", below: (i) => (i <= at ? share(row[i]) : ""), strength: (i) => (i <= at ? row[i] : 0), isOpen: (i) => i <= at, isLive, from });
  return `<div class="looking"><span>looks</span>${looks}<span>at</span>${seen}</div>${svg(left + side + 4, top + side + 4, labels, parts.join(""))}`;
}
attention.words = (answer, { at, looked, block, head }) => {
  const row = answer.attention[block][head][at].slice(0, at + 1);
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
  const largest = order.filter((j) => row[j] >= 0.005).slice(0, 4);
  const rest = row.reduce((sum, value) => sum + value, 0) - largest.reduce((sum, j) => sum + row[j], 0);
  const sum = `${largest.map((j) => share(row[j])).join(" + ")}${rest >= 0.005 ? ` + ${share(rest)} of the others` : ""}`;
  const place = (j) => `${quoted(answer.pieces[j])} at place ${j + 1}`;
  return `Block ${block + 1}, head ${head + 1}: ${place(at)} takes ${share(row[looked])} of the value of ${looked === at ? "its own piece" : place(looked)}. All its weights together: ${sum} = ${share(row.reduce((a, b) => a + b))}.`;
};

function blocks(answer, { at }, { isLive }) {
  const rows = answer.blocks.map((block, i) => {
    const cells = block[at].slice(0, 3).map(({ piece, share: value }) => `<td style="--strength: ${percent(0.4 * value)}"><b>${escapeHtml(shown(piece))}</b> ${share(value)}</td>`);
    return `<tr><th scope="row">${i === 0 ? "before block 1" : `after block ${i}`}</th>${cells.join("")}</tr>`;
  });
  return `${strip(answer, { chosen: at, name: "blocks-at", label: "Piece after which is guessed", isLive, from: firstOf(answer) })}<table class="guesses"><tbody>${rows.reverse().join("")}</tbody></table>`;
}
blocks.words = ({ pieces: all, blocks: rows }, { at }) => {
  const [first] = rows[0][at];
  const [last] = rows.at(-1)[at];
  const came = at + 1 < all.length ? ` What really comes is ${quoted(all[at + 1])}.` : "";
  return `After place ${at + 1}, ${quoted(all[at])}: before the first block the best guess is ${quoted(first.piece)} with ${share(first.share)}, after the last one ${quoted(last.piece)} with ${share(last.share)}.${came}`;
};

function choosing(answer, { temperature }, { canWrite }) {
  return bars(atTemperature(answer.next, temperature), canWrite);
}
choosing.words = ({ next: guesses }, { temperature }) => {
  const [best] = guesses;
  const [now] = atTemperature(guesses, temperature);
  return `At the temperature ${temperature.toFixed(1)}, ${quoted(best.piece)} has the probability ${share(now.share)}; the model gave ${share(best.share)}.`;
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
export function figureHtml(name, answer, choice, options) {
  return `<div class="touched" data-figure="${name}">${figures[name](answer, choice, options)}</div><p class="says">${escapeHtml(figures[name].words(answer, choice))}</p>`;
}
