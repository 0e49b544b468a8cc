// A worker that runs lessons: new Worker('worker.mjs', {type: 'module'}).
//
// It takes what `run` of live.mjs takes, as a message with the WebAssembly.Module `compiled`, and sends a message {cell} for each
// cell as it ends and {end: {code, error}} at last. To stop a lesson, end the worker.

import {run} from './live.mjs';

onmessage = async ({data: {compiled, ...wanted}}) => {
  try {
    const end = await run(compiled, {...wanted, on_cell: cell => postMessage({cell})});
    postMessage({end});
  } catch (error) {
    postMessage({end: {code: 1, error: String(error)}});
  }
};
