// Asks the module in which models learn, in a worker and in Node.

import etude_tools from './etude_tools.mjs';
import {instantiate} from './module.mjs';

const checkpoint = '/checkpoint.safetensors', text_file = '/text.txt';

/// An instance of a WebAssembly.Module of etude_tools.wasm, with one GPT or one model that writes backwards.
///
/// - ask(name, asked): what train.cpp answers under this name, with an array of `numbers` where it hands some out. `text`
///   and `bytes`, of a text to learn and of a checkpoint to read, go through files.
/// - checkpoint(): the bytes of what was saved last
/// - memory(): how many bytes the instance has
export async function open(compiled) {
  const module = await instantiate(etude_tools, compiled);
  return {
    ask(name, {text, bytes, ...asked} = {}) {
      if (text !== undefined) module.FS.writeFile(text_file, text);
      if (bytes) module.FS.writeFile(checkpoint, new Uint8Array(bytes));
      module.numbers = undefined;
      const answer = JSON.parse(module.ccall('train_ask', 'string', ['string', 'string'], [name, JSON.stringify(asked)]));
      if (answer.error) throw new Error(answer.error);
      return module.numbers ? {...answer, numbers: module.numbers} : answer;
    },
    checkpoint: () => module.FS.readFile(checkpoint),
    memory: () => module.HEAP8.length,
  };
}
