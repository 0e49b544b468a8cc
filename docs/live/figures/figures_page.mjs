// Lets the figures of a page answer: what their controls say goes to the worker, and what it computes is drawn and said.

import {draw} from './figures_draw.mjs';

const narrow = 600;  // below this many pixels a picture is drawn anew for its place
const figures = new Map();
let worker;

function startWorker() {
  if (worker) return worker;
  worker = new Worker(new URL('figures_worker.mjs', import.meta.url), {type: 'module'});
  worker.onmessage = ({data}) => figures.get(data.id).take(data);
  worker.onerror = () => {
    worker = undefined;
    figures.forEach(figure => figure.take({failure: 'What computes the figures could not be loaded.'}));
  };
  return worker;
}

function valueOf(control) {
  if (control.type === 'checkbox') return control.checked;
  if (control.type === 'number' || control.type === 'range') return control.valueAsNumber;
  return 'number' in control.dataset ? Number(control.value) : control.value;
}

class Figure {
  constructor(section) {
    this.name = section.id;
    this.form = section.querySelector('form');
    this.figure = section.querySelector('figure');
    this.words = section.querySelector('figcaption');
    this.form.addEventListener('submit', event => event.preventDefault());
    this.form.addEventListener('input', () => this.ask());
    this.form.addEventListener('reset', () => setTimeout(() => this.ask()));
    for (const happening of ['pointerenter', 'focusin']) this.form.addEventListener(happening, startWorker, {once: true});
    this.form.querySelector('fieldset').disabled = false;
    const play = this.form.querySelector('.play');
    if (play) new Player(this, play);
    new ResizeObserver(() => this.answer && this.show()).observe(this.figure);
    new IntersectionObserver(([{isIntersecting}]) => {
      if (isIntersecting && !this.answer && this.figure.clientWidth < narrow) this.ask();
    }, {rootMargin: '200px'}).observe(this.figure);
  }

  /// Asks with the next frame, and never while an answer is on its way: then once more when it is there.
  ask() {
    for (const output of this.form.querySelectorAll('output')) output.value = this.form.elements[output.htmlFor[0]].value;
    if (this.isAsking) return this.isLate = true;
    this.isAsking = true;
    this.figure.setAttribute('aria-busy', 'true');
    requestAnimationFrame(() => {
      const controls = {};
      for (const control of this.form.elements) if (control.name) controls[control.name] = valueOf(control);
      startWorker().postMessage({id: this.name, name: this.name, controls});
    });
  }

  take({answer, failure}) {
    const refusal = failure ?? answer.error;
    this.isAsking = false;
    this.figure.removeAttribute('aria-busy');
    this.figure.classList.toggle('refused', refusal !== undefined);
    if (refusal === undefined) {
      this.answer = answer;
      this.show();
    }
    const words = refusal ?? answer.words;
    if (this.words.textContent !== words) this.words.textContent = words;
    if (!this.isLate) return;
    this.isLate = false;
    this.ask();
  }

  show() {
    const width = Math.floor(this.figure.clientWidth);
    if (width === 0) return;
    this.figure.classList.add('drawn');
    this.figure.querySelector('svg').outerHTML = draw[this.name](this.answer, width);
  }
}

/// A button that moves a control on, a step at a time, until it is pressed again. Numbers are not read out meanwhile.
class Player {
  constructor(figure, button) {
    const control = figure.form.elements[button.dataset.control];
    let timer;
    const stop = () => {
      clearInterval(timer);
      timer = undefined;
      button.textContent = 'Play';
      figure.words.setAttribute('aria-live', 'polite');
    };
    button.addEventListener('click', () => {
      if (timer !== undefined) return stop();
      button.textContent = 'Stop';
      figure.words.setAttribute('aria-live', 'off');
      timer = setInterval(() => {
        control.value = control.valueAsNumber < control.max ? control.valueAsNumber + 1 : control.min;
        figure.ask();
      }, 200);
    });
    figure.form.addEventListener('reset', stop);
    matchMedia('(prefers-reduced-motion: reduce)').addEventListener('change', ({matches}) => matches && stop());
  }
}

for (const section of document.querySelectorAll('.answering')) figures.set(section.id, new Figure(section));
