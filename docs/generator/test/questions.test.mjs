import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { anchorOf } from "../api.mjs";
import { otherNames } from "../course.mjs";
import { readPages } from "../examples.mjs";
import { figures } from "../figures.mjs";
import { readFirstLesson } from "../first_lesson.mjs";
import { expectedOutputs, readGuides, readTutorials } from "../generate.mjs";
import { sections as insideSections } from "../inside_page.mjs";
import { apiEntry, figureEntry, guideEntries, lessonEntries, searchScripts, sourceEntry } from "../search_index.mjs";
import { listSources } from "../sources.mjs";

// Everything that the search of the site finds, but for docstrings and translations.
const repository = fileURLToPath(new URL("../../..", import.meta.url));
const read = (file) => readFileSync(join(repository, file), "utf8");
const apiEntries = ({ name, examples }) =>
  examples.flatMap(({ names, facts }) => names.map((one, i) => apiEntry({ name: one, page: `api_${name}`, anchor: anchorOf(one), text: "", errors: i ? [] : facts.Errors })));
const entries = [
  ...lessonEntries(readFirstLesson(repository), 0),
  ...readTutorials(repository).flatMap((one, i) => lessonEntries(one, i + 1, { outputs: expectedOutputs(repository, one) })),
  ...readGuides(repository).flatMap(guideEntries),
  ...[...figures, ...insideSections].map(figureEntry),
  ...readPages(repository).flatMap(apiEntries),
  ...listSources(repository).map(({ name, files }) => sourceEntry({ name, files: files.map((file) => ({ file, text: read(file) })) })),
];
const scripts = searchScripts(entries);
const browser = vm.createContext({});
vm.runInContext(scripts["search_index.js"], browser);
vm.runInContext(`${scripts["search.js"].split("// The search, in the dialog")[0]}
globalThis.index = MiniSearch.loadJS(searchIndex, indexOptions);
globalThis.search = (query) => find(index, query, "en"); }`, browser);

// What newcomers type, and where they should come: first, or with `3` among the first three. A page alone stands for any place in it.
const questions = `
how to train a gpt                    | 11_training_a_gpt.html
train on my own text                  | 3 06_own_input 11_training_a_gpt
softmax                               | 08_attention
attention                             | 08_attention
what is attention                     | 08_attention
query key value                       | 3 08_attention#queries
why divide by sqrt d                  | 08_attention#variance
multi head attention                  | 09_heads_and_masks
causal mask                           | 09_heads_and_masks
padding mask                          | 09_heads_and_masks#padding
cross attention                       | 3 17_encoder_decoder
positional encoding                   | 3 01_loops 02_vectorised 03_annotated_page 04_step_by_step
sine and cosine                       | 3 03_annotated_page 04_step_by_step 05_input_embedding
rotary                                | 16_positions#rotary
alibi                                 | 16_positions#alibi
what is a token                       | 06_own_input#tokens
tokenizer                             | 3 06_own_input 15_byte_pairs 21_files_of_a_model
byte pair encoding                    | 15_byte_pairs
bpe                                   | 3 15_byte_pairs
vocabulary size                       | 3 06_own_input 15_byte_pairs
embedding                             | 3 05_input_embedding 01_loops
what is an embedding layer            | 3 05_input_embedding 01_loops 06_own_input
dropout                               | 3 03_annotated_page#dropout 10_transformer_block#dropout
layer norm                            | 10_transformer_block#layer_norm
pre norm vs post norm                 | 3 10_transformer_block#norm_first
residual connection                   | 3 10_transformer_block#residual
skip connections                      | 3 10_transformer_block#residual
feed forward network                  | 10_transformer_block#feed_forward
how many parameters                   | 3 10_transformer_block#count 21_files_of_a_model#count 20_cost#weights
what is a transformer                 | what_a_transformer_is.html
logit lens                            | 3 inside#lens
ablation                              | 3 inside#parts
learning rate warmup                  | 11_training_a_gpt#schedule
gradient clipping                     | 11_training_a_gpt#clipping
weight tying                          | 11_training_a_gpt#model
initialization                        | 3 11_training_a_gpt#model
adam                                  | 11_training_a_gpt
cross entropy                         | 3 11_training_a_gpt
perplexity                            | 3 11_training_a_gpt
overfitting                           | 3 11_training_a_gpt
glossary                              | glossary.html
terminology                           | glossary.html
what is a logit                       | 3 glossary#logit
what are nats                         | 3 glossary#nat
what is entropy                       | 3 glossary#entropy
residual stream                       | 3 glossary#residual-sum 10_transformer_block#residual
what is a batch                       | 3 glossary#batch
what is a head                        | 3 glossary#head
loss is nan                           | debugging#a-nan
gradient                              | 07_autograd
backpropagation                       | 07_autograd
chain rule                            | 07_autograd#by_hand
gradient accumulation                 | 3 07_autograd#in_parts 14_many_processes#accumulation
broadcasting                          | 02_vectorised#broadcasting
temperature                           | 12_sampling#temperature
top k                                 | 12_sampling#top_k
top p nucleus sampling                | 12_sampling#top_p
generate text                         | 3 12_sampling 11_training_a_gpt#continued
kv cache                              | 3 12_sampling#cache 22_grouped_heads
beam search                           | 12_sampling#beams
save model                            | 3 13_checkpoints files
resume training from checkpoint       | 13_checkpoints
load gpt2                             | 3 21_files_of_a_model models
safetensors                           | 3 21_files_of_a_model files
int8 quantization                     | 23_eight_bits
flops                                 | 20_cost
grouped query attention               | 22_grouped_heads
train on multiple gpus                | 3 14_many_processes distributed
encoder decoder                       | 17_encoder_decoder
python to c++                         | 3 from_python
install                               | 3 building
nn.Linear                             | api_layers#etude_nn_Linear
mat1 and mat2 shapes                  | debugging#mat1-and-mat2-shapes-cannot-be-multiplied
RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x5 and 4x4) | debugging#mat1-and-mat2-shapes-cannot-be-multiplied
index out of range in self            | debugging#index-out-of-range-in-self
The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1 | debugging#the-size-of-tensor-a-must-match-the-size-of-tensor-b
shape '[2, 5]' is invalid for input of size 12 | debugging#is-invalid-for-input-of-size
element 0 of tensors does not require grad and does not have a grad_fn | debugging#element-0-of-tensors-does-not-require-grad-and-does-not-have-a-grad_fn
grad can be implicitly created only for scalar outputs | debugging#grad-can-be-implicitly-created-only-for-scalar-outputs
Trying to backward through the graph a second time | debugging#trying-to-backward-through-the-graph-a-second-time
expected scalar type Float but found Double | debugging#expected-scalar-type-float-but-found-double
Target 65 is out of bounds.           | debugging#target-is-out-of-bounds
`;

