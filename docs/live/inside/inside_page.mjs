// The page "Inside a real model": asks the model of inside.mjs what the reader's text and switches say, and shows what it answers.

import {ask, question} from './inside.mjs';
import * as draw from './inside_draw.mjs';
import {draw_losses} from './train_draw.mjs';

const element = id => document.getElementById(id);
const text = element('inside-text'), status = element('inside-status');
text.value = new URLSearchParams(location.search).get('text')?.slice(0, text.maxLength) || text.value;  // of the first page's form
const looks = [...document.querySelectorAll('.look')], switches = [...document.querySelectorAll('.off')];

let whole, answer;        // of the text: with all parts, and without those that are left out
let alone = {};           // the guesses without each part alone
let chosen = [looks.at(-1).dataset.block, 0].map(Number);
let latest = 0;           // the number of the last text or switch that was asked about
let losses = [];          // of the steps since the first weights
let is_learning = false;  // the model changes; what was asked about waits

const left_out = () => switches.filter(one => one.ariaPressed === 'true').map(one => one.dataset.part);

function put(id, drawn, words) {
  const figure = element(id);
  figure.classList.add('drawn');
  figure.querySelector('svg').outerHTML = drawn;
  figure.querySelector('figcaption').textContent = words;
}
function put_table(id, drawn, words) {
  element(id).innerHTML = drawn;
  element(id).ariaLabel = words;
  element(`${id}-words`).textContent = words;
}
const width_of = (id, most) => Math.max(240, Math.min(most, element(id).clientWidth));

function show() {
  const before = answer === whole ? undefined : whole;
  put('guesses', draw.guesses(answer, width_of('guesses', 640), before), draw.guess_words(answer, before));
  for (const one of looks) {
    const {block, head} = one.dataset;
    one.querySelector('svg').outerHTML = draw.thumbnail(answer.attention[block][head]);
  }
  show_head();
  put_table('lens-table', draw.lens(answer), draw.lens_words(answer));
}
function show_head() {
  for (const one of looks) one.ariaPressed = String(Number(one.dataset.block) === chosen[0] && Number(one.dataset.head) === chosen[1]);
  put('head', draw.head(answer, ...chosen, width_of('head', 680)), draw.head_words(answer, ...chosen));
}

/// Asks about the text, and then about each part alone, until something newer is asked about.
async function look() {
  const mine = ++latest, is_old = () => mine !== latest;
  const given = text.value, without = left_out();
  try {
    const all = await ask(given);
    if (is_old()) return;
    const some = without.length ? await ask(given, {without}) : all;
    if (is_old()) return;
    [whole, answer] = [all, some];
    element('given').textContent = given;
    show();
    const {pieces} = all, known = pieces.join('');
    status.textContent = `The model reads ${pieces.length} characters${known === given ? '' : `: “${pieces.map(draw.shown).join('')}”`}` +
      `${without.length ? `, without ${without.map(draw.name_of).join(', ')}` : ''}.`;
    alone = {};
    for (const part of draw.parts_of(all)) {
      const {next} = await ask(given, {without: [part]});
      if (is_old()) return;
      alone[part] = next;
    }
    put_table('effects', draw.effects(all, alone), draw.effect_words(all, alone));
  } catch (error) {
    if (!is_old()) status.textContent = error.message;
  }
}

const say = words => (element('learn-status').textContent = words);
const steps_at_once = 5;

async function learn() {
  if (!element('learn-form').reportValidity()) return;
  const count = element('learn-steps').valueAsNumber, given = element('learn-text').value, goal = losses.length + count;
  is_learning = true;
  busy(true);
  try {
    while (is_learning && losses.length < goal) {
      const {losses: some} = await question('learn', {text: given, steps: Math.min(steps_at_once, goal - losses.length)});
      losses.push(...some);
      draw_losses(element('learn-losses'), {losses, steps: goal});
      say(`${losses.length} of ${goal} steps; the loss is ${losses.at(-1).toFixed(2)}.`);
    }
    await write();
    await look();
  } catch (error) {
    say(error.message);
  }
  is_learning = false;
  busy(false);
}

async function write() {
  const {text: written} = await question('write', {text: text.value, count: 200, temperature: 0.7});
  const line = document.createElement('div'), when = document.createElement('b');
  when.textContent = losses.length ? `after ${losses.length} steps: ` : 'before: ';
  line.append(when, text.value, written);
  element('written').append(line);
}

function busy(is_busy) {
  for (const id of ['learn', 'write', 'again']) element(id).disabled = is_busy;
  element('stop').disabled = !is_busy;
}

/// The axes, up to the steps that are chosen.
function draw_no_losses() {
  draw_losses(element('learn-losses'), {losses: [], steps: element('learn-steps').valueAsNumber || 1});
}

async function again() {
  await question('open');
  losses = [];
  draw_no_losses();
  element('written').replaceChildren();
  say('The model has its first weights again.');
  await look();
}

const told = act => () => act().catch(error => say(error.message));

element('inside-form').addEventListener('submit', event => event.preventDefault());
element('learn-form').addEventListener('submit', event => event.preventDefault());
text.addEventListener('input', look);
for (const one of switches)
  one.addEventListener('click', () => {
    one.ariaPressed = String(one.ariaPressed !== 'true');
    look();
  });
for (const one of looks) {
  one.disabled = false;
  one.addEventListener('click', () => {
    chosen = [one.dataset.block, one.dataset.head].map(Number);
    if (answer) show_head();
  });
}
element('learn').addEventListener('click', learn);
element('stop').addEventListener('click', () => (is_learning = false));
element('write').addEventListener('click', told(write));
element('again').addEventListener('click', told(again));
draw_no_losses();

let seen = document.body.clientWidth;
addEventListener('resize', () => {
  if (answer && document.body.clientWidth !== seen) show();
  seen = document.body.clientWidth;
});
look();
