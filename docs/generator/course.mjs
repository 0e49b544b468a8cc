// The ways through the course, and the picture of it on the first page.

/** Three paths: for whom, what to know before, and the lessons in their order, each after those of them that it needs. */
export const paths = [
  {
    title: "Ideas first",
    text: "What a transformer does and why, with as little C++ as possible.",
    needs: "sine, products of matrices, derivatives",
    lessons: [
      "03_annotated_page", "05_input_embedding", "07_autograd", "08_attention", "09_heads_and_masks", "10_transformer_block",
      "11_training_a_gpt", "12_sampling", "15_byte_pairs", "17_encoder_decoder", "16_positions",
      "22_grouped_heads",
    ],
  },
  {
    title: "C++ first",
    text: "From loops over numbers to tensors, autograd and processes: how it is made.",
    needs: "C++ with classes and templates",
    lessons: [
      "01_loops", "02_vectorised", "07_autograd", "05_input_embedding", "06_own_input", "08_attention",
      "09_heads_and_masks", "10_transformer_block", "11_training_a_gpt", "18_micro_gpt", "20_cost", "14_many_processes",
      "21_files_of_a_model", "23_eight_bits",
    ],
  },
  {
    title: "Coming from PyTorch",
    text: "The same bytes from the other language, and what is seen only from inside.",
    needs: "PyTorch, and enough C++ to read it",
    lessons: [
      "04_step_by_step", "05_input_embedding", "07_autograd", "08_attention", "09_heads_and_masks", "10_transformer_block",
      "11_training_a_gpt", "12_sampling", "13_checkpoints", "19_planted_bugs", "14_many_processes",
      "21_files_of_a_model", "22_grouped_heads",
    ],
  },
];

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
