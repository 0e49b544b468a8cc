// node docs/live/train_check.mjs FOLDER PROGRAM REVERSE: compares what the module in FOLDER learns in Node with the terminal's
// char_gpt and reverse, without oneDNN: losses, checkpoints in both directions, what is written, and whether memory grows.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, program, reverse] = process.argv.slice(2).map(one => path.resolve(one));
globalThis.self ??= {
  location: {href: ''}
};  // the loader is made for workers
const {open} = await import(pathToFileURL(path.join(folder, 'train.mjs')));
const compiled = await WebAssembly.compile(readFileSync(path.join(folder, 'etude_tools.wasm')));
const place = mkdtempSync(path.join(tmpdir(), 'etude-train-'));
const file = name => path.join(place, name);
// The form of every loop that has vectors of 128 bits, as WebAssembly has, and no fused multiply-adds.
const environment = {
  ...process.env,
  ETUDE_CPU_CAPABILITY: 'default'
};

let failed = 0;
function report(what, is_right, more = '') {
  if (!is_right) ++failed;
  console.log(`${is_right ? 'ok' : 'WRONG'}  ${what}${more && `: ${more}`}`);
}

/// The tensors and the facts of a checkpoint: numbers by name.
function contents(bytes) {
  const length = Number(bytes.readBigUInt64LE(0)), head = JSON.parse(bytes.subarray(8, 8 + length));
  const types = {F32: Float32Array, F64: Float64Array};
  const tensors = {};
  delete head.__metadata__;
  for (const [name, {dtype, data_offsets: [from, to]}] of Object.entries(head))
    if (types[dtype])
      tensors[name] = new types[dtype](Uint8Array.from(bytes.subarray(8 + length + from, 8 + length + to)).buffer);
  return tensors;
}

/// Whether the checkpoints are the same bytes; else whether their losses are, in the digits that are printed.
function compare(what, here, there) {
  if (here.equals(there)) return report(what, true, 'the same bytes');
  const [a, b] = [contents(here), contents(there)];
  let largest = 0, differing = 0;
  for (const name of Object.keys(a)) {
    if (!Buffer.from(a[name].buffer).equals(Buffer.from(b[name]?.buffer ?? new ArrayBuffer()))) ++differing;
    if (['training', 'unseen'].includes(name))
      a[name].forEach((x, i) => {
        largest = Math.max(largest, Math.abs(x - b[name][i]));
      });
  }
  report(
      what, a.training?.length === b.training?.length && largest < 5e-5,
      `${differing} of ${Object.keys(a).length} tensors differ, losses by ${largest.toExponential(1)}`);
}

function sums() {
  let text = '';
  for (let i = 0, x = 1; i < 300; ++i) {
    x = (x * 137 + 1) % 10007;
    const a = x % 100, b = Math.floor(x / 100);
    text += `${a}+${b}=${a + b}\n`;
  }
  return text;
}
const text = sums(), form = {
  layers: 1,
  heads: 2,
  width: 16,
  context: 16,
  batch: 4,
  seed: 3
};
writeFileSync(file('text'), text);

const terminal = (out, steps, ...more) =>
    execFileSync(
        program,
        [
          '--text', file('text'), '--out', file(out), '--steps', `${steps}`, '--threads', '1',
          ...Object.entries(form).flatMap(([name, value]) => [`--${name}`, `${value}`]), '--sample', '60', ...more
        ],
        {env: environment, stdio: ['ignore', 'pipe', 'ignore']})
        .toString();
const saved = out => readFileSync(file(`${out}/checkpoint.safetensors`));

function learn(module, steps) {
  let last;
  do last = module.ask('step');
  while (last.step < steps);
  return last;
}
function save(module) {
  module.ask('save');
  return Buffer.from(module.checkpoint());
}

const first = await open(compiled);
first.ask('begin', {text, ...form, steps: 60});
learn(first, 60);
const printed = terminal('terminal', 60);
compare('60 steps in the module and in the terminal', save(first), saved('terminal'));

first.ask('write', {prompt: first.ask('load').prompt, length: 60, seed: form.seed});
let written = '';
for (let done = false, character; !done; written += character) ({character, done} = first.ask('next'));
report('both write the same', printed.includes(`${written}\n----`), JSON.stringify(written));

const second = await open(compiled);
second.ask('begin', {text, ...form, steps: 120});
second.ask('load', {bytes: saved('terminal')});
learn(second, 120);
terminal('terminal', 120, '--resume');
compare('the module goes on with what the terminal saved', save(second), saved('terminal'));

execFileSync('mkdir', [file('page')]);
writeFileSync(file('page/checkpoint.safetensors'), save(first));
terminal('page', 120, '--resume');
compare('the terminal goes on with what the module saved', saved('page'), saved('terminal'));

for (const [what, asked] of [['another text', {text: `${text}12+`}], ['another form', {text, width: 32}]]) {
  const other = await open(compiled);
  other.ask('begin', {...form, steps: 120, ...asked});
  let refusal = '';
  try {
    other.ask('load', {bytes: saved('terminal')});
  } catch (error) {
    refusal = error.message;
  }
  report(`a checkpoint of ${what} is refused`, refusal.includes('belongs to another run'), refusal.split('\n')[1]?.trim());
}

const third = await open(compiled);
third.ask('begin', {text, ...form, steps: 500});
const [[early, early_use], [late, late_use]] = [50, 500].map(step => {
  for (let next = Math.max(50, step - 400); next <= step; next += 50) {
    learn(third, next);
    third.ask('attention', {prompt: '12+'});
    third.ask('write', {prompt: '12+', length: 40});
    while (!third.ask('next').done)
      ;
    save(third);
  }
  return [third.memory(), third.ask('memory').in_use];
});
// The losses are kept, for the checkpoint.
report(
    'memory after 50 and after 500 steps', early === late && late_use - early_use < 64 * 450,
    `${early} and ${late} bytes, of which ${early_use} and ${late_use} are in use`);

const backwards = await open(compiled);
backwards.ask('reverse_begin', {steps: 20, seed: 3});
let loss;
const losses = Array.from({length: 20}, () => ({loss} = backwards.ask('reverse_step'), loss));
execFileSync(
    reverse, ['--out', file('reverse'), '--steps', '20', '--seed', '3', '--threads', '1'], {env: environment, stdio: 'ignore'});
const there = contents(saved('reverse')).training.filter((_, i) => i % 2);
const apart = Math.max(...losses.map((one, i) => Math.abs(one - there[i])));
report(
    '20 steps of reverse in the module and in the terminal', apart < 5e-5,
    apart === 0 ? 'the same bytes' : `losses differ by ${apart.toExponential(1)}`);

rmSync(place, {recursive: true});
process.exit(failed ? 1 : 0);
