// The page on which models learn: the GPT, what it looks at, and what it writes.

import './train_reverse.mjs';

import {draw_bars, draw_grid, draw_losses} from './train_draw.mjs';
import {each_frame, element, Kept, kind_of_file, number_in, open_worker, Pace, Slider} from './train_tools.mjs';

const ask = open_worker();
const buttons = ['train', 'anew', 'save', 'save-text', 'write', 'next'];
const settings = ['text', 'text-file', 'size', 'steps', 'rate', 'seed'];

let run;                          // the one that has begun: what train.cpp says about it, its form and what is kept
let wanted;                       // what is going on: 'learn', 'write' or nothing
let working = Promise.resolve();  // what does it: a run that begins, and its loop

const say = (text, where = 'status') => {
  element(where).textContent = text;
};
const count_text = () => {
  // Its unseen tenth has to be longer than a context.
  const least = 10 * Number(element('size').value.split(',')[3]) + 1;
  element('text-count').textContent = `${[...element('text').value].length} characters; a model of this size needs ${least}`;
};

function form() {
  const [layers, heads, width, context] = element('size').value.split(',').map(Number);
  return {layers, heads, width, context, lr: number_in('rate'), steps: number_in('steps'), seed: number_in('seed')};
}

async function begin(chosen, bytes) {
  const about = await ask('begin', {text: element('text').value, ...chosen});
  run = {form: chosen, kept: new Kept(), ...about, ...bytes && await ask('load')};
  element('samples').replaceChildren();
  for (const id of settings) element(id).disabled = true;
  for (const [id, n] of [['layer', chosen.layers], ['head', chosen.heads]])
    element(id).replaceChildren(...Array.from({length: n}, (_, i) => new Option(i + 1, i)));
  // A prompt that the model can read.
  const known = new Set(element('text').value), prompt = [...element('prompt').value];
  if (!prompt.length || !prompt.every(character => known.has(character)))
    element('prompt').value = [...run.prompt.split('\n').find(line => line) ?? run.prompt].slice(0, 8).join('');
  say('', 'writing');
  await look();
  update();
}

/// Whether all steps are done, but the reader has asked for more since.
const wants_more = () => run && run.step >= run.steps && Number(element('steps').value) > run.steps;

/// Goes on to as many steps as the field has now, as the terminal's --resume does with more --steps.
async function go_on() {
  const {bytes} = await ask('save'), {kept} = run, chosen = {...run.form, steps: number_in('steps')};
  await ask('facts', {bytes});
  const about = await ask('begin', {text: element('text').value, ...chosen});
  run = {form: chosen, kept, ...about, ...await ask('load')};
  element('steps').disabled = true;
}

/// Lets the reader choose again.
async function end() {
  await stop();
  run = undefined;
  for (const id of settings) element(id).disabled = false;
  element('samples').replaceChildren();
  slider.set([]);
  say('Press Train.');
  say('It can write once training has started.', 'writing');
  update();
}

/// Ends what is going on.
async function stop() {
  wanted = undefined;
  await working;
}

/// Shows why something could not be done, where it was asked for.
const told = (what, where) => async event => {
  event?.preventDefault?.();
  try {
    await what(event);
  } catch (error) {
    fail(error, where);
  }
};
function fail(error, where) {
  wanted = undefined;
  say(error.message, where);
  update();
}

const pace = new Pace();

async function learn() {
  const sample_every = Math.max(1, Math.round(run.steps / 12)), tell_every = Math.max(1, Math.round(run.steps / 10));
  while (wanted === 'learn' && run.step < run.steps) {
    const start = performance.now();
    const {step, loss, unseen} = await ask('step');
    pace.step(performance.now() - start);
    run.step = step;
    run.losses.push(loss);
    if (unseen !== undefined) {
      run.unseen.x.push(step);
      run.unseen.y.push(unseen);
    }
    if (step % tell_every === 0)
      say(`Measured at step ${step}: loss ${loss.toFixed(4)}${
          unseen === undefined ? '' : `, on the unseen tenth ${unseen.toFixed(4)}`}`);
    if (run.kept.wants(step) || step === run.steps) await look();
    if (step % sample_every === 0) await sample();
    update();
  }
  if (run.step >= run.steps) {
    element('steps').disabled = false;
    say(`Done: ${run.steps} steps, loss on the unseen tenth ${run.unseen.y.at(-1)?.toFixed(4)}, of counted pairs ${
        run.bigram.toFixed(4)}. Let it write below; with more steps it may learn more: raise them and press Continue`);
  }
  wanted = undefined;
  update();
}

