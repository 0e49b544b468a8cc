// node docs/live/try_check.mjs FOLDER RECORD: runs the programs of the module in FOLDER in Node, and compares what they print
// with what they printed natively: the same bytes, or the same but for the last digits of numbers.

import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, record] = process.argv.slice(2).map(one => path.resolve(one));

// The loader is made for workers.
globalThis.self ??= {location: {href: ''}};
const {run} = await import(pathToFileURL(path.join(folder, 'try.mjs')));
const compiled = await WebAssembly.compile(readFileSync(path.join(folder, 'etude_tools.wasm')));

const number = /-?\d+(?:\.\d*)?(?:e[-+]\d+)?/g;
const differs_little = (one, other) => Math.abs(one - other) <= 1e-3 * Math.max(0.1, Math.abs(other));

function agrees(printed, recorded) {
  const numbers = text => (text.match(number) ?? []).map(Number);
  const ours = numbers(printed), theirs = numbers(recorded);
  const words = text => text.replace(number, '').replace(/ +/g, ' ');
  return words(printed) === words(recorded) && ours.length === theirs.length && ours.every((one, i) => differs_little(one, theirs[i]));
}

/// What a program printed, with its exit code and files.
async function result(program, given = {}) {
  let printed = '';
  const ended = await run(compiled, {program, ...given, on_line: line => printed += `${line}\n`});
  return {printed, ...ended};
}

const names = readdirSync(record).map(file => path.basename(file, '.txt'));
assert.ok(names.length > 0);
let same = 0;
for (const name of names) {
  const {printed, code} = await result(name), recorded = readFileSync(path.join(record, `${name}.txt`), 'utf8');
  assert.equal(code, 0, `${name}: ${printed}`);
  if (printed === recorded) ++same;
  else assert.ok(agrees(printed, recorded), `${name}: printed\n${printed}\nnatively\n${recorded}`);
}

// A value of the reader, one that is not allowed, and a checkpoint that is given back.
assert.match((await result('02_tensors', {parameters: {rows: 2}})).printed, /\[2, 4\]/);
assert.equal((await result('02_tensors', {parameters: {rows: 99}})).code, 1);
const {files} = await result('13_checkpoint');
assert.match((await result('13_checkpoint', {files})).printed, /goes on after step 20/);
console.log(`${names.length} programs: ${same} same bytes, ${names.length - same} within a thousandth`);
