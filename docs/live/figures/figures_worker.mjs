// Computes figures: takes {id, name, controls} and sends {id, answer}; the answer is what figures.h describes.

import etude_tools from './etude_tools.mjs';

const loaded = etude_tools();
loaded.catch(() => {});  // whoever asks is told

onmessage = async ({data: {id, name, controls}}) => {
  try {
    const module = await loaded;
    const text = module.ccall('figures_answer', 'string', ['string', 'string'], [name, JSON.stringify(controls)]);
    postMessage({id, answer: JSON.parse(text)});
  } catch (error) {
    postMessage({id, failure: String(error)});
  }
};