/// Keeps what the heads look at.
async function look() {
  const {characters, numbers} = await ask('attention', {prompt: [...run.prompt].slice(0, 20).join('')});
  run.kept.add(run.step, {characters, numbers});
  slider.set(run.kept.all);
}

async function sample() {
  await ask('write', {prompt: run.prompt, length: 80});
  let text = '';
  for (let done = false, character; !done; text += character) ({character, done} = await ask('next'));
  const item = document.createElement('li'), step = document.createElement('b');
  step.textContent = `Step ${run.step}`;
  item.append(step, document.createElement('br'), text);
  element('samples').prepend(item);
  element('samples').children[30]?.remove();
}

function draw_attention(shown) {
  if (!shown) return draw_grid(element('attention'), {rows: [], columns: [], weights: []});
  const n = shown.characters.length, at = Number(element('layer').value) * run.form.heads + Number(element('head').value);
  draw_grid(
      element('attention'),
      {rows: shown.characters, columns: shown.characters, weights: shown.numbers.subarray(at * n * n, (at + 1) * n * n)});
}
const slider = new Slider(element('kept'), element('kept-step'), draw_attention);

const update = each_frame(() => {
  element('train').textContent = wanted === 'learn' ? 'Pause' : run?.step ? 'Continue' : 'Train';
  element('train').disabled = Boolean(run && run.step >= run.steps && !wants_more());
  element('write').textContent = wanted === 'write' ? 'Stop' : 'Write';
  for (const id of ['anew', 'save', 'write', 'next']) element(id).disabled = !run;
  element('progress').value = run ? run.step / run.steps : 0;
  draw_losses(
      element('losses'),
      run ? {losses: run.losses, steps: run.steps, unseen: run.unseen, pairs: run.bigram} :
            {losses: [], steps: Number(element('steps').value) || 1});
  element('numbers').textContent = run ?
      [
        `Step ${run.step} of ${run.steps}`, ...run.losses.slice(-1).map(loss => `loss ${loss.toFixed(4)}`),
        `counted pairs ${run.bigram.toFixed(4)}`, `${run.parameters} weights`,
        `${run.characters} characters, ${run.different} of them different`,
        ...wanted === 'learn' && pace.ms ? [pace.left(run.steps - run.step)] : []
      ].join(' · ') :
      '';
});

// --- What it writes

async function prepare() {
  element('written').textContent = element('prompt').value;
  run.writing = await ask('write', {
    prompt: element('prompt').value,
    length: number_in('length'),
    temperature: number_in('temperature'),
    top_k: number_in('top-k'),
    top_p: number_in('top-p'),
    penalty: number_in('penalty'),
    seed: number_in('sampling-seed')
  });
  run.writing.step = run.step;
}

async function write_one() {
  const one = await ask('next');
  element('written').textContent += one.character;
  const {capacity, bytes_per_character} = run.writing, kib = n => (n * bytes_per_character / 1024).toFixed(1);
  show_writing({
    ...one,
    text: `Cache of keys and values: ${one.cache} of ${capacity} characters, ${kib(one.cache)} of ${kib(capacity)} KiB` +
        (one.beyond ? '; the context is full, and is read again for each character' : ''),
    capacity
  });
  if (one.done) run.writing = undefined;
  return one.done;
}

let writing = {bars: [], text: 'Cache of keys and values: empty', cache: 0, capacity: 1};
const draw_writing = each_frame(() => {
  draw_bars(element('bars'), writing.bars);
  element('cache-text').textContent = writing.text;
  Object.assign(element('cache'), {value: writing.cache, max: writing.capacity});
});
function show_writing(what) {
  writing = what;
  draw_writing();
}

