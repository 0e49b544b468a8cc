// Draws what the model of the page "Inside a real model" computes from a text, when pages are made and in the browser. Answers are what
// docs/live/inside/inside.h describes; parts are named as look_inside names them, "0.1" for head 1 of block 0 and "mlp.2".

import {box, cells, svg, text} from './figures_svg.mjs';

const entities = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};
const escaped = content => content.replace(/[&<>"]/g, sign => entities[sign]);

/// A character so that one sees it.
export const shown = piece => ({' ': '␣', '\n': '⏎', '\t': '⇥'})[piece] ?? piece;
export const percent = share => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
export const name_of = part => part.startsWith('mlp.') ? `MLP ${part.slice(4)}` : `head ${part}`;

/// All parts of an answer's model that can be left out, block by block.
export const parts_of = ({attention}) =>
  attention.flatMap((heads, block) => [...heads.map((_, head) => `${block}.${head}`), `mlp.${block}`]);

/// The share of a character among guesses; 0 where it is not among them.
export const share_of = (guesses, piece) => guesses.find(one => one.piece === piece)?.share ?? 0;

/// The best guesses for the next character, and thin bars of what they were `before` something was left out.
export function guesses({next}, width, before) {
  const row = 28, left = 36, length = width - left - 70;
  const rows = next.slice(0, 10).map(({piece, share}, i) => {
    const y = row * i, was = before && box('before', left, y + 19, length * share_of(before.next, piece), 5);
    return text(left - 12, y + 18, shown(piece), {kind: 'fixed', anchor: 'end'}) +
      box('share', left, y + 4, length * share, was ? 14 : 18) + (was ?? '') +
      text(left + length + 8, y + 18, percent(share));
  });
  return svg(width, row * rows.length + 2, 'Probabilities of the next character', rows.join(''));
}

export function guess_words({pieces, next}, before) {
  const [best, second] = next, given = (pieces.length > 12 ? '…' : '') + pieces.slice(-12).map(shown).join('');
  const now = `After “${given}” the model gives ${percent(best.share)} to “${shown(best.piece)}” and ${percent(second.share)} to “${shown(second.piece)}”.`;
  if (!before) return now;
  const [was] = before.next;
  return `${now} With all parts “${shown(was.piece)}” has ${percent(was.share)}, and now ${percent(share_of(next, was.piece))}.`;
}

/// A small picture of the weights of a head.
export const thumbnail = weights => svg(88, 88, '', cells(2, 2, 84 / weights.length, 84 / weights.length, weights, 1, 'weights'))
  .replace(/role="img" aria-label=""/, 'aria-hidden="true"');

/// The weights of a head over the last characters for which there is room.
export function head({pieces, attention}, block, number, width) {
  const left = 26, top = 28, size = 20, count = Math.min(pieces.length, 32, Math.floor((width - left - 4) / size));
  const from = pieces.length - count, names = pieces.slice(from).map(shown);
  const rows = attention[block][number].slice(from).map(row => row.slice(from));
  const parts = [cells(left, top, size, size, rows, 1, 'weights')];
  names.forEach((name, i) => {
    parts.push(text(left - 8, top + (i + 0.75) * size, name, {kind: 'fixed', anchor: 'end'}));
    parts.push(text(left + (i + 0.5) * size, top - 8, name, {kind: 'fixed', anchor: 'middle'}));
  });
  return svg(left + count * size + 4, top + count * size + 4, `Attention of head ${block}.${number}`, parts.join(''));
}

export function head_words({pieces, attention}, block, number) {
  const row = attention[block][number].at(-1), n = row.length;
  const best = row.indexOf(Math.max(...row)), back = n - 1 - best;
  const where = back === 0 ? 'at itself' : back === 1 ? 'at the one before it' : `${back} characters back`;
  return `Head ${block}.${number}: the last character, “${shown(pieces[n - 1])}”, looks most at “${shown(pieces[best])}”, ${where}: ${percent(row[best])}.`;
}

/// A table: the best guess for what follows each of the last characters, read after the embedding and after each block.
export function lens({pieces, blocks}, most = 24) {
  const from = Math.max(0, pieces.length - most);
  const cell = ([{piece, share}], i) => {
    const is_right = pieces[from + i + 1] === piece;
    return `<td${is_right ? ' class="right"' : ''} style="--strength: ${Math.round(40 * share)}%" title="${percent(share)}">${escaped(shown(piece))}</td>`;
  };
  const rows = blocks.map((block, i) => {
    const name = i === 0 ? 'embedding' : `block ${i - 1}`;
    return `<tr><th scope="row">${name}</th>${block.slice(from).map(cell).join('')}</tr>`;
  });
  const head = pieces.slice(from).map(piece => `<th scope="col">${escaped(shown(piece))}</th>`).join('');
  return `<table class="lens"><thead><tr><th scope="col">after</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

export function lens_words({blocks}) {
  const last = blocks.map(block => block.at(-1)[0]);
  const told = last.map(({piece, share}, i) => `${i === 0 ? 'the embedding' : `block ${i - 1}`} “${shown(piece)}” (${percent(share)})`);
  return `The best guess at the last character: after ${told.join(', after ')}.`;
}

/// A table of what becomes of the guesses without each part alone: `without` is {part: next}.
export function effects({next}, without) {
  const best = next[0], change = guesses => share_of(guesses, best.piece) - best.share;
  const most = Math.max(0.01, ...Object.values(without).map(guesses => Math.abs(change(guesses))));
  const rows = Object.entries(without).map(([part, guesses]) => {
    const by = change(guesses), points = (100 * by).toFixed(1).replace('-', '\u2212');
    const three = guesses.slice(0, 3).map(({piece, share}) => `<span class="guess"><code>${escaped(shown(piece))}</code> ${percent(share)}</span>`).join(' ');
    return `<tr><th scope="row">${name_of(part)}</th><td>${three}</td><td class="change" style="--strength: ${Math.round(35 * Math.abs(by) / most)}%">${by > 0 ? '+' : ''}${points}</td></tr>`;
  });
  return `<table class="effects"><thead><tr><th scope="col">without</th><th scope="col">best guesses</th><th scope="col">“${escaped(shown(best.piece))}”, percentage points</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

export function effect_words({next}, without) {
  const best = next[0], lost = Object.entries(without).map(([part, guesses]) => [share_of(guesses, best.piece) - best.share, part]);
  if (!lost.length) return '';
  const [by, part] = lost.reduce((a, b) => (b[0] < a[0] ? b : a));
  return by < 0 ? `“${shown(best.piece)}” loses most without ${name_of(part)}.` : `No part alone takes anything from “${shown(best.piece)}”.`;
}
