// Draws the diagrams of the lessons, boxes in rows and arrows between them:
//
//   x: the dog saw itself [4, 4]             a thing with its shape
//   q: (x W_Q) [4, 4] | k: (x W_K) [4, 4]    two operations beside each other
//   x -> q ; x -> k                          arrows; without any each row leads to the next
import { escapeHtml, filled } from "./html.mjs";

const font = 16;
const line = 19;
const gap = 16; // between boxes of a row
const lane = 10; // between horizontal lines
const widest = 480;
const longest = 22;

const textWidth = (text, size = font) => [...text].reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e80 ? size : 0.56 * size), 0);

/** `{rows, arrows}` of a diagram's text. Throws an Error that says what is wrong in which line of it. */
export function parseDiagram(text) {
  const rows = [];
  const boxes = new Map();
  const arrows = [];
  for (const [number, source] of text.split("\n").entries()) {
    const fail = (message) => {
      throw new Error(`line ${number + 1} of the diagram: ${message}`);
    };
    if (!source.trim()) continue;
    if (source.includes("->") && !/^\s*\w+:/.test(source)) {
      for (const chain of source.split(";")) {
        const names = chain.split("->").map((name) => name.trim());
        names.forEach((name) => boxes.has(name) || fail(`there is no box "${name}"`));
        if (names.length < 2) fail(`an arrow leads from one name to another: ${chain.trim()}`);
        names.slice(1).forEach((to, i) => arrows.push({ from: boxes.get(names[i]), to: boxes.get(to) }));
      }
      continue;
    }
    const row = source.split(" | ").map((part) => {
      const [, name, label, shape] = /^\s*(\w+):\s+(.+?)(?:\s+(\[[^\]]*\]))?\s*$/.exec(part) ?? [];
      if (!name) fail(`a box is \`name: text [shape]\`, got \`${part.trim()}\``);
      if (boxes.has(name)) fail(`there are two boxes "${name}"`);
      const operation = /^\((.*)\)$/.exec(label)?.[1];
      if ([...(operation ?? label)].length > longest) fail(`more than ${longest} letters in a box: ${operation ?? label}`);
      const box = { name, label: operation ?? label, shape: shape ?? "", operation: operation !== undefined, row: rows.length };
      boxes.set(name, box);
      return box;
    });
    if (row.length > 4) fail("more than four boxes in a row");
    rows.push(row);
  }
  if (!rows.length) throw new Error("line 1 of the diagram: it has no box");
  if (!arrows.length) rows.slice(1).forEach((row, i) => rows[i].forEach((from) => row.forEach((to) => arrows.push({ from, to }))));
  return { rows, arrows };
}

