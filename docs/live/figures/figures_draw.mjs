// Draws the answers of figures: for each figure a function of its answer and a width gives an SVG element, when pages are made
// and when a reader moves a figure. All numbers are those of the answer.

import {axes, box, cells, dot, line, path, svg, text, textWidth} from './figures_svg.mjs';

const cut = (label, most = 9) => [...label].length > most ? `${[...label].slice(0, most - 1).join('')}…` : label;

/// What the lines of a plot are called.
function key(left, top, names) {
  const parts = names.map((name, i) => {
    const x = left + i * 140;
    return line(i ? 'curve other' : 'curve', x, top - 5, x + 26, top - 5) + text(x + 33, top, name);
  });
  return parts.join('');
}

function sines({values, position, row}, width) {
  const left = 52, top = 30, columns = row.length, wide = (width - left - 2) / columns;
  const high = Math.max(3, Math.min(18, 300 / values.length)), every = Math.ceil(20 / high);
  const parts = [cells(left, top, wide, high, values, 1), text(0, 16, 'position')];
  values.forEach((_, p) => {
    const isFree = p % every === 0 && Math.abs(p - position) * high >= 18;
    const kind = p === position ? 'strong' : 'soft';
    if (p === position || isFree) parts.push(text(left - 8, top + high * (p + 0.5) + 5, p, {kind, anchor: 'end'}));
  });
  parts.push(box('picked', left, top + high * position, wide * columns, high));

  const plot = {left, top: top + high * values.length + 50, width: wide * columns, height: 110};
  const x = {low: -0.5, high: columns - 0.5, label: 'column', whole: true};
  const {body, at} = axes(plot, x, {low: -1, high: 1, label: `row of position ${position}`});
  parts.push(body, line('axis', ...at(x.low, 0), ...at(x.high, 0)));
  row.forEach((value, i) => {
    const odd = i % 2 ? ' odd' : '';
    parts.push(line(`stem${odd}`, ...at(i, 0), ...at(i, value)), dot(`mark${odd}`, at(i, value), wide < 8 ? 2 : 4));
  });
  return svg(width, plot.top + 155, 'The table of sines and cosines', parts.join(''));
}

function pair({sines, cosines, position, sine, cosine}, width) {
  const beside = width >= 560, radius = 92, axis = radius + 8, middle = beside ? 130 : width / 2, level = 128;
  const on = (x, y) => [middle + radius * x, level - radius * y];
  const parts = [
    `<circle class="grid" cx="${middle}" cy="${level}" r="${radius}"/>`,
    line('axis', middle - axis, level, middle + axis, level),
    line('axis', middle, level - axis, middle, level + axis),
    text(middle, level - axis - 8, 'sine', {kind: 'soft', anchor: 'middle'}),
    text(middle + radius + 14, level - 12, 'cosine', {kind: 'soft'}),
  ];
  for (let p = 0; p < position; ++p) parts.push(dot('past', on(cosines[p], sines[p]), 3));
  parts.push(line('hand', ...on(0, 0), ...on(cosine, sine)), dot('mark', on(cosine, sine), 7));

  const left = beside ? 340 : 40, plot = {left, top: beside ? 40 : 290, width: width - left - 16, height: 170};
  const {body, at} = axes(plot, {low: 0, high: sines.length - 1, label: 'position'}, {low: -1, high: 1, label: ''});
  const curve = numbers => numbers.map((value, p) => at(p, value));
  parts.push(body, path('curve', curve(sines)), path('curve other', curve(cosines)));
  parts.push(line('chosen', ...at(position, -1), ...at(position, 1)));
  parts.push(dot('mark', at(position, sine)), dot('mark odd', at(position, cosine)));
  parts.push(key(left, plot.top - 14, ['sine', 'cosine']));
  return svg(width, plot.top + plot.height + 50, 'A pair of sine and cosine that turns', parts.join(''));
}

function distance({distances, dots, distance, dot: product}, width) {
  const plot = {left: 44, top: 30, width: width - 56, height: 230};
  const x = {low: distances[0], high: distances.at(-1), label: 'distance'};
  const y = {low: Math.min(0, ...dots), high: Math.max(...dots), label: 'dot product'};
  const {body, at} = axes(plot, x, y);
  const curve = path('curve', distances.map((apart, i) => at(apart, dots[i])));
  const chosen = line('chosen', ...at(distance, y.low), ...at(distance, y.high));
  const drawn = body + curve + chosen + dot('mark', at(distance, product), 6);
  return svg(width, 305, 'Dot product of two positions over their distance', drawn);
}

/// How high the names of columns are: upright where they have room.
function nameHeight(labels, size) {
  const widest = Math.max(...labels.map(label => textWidth(cut(label))));
  return widest + 6 > size ? widest + 4 : 20;
}

/// A matrix of numbers with names; `write` says how a number is written in its cell, if all of them have room.
function matrix({left, top, size, title, labels, rows, most, write}) {
  const isWritten = write && rows.flat().every(value => textWidth(write(value)) <= size);
  const names = nameHeight(labels, size), turned = names > 20;
  const parts = [cells(left, top, size, size, rows, most, isWritten ? 'weights lettered' : 'weights')];
  parts.push(text(left, top - 10 - names, title, {kind: 'strong'}));
  labels.forEach((label, i) => {
    const middle = (i + 0.5) * size, name = cut(label);
    parts.push(text(left - 7, top + middle + 5, name, {anchor: 'end'}));
    parts.push(text(left + middle + (turned ? 5 : 0), top - 7, name, {anchor: turned ? 'start' : 'middle', turned}));
  });
  if (!isWritten) return parts.join('');
  rows.forEach((row, y) => row.forEach((value, x) => {
    parts.push(text(left + (x + 0.5) * size, top + (y + 0.5) * size + 5, write(value), {anchor: 'middle'}));
  }));
  return parts.join('');
}

