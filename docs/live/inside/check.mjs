// node docs/live/inside/check.mjs PROGRAM LOOK_INSIDE FOLDER: asks docs_inside and the module in FOLDER the same about the pages' model, and
// compares both with each other, with what has to hold of any model, and with what look_inside prints. What is wrong is listed, and the
// exit code is 1.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {firstText, questions} from '../../generator/inside.mjs';
import {name_of, parts_of, share_of} from '../figures/inside_draw.mjs';

const [program, lookInside, folder] = process.argv.slice(2).map(one => path.resolve(one));
const model = fileURLToPath(new URL('gpt.safetensors', import.meta.url));

// The loader is made for workers.
globalThis.self ??= {location: {href: ''}};
const {default: etude_tools} = await import(pathToFileURL(path.join(folder, 'etude_tools.mjs')));
const module = await etude_tools({wasmBinary: readFileSync(path.join(folder, 'etude_tools.wasm'))});
module.FS.writeFile('/inside.safetensors', readFileSync(path.join(folder, 'inside.safetensors')));
const ofModule = (name, question) =>
  JSON.parse(module.ccall('inside_answer', 'string', ['string', 'string'], [name, JSON.stringify(question)]));
ofModule('open', {});

const asked = [
  ...questions(),
  {text: 'Call me Ishmael. Some years ago', without: ['0.1', '0.3', 'mlp.1']},
  {text: 'x'},
  {text: 'It was the whale, the white whale, and the sea was calm, so that we saw it well from the deck of the ship. The captain'},
];
const input = asked.map(question => `ask ${JSON.stringify(question)}\n`).join('');
const ofProgram = execFileSync(program, [model], {input, encoding: 'utf8', maxBuffer: 64 << 20}).trim().split('\n').map(line => JSON.parse(line));

let failed = 0;
function check(what, act) {
  try {
    act();
    console.log(`ok  ${what}`);
  } catch (error) {
    ++failed;
    console.log(`WRONG  ${what}: ${error.message}`);
  }
}

/// The largest difference of numbers in the same places; guesses are compared by their characters, since equal ones may change places.
function apart(a, b) {
  if (typeof a === 'number') return Math.abs(a - b);
  if (!Array.isArray(a)) return a === b ? 0 : Infinity;
  if (a.length !== b.length) return Infinity;
  if (a[0]?.piece !== undefined) return Math.max(...a.map(({piece, share}) => Math.abs(share - share_of(b, piece))).filter((_, i) => a[i].share > 0.001 + a.at(-1).share));
  return Math.max(0, ...a.map((one, i) => apart(one, b[i])));
}

const here = asked.map(question => ofModule('ask', question));
asked.forEach((question, i) =>
  check(`module and program agree on ${JSON.stringify(question)}`, () => {
    for (const key of ['pieces', 'ids', 'vectors', 'attention', 'blocks', 'next']) {
      const by = apart(ofProgram[i][key], here[i][key]);
      assert.ok(by <= 3e-4, `${key} by ${by}`);
    }
  }));

check('rows of attention add up to 1, and nothing looks ahead', () => {
  here[0].attention.flat().forEach(rows => rows.forEach((row, query) => {
    assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 2e-3);
    assert.ok(row.slice(query + 1).every(weight => weight === 0));
  }));
});
check('probabilities add up to 1, the best first, and the last block says what comes next', () => {
  const {next, blocks} = here[0];
  assert.ok(Math.abs(next.reduce((sum, {share}) => sum + share, 0) - 1) < 5e-3);
  assert.ok(next.every(({share}, i) => i === 0 || share <= next[i - 1].share));
  assert.deepEqual(blocks.at(-1).at(-1), next.slice(0, 5));
});
check('a part that is left out matters, and its weights are 0', () => {
  const [{next}, without] = here;
  assert.notDeepEqual(without.next, next);
  assert.ok(without.attention[0][0].flat().every(weight => weight === 0));
});
check('a part that the model does not have is refused', () => assert.match(ofModule('ask', {text: 'x', without: ['9.9']}).error, /no part 9\.9/));

check('look_inside prints the same', () => {
  const [early, looks, without] = execFileSync(lookInside, ['--model', model, '--text', firstText], {encoding: 'utf8'}).split('\n\n');
  here[0].blocks.forEach((guesses, i) => {
    const name = i === 0 ? 'the embedding' : `block ${i - 1}`;
    const row = new RegExp(`^${name} .*$`, 'm').exec(early)?.[0] ?? '';
    const three = [...row.matchAll(/(?:'(.)'|\\n) ([\d.]+)/gu)];
    assert.equal(three.length, 3, `after ${name}: ${row}`);
    for (const [, piece = '\n', share] of three) assert.ok(Math.abs(share - share_of(guesses.at(-1), piece)) < 1e-3, `after ${name}: ${row}`);
  });
  here[0].attention.forEach((heads, block) => heads.forEach((rows, number) => {
    const row = new RegExp(`^head ${block}\\.${number} .*$`, 'm').exec(looks)?.[0] ?? '';
    const [, piece = '\n', weight, back] = /(?:'(.)'|\\n) ([\d.]+) +(\d+) back$/u.exec(row) ?? [];
    const weights = rows.at(-1), place = weights.length - 1 - back;
    assert.ok(here[0].pieces[place] === piece && Math.abs(weight - weights[place]) < 1e-3, `attention: ${row}`);
    assert.ok(weights[place] > Math.max(...weights) - 1e-3, `another is looked at more: ${row}`);
  }));
  const [best] = here[0].next;
  parts_of(here[0]).forEach((part, i) => {
    const name = name_of(part).replace('MLP ', 'mlp.').replace('.', '\\.');
    const change = new RegExp(`^${name} .* (-?[\\d.]+)$`, 'm').exec(without)?.[1];
    const expected = share_of(here[i + 1].next, best.piece) - best.share;
    assert.ok(Math.abs(change - expected) < 1e-3, `without ${part}: ${change} there, ${expected} here`);
  });
});

check('a text that it learns is more probable afterwards, and the first weights come back', () => {
  const text = 'the dog saw itself. '.repeat(4), share = () => share_of(ofModule('ask', {text: firstText}).next, 'e');
  const before = share(), {losses} = ofModule('learn', {text, steps: 12});
  assert.equal(losses.length, 12);
  assert.ok(losses.at(-1) < losses[0], `the loss goes from ${losses[0]} to ${losses.at(-1)}`);
  assert.ok(share() > before, `${before} before, ${share()} after`);
  assert.equal([...ofModule('write', {text: firstText, count: 20, temperature: 0.7}).text].length, 20);
  ofModule('open', {});
  assert.equal(share(), before);
});
process.exitCode = failed ? 1 : 0;
