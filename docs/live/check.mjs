// node docs/live/check.mjs FOLDER: runs all lessons of the module in FOLDER in Node, and compares each cell with what PyTorch
// printed. The last line counts the cells by how they agree. No module may be heavier than a reader should have to load.

import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {brotliCompressSync, gzipSync} from 'node:zlib';

const folder = path.resolve(process.argv[2] ?? 'build/live');
const expected = fileURLToPath(new URL('../../tutorials/expected/', import.meta.url));

// The loader is made for workers.
globalThis.self ??= {location: {href: ''}};
const {lessons, run} = await import(pathToFileURL(path.join(folder, 'live.mjs')));
const compiled = await WebAssembly.compile(readFileSync(path.join(folder, 'etude_live.wasm')));

const counts = new Map();
const count = how => counts.set(how, (counts.get(how) ?? 0) + 1);

const most = 700 * 1024;  // bytes, as servers send them
for (const file of readdirSync(folder).filter(name => name.endsWith('.wasm'))) {
  const bytes = readFileSync(path.join(folder, file)), [brotli, gzip] = [brotliCompressSync, gzipSync].map(f => f(bytes).length);
  console.log(`${file}: ${bytes.length} bytes, ${gzip} by gzip, ${brotli} by brotli`);
  if (brotli <= most) continue;
  count('wrong');
  console.log(`TOO HEAVY  more than ${most} bytes by brotli`);
}

for (const lesson of await lessons(compiled)) {
  const recorded = {};
  for (const file of readdirSync(path.join(expected, lesson)))
    if (file.endsWith('.txt')) recorded[file.slice(0, -4)] = readFileSync(path.join(expected, lesson, file), 'utf8');
  const missing = new Set(Object.keys(recorded));
  const wrong = (id, why) => {
    count('wrong');
    console.log(`DIFFERS  ${lesson} ${id}\n  ${why.replaceAll('\n', '\n  ')}`);
  };
  const begin = performance.now();
  const {code, error} = await run(compiled, {lesson, recorded, on_cell(cell) {
    missing.delete(cell.id);
    if (cell.agrees) count(cell.agrees);
    else if (cell.difference || cell.id in recorded) wrong(cell.id, cell.difference);
    else if (cell.printed) wrong(cell.id, 'nothing was recorded for it');
  }});
  for (const id of missing) wrong(id, 'it was recorded, but did not run');
  if (code !== 0) wrong('as a whole', `exit code ${code}: ${error}`);
  console.log(`${lesson}: ${((performance.now() - begin) / 1000).toFixed(2)} s`);
}

const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
const ways = [...counts].map(([how, n]) => `${n} ${how === 'equal in bytes' ? 'same bytes' : how}`);
console.log(`${total} cells: ${ways.join(', ')}`);
process.exit(counts.has('wrong') || total === 0 ? 1 : 0);
