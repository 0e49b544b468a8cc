// node docs/live/figures/check.mjs PROGRAM FOLDER: asks docs_figures and the module in FOLDER the same, and compares both with
// each other, with formulas, and with what PyTorch printed in the lessons. What is wrong is listed, and the exit code is 1.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

import {figures, firstControls} from '../../generator/figures.mjs';

const [program, folder] = process.argv.slice(2).map(one => path.resolve(one));

// The loader is made for workers.
globalThis.self ??= {location: {href: ''}};
const {default: etude_tools} = await import(pathToFileURL(path.join(folder, 'etude_tools.mjs')));
const module = await etude_tools({wasmBinary: readFileSync(path.join(folder, 'etude_tools.wasm'))});
const ofModule = ([name, controls]) =>
  JSON.parse(module.ccall('figures_answer', 'string', ['string', 'string'], [name, JSON.stringify(controls)]));
function ofProgram(cases) {
  const input = cases.map(([name, controls]) => `${name} ${JSON.stringify(controls)}\n`).join('');
  return execFileSync(program, {input, encoding: 'utf8'}).trim().split('\n').map(line => JSON.parse(line));
}

const first = Object.fromEntries(figures.map(figure => [figure.name, firstControls(figure)]));
const change = (name, changes) => [name, {...first[name], ...changes}];
const kinds = figures.find(({name}) => name === 'schedule').controls[0][4].map(([kind]) => kind);
const cases = [
  ...figures.map(({name}) => change(name, {})),
  change('sines', {width: 2, base: 1.5, positions: 2, position: 0}),
  change('sines', {width: 128, positions: 128, position: 127}),
  change('pair', {pair: 15, position: 100, base: 50}),
  change('pair', {width: 4, pair: 1, position: 100, base: (100 / (Math.PI + 2e-4)) ** 2}),  // a sine of -0.0002
  change('distance', {distance: -50, position: 500, width: 64}),
  ...['identity', 'swapped', 'random', 'own'].map(query => change('attention', {query, scale: false})),
  change('attention', {words: 'we saw a naïve dog', emphasis: 0.5}),
  change('heads', {word: 'abc', heads: 1}), change('heads', {heads: 4, steps: 100}), change('heads', {steps: 0}),
  change('gradients', {layers: 1, norms: 'last'}), change('gradients', {layers: 24, seed: 7}),
  ...kinds.map(kind => change('schedule', {kind, warm_up: 30, steps: 100, rate: 0.5})),
  change('loss', {optimizer: 'adamw', rate: 0.01}), change('loss', {optimizer: 'sgd', rate: 0.5, positions: false}),
  change('byte_pairs', {text: 'naïve 日本語, naïve 日本\n', merges: 100}), change('byte_pairs', {merges: 0}),
];
const refused = [
  [change('sines', {width: 7}), /width has to be even.*7 is odd/],
  [change('sines', {position: 60}), /no position 60/],
  [change('sines', {base: null}), /For the base a number from 1 to 1000000 is needed\./],
  [change('pair', {pair: 16}), /pairs 0 to 15/],
  [change('distance', {width: 129}), /from 2 to 128 is needed, not 129/],
  [change('attention', {words: ' '}), /must not be empty/],
  [change('attention', {words: 'a b c d e f g h i'}), /At most 8 words.*9/],
  [change('attention', {query: 'own', matrix: '1 2 3'}), /16 numbers/],
  [change('heads', {word: 'Dog'}), /letters a to z/],
  [change('heads', {heads: 3}), /3 heads/],
  [change('gradients', {layers: 2.5}), /whole number is needed, not 2.5/],
  [change('schedule', {warm_up: 320}), /end before the last step/],
  [change('loss', {optimizer: 'sgd', rate: 10, steps: 2000}), /For the steps a number from 1 to 300/],
  [change('loss', {positions: 1}), /on or off/],
  [change('byte_pairs', {text: ''}), /must not be empty/],
  [change('byte_pairs', {text: 'x'.repeat(1001)}), /1000 bytes; these are 1001/],
  [['nothing', {}], /no figure nothing/],
];

// Training multiplies the last bits by which two builds differ.
const nearness = {heads: 1e-4, loss: 1e-4};

/// How two answers differ at most; where it is more than `allowed`, throws.
function compare(a, b, allowed, where = '') {
  if (typeof a === 'number' && typeof b === 'number') {
    const apart = Math.abs(a - b) / Math.max(1, Math.abs(b));
    assert.ok(apart <= allowed, `${where}: ${a} and ${b}`);
    return apart;
  }
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b, allowed, where);
  assert.ok(a && b && typeof a === 'object' && Array.isArray(a) === Array.isArray(b), `${where}: ${a} and ${b}`);
  assert.deepEqual(Object.keys(a), Object.keys(b), where);
  return Math.max(0, ...Object.keys(a).map(key => compare(a[key], b[key], allowed, `${where}.${key}`)));
}

/// Numbers in texts are rounded, so that their last digit may differ where they are not whole.
function compareTexts(a, b, allowed, where) {
  const number = /-?\d+\.\d+(?:e[+-]\d+)?/g;
  assert.equal(a.replace(number, '#'), b.replace(number, '#'), where);
  const others = b.match(number) ?? [];
  (a.match(number) ?? []).forEach((one, i) => {
    const last = 10 ** -(/\.(\d+)/.exec(one)[1].length) * 10 ** Number(/e(.*)/.exec(one)?.[1] ?? 0);
    assert.ok(Math.abs(one - others[i]) <= 1.01 * last + allowed * Math.abs(one), `${where}: ${a} | ${b}`);
  });
  return 0;
}