function wrapped(label, width) {
  const lines = [""];
  for (const word of label.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (!lines.at(-1) || textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Sizes the boxes of a row: as wide as their text, or wrapped where the row has no room. */
function measure(row) {
  const room = widest - gap * (row.length - 1);
  const padding = 22;
  const natural = row.map(({ label, shape }) => Math.max(56, textWidth(label), textWidth(shape, 14) * 1.05) + padding);
  const least = row.map(({ label, shape }) => Math.max(34, ...label.split(" ").map((word) => textWidth(word)), textWidth(shape, 14) * 1.05) + padding);
  const excess = Math.max(0, natural.reduce((a, b) => a + b) - room);
  const slack = natural.reduce((sum, width, i) => sum + width - least[i], 0);
  row.forEach((box, i) => {
    box.width = natural[i] - (slack ? Math.min(1, excess / slack) * (natural[i] - least[i]) : 0);
    box.lines = wrapped(box.label, box.width - padding + 1);
    box.height = 16 + line * box.lines.length + (box.shape ? line - 1 : 0);
  });
  const height = Math.max(...row.map((box) => box.height));
  row.forEach((box) => (box.height = height));
}

/** Where each arrow arrives at the top of its box: below where it comes from, apart from the others. */
function placePorts(arrows) {
  for (const box of new Set(arrows.map(({ to }) => to))) {
    const arriving = arrows.filter((arrow) => arrow.to === box && !arrow.beside);
    const inside = (x) => Math.min(Math.max(x, box.x - box.width / 2 + 12), box.x + box.width / 2 - 12);
    arriving.forEach((arrow) => (arrow.port = arriving.length === 1 ? (Math.abs(arrow.from.x - box.x) < box.width / 2 - 12 ? inside(arrow.via ?? arrow.from.x) : box.x) : inside(arrow.via ?? arrow.from.x)));
    arriving.sort((a, b) => a.port - b.port);
    const apart = Math.min(16, (box.width - 24) / Math.max(1, arriving.length - 1));
    arriving.forEach((arrow, i) => {
      if (i > 0) arrow.port = Math.max(arrow.port, arriving[i - 1].port + apart);
    });
    const over = arriving.length ? Math.max(0, arriving.at(-1).port - (box.x + box.width / 2 - 10)) : 0;
    for (let i = arriving.length - 1, limit = Infinity; i >= 0 && over; --i) {
      arriving[i].port = Math.min(arriving[i].port, limit, box.x + box.width / 2 - 10);
      limit = arriving[i].port - apart;
    }
  }
}

/** A column in which an arrow passes the rows between its boxes: straight down if nothing is there, else at a side. */
function placeColumns(rows, arrows, extent) {
  const sides = { left: 0, right: 0 };
  for (const arrow of arrows) {
    const { from, to } = arrow;
    arrow.beside = from.row === to.row && Math.abs(rows[from.row].indexOf(from) - rows[to.row].indexOf(to)) === 1;
    if (arrow.beside || to.row === from.row + 1) continue;
    const [first, last] = to.row > from.row ? [from.row + 1, to.row - 1] : [to.row, from.row];
    const between = rows.slice(first, last + 1).flat();
    const free = (x) => between.every((box) => Math.abs(box.x - x) > box.width / 2 + 8);
    const taken = arrows.some((other) => other !== arrow && other.via === from.x && other.from !== from);
    if (to.row > from.row && free(from.x) && !taken) arrow.via = from.x;
    else {
      const side = from.x + to.x < 0 ? "left" : "right";
      const distance = 18 + 12 * sides[side]++;
      const reach = Math.max(...between.map((box) => Math.abs(box.x) + box.width / 2), 40);
      arrow.via = (side === "left" ? -1 : 1) * (reach + distance);
      extent.value = Math.max(extent.value, Math.abs(arrow.via) + 8);
    }
  }
}

/** The lanes in the gap below each row: one for each box whose arrows run through it sideways. */
function placeLanes(rows, arrows) {
  const lanes = rows.map(() => []);
  const use = (row, name) => {
    if (row >= 0 && !lanes[row].includes(name)) lanes[row].push(name);
  };
  for (const { from, to, via, beside } of arrows) {
    if (beside) continue;
    use(from.row, from.name);
    if (via !== undefined) use(to.row - 1, from.name);
  }
  return lanes;
}

function route({ from, to, via, port, beside }, laneOf) {
  if (beside) {
    const way = Math.sign(to.x - from.x);
    return [[from.x + (way * from.width) / 2, from.y + from.height / 2], [to.x - (way * to.width) / 2, to.y + to.height / 2]];
  }
  const points = [[from.x, from.y + from.height]];
  const turn = (y, x) => {
    if (points.at(-1)[0] === x) return;
    points.push([points.at(-1)[0], y], [x, y]);
  };
  if (via !== undefined) turn(laneOf(from.row, from), via);
  turn(laneOf(via === undefined ? from.row : to.row - 1, from), port);
  points.push([port, to.y]);
  return points;
}

const number = (v) => String(Math.round(v * 10) / 10);

/** Letters with an index or exponent, `W_Q` and `K^T`, as SVG; the text otherwise as it is. */
function formula(text) {
  return escapeHtml(text).replace(/(?<![A-Za-z])([A-Za-z])([_^])([A-Za-z0-9]{1,3})(?![A-Za-z_])/g, (_, base, kind, small) => {
    const shift = kind === "_" ? 3 : -6;
    return `${base}<tspan dy="${shift}" font-size="12">${small}</tspan><tspan dy="${-shift}">&#8203;</tspan>`;
  });
}

function drawBox(box, link) {
  const { x, y, width, height, lines, shape, operation } = box;
  const textHeight = line * lines.length + (shape ? line - 1 : 0);
  let baseline = y + (height - textHeight) / 2 + 15;
  const texts = lines.map((text, i) => `<text x="${number(x)}" y="${number(baseline + i * line)}">${formula(text)}</text>`);
  baseline += line * lines.length - 1;
  if (shape) texts.push(`<text class="shape" x="${number(x)}" y="${number(baseline)}">${escapeHtml(shape)}</text>`);
  const rect = `<rect class="${operation ? "operation" : "thing"}" x="${number(x - width / 2)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" rx="${operation ? 4 : height / 2 > 22 ? 18 : height / 2}"/>`;
  return link ? `<a href="${escapeHtml(link)}">${rect}${texts.join("")}</a>` : `<g>${rect}${texts.join("")}</g>`;
}

const readable = ({ label, shape }) => (shape ? `${label} ${shape}` : label);

/** A diagram as SVG. `links[name]` is where a box leads, if anywhere. `prefix` begins the ids, `label` gives words in another language, those of boxes, too. */
export function drawDiagram(text, caption, { links = {}, prefix = "", label = (text) => text } = {}) {
  const { rows, arrows } = parseDiagram(text);
  for (const box of rows.flat()) box.label = label(box.label);
  rows.forEach(measure);
  const extent = { value: 0 };
  for (const row of rows) {
    const width = row.reduce((sum, box) => sum + box.width, gap * (row.length - 1));
    extent.value = Math.max(extent.value, width / 2);
    let x = -width / 2;
    for (const box of row) {
      box.x = x + box.width / 2;
      x += box.width + gap;
    }
  }
  placeColumns(rows, arrows, extent);
  placePorts(arrows);
  const lanes = placeLanes(rows, arrows);
  let y = 2;
  if (arrows.some(({ to, via }) => to.row === 0 && via !== undefined)) y += 24;
  const top = y;
  rows.forEach((row, i) => {
    row.forEach((box) => (box.y = y));
    y += row[0].height + (i + 1 < rows.length || lanes[i].length ? 22 + lane * lanes[i].length : 0);
  });
  const laneOf = (row, { name }) => (row < 0 ? top - 14 : rows[row][0].y + rows[row][0].height + 8 + lane * lanes[row].indexOf(name));
  const paths = arrows.map((arrow) => `<path d="M${route(arrow, laneOf).map(([a, b]) => `${number(a)} ${number(b)}`).join("L")}" marker-end="url(#${prefix}arrow)"/>`);
  const half = Math.ceil(extent.value + 2);
  const leads = (...boxes) => filled(label("# leads to #"), ...boxes.map(readable));
  const description = arrows.map(({ from, to }) => leads(from, to)).join("; ");
  const role = Object.keys(links).length ? "group" : "img";
  return `<svg class="diagram" role="${role}" aria-labelledby="${prefix}title ${prefix}desc" viewBox="${-half} 0 ${2 * half} ${Math.ceil(y + 2)}" style="max-width: ${Math.round(2.3 * half)}px">
<title id="${prefix}title">${escapeHtml(caption)}</title><desc id="${prefix}desc">${escapeHtml(description)}.</desc>
<defs><marker id="${prefix}arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 1L10 5L0 9z"/></marker></defs>
<g class="arrows">${paths.join("")}</g>
${rows.flat().map((box) => drawBox(box, links[box.name])).join("\n")}
</svg>`;
}
