// node try_record.mjs PROGRAM FOLDER: runs all programs of the page "Try it" natively, and writes what they print to FOLDER.

import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const program = path.resolve(process.argv[2]), folder = process.argv[3];
const sources = readdirSync(new URL('programs/', import.meta.url)).filter(name => name.endsWith('.cpp'));

mkdirSync(folder, {recursive: true});
for (const name of sources.map(source => path.basename(source, '.cpp'))) {
  const place = mkdtempSync(path.join(tmpdir(), 'etude-try-'));
  try {
    writeFileSync(path.join(folder, `${name}.txt`), execFileSync(program, [name], {cwd: place}));
  } finally {
    rmSync(place, {recursive: true});
  }
}
