// What the pictures of figures are made of. Colours are classes of the site's style; sizes are pixels.

const entities = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};
const escaped = text => String(text).replace(/[&<>"]/g, sign => entities[sign]);

/// A coordinate with at most one decimal.
const short = v => String(Math.round(v * 10) / 10);

/// The whole picture; `label` names it.
export function svg(width, height, label, body) {
  const size = `viewBox="0 0 ${short(width)} ${short(height)}" style="max-width: ${short(width)}px"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(label)}">${body}</svg>`;
}

/// A text that begins, ends or has its middle (`anchor`) at a place; `turned` reads upwards, and `most` is how wide it is made.
export function text(x, y, content, {kind = '', anchor = 'start', turned = false, most} = {}) {
  const turn = turned ? ` transform="rotate(-90 ${short(x)} ${short(y)})"` : '';
  const fit = most ? ` textLength="${short(most)}" lengthAdjust="spacingAndGlyphs"` : '';
  const place = `x="${short(x)}" y="${short(y)}" class="${kind}" text-anchor="${anchor}"`;
  return `<text ${place}${turn}${fit}>${escaped(content)}</text>`;
}

export const line = (kind, x1, y1, x2, y2) =>
  `<path class="${kind}" d="M${short(x1)} ${short(y1)}L${short(x2)} ${short(y2)}"/>`;
export const path = (kind, points) =>
  `<path class="${kind}" d="M${points.map(([x, y]) => `${short(x)} ${short(y)}`).join('L')}"/>`;
export const dot = (kind, [x, y], radius = 5) => `<circle class="${kind}" cx="${short(x)}" cy="${short(y)}" r="${radius}"/>`;
export const box = (kind, x, y, width, height) =>
  `<rect class="${kind}" x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/>`;

/// About how wide a text is.
export const textWidth = content => 8.4 * [...String(content)].length;

/// About `most` round numbers between two.
function ticks(low, high, most) {
  const rough = (high - low) / Math.max(most, 1), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(by => by * power).find(by => by >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({length: last - first + 1}, (_, i) => (first + i) * step);
}

/// A number without the last digits of binary fractions.
function label(value) {
  const rounded = Number(value.toPrecision(4)), isSmall = rounded !== 0 && Math.abs(rounded) < 0.001;
  return (isSmall ? rounded.toExponential() : String(rounded)).replace('-', '\u2212');
}

/// Axes in a box, and `at`, which gives the place of a point. `x` and `y` are {low, high, label}.
export function axes({left, top, width, height}, x, y) {
  const high = y.high > y.low ? y.high : y.low + 1, right = x.high > x.low ? x.high : x.low + 1;
  const at = (a, b) => [left + width * (a - x.low) / (right - x.low), top + height * (high - b) / (high - y.low)];
  const parts = [];
  for (const value of ticks(y.low, high, height / 45)) {
    const [, place] = at(x.low, value);
    parts.push(line('grid', left, place, left + width, place));
    parts.push(text(left - 8, place + 5, label(value), {kind: 'soft', anchor: 'end'}));
  }
  for (const value of ticks(x.low, right, width / 75)) {
    if (x.whole && value !== Math.round(value)) continue;
    parts.push(text(at(value, y.low)[0], top + height + 20, label(value), {kind: 'soft', anchor: 'middle'}));
  }
  parts.push(text(left + width, top + height + 40, x.label, {anchor: 'end'}), text(left, top - 10, y.label));
  return {body: parts.join(''), at};
}

/// Cells coloured by numbers: `most` has the full colour, 0 none, and what is negative another colour.
export function cells(left, top, wide, high, rows, most, kind = '') {
  const groups = new Map();
  rows.forEach((row, y) => row.forEach((value, x) => {
    const strength = Math.min(20, Math.round(20 * Math.abs(value) / most));
    if (!strength) return;
    const key = `${value < 0 ? 'below' : 'above'} ${strength}`;
    groups.set(key, `${groups.get(key) ?? ''}M${x} ${y}h1v1h-1z`);
  }));
  const paths = [...groups].map(([key, d]) => {
    const [sign, strength] = key.split(' ');
    return `<path class="${sign}" fill-opacity="${strength / 20}" d="${d}"/>`;
  });
  const place = `translate(${short(left)} ${short(top)}) scale(${wide.toFixed(3)} ${high.toFixed(3)})`;
  return `<g class="${kind}" shape-rendering="crispEdges" transform="${place}">${paths.join('')}</g>` +
    box('frame', left, top, wide * rows[0].length, high * rows.length);
}
