// Draws losses, weights of attention and probabilities, which the module computed, as SVG.

function make(name, attributes = {}, text = '') {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
}

function fill(svg, width, height, label, nodes) {
  for (const [name, value] of Object.entries({viewBox: `0 0 ${width} ${height}`, width, height, 'aria-label': label}))
    svg.setAttribute(name, value);
  svg.replaceChildren(...nodes);
}

/// The pixels that a picture has from left to right, at most `most`: it is drawn as wide as that, so that texts keep their
/// size.
const width_of = (svg, most) => Math.min(most, svg.parentElement.clientWidth || most);

const visible = character => ({' ': '␣', '\n': '⏎', '\t': '⇥'})[character] ?? character;
const mean = numbers => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/// Means of neighbours, at most 200 points [step, loss].
function thinned(losses) {
  const n = Math.min(losses.length, 200);
  return Array.from({length: n}, (_, i) => {
    const from = Math.floor(i * losses.length / n), to = Math.floor((i + 1) * losses.length / n);
    return [(from + to + 1) / 2, mean(losses.slice(from, to))];
  });
}

/// Losses of steps, and where they are given, some on the unseen tenth, {x, y}, and that of counted pairs.
export function draw_losses(svg, {
  losses,
  steps,
  unseen = {
    x: [],
    y: []
  },
  pairs
}) {
  const width = width_of(svg, 720), height = 300, left = 28, right = 12, top = 12, bottom = 36;
  const highest = Math.max(1, Math.ceil(Math.max(losses[0] ?? 0, pairs ?? 0)));
  const x = step => left + (width - left - right) * step / steps;
  const y = loss => top + (height - top - bottom) * (1 - Math.min(loss, highest) / highest);
  const nodes = [];
  for (let tick = 0; tick <= highest; ++tick)
    nodes.push(
        make('path', {d: `M${left} ${y(tick)}H${width - right}`, class: 'grid'}),
        make('text', {x: left - 8, y: y(tick) + 5, 'text-anchor': 'end'}, tick));
  for (const part of [0, 0.5, 1])
    nodes.push(make(
        'text', {x: x(steps * part), y: height - 12, 'text-anchor': part === 1 ? 'end' : 'middle'}, Math.round(steps * part)));
  const line = points => points.map(([at, loss], i) => `${i ? 'L' : 'M'}${x(at).toFixed(1)} ${y(loss).toFixed(1)}`).join('');
  nodes.push(make('path', {d: line(thinned(losses)), class: 'line losses'}));
  if (pairs !== undefined) nodes.push(make('path', {d: `M${left} ${y(pairs)}H${width - right}`, class: 'line pairs'}));
  nodes.push(make('path', {d: line(unseen.x.map((at, i) => [at, unseen.y[i]])), class: 'line unseen'}));
  unseen.x.forEach((at, i) => nodes.push(make('circle', {cx: x(at), cy: y(unseen.y[i]), r: 4, class: 'unseen'})));
  const last = losses.at(-1);
  fill(
      svg, width, height,
      last === undefined ? 'No losses yet' :
                           `Loss over ${losses.length} of ${steps} steps, from ${losses[0].toFixed(2)} to ${last.toFixed(2)}` +
              (unseen.y.length ? `; on the unseen tenth ${unseen.y.at(-1).toFixed(2)}` : '') +
              (pairs === undefined ? '' : `; counted pairs ${pairs.toFixed(2)}`),
      nodes);
}

/// A square for each weight of [rows, columns], named by characters; the darker, the larger.
export function draw_grid(svg, {rows, columns, weights}) {
  const left = 34, top = 26, side = Math.min(24, Math.floor((width_of(svg, 720) - left - 4) / Math.max(1, columns.length)));
  const nodes = [], most = [];
  rows.forEach((row, i) => {
    nodes.push(make('text', {x: left - 8, y: top + side * (i + 0.75), 'text-anchor': 'end'}, visible(row)));
    let best = 0;
    columns.forEach((column, j) => {
      const weight = weights[i * columns.length + j];
      if (weight > weights[i * columns.length + best]) best = j;
      const square = make('rect', {
        x: left + side * j,
        y: top + side * i,
        width: side - 1,
        height: side - 1,
        class: 'weight',
        'fill-opacity': weight.toFixed(3)
      });
      square.append(make('title', {}, `${visible(row)} looks at ${visible(column)}: ${(100 * weight).toFixed(0)} %`));
      nodes.push(square);
    });
    most.push(`${visible(row)} at ${visible(columns[best])}, ${(100 * weights[i * columns.length + best]).toFixed(0)} %`);
  });
  columns.forEach(
      (column, j) =>
          nodes.push(make('text', {x: left + side * (j + 0.5), y: top - 8, 'text-anchor': 'middle'}, visible(column))));
  fill(
      svg, left + side * columns.length + 4, top + side * rows.length + 4,
      `What each character looks at most: ${most.join('; ')}`, nodes);
}

/// Probabilities of characters: as the model has them, and as they are drawn from.
export function draw_bars(svg, bars) {
  const width = width_of(svg, 720), row = 26, left = 32, length = width - left - 60;
  const percent = part => `${(100 * part).toFixed(part < 0.1 ? 1 : 0)} %`;
  const nodes = bars.flatMap(
      ({character, plain, drawn_from}, i) =>
          [make('text', {x: left - 12, y: row * i + 18, 'text-anchor': 'end'}, visible(character)),
           make('rect', {x: left, y: row * i + 3, width: length * drawn_from, height: row - 10, class: 'drawn-from'}),
           make('rect', {x: left, y: row * i + row - 7, width: length * plain, height: 4, class: 'plain'}),
           make('text', {x: left + length + 12, y: row * i + 18}, percent(drawn_from)),
  ]);
  fill(
      svg, width, row * Math.max(1, bars.length),
      bars.map(({character, drawn_from}) => `${visible(character)} ${percent(drawn_from)}`).join(', ') ||
          'No probabilities yet',
      nodes);
}
