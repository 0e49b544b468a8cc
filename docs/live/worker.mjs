// A worker that runs lessons: new Worker('worker.mjs', {type: 'module'}).
//
// It takes what `run` of live.mjs takes, as a message, and sends a message {cell} for each cell as it ends and {end: {code, error}}
// at last. The module is compiled once, with the first message. To stop a lesson, end the worker.

import {run} from './live.mjs';

let compiled;

onmessage = async ({data}) => {
  try {
    compiled ??= WebAssembly.compileStreaming(fetch(new URL('etude_live.wasm', import.meta.url)));
    const end = await run(await compiled, {...data, on_cell: cell => postMessage({cell})});
    postMessage({end});
  } catch (error) {
    compiled = undefined;
    postMessage({end: {code: 1, error: String(error)}});
  }
};
