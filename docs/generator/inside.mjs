// The questions about the page's model that are answered when pages are made: node inside.mjs prints them for docs_inside, a line each.
import { fileURLToPath } from "node:url";

/** The text that stands in the pages before a reader changes it. */
export const firstText = "the dog saw its";
const [blocks, heads] = [4, 4];

/** First the text alone, then without each part. */
export function questions() {
  const parts = Array.from({ length: blocks }, (_, block) => [...Array.from({ length: heads }, (_, head) => `${block}.${head}`), `mlp.${block}`]).flat();
  return [[], ...parts.map((part) => [part])].map((without) => ({ text: firstText, without }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const question of questions()) console.log("ask", JSON.stringify(question));
}
