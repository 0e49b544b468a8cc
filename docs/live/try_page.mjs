// What the page "Try it" does: shows one program, runs it in a worker, and copies it with the reader's values.

const build_line = name => `// g++ -std=c++17 ${name}.cpp -o ${name} $(pkg-config --cflags --libs etude)`;

const literal = ({value, dataset}) => {
  if (dataset.kind === 'text') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  if (dataset.kind === 'number') return /[.e]/i.test(value) ? value : `${value}.0`;
  return /e/i.test(value) ? String(Number(value)) : value;
};

/// The program with values in place of its parameters, and the line that builds it.
function copied(section) {
  const {texts, fields} = parts(section);
  const code = texts.map((text, i) => text + (i < fields.length ? literal(fields[i]) : '')).join('');
  return `${build_line(section.id)}\n${code.replace(/\n*#include "parameter.h"\n/, '\n')}`;
}

function parts(section) {
  const form = section.querySelector('form');
  return {form, texts: JSON.parse(form.dataset.texts), fields: [...form.querySelectorAll('[data-name]')]};
}

let stop = () => {};

/// The files that the reader chose: {name: bytes}.
async function filesOf(form) {
  const files = {};
  for (const input of form.querySelectorAll('[data-file]'))
    if (input.files[0]) files[input.dataset.file] = new Uint8Array(await input.files[0].arrayBuffer());
  return files;
}

function run(section) {
  stop();
  const {form, fields} = parts(section), printed = section.querySelector('.printed');
  const say = (text, running) => {
    form.querySelector('.state').textContent = text;
    form.querySelector('.stop').disabled = !running;
  };
  const worker = new Worker(new URL('try_worker.mjs', import.meta.url), {type: 'module'});
  const end = (text = 'Stopped') => {
    worker.terminate();
    say(text, false);
    stop = () => {};
  };
  stop = end;
  section.querySelector('.caption').textContent = 'Printed here';
  printed.textContent = '';
  say('Runs', true);
  worker.onerror = ({message}) => end(`Did not load: ${message}`);
  worker.onmessage = ({data}) => {
    if ('line' in data) return printed.append(`${data.line}\n`);
    offer(section, data.files);
    end(data.code === 0 ? 'Done' : `Exit code ${data.code}`);
  };
  const parameters = Object.fromEntries(fields.map(one => [one.dataset.name, one.value]));
  filesOf(form).then(
    files => worker.postMessage({program: section.id, parameters, files}),
    error => end(`Did not read the file: ${error.message}`));
}

/// Links to the files that a program left.
function offer(section, files) {
  const links = Object.entries(files).map(([name, bytes]) => {
    const link = document.createElement('a');
    Object.assign(link, {href: URL.createObjectURL(new Blob([bytes])), download: name, textContent: `Download ${name}`});
    return link;
  });
  const place = section.querySelector('.written');
  for (const old of place.children) URL.revokeObjectURL(old.href);
  place.replaceChildren(...links);
}

const sections = [...document.querySelectorAll('.program')];

function choose() {
  stop();
  const chosen = sections.find(({id}) => `#${id}` === location.hash) ?? sections[0];
  for (const section of sections) section.hidden = section !== chosen;
  for (const link of document.querySelectorAll('.programs a'))
    link.setAttribute('aria-current', link.hash === `#${chosen.id}`);
}

for (const section of sections) {
  const {form} = parts(section);
  form.onsubmit = event => {
    event.preventDefault();
    run(section);
  };
  form.querySelector('.stop').onclick = () => stop();
  form.querySelector('.take').onclick = async () => {
    const state = form.querySelector('.state');
    await navigator.clipboard.writeText(copied(section)).then(
      () => state.textContent = 'Copied with its build line',
      () => state.textContent = 'The browser does not let the page copy');
  };
}
addEventListener('hashchange', () => {  // other places of the page, such as its content, are no choice
  if (!location.hash || sections.some(({id}) => `#${id}` === location.hash)) choose();
});
choose();
