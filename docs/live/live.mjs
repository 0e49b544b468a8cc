// Runs the lessons' programs, which are compiled to WebAssembly, in a worker and in Node.

import etude_live from './etude_live.mjs';
import {instantiate} from './module.mjs';

/// The names of the lessons in a WebAssembly.Module of etude_live.wasm.
export async function lessons(compiled) {
  const module = await instantiate(etude_live, compiled);
  return module.ccall('live_lessons', 'string', [], []).trim().split('\n');
}

/// Runs a lesson and hands out each cell as it ends. Returns its exit code, and what it said of an error.
///
/// - lesson: the name of its program, such as 01_loops
/// - cell: the last one to run; without it, all of them
/// - parameters: an object with the values that the reader set, numbers and texts
/// - recorded: an object with what PyTorch printed, by the id of the cell
/// - on_cell: takes {id, title, printed, figures: [{name, svg}], failure, own, agrees, difference}. `own` says that
///   it hangs on what the reader set. `agrees` is 'equal in bytes', 'within 2 ulp' or the like; it is empty where the
///   cell was not compared, and where it differs, which `difference` describes.
export async function run(compiled, {lesson, cell = '', parameters = {}, recorded = {}, on_cell = () => {}}) {
  const errors = [];
  let figures = [];
  const module = await instantiate(etude_live, compiled, {
    printErr: line => errors.push(line),
    recorded_for: id => recorded[id],
    take_figure: (name, svg) => figures.push({name, svg}),
    take_cell(ended) {
      on_cell({...ended, figures});
      figures = [];
    },
  });
  const changes = Object.entries(parameters).map(([name, value]) => `${name}=${value}`.replaceAll('\n', ' ')).join('\n');
  try {
    const code = module.ccall('live_run', 'number', ['string', 'string', 'string'], [lesson, cell, changes]);
    return {code, error: errors.join('\n')};
  } catch (error) {
    return {code: 1, error: [...errors, String(error)].join('\n')};
  }
}
