// The pictures of lessons on the first page: what a plot shows, without its words, small enough that the page has one for each lesson.

const largest = 4_000; // bytes
const mostPoints = 60; // of a curve

const rounded = (v) => String(Math.round(v * 10) / 10);

/** The points of a path of straight lines, at most so many. */
function points(d) {
  const all = [...d.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const every = Math.ceil(all.length / mostPoints);
  return all.filter((_, i) => i % every === 0 || i === all.length - 1);
}

/** The curves of a line plot, stretched to their place. */
function curves(svg) {
  const found = [...svg.matchAll(/<path class="curve (s\d)" d="(M[^"]+)"/g)].map(([, tone, d]) => ({ tone, line: points(d) }));
  const all = found.flatMap(({ line }) => line);
  if (!all.length) return "";
  const [left, top, right, bottom] = [0, 1].map((i) => Math.min(...all.map((point) => point[i]))).concat([0, 1].map((i) => Math.max(...all.map((point) => point[i]))));
  const paths = found.map(({ tone, line }) => `<path class="${tone}" d="M${line.map(([x, y]) => `${Math.round(x - left)} ${Math.round(y - top)}`).join("L")}"/>`);
  return `<svg class="thumbnail" viewBox="-8 -14 ${Math.round(right - left) + 16} ${Math.round(bottom - top) + 28}" preserveAspectRatio="none">${paths.join("")}</svg>`;
}

/** The first grid of cells of a heat map; what is missing in it is left out. */
function cells(svg) {
  const [, across, down, content] = /<g shape-rendering="crispEdges" transform="translate\([^)]*\) scale\(([\d.]+) ([\d.]+)\)">([\s\S]*?)<\/g>/.exec(svg) ?? [];
  if (!content) return "";
  const places = [...content.matchAll(/M(\d+) (\d+)h(\d+)/g)].map((place) => place.slice(1).map(Number));
  const [columns, rows] = [Math.max(...places.map(([x, , wide]) => x + wide)), Math.max(...places.map(([, y]) => y + 1))];
  const paths = [...content.matchAll(/<path fill="[^"]+" d="[^"]+"\/>/g)].map(([path]) => path);
  const transform = `scale(1 ${rounded(down / across)})`;
  return `<svg class="thumbnail" viewBox="0 0 ${columns} ${rounded((rows * down) / across)}" shape-rendering="crispEdges"><g transform="${transform}">${paths.join("")}</g></svg>`;
}

/** A plot of tutorials/support as a small SVG element, or nothing for one that is none or stays too large. */
export function thumbnail(svg) {
  const drawn = cells(svg) || curves(svg);
  return drawn.length <= largest ? drawn : "";
}
