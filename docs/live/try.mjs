// Runs the programs of the page "Try it", in a worker and in Node.

import etude_tools from './etude_tools.mjs';
import {instantiate} from './module.mjs';

/// Runs a program of a WebAssembly.Module of etude_tools.wasm, as if it were just started. Returns its exit code, and the files
/// that it left: {name: bytes}.
///
/// - program: its name, such as 01_first
/// - parameters: an object with the values that the reader set, numbers and texts
/// - files: {name: bytes} that it finds in its folder
/// - on_line: takes a line as it is printed, and whether it is of an error
export async function run(compiled, {program, parameters = {}, files = {}, on_line = () => {}}) {
  const module = await instantiate(etude_tools, compiled, {
    print: line => on_line(line, false),
    printErr: line => on_line(line, true),
  });
  module.FS.mkdir('/folder');
  module.FS.chdir('/folder');
  for (const [name, bytes] of Object.entries(files)) module.FS.writeFile(name, bytes);
  for (const [name, value] of Object.entries(parameters))
    module.ccall('try_set', null, ['string', 'string'], [name, String(value)]);
  const code = module.ccall('try_run', 'number', ['string'], [program]);
  const left = module.FS.readdir('.').filter(name => !name.startsWith('.'));
  return {code, files: Object.fromEntries(left.map(name => [name, module.FS.readFile(name)]))};
}
