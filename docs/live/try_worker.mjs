// A worker that runs programs: new Worker('try_worker.mjs', {type: 'module'}).
//
// It takes what `run` of try.mjs takes, as a message, and sends {line, is_error} for each line and {code, files} at last.

import {compile} from './module.mjs';
import {run} from './try.mjs';

let compiled;

onmessage = async ({data}) => {
  const on_line = (line, is_error) => postMessage({line, is_error});
  try {
    compiled ??= compile(new URL('etude_tools.wasm', import.meta.url));
    postMessage(await run(await compiled, {...data, on_line}));
  } catch (error) {
    on_line(`error: ${error.message ?? error}`, true);
    postMessage({code: 1, files: {}});
  }
};
