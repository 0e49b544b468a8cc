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