async function write() {
  const beams = number_in('beams');
  if (beams > 1) {
    element('writing').textContent = `The most probable of ${beams} continuations that are followed at once`;
    const {text} = await ask(
        'beams', {prompt: element('prompt').value, length: number_in('length'), penalty: number_in('penalty'), beams});
    element('written').textContent = element('prompt').value + text;
  } else {
    element('writing').textContent = 'Writing';
    await prepare();
    while (wanted === 'write' && !await write_one())
      ;
  }
  element('writing').textContent = wanted === 'write' ? 'Written' : 'Stopped';
  wanted = undefined;
  update();
}

// --- Files

async function text_of(file) {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not a text in UTF-8`);
  }
}

function download(name, content, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function say_command() {
  const {layers, heads, width, context, steps} = run.form;
  say(`To go on in the terminal, with the checkpoint in the folder gpt: examples/run char_gpt --text text.txt --out gpt --layers ${
          layers} --heads ${heads} ` +
      `--width ${width} --context ${context} --steps ${steps} --resume`);
}

const start = (what, loop, where) => told(async () => {
  const was = wanted;
  await stop();
  if (was === what || wanted) return update();  // it was to end, or another click came first
  wanted = what;
  update();
  working = (async () => {
    if (!run) await begin(form());
    else if (what === 'learn' && wants_more()) await go_on();
    update();
    if (wanted === what) await loop();
  })().catch(error => fail(error, where));
}, where);

const actions = {
  train: start(
      'learn',
      () => {
        say('Learning');
        return learn();
      }),
  write: start('write', write, 'writing'),
  anew: told(end),
  next: told(
      async () => {
        await stop();
        if (run.writing?.step !== run.step) await prepare();
        await write_one();
      },
      'writing'),
  save: told(async () => {
    await stop();
    const {bytes} = await ask('save');
    download('checkpoint.safetensors', bytes, 'application/octet-stream');
    say_command();
  }),
  'save-text': told(() => download('text.txt', element('text').value, 'text/plain')),
};
for (const id of buttons) element(id).addEventListener('click', actions[id]);
for (const id of ['gpt', 'sampling-form']) element(id).addEventListener('submit', event => event.preventDefault());
for (const id of ['text', 'size']) element(id).addEventListener('input', count_text);
element('steps').addEventListener('input', update);
element('text-file').addEventListener('change', told(async ({target}) => {
                                        if (!target.files[0]) return;
                                        element('text').value = await text_of(target.files[0]);
                                        say('Press Train.');
                                        count_text();
                                      }));
element('load').addEventListener(
    'change', told(async ({target}) => {
      if (!target.files[0]) return;
      await stop();
      const {name} = target.files[0], bytes = await target.files[0].arrayBuffer();
      target.value = '';
      const facts = await ask('facts', {bytes}).catch(() => {
        throw new Error(`${name} is no checkpoint of this page or of char_gpt: ${kind_of_file(bytes)}`);
      });
      if (facts['the program'] !== 'char_gpt') throw new Error(`${name} is a checkpoint of ${facts['the program']}, not of char_gpt`);
      const [layers, heads, width, context, lr, seed] =
          ['layers', 'heads', 'width', 'context', 'lr', 'seed'].map(name => Number(facts[`--${name}`]));
      await end();
      try {
        await begin({layers, heads, width, context, lr, seed, steps: number_in('steps')}, bytes);
      } catch (error) {
        throw new Error(`${error.message}. A checkpoint goes with the text that it learnt: choose that first`);
      }
      element('steps').disabled = run.step < run.steps;
      say(`Loaded at step ${run.step}`);
    }));
for (const id of ['layer', 'head']) element(id).addEventListener('change', () => slider.draw());

fetch(new URL('../training_text.txt', import.meta.url)).then(answer => answer.text()).then(text => {
  element('text').value ||= text;
  count_text();
  element('save-text').disabled = false;
});
slider.set([]);
draw_writing();
update();
addEventListener('resize', () => {
  slider.draw();
  draw_writing();
  update();
});
