// What both parts of the page on which models learn have in common.

export const element = id => document.getElementById(id);

/// A function that asks a worker of its own, as `ask` of train.mjs does. The first question starts the worker, and so does the
/// first one after it could not be loaded.
export function open_worker() {
  const waiting = new Map();
  let worker, last = 0;
  const start = () => {
    worker = new Worker(new URL('train_worker.mjs', import.meta.url), {type: 'module'});
    worker.onmessage = ({data: {id, answer, error}}) => {
      const {done, fail} = waiting.get(id);
      waiting.delete(id);
      error ? fail(new Error(error)) : done(answer);
    };
    worker.onerror = () => {
      for (const {fail} of waiting.values()) fail(new Error('the module did not load'));
      waiting.clear();
      worker = undefined;
    };
  };
  return (name, asked = {}) => new Promise((done, fail) => {
           if (!worker) start();
           waiting.set(++last, {done, fail});
           worker.postMessage({id: last, name, asked});
         });
}

/// Pictures of some steps, evenly spread: when there are too many, every second one goes.
export class Kept {
  constructor(most = 60) { Object.assign(this, {most, every: 1, all: []}); }
  wants(step) { return step % this.every === 0; }
  add(step, what) {
    this.all = this.all.filter(one => one.step < step);
    this.all.push({step, what});
    if (this.all.length <= this.most) return;
    this.every *= 2;
    this.all = this.all.filter(one => this.wants(one.step));
  }
}

/// A slider over what is kept: it follows the last one until the reader moves it. `show` gets what stands there.
export class Slider {
  constructor(input, output, show) {
    Object.assign(this, {input, output, show, kept: []});
    input.addEventListener('input', () => this.draw());
  }
  set(kept) {
    const follows = this.input.value === this.input.max;
    const seen = this.kept[this.input.value]?.step;
    this.kept = kept;
    this.input.max = Math.max(0, kept.length - 1);
    const same = kept.findLastIndex(one => one.step <= seen);
    this.input.value = follows ? this.input.max : Math.max(0, same);
    this.draw();
  }
  draw() {
    const one = this.kept[this.input.value];
    this.output.textContent = one ? one.step : '';
    this.input.setAttribute('aria-valuetext', one ? `step ${one.step}` : 'no step yet');
    this.show(one?.what);
  }
}

/// `draw` at most once a frame.
export function each_frame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/// What a file is that is no checkpoint of the page, in words. A safetensors file begins with the length of a list of its
/// tensors, in eight bytes, and with the list.
export function kind_of_file(bytes) {
  try {
    const length = Number(new DataView(bytes).getBigUint64(0, true));
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
    const {__metadata__: ignored, ...tensors} = head, names = Object.keys(tensors);
    const size = Math.max(0, ...names.map(name => tensors[name].data_offsets[1]));
    if (8 + length + size > bytes.byteLength) return 'it is a safetensors file of which the end is missing';
    if (!names.length) return 'it is a safetensors file without tensors';
    const count = `${names.length} tensor${names.length > 1 ? 's' : ''}`;
    return `it is a safetensors file of something else, with ${count}; one is called ${names[0]}`;
  } catch {
    return 'it is no safetensors file';
  }
}

/// A mean over the last steps.
export class Pace {
  step(ms) { this.ms = this.ms === undefined ? ms : 0.9 * this.ms + 0.1 * ms; }
  left(steps) {
    const seconds = Math.round(steps * this.ms / 1000);
    return `${this.ms.toFixed(this.ms < 10 ? 1 : 0)} ms a step, ${Math.floor(seconds / 60)}:${
        String(seconds % 60).padStart(2, '0')} left`;
  }
}

/// What a field has; what it cannot be is told to the reader.
export function checked(id) {
  const input = element(id);
  if (!input.reportValidity()) throw new Error(`${input.closest('label').firstChild.textContent}: ${input.validationMessage}`);
  return input.value;
}
export const number_in = id => Number(checked(id));