test("questions of newcomers find the place that answers them", () => {
  const wrong = [];
  for (const line of questions.trim().split("\n")) {
    const [question, answer] = line.split("|").map((part) => part.trim());
    const [, three, places] = /^(3 )?(.*)$/.exec(answer);
    const found = Array.from(browser.search(question), ({ href }) => href).slice(0, three ? 3 : 1);
    const isPlace = (place) => (place.includes(".html") ? found.includes(place) : found.some((href) => href.replace(".html", "") === place || href.startsWith(`${place}.html`)));
    if (!places.split(" ").some(isPlace)) wrong.push(`${question}: ${places} is not among ${found.join(", ") || "nothing"}`);
  }
  assert.deepEqual(wrong, []);
});

test("an explained error is one of the library's own", () => {
  const text = readGuides(repository).find(({ name }) => name === "debugging").text;
  const section = /^## What an error means\n([\s\S]*?)^## /m.exec(text)[1];
  // The literals of the code one after the other, without what is put between them.
  const literals = readdirSync(join(repository, "framework/etude"), { recursive: true }).filter((file) => file.endsWith(".cpp")).map((file) => [...read(`framework/etude/${file}`).matchAll(/'(?:\\.|[^'])'|"((?:[^"\\\n]|\\.)*)"/g)].map(([, one]) => one ?? "").join(""));
  const bare = (sentence) => sentence.replace(/\d|\(\)|Float|Double/g, "").replace(/ +/g, " ").trim();
  const sources = bare(literals.join("\n"));
  const missing = [...section.matchAll(/^### (.*)$/gm)].filter(([, sentence]) => !sources.includes(bare(sentence)));
  assert.deepEqual(missing.map(([, sentence]) => sentence), []);
});

test("other names lead to places that exist", () => {
  const places = new Set(entries.map(({ href }) => href.replace(".html", "")));
  assert.deepEqual(Object.keys(otherNames).filter((place) => !places.has(place)), []);
});

test("titles and excerpts hold no markup", () => {
  const naked = entries.filter(({ title, excerpt }) => /\$|\\[a-zA-Z]{2}|[_^]\{|\w _[a-z]|\]\(|\*\*|```/.test(`${title}\n${excerpt}`));
  assert.deepEqual(naked.map(({ href, excerpt }) => `${href}: ${excerpt}`), []);
});
