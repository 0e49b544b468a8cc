// What the pictures of the lessons are made of: grids of rows and columns, arrows and words. Sizes are pixels; colours are
// tones, each with one meaning, which style/pictures.css sets.
import { escapeHtml, filled } from "./html.mjs";

/** How many percent of its tone a cell has: the letters in it are legible on all of them. */
export const strengths = { least: 8, most: 44 };

const round = (v) => String(Math.round(v * 10) / 10);

/** Letters with an index, `W_Q`, as SVG; the text otherwise as it is. */
const withIndices = (text) =>
  escapeHtml(text).replace(/(?<![A-Za-z])([A-Za-z])_([A-Za-z0-9])(?![A-Za-z0-9_])/g, '$1<tspan dy="3" font-size="12">$2</tspan><tspan dy="-3">&#8203;</tspan>');

/** `[4, 1, 16]` */
export const shapeText = (shape) => `[${shape.join(", ")}]`;

/** A box of a drawing, with the places that arrows lead to. */
export function place(x, y, width, height) {
  const [middle, centre] = [x + width / 2, y + height / 2];
  return { x, y, width, height, right: x + width, bottom: y + height, middle, centre, top: [middle, y], foot: [middle, y + height], left: [x, centre], end: [x + width, centre] };
}

/** About how wide a text of soft words is. */
export const wordsWidth = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 13 : 6.6), 0);

export class Drawing {
  parts = [];

  /** `label` gives words in the language of the page. */
  constructor(label) {
    this.label = label;
  }

  /** Words in the language of the page, with values in place of each #. */
  words(text, ...values) {
    return filled(this.label(text), ...values);
  }

  /** `kind`: bold, shape, number or soft. */
  text(x, y, content, { kind = "", anchor = "middle" } = {}) {
    this.parts.push(`<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${withIndices(String(content))}</text>`);
  }

  /**
   * A tensor of `rows` by `columns` cells, with what stands in them if `values` are given: rows of texts. `tone` is a name, or
   * a function of row and column; `strength(row, column)`, between 0 and 1, is how much of it a cell has. `part` names the grid.
   */
  grid(x, y, { part, values, rows = values.length, columns = values[0].length, wide = 34, high = 26, tone = "plain", strength }) {
    const cells = [];
    for (let i = 0; i < rows; ++i) {
      for (let j = 0; j < columns; ++j) {
        const [left, top] = [x + j * wide, y + i * high];
        const share = strength ? ` style="--strength: ${Math.round(strengths.least + (strengths.most - strengths.least) * strength(i, j))}%"` : "";
        cells.push(`<rect class="box ${typeof tone === "string" ? tone : tone(i, j)}"${share} x="${round(left)}" y="${round(top)}" width="${round(wide)}" height="${round(high)}"/>`);
        if (values) cells.push(`<text class="number" x="${round(left + wide / 2)}" y="${round(top + high / 2 + 4.5)}" text-anchor="middle">${escapeHtml(String(values[i][j]))}</text>`);
      }
    }
    this.parts.push(`<g data-part="${part}" data-rows="${rows}" data-columns="${columns}">${cells.join("")}</g>`);
    return place(x, y, columns * wide, rows * high);
  }

  /** Words beside the rows of a grid, right before it. */
  rowNames(grid, names, kind = "") {
    const high = grid.height / names.length;
    names.forEach((name, i) => this.text(grid.x - 8, grid.y + (i + 0.5) * high + 4.5, name, { anchor: "end", kind }));
  }

  /** A line around a place, such as one row of a grid. */
  frame({ x, y, width, height }, tone) {
    this.parts.push(`<rect class="frame ${tone}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/>`);
  }

  /** An operation: a round box with a text. */
  operation(x, y, width, content, { tone = "plain", height = 30 } = {}) {
    this.parts.push(`<rect class="operation ${tone}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="7"/>`);
    this.text(x + width / 2, y + height / 2 + 5, content);
    return place(x, y, width, height);
  }

  /** A circle with a sign, such as a sum. */
  node(x, y, sign, { tone = "plain", radius = 13 } = {}) {
    this.parts.push(`<circle class="operation ${tone}" cx="${round(x)}" cy="${round(y)}" r="${radius}"/>`);
    const size = radius > 20 ? 24 : 14;
    this.text(x, y + 0.34 * size, sign, { kind: size === 24 ? "bold large" : "bold" });
    return place(x - radius, y - radius, 2 * radius, 2 * radius);
  }

  line(points, kind = "plain") {
    this.parts.push(`<path class="line ${kind}" d="M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}"/>`);
  }

  /** A line through points with a head at its end. */
  arrow(points, kind = "plain") {
    const [[x0, y0], [x, y]] = points.slice(-2);
    const length = Math.hypot(x - x0, y - y0);
    const [u, v] = [(x - x0) / length, (y - y0) / length];
    const size = kind.includes("stream") ? 14 : 9;
    const corner = (side) => [x - size * u + (side * size * v) / 2, y - size * v - (side * size * u) / 2];
    const head = [[x, y], corner(1), corner(-1)];
    this.line([...points.slice(0, -1), [x - (size - 3) * u, y - (size - 3) * v]], kind);
    this.parts.push(`<path class="head ${kind}" d="M${head.map(([a, b]) => `${round(a)} ${round(b)}`).join("L")}z"/>`);
  }

  /** The picture; it is not made so small that its letters, of 12 pixels and more, have less than 11. */
  svg(width, height, { title, description, prefix }) {
    return `<svg class="picture" role="img" aria-labelledby="${prefix}title ${prefix}desc" viewBox="0 0 ${width} ${height}" style="max-width: ${width}px; min-width: ${Math.ceil((width * 11) / 12)}px">
<title id="${prefix}title">${escapeHtml(title)}</title><desc id="${prefix}desc">${escapeHtml(description)}</desc>
${this.parts.join("\n")}
</svg>`;
  }
}
