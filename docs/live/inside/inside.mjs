// Asks the model of the pages, in a worker that is started by the first question.

let worker, asked = 0;
const waiting = new Map();

/// The answer to a question that inside.h lists. Throws an Error with the model's sentence.
export async function question(name, about = {}) {
  if (!worker) {
    worker = new Worker(new URL('inside_worker.mjs', import.meta.url), {type: 'module'});
    worker.onmessage = ({data: {id, answer}}) => {
      waiting.get(id)(answer);
      waiting.delete(id);
    };
    worker.onerror = () => {  // its script could not be loaded
      for (const done of waiting.values()) done({error: 'The model could not be loaded.'});
      waiting.clear();
      worker = undefined;
    };
  }
  const id = ++asked;
  const came = new Promise(done => waiting.set(id, done));
  worker.postMessage({id, name, question: about});
  const answer = await came;
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/// What the model computes from a text, without the parts named, such as "0.1" or "mlp.2".
export const ask = (text, {without = []} = {}) => question('ask', {text, without});
