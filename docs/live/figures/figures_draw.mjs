// Draws answers of figures: for each figure a function that takes its answer and a width, and gives an SVG element. Used when the
// pages are made and when a reader moves a figure. All numbers are those of the answer.

import {axes, box, cells, dot, line, path, svg, text, textWidth} from './figures_svg.mjs';

const cut = (label, most = 9) => [...label].length > most ? `${[...label].slice(0, most - 1).join('')}…` : label;
const range = numbers => ({low: Math.min(...numbers), high: Math.max(...numbers)});

function sines({values, position, row}, width) {
  const left = 52, top = 30, columns = row.length, wide = (width - left - 2) / columns;
  const high = Math.max(3, Math.min(18, 300 / values.length)), bottom = top + high * values.length;
  const every = Math.ceil(20 / high), parts = [cells(left, top, wide, high, values, 1)];
  const labels = values.map((_, p) => p).filter(p => p % every === 0 && Math.abs(p - position) * high >= 18);
  for (const p of labels) parts.push(text(left - 8, top + high * (p + 0.5) + 5, p, {kind: 'soft', anchor: 'end'}));
  parts.push(text(left - 8, top + high * (position + 0.5) + 5, position, {kind: 'strong', anchor: 'end'}));
  parts.push(box('picked', left, top + high * position, wide * columns, high), text(0, 16, 'position'));
  const plot = {left, top: bottom + 50, width: wide * columns, height: 110};
  const {body, at} = axes(plot, {low: -0.5, high: columns - 0.5, label: 'column', whole: true}, {low: -1, high: 1, label: `row of position ${position}`});
  parts.push(body, line('axis', ...at(-0.5, 0), ...at(columns - 0.5, 0)));
  row.forEach((value, i) => {
    const place = at(i, value);
    parts.push(line(i % 2 ? 'stem odd' : 'stem', ...at(i, 0), ...place), dot(i % 2 ? 'mark odd' : 'mark', place, wide < 8 ? 2 : 4));
  });
  return svg(width, plot.top + 155, 'The table of sines and cosines', parts.join(''));
}

function pair({sines, cosines, position, sine, cosine}, width) {
  const beside = width >= 560, radius = 92, middle = beside ? 130 : width / 2, level = 128;
  const on = (x, y) => [middle + radius * x, level - radius * y];
  const parts = [`<circle class="grid" cx="${middle}" cy="${level}" r="${radius}"/>`];
  parts.push(line('axis', middle - radius - 8, level, middle + radius + 8, level), line('axis', middle, level - radius - 8, middle, level + radius + 8));
  parts.push(text(middle, level - radius - 16, 'sine', {kind: 'soft', anchor: 'middle'}), text(middle + radius + 14, level - 12, 'cosine', {kind: 'soft'}));
  for (let p = 0; p < position; ++p) parts.push(dot('past', on(cosines[p], sines[p]), 3));
  parts.push(line('hand', ...on(0, 0), ...on(cosine, sine)), dot('mark', on(cosine, sine), 7));
  const left = beside ? 340 : 40, plot = {left, top: beside ? 40 : 290, width: width - left - 12, height: 170};
  const {body, at} = axes(plot, {low: 0, high: sines.length - 1, label: 'position'}, {low: -1, high: 1, label: ''});
  const curve = numbers => numbers.map((value, p) => at(p, value));
  parts.push(body, path('curve', curve(sines)), path('curve other', curve(cosines)), line('chosen', ...at(position, -1), ...at(position, 1)));
  parts.push(dot('mark', at(position, sine)), dot('mark odd', at(position, cosine)));
  parts.push(key(left, plot.top - 14, ['sine', 'cosine']));
  return svg(width, plot.top + plot.height + 50, 'A pair of sine and cosine that turns', parts.join(''));
}

/// What the lines of a plot are called.
function key(left, top, names) {
  return names.map((name, i) => {
    const x = left + i * 140;
    return line(i ? 'curve other' : 'curve', x, top - 5, x + 26, top - 5) + text(x + 33, top, name);
  }).join('');
}

function distance({distances, dots, distance, dot: at_distance}, width) {
  const plot = {left: 44, top: 30, width: width - 56, height: 230}, {low, high} = range(dots);
  const {body, at} = axes(plot, {low: distances[0], high: distances.at(-1), label: 'distance'}, {low: Math.min(0, low), high, label: 'dot product'});
  const mark = at(distance, at_distance);
  const parts = [body, path('curve', distances.map((d, i) => at(d, dots[i]))), line('chosen', mark[0], plot.top, mark[0], plot.top + plot.height), dot('mark', mark, 6)];
  return svg(width, 305, 'Dot product of two positions over their distance', parts.join(''));
}

/// A matrix of numbers with names; `write` says how a number is written in its cell, if all of them have room.
function matrix(left, top, size, title, labels, rows, most, write) {
  if (write && rows.flat().some(value => textWidth(write(value)) > size)) write = undefined;
  const parts = [cells(left, top, size, size, rows, most, write ? 'weights lettered' : 'weights'), text(left, top - 10 - nameHeight(labels, size), title, {kind: 'strong'})];
  labels.forEach((label, i) => {
    const middle = (i + 0.5) * size, name = cut(label);
    parts.push(text(left - 7, top + middle + 5, name, {anchor: 'end'}));
    const turned = nameHeight(labels, size) > 20;
    parts.push(text(left + middle + (turned ? 5 : 0), top - 7, name, {anchor: turned ? 'start' : 'middle', turned}));
  });
  if (write) rows.forEach((row, y) => row.forEach((value, x) => parts.push(text(left + (x + 0.5) * size, top + (y + 0.5) * size + 5, write(value), {anchor: 'middle'}))));
  return parts.join('');
}

