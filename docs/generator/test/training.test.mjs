// What the page on which models learn says of a file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kind_of_file as kindOfFile, open_worker as openWorker } from "../../live/train_tools.mjs";

function file(head, size) {
  const list = new TextEncoder().encode(typeof head === "string" ? head : JSON.stringify(head));
  const bytes = new Uint8Array(8 + list.length + size);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(list.length), true);
  bytes.set(list, 8);
  return bytes.buffer;
}
const tensor = (to) => ({ dtype: "F32", shape: [to / 4], data_offsets: [0, to] });

test("a foreign file is named for what it is", () => {
  const head = { __metadata__: { format: "pt" }, "h.0.weight": tensor(8), "h.1.weight": tensor(16) };
  assert.equal(kindOfFile(file(head, 16)), "it is a safetensors file of something else, with 2 tensors; one is called h.0.weight");
  assert.equal(kindOfFile(file(head, 15)), "it is a safetensors file of which the end is missing");
  assert.equal(kindOfFile(file({ __metadata__: {} }, 0)), "it is a safetensors file without tensors");
  for (const buffer of [new ArrayBuffer(0), file("{", 4), file("null", 4), new TextEncoder().encode("a poem, and no model").buffer])
    assert.equal(kindOfFile(buffer), "it is no safetensors file");
});

test("a worker is started by the first question, and anew once it could not be loaded", async () => {
  const workers = [];
  globalThis.Worker = class {
    constructor() { workers.push(this); }
    postMessage({ id, name }) { queueMicrotask(() => (workers.length === 1 ? this.onerror() : this.onmessage({ data: { id, answer: name } }))); }
  };
  const ask = openWorker();
  assert.equal(workers.length, 0);
  await assert.rejects(ask("step"), /did not load/);
  assert.deepEqual([await ask("step"), await ask("next"), workers.length], ["step", "next", 2]);
  delete globalThis.Worker;
});
