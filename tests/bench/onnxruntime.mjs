// Times the forward of a model of tests/bench/peer_model.py in onnxruntime; writes JSON with seconds per call, and cases.cpp's
// fingerprint of the logits: node onnxruntime.mjs FOLDER_OF_NODE_MODULES MODEL TOKENS THREADS SECONDS REPETITIONS
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, model, tokens, threads, seconds, repetitions] = process.argv.slice(2);
const ort = createRequire(resolve(folder, "here.js"))("onnxruntime-node");
const { ids } = JSON.parse(readFileSync(tokens, "utf8"));
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: +threads, graphOptimizationLevel: "all" });
const input = { ids: new ort.Tensor("int64", BigInt64Array.from(ids.flat(), BigInt), [ids.length, ids[0].length]) };
const logits = (await session.run(input)).logits.data;

const step = Math.floor(logits.length / 65536) + 1;
let fingerprint = 0;
for (let i = 0; i * step < logits.length; ++i) fingerprint += Math.abs(logits[i * step]) * (Math.sin(i) + 2);

const times = [];
while (times.length < repetitions) {
  const begin = performance.now();
  let calls = 0;
  do {
    await session.run(input);
    ++calls;
  } while (performance.now() - begin < 1e3 * seconds);
  times.push((performance.now() - begin) / 1e3 / calls);
}
console.log(JSON.stringify({ times, fingerprint }));
