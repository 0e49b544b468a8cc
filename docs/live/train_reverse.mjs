// The second part of the page on which models learn: words that are written backwards.

import {draw_grid, draw_losses} from './train_draw.mjs';
import {checked, each_frame, element, Kept, number_in, open_worker, Pace, Slider} from './train_tools.mjs';

const settings = ['word', 'reverse-steps', 'reverse-seed'];
let ask;  // the worker, once it is needed
let run, learns = false, working = Promise.resolve();
const pace = new Pace();
const say = text => {
  element('reverse-status').textContent = text;
};

const slider = new Slider(element('reverse-kept'), element('reverse-kept-step'), shown => {
  if (!shown) return draw_grid(element('reverse-attention'), {rows: [], columns: [], weights: []});
  draw_grid(
      element('reverse-attention'),
      {rows: [...shown.word].reverse().concat('end'), columns: [...shown.word], weights: shown.numbers});
});

const update = each_frame(() => {
  element('reverse-train').textContent = learns ? 'Pause' : run?.step ? 'Continue' : 'Train';
  element('reverse-train').disabled = Boolean(run && run.step >= run.steps);
  element('reverse-anew').disabled = !run;
  element('reverse-progress').value = run ? run.step / run.steps : 0;
  draw_losses(element('reverse-losses'), run ?? {losses: [], steps: Number(element('reverse-steps').value) || 1});
  element('reverse-numbers').textContent = run ?
      [
        `Step ${run.step} of ${run.steps}`, ...run.losses.slice(-1).map(loss => `loss ${loss.toFixed(4)}`),
        `${run.word} → ${run.made}`, ...learns && pace.ms ? [pace.left(run.steps - run.step)] : []
      ].join(' · ') :
      '';
});

async function begin() {
  const seed = number_in('reverse-seed');
  const begun = {word: checked('word'), steps: number_in('reverse-steps'), losses: [], step: 0, kept: new Kept()};
  await ask('reverse_begin', {steps: begun.steps, seed});
  run = begun;
  await look();
  for (const id of settings) element(id).disabled = true;
}

async function look() {
  const {made, numbers} = await ask('reverse_look', {word: run.word});
  run.made = made;
  run.kept.add(run.step, {word: run.word, numbers});
  slider.set(run.kept.all);
}

async function learn() {
  while (learns && run.step < run.steps) {
    const start = performance.now();
    const {step, loss} = await ask('reverse_step');
    pace.step(performance.now() - start);
    run.step = step;
    run.losses.push(loss);
    if (run.kept.wants(step) || step === run.steps) await look();
    if (step % Math.max(1, Math.round(run.steps / 10)) === 0) {
      const {exact, of} = await ask('reverse_score');
      say(`Tried at step ${step}: ${exact} of ${of} new words are written backwards without a fault`);
    }
    update();
  }
  learns = false;
  update();
}

/// Shows why something could not be done.
const told = what => async event => {
  event.preventDefault();
  try {
    await what();
  } catch (error) {
    learns = false;
    say(error.message);
  }
  update();
};

element('reversal').addEventListener('submit', event => event.preventDefault());
element('reverse-train').addEventListener('click', told(async () => {
                                            if (learns) {
                                              learns = false;
                                              return working;
                                            }
                                            ask ??= open_worker();
                                            learns = true;
                                            if (!run) await begin();
                                            say('Learning');
                                            update();
                                            await (working = learn());
                                          }));
element('reverse-anew').addEventListener('click', told(async () => {
                                           learns = false;
                                           await working;
                                           run = undefined;
                                           for (const id of settings) element(id).disabled = false;
                                           slider.set([]);
                                           say('Press Train.');
                                         }));
slider.set([]);
update();
addEventListener('resize', () => {
  slider.draw();
  update();
});