function attention({labels, scores, weights}, width) {
  const beside = width >= 600, n = labels.length;
  const names = Math.max(...labels.map(label => textWidth(cut(label)))) + 10;
  const part = beside ? width / 2 : width, size = Math.min(54, (part - names - 10) / n);
  const top = nameHeight(labels, size) + 30, high = top + n * size;
  const score = value => value.toFixed(Math.abs(value) < 9.95 ? 1 : 0).replace('-', '\u2212');
  const weight = value => value.toFixed(2).replace(/^0/, size < 40 ? '' : '0');
  const most = Math.max(...scores.flat().map(Math.abs), 1e-9);
  const first = {left: names, top, size, title: 'scores', labels, rows: scores, most, write: score};
  const second = {...first, title: 'weights', rows: weights, most: 1, write: weight};
  second[beside ? 'left' : 'top'] += beside ? part : high + 16;
  return svg(width, (beside ? high : 2 * high + 16) + 8, 'Scores and weights of attention', matrix(first) + matrix(second));
}

function heads({labels, heads}, width) {
  const n = labels.length, size = Math.min(26, (Math.min(width, 330) - 40) / n), wide = n * size + 50, high = n * size + 66;
  const perRow = Math.min(heads.length, Math.max(1, Math.floor(width / wide)));
  const maps = heads.map((rows, i) => {
    const left = 26 + (i % perRow) * wide, top = 50 + Math.floor(i / perRow) * high;
    return matrix({left, top, size, title: `head ${i + 1}`, labels, rows, most: 1});
  });
  return svg(width, Math.ceil(heads.length / perRow) * high, 'What each head looks at', maps.join(''));
}

/// Lines over steps or blocks, from zero on. `x` and `y` name the axes; `level` is {value, name} of a line across.
function lines(label, {x, y, level, hasDots = false}, {x: places, lines: all}, width) {
  const plot = {left: 62, top: 54, width: width - 82, height: 220}, last = places.at(-1);
  const high = Math.max(...all.flatMap(({values}) => values), level?.value ?? 0) * 1.05;
  const {body, at} = axes(plot, {low: places[0], high: last, label: x, whole: true}, {low: 0, high, label: y});
  const parts = [body];
  if (level) {
    const words = `${level.name}: ${level.value.toFixed(3)} (dashed)`;
    parts.push(line('level', ...at(places[0], level.value), ...at(last, level.value)));
    parts.push(text(plot.left + plot.width, 44, words, {kind: 'soft', anchor: 'end'}));
  }
  all.forEach(({values}, i) => {
    const points = values.map((value, k) => at(places[k], value));
    parts.push(path(i ? 'curve other' : 'curve', points));
    if (hasDots || points.length === 1) parts.push(...points.map(point => dot(i ? 'mark odd' : 'mark', point, 4)));
  });
  if (hasDots) parts.push(key(8, 18, all.map(({name}) => name)));
  return svg(width, 320, label, parts.join(''));
}

const gradients = (answer, width) =>
  lines('Size of the gradient in each block', {x: 'block', y: 'norm of the gradient', hasDots: true}, answer, width);
const schedule = (answer, width) => lines('The learning rate over the steps', {x: 'step', y: 'learning rate'}, answer, width);
const loss = (answer, width) =>
  lines('The loss over the steps', {x: 'step', y: 'loss', level: {value: answer.guess, name: 'guessing'}}, answer, width);

/// How many letters of a fixed width a text takes: signs of East Asian scripts take two.
const fixedWidth = content => [...content].reduce((sum, sign) => sum + (sign.codePointAt(0) >= 0x2e80 ? 2 : 1), 0);

/// Boxes with texts, from left to right and line by line: [their picture, where they end].
function boxes(all, top, width) {
  let x = 1, y = top;
  const parts = all.map(({text: content, kind}) => {
    const wide = Math.min(fixedWidth(content) * 9.04 + 10, width - 2);
    if (x > 1 && x + wide > width - 1) [x, y] = [1, y + 34];
    const fits = fixedWidth(content) * 9.04 <= width - 12;
    const part = box(kind, x, y, wide, 28) + text(x + 5, y + 19, content, {kind: 'fixed', most: fits ? undefined : width - 12});
    x += wide + 3;
    return part;
  });
  return [parts.join(''), y + 34];
}

function byte_pairs({tokens, learned}, width) {
  const most = 80, shown = learned.slice(0, most);
  const [cutText, middle] = boxes(tokens.map(({id, text}) => ({text, kind: id < 256 ? 'byte' : 'token'})), 26, width);
  const parts = [text(0, 16, 'the text, cut into tokens', {kind: 'strong'}), cutText];
  if (!shown.length) return svg(width, middle, 'A text cut into bytes', parts.join(''));
  const [merged, end] = boxes(shown.map(({id, text}) => ({text: `${id} ${text}`, kind: 'token'})), middle + 40, width);
  parts.push(text(0, middle + 30, 'merged in this order', {kind: 'strong'}), merged);
  if (learned.length > most) parts.push(text(0, end + 12, `and ${learned.length - most} more`, {kind: 'soft'}));
  const high = end + (learned.length > most ? 20 : 4);
  return svg(width, high, 'A text cut into tokens, and the tokens that were merged', parts.join(''));
}

/// By the name of the figure.
export const draw = {sines, pair, distance, attention, heads, gradients, schedule, loss, byte_pairs};
