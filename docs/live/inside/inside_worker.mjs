// Answers questions about the model: takes {id, name, question} and sends {id, answer}; inside.h says which there are. A first
// question, or "open", opens the model as it was made.

import etude_tools from './etude_tools.mjs';

async function open() {
  const [module, response] = await Promise.all([etude_tools(), fetch(new URL('inside.safetensors', import.meta.url))]);
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  module.FS.writeFile('/inside.safetensors', new Uint8Array(await response.arrayBuffer()));
  module.ccall('inside_answer', 'string', ['string', 'string'], ['open', '{}']);
  return module;
}

let opened = open();
opened.catch(() => {});  // whoever asks is told

onmessage = async ({data: {id, name, question}}) => {
  try {
    if (name === 'open') opened = open();
    const module = await opened;
    const text = name === 'open' ? '{}' : module.ccall('inside_answer', 'string', ['string', 'string'], [name, JSON.stringify(question)]);
    postMessage({id, answer: JSON.parse(text)});
  } catch (error) {
    postMessage({id, answer: {error: error.message ?? String(error)}});
  }
};