const close = (a, b, allowed, what) => assert.ok(Math.abs(a - b) <= allowed, `${what}: ${a}, but ${b} was expected`);

/// The numbers in brackets of what PyTorch printed in a cell.
function printed(lesson, cell) {
  const text = readFileSync(new URL(`../../../tutorials/expected/${lesson}/${cell}.txt`, import.meta.url), 'utf8');
  return text.match(/-?\d+\.\d*(?:e[+-]\d+)?/g).map(Number);
}

const formulas = {
  sines({values}, {width, base}) {
    values.forEach((row, p) => row.forEach((value, i) => {
      const angle = p * base ** (-2 * Math.floor(i / 2) / width);
      close(value, i % 2 ? Math.cos(angle) : Math.sin(angle), 1e-5 * (1 + p), `row ${p}, column ${i}`);
    }));
  },
  pair({sine, cosine, omega}, {width, base, pair, position}) {
    close(omega, base ** (-2 * pair / width), 1e-6, 'omega');
    close(sine, Math.sin(position * omega), 1e-4, 'sine');
    close(cosine, Math.cos(position * omega), 1e-4, 'cosine');
  },
  distance({distances, dots, cosines}, {width, base}) {
    distances.forEach((apart, i) => {
      let sum = 0;
      for (let pair = 0; pair < width / 2; ++pair) sum += Math.cos(apart * base ** (-2 * pair / width));
      close(dots[i], sum, 2e-3, `distance ${apart}`);
      close(cosines[i], sum, 2e-4, `cosines of ${apart}`);
    });
  },
  attention({scores, weights}) {
    scores.forEach((row, y) => {
      const powers = row.map(score => Math.exp(score - Math.max(...row))), sum = powers.reduce((a, b) => a + b);
      powers.forEach((power, x) => close(weights[y][x], power / sum, 1e-5, `weight ${y}, ${x}`));
    });
  },
  heads({heads}) {
    for (const row of heads.flat()) close(row.reduce((a, b) => a + b), 1, 1e-5, 'sum of weights');
  },
  byte_pairs({tokens, bytes}, {text}) {
    assert.equal(bytes, Buffer.byteLength(text));
    const shown = text.replaceAll(' ', '\u2423').replaceAll('\n', '\u21b5');
    if (tokens.every(({text}) => !text.includes('<'))) assert.equal(tokens.map(({text}) => text).join(''), shown);
  },
};

const goldens = {
  distance({distances, dots}) {
    printed('05_input_embedding', 'distance').slice(0, 6).forEach((dot, i) =>
      close(dots[distances.indexOf(i)], dot, 0.006, `distance ${i}`));
  },
  attention({weights}) {
    printed('08_attention', 'softmax').slice(0, 16).forEach((weight, i) =>
      close(weights[i >> 2][i & 3], weight, 6e-5, `weight ${i}`));
  },
  gradients({lines: [last, norms_first]}) {
    printed('10_transformer_block', 'flow').forEach((size, i) =>
      close((i < 3 ? last : norms_first).values[[0, 5, 11][i % 3]], size, 0.02, `gradient ${i}`));
  },
  schedule({lines: [{values}]}) {
    printed('11_training_a_gpt', 'schedule').slice(0, 6).forEach((rate, i) =>
      close(values[[0, 10, 19, 50, 170, 319][i]], rate, 6e-6, `rate ${i}`));
  },
};

const problems = [], farthest = {}, slowest = {};
function attempt(what, check) {
  try {
    return check();
  } catch (error) {
    problems.push(`${what}: ${error.message}`);
  }
}

const native = ofProgram([...cases, ...refused.map(([one]) => one)]);
cases.forEach((one, i) => {
  const [name, controls] = one, what = `${name} ${JSON.stringify(controls)}`, begin = performance.now();
  const answer = ofModule(one);
  slowest[name] = Math.max(slowest[name] ?? 0, performance.now() - begin);
  attempt(what, () => {
    assert.ok(!native[i].error, native[i].error);
    farthest[name] = Math.max(farthest[name] ?? 0, compare(answer, native[i], nearness[name] ?? 1e-5, name));
    assert.doesNotMatch(answer.words, /-0(\.0+)?(?!\.?\d)/);
    formulas[name]?.(answer, controls);
    if (i < figures.length) goldens[name]?.(answer);
  });
});
refused.forEach(([one, expected], i) => attempt(`${one[0]}, refused`, () => {
  assert.match(native[cases.length + i].error, expected);
  assert.deepEqual(ofModule(one), native[cases.length + i]);
}));

for (const [name, apart] of Object.entries(farthest)) {
  const time = slowest[name].toFixed(0).padStart(5);
  console.log(`${name.padEnd(10)} ${time} ms  differs by ${apart.toExponential(1)}`);
}
problems.forEach(problem => console.error(problem));
console.log(`${cases.length} answers and ${refused.length} refusals, ${problems.length} wrong`);
process.exit(problems.length ? 1 : 0);
