// The ways through the course, the picture of it on the first page, and what its subjects are called elsewhere.

/**
 * Three paths: for whom, what to know before, and the lessons in their order. What a lesson needs stands before it on the path.
 */
export const paths = [
  {
    title: "Ideas first",
    text: "What a transformer does and why: attention, a GPT that learns and writes, then the positions of its words.",
    needs: "products of matrices, derivatives, and sines for the positions",
    lessons: [
      "08_attention", "09_heads_and_masks", "10_transformer_block", "07_autograd", "11_training_a_gpt", "12_sampling", "15_byte_pairs",
      "01_loops", "02_vectorised", "05_input_embedding", "16_positions", "17_encoder_decoder", "22_grouped_heads",
    ],
  },
  {
    title: "C++ first",
    text: "How it is made: from a tape in forty lines to a trained GPT, its cost, and many processes.",
    needs: "C++ with classes and templates, derivatives",
    lessons: [
      "07_autograd", "08_attention", "09_heads_and_masks", "10_transformer_block", "11_training_a_gpt", "18_micro_gpt", "01_loops",
      "02_vectorised", "05_input_embedding", "06_own_input", "12_sampling", "20_cost", "14_many_processes", "23_eight_bits",
    ],
  },
  {
    title: "Coming from PyTorch",
    text: "The same bytes from the other language, public notebooks redone, and what is seen only from inside.",
    needs: "PyTorch, and enough C++ to read it",
    lessons: [
      "08_attention", "09_heads_and_masks", "10_transformer_block", "07_autograd", "11_training_a_gpt", "12_sampling", "13_checkpoints",
      "19_planted_bugs", "14_many_processes", "01_loops", "02_vectorised", "03_annotated_page", "04_step_by_step", "05_input_embedding",
      "15_byte_pairs", "16_positions", "21_files_of_a_model",
    ],
  },
];

/** Where a lesson leads to another one than the next by number: 11 needs 7, which is read after 10, but on the path "C++ first" before 8. */
export const onward = { "10_transformer_block": "07_autograd", "07_autograd": "11_training_a_gpt" };

/** A GPT from text to text; each box leads to the cell that explains it. */
export const map = {
  title: "A transformer: each box leads to its lesson",
  diagram: `text: the dog saw itself
ids: (pieces to ids) [4]
token: (token embedding) [4, C] | place: (positions) [4, C]
sum: (sum, dropout) [4, C]
norm1: (layer norm) [4, C]
attention: (attention, masked) [4, C]
add1: (sum) [4, C]
norm2: (layer norm) [4, C]
linear: (linear, GELU, linear) [4, C]
add2: (sum) [4, C]
logits: (times embedding) [4, V]
draw: (softmax, draw)
next: the next piece
text -> ids -> token -> sum ; ids -> place -> sum
sum -> norm1 -> attention -> add1 ; sum -> add1
add1 -> norm2 -> linear -> add2 ; add1 -> add2
add2 -> logits -> draw -> next`,
  links: {
    ids: "15_byte_pairs",
    token: "05_input_embedding#In08",
    place: "03_annotated_page#sine",
    sum: "05_input_embedding#In11",
    norm1: "10_transformer_block#layer_norm",
    attention: "08_attention#softmax",
    add1: "10_transformer_block#residual",
    norm2: "10_transformer_block#norm_first",
    linear: "10_transformer_block#feed_forward",
    add2: "10_transformer_block#flow",
    logits: "11_training_a_gpt#model",
    draw: "12_sampling#drawing",
  },
};

/** Lesson 0 has a box for each lesson, beside the part of the way that it is about. */
export const parts = [
  { title: "Pieces", lessons: ["06_own_input", "15_byte_pairs"] },
  { title: "Vectors and places", lessons: ["01_loops", "02_vectorised", "03_annotated_page", "04_step_by_step", "05_input_embedding", "16_positions"] },
  { title: "Looking back", lessons: ["08_attention", "09_heads_and_masks", "22_grouped_heads"] },
  { title: "Mixing", lessons: ["10_transformer_block", "17_encoder_decoder"] },
  { title: "Choosing", lessons: ["12_sampling"] },
  { title: "Learning", lessons: ["07_autograd", "11_training_a_gpt", "13_checkpoints", "14_many_processes"] },
  { title: "All of it", lessons: ["18_micro_gpt", "19_planted_bugs", "20_cost", "21_files_of_a_model", "23_eight_bits"] },
];

/** What other books call the subject of a lesson, a cell or a guide: the search finds it by these names, too. */
export const otherNames = {
  "06_own_input": "tokenize",
  "07_autograd": "backpropagation, automatic differentiation, computational graph",
  "08_attention": "self-attention",
  "08_attention#queries": "query, key, value",
  "09_heads_and_masks": "multi-head attention",
  "10_transformer_block#feed_forward": "feed-forward network, MLP",
  "10_transformer_block#norm_first": "pre-norm, post-norm",
  "10_transformer_block#residual": "residual connection, skip connection, shortcut",
  "11_training_a_gpt": "language model, pretraining",
  "11_training_a_gpt#continued": "generate text",
  "11_training_a_gpt#counting": "perplexity, bigram, baseline",
  "11_training_a_gpt#curve": "overfitting, generalisation, validation loss",
  "11_training_a_gpt#first_loss": "cross entropy, negative log likelihood",
  "11_training_a_gpt#model": "weight initialization, weight tying, tied weights",
  "12_sampling": "generate text, decoding",
  "12_sampling#beams": "beam search",
  "12_sampling#cache": "KV cache",
  "12_sampling#top_p": "nucleus sampling",
  "13_checkpoints": "save and load a model, resume training",
  "14_many_processes": "distributed training, data parallel, multiple GPUs",
  "15_byte_pairs": "byte pair encoding, BPE, subwords",
  "16_positions#rotary": "RoPE, rotary position embedding",
  "17_encoder_decoder": "seq2seq, machine translation, cross-attention",
  "20_cost": "FLOPs, compute, scaling",
  "21_files_of_a_model": "load GPT-2, Llama, safetensors, Hugging Face, pretrained weights",
  "22_grouped_heads": "grouped-query attention, GQA, multi-query attention, MQA",
  "23_eight_bits": "quantization, int8",
  building: "install, compile, CMake",
  files: "save and load a model, weights, safetensors",
  glossary: "terms, terminology, definitions, dictionary",
};
