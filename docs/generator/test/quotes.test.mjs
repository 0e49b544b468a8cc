// C++ in a guide that begins with the path of a file is a piece of that file. Line breaks may differ.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../../", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8");
const words = (text) => text.replace(/\s+/g, "");

for (const guide of readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"))) {
  for (const [, path, quoted] of read(`docs/${guide}`).matchAll(/^```cpp\n\/\/ (\S+\.(?:h|cpp))\n([\s\S]*?)^```$/gm)) {
    test(`docs/${guide} quotes ${path}: ${quoted.split("\n")[0]}`, () => {
      assert.ok(words(read(path)).includes(words(quoted)), `${path} has no such lines:\n${quoted}`);
    });
  }
}

// Its cells are too short to name the file.
test("docs/from_python.md shows what its test runs", () => {
  const tested = words(read("tests/layers/from_python_extra_test.cpp"));
  const page = read("docs/from_python.md").replace(/<!--[^]*?-->/g, "");
  const blocks = [...page.matchAll(/^```cpp\n([^]*?)^```$/gm)];
  const cells = [...page.matchAll(/^\| `.* \| (.*) \|$/gm)].flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)]);
  assert.ok(blocks.length > 5 && cells.length > 70);
  for (const [, code] of [...blocks, ...cells]) assert.ok(tested.includes(words(code)), `the test has no such lines:\n${code}`);
});
