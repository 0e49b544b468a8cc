// A worker in which a model learns: new Worker('train_worker.mjs', {type: 'module'}).
//
// It takes {id, name, asked} as `ask` of train.mjs does, and sends {id, answer} or {id, error}. The answer to "save" has the
// bytes of the checkpoint, and that to "memory" how
// many bytes the module has.

import {compile} from './module.mjs';
import {open} from './train.mjs';

let opened;

async function answer({name, asked}) {
  opened ??= compile(new URL('etude_tools.wasm', import.meta.url)).then(open).catch(error => {
    opened = undefined;  // it is tried again
    throw error;
  });
  const module = await opened;
  const answered = module.ask(name, asked);
  if (name === 'save') return {bytes: module.checkpoint()};
  return name === 'memory' ? {...answered, bytes: module.memory()} : answered;
}

onmessage = async ({data}) => {
  try {
    postMessage({id: data.id, answer: await answer(data)});
  } catch (error) {
    postMessage({id: data.id, error: error.message ?? String(error)});
  }
};
