// Runs lessons as a page does: in a worker, in a browser without a window.

import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import path from 'node:path';

const page = `<!doctype html><script type="module">
const compiled = await WebAssembly.compileStreaming(fetch('etude_live.wasm'));
const worker = new Worker('worker.mjs', {type: 'module'});
const tell = said => fetch('/said', {method: 'POST', body: JSON.stringify(said)});
worker.onerror = error => tell({end: {code: 1, error: String(error.message)}});
let told = Promise.resolve();
async function next() {
  const job = await (await fetch('/job')).json();
  worker.onmessage = ({data}) => {
    told = told.then(() => tell(data));
    if (data.end) told.then(next);
  };
  worker.postMessage({...job, compiled});
}
next();
</script>`;
const types = {'.mjs': 'text/javascript', '.wasm': 'application/wasm'};

/// A function that takes what `run` of live.mjs takes, with the files of a folder, and one that ends the browser.
export async function open_browser(chromium, folder) {
  let job, waiting;
  const hand_out = () => {
    if (!job || !waiting) return;
    const {lesson, cell, parameters, recorded} = job.wanted;
    waiting.end(JSON.stringify({lesson, cell, parameters, recorded}));
    waiting = undefined;
  };
  const hear = ({cell, end}) => {
    if (cell) job.wanted.on_cell?.(cell);
    if (!end) return;
    const {done} = job;
    job = undefined;
    done(end);
  };
  const server = createServer(async (request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end(page);
    if (request.url === '/job') {
      waiting = response;
      return hand_out();
    }
    if (request.url === '/said') {
      let body = '';
      for await (const part of request.setEncoding('utf8')) body += part;
      hear(JSON.parse(body));
      return response.end();
    }
    try {
      const file = path.join(folder, path.basename(request.url)), bytes = readFileSync(file);
      response.setHeader('content-type', types[path.extname(file)] ?? 'text/plain').end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise(ready => server.listen(0, '127.0.0.1', ready));
  const profile = mkdtempSync(path.join(tmpdir(), 'etude-live-'));
  const browser = spawn(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`,
    `http://127.0.0.1:${server.address().port}/`], {stdio: 'ignore', detached: true});
  return {
    run: wanted => new Promise(done => {
      job = {wanted, done};
      hand_out();
    }),
    async close() {
      const ended = new Promise(done => browser.once('exit', done));
      process.kill(-browser.pid, 'SIGTERM');
      await ended;
      server.closeAllConnections();
      server.close();
      rmSync(profile, {recursive: true, force: true, maxRetries: 5});
    },
  };
}