/// How high the names of columns are: upright where they have room.
function nameHeight(labels, size) {
  const widest = Math.max(...labels.map(label => textWidth(cut(label))));
  return widest + 6 > size ? widest + 4 : 20;
}

function attention({labels, scores, weights}, width) {
  const beside = width >= 600, n = labels.length;
  const names = Math.max(...labels.map(label => textWidth(cut(label)))) + 10;
  const part = beside ? width / 2 : width, size = Math.min(54, (part - names - 10) / n);
  const top = nameHeight(labels, size) + 30, high = top + n * size;
  const most = Math.max(...scores.flat().map(Math.abs), 1e-9);
  const written = value => Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0);
  const body = matrix(names, top, size, 'scores', labels, scores, most, value => written(value).replace('-', '\u2212')) +
    matrix(names + (beside ? part : 0), top + (beside ? 0 : high + 16), size, 'weights', labels, weights, 1, value => value.toFixed(2).replace(/^0/, size < 40 ? '' : '0'));
  return svg(width, beside ? high + 8 : 2 * high + 24, 'Scores and weights of attention', body);
}

function heads({labels, heads}, width) {
  const n = labels.length, size = Math.min(26, (Math.min(width, 330) - 40) / n), wide = n * size + 50;
  const perRow = Math.min(heads.length, Math.max(1, Math.floor(width / wide))), high = n * size + 66;
  const maps = heads.map((rows, i) => matrix(26 + (i % perRow) * wide, 50 + Math.floor(i / perRow) * high, size, `head ${i + 1}`, labels, rows, 1));
  return svg(width, Math.ceil(heads.length / perRow) * high, 'What each head looks at', maps.join(''));
}

/// Lines over steps or blocks, from zero on; `level` is {value, name} of a line across.
function lines(label, {x, y, level, dots = false}, {x: places, lines: all}, width) {
  const plot = {left: 62, top: 54, width: width - 76, height: 220};
  const high = Math.max(...all.flatMap(({values}) => values), level?.value ?? 0) * 1.05;
  const {body, at} = axes(plot, {low: places[0], high: places.at(-1), label: x, whole: true}, {low: 0, high, label: y});
  const parts = [body];
  if (level) {
    const [end, height] = at(places.at(-1), level.value);
    parts.push(line('level', plot.left, height, plot.left + plot.width, height), text(end, 44, `${level.name}: ${level.value.toFixed(3)} (dashed)`, {kind: 'soft', anchor: 'end'}));
  }
  for (const {name, values} of all) {
    const points = values.map((value, i) => at(places[i], value)), kind = name === 'norms first' ? ' other' : '';
    parts.push(path(`curve${kind}`, points));
    if (dots || points.length === 1) parts.push(...points.map(point => dot(kind ? 'mark odd' : 'mark', point, 4)));
  }
  if (dots) parts.push(all.map(({name}, i) => {
    const start = 8 + i * 140, kind = name === 'norms first' ? ' other' : '';
    return line(`curve${kind}`, start, 13, start + 26, 13) + text(start + 33, 18, name);
  }).join(''));
  return svg(width, 320, label, parts.join(''));
}

const gradients = (answer, width) =>
  lines('Size of the gradient in each block', {x: 'block', y: 'norm of the gradient', dots: true}, answer, width);
const schedule = (answer, width) => lines('The learning rate over the steps', {x: 'step', y: 'learning rate'}, answer, width);
const loss = (answer, width) =>
  lines('The loss over the steps', {x: 'step', y: 'loss', level: {value: answer.guess, name: 'guessing'}}, answer, width);

/// How many letters of a fixed width a text takes: signs of East Asian scripts take two.
const fixedWidth = content => [...content].reduce((sum, sign) => sum + (sign.codePointAt(0) >= 0x2e80 ? 2 : 1), 0);

/// Boxes with texts, from left to right and line by line: [their picture, where they end].
function boxes(all, top, width) {
  let x = 1, y = top;
  const parts = all.map(({text: content, kind}) => {
    const inner = Math.max(9, fixedWidth(content) * 9.04), wide = inner + 10;
    if (x + wide > width - 1) [x, y] = [1, y + 34];
    const fit = wide > width - 2 ? ` textLength="${width - 14}" lengthAdjust="spacingAndGlyphs"` : '';
    const part = box(kind, x, y, Math.min(wide, width - 2), 28) +
      text(x + 5, y + 19, content, {kind: 'fixed'}).replace('<text', `<text${fit}`);
    x += wide + 3;
    return part;
  });
  return [parts.join(''), y + 34];
}

function byte_pairs({tokens, learned}, width) {
  const most = 80, kindOf = ({id}) => id < 256 ? 'byte' : 'token';
  const [first, middle] = boxes(tokens.map(token => ({text: token.text, kind: kindOf(token)})), 26, width);
  const named = learned.slice(0, most).map(({id, text}) => ({text: `${id} ${text}`, kind: 'token'}));
  const [second, end] = named.length ? boxes(named, middle + 40, width) : ['', middle];
  const more = learned.length > most ? text(0, end + 12, `and ${learned.length - most} more`, {kind: 'soft'}) : '';
  const body = text(0, 16, 'the text, cut into tokens', {kind: 'strong'}) + first +
    (named.length ? text(0, middle + 30, 'merged in this order', {kind: 'strong'}) : '') + second + more;
  return svg(width, end + (more ? 20 : 4), 'A text cut into tokens, and the tokens that were merged', body);
}

/// By the name of the figure.
export const draw = {sines, pair, distance, attention, heads, gradients, schedule, loss, byte_pairs};
