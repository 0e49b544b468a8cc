#include "support/example.h"

/// # GPT and generation
///
/// The model of GPT-2 and its parts, the cache of its keys and values, and how it continues a text.

/// - Shapes: ids [batch, sequence]; logits [batch, sequence, vocab_size], of `next_logits` [batch, vocab_size]; the loss []
/// - Errors: `GPT: a sequence of 9 tokens is longer than the context of 8` where it is
/// - Errors: `GPT: expected ids of sizes [batch, sequence], but got [1]` where ids have other dims
/// - PyTorch: none
EXAMPLE(etude::nn::GPT) {
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  const Tensor ids = etude::tensor({{3, 1, 4}}), next = etude::tensor({{1, 4, 1}});
  print(model(ids).sizes(), model->next_logits(ids).sizes());
  const Tensor logits = model(ids).flatten(0, 1);
  print(etude::allclose(model->loss(ids, next), F::cross_entropy(logits, next.flatten()), 1e-4, 1e-5));
  print(model->self_attention(ids).front().sizes());
  print(examples::message_of([&] { model(etude::zeros({1, 9}, etude::kLong)); }));
}

/// The form of Llama 3 and Qwen: groups of heads share keys and values, and heads may have a width of their own and norms.
///
/// - Shapes: c_attn.weight [d_model, (heads + 2 kv_heads) head_dim]; c_proj.weight [heads head_dim, d_model]
/// - Errors: `GPT: heads must be divisible by kv_heads, but got 4 and 3` where they are not
/// - Errors: `GPT: d_model and head_dim must not be negative, but got 8 and -6` where they are
/// - PyTorch: none; `LlamaForCausalLM` and `Qwen3ForCausalLM` in transformers
EXAMPLE(etude::nn::GPT, etude::nn::GPTOptions) {
  const auto options = nn::GPTOptions(11)
                           .d_model(8)
                           .layers(1)
                           .heads(4)
                           .kv_heads(2)
                           .head_dim(6)
                           .rms_norm(true)
                           .qk_norm(true)
                           .swiglu(true)
                           .bias(false)
                           .positions(nn::RotaryPositions(nn::RotaryPositionsOptions(6).base(1e6)).ptr());
  nn::GPT model(options);
  const auto state = model->state_dict();
  print(state["h.0.attn.c_attn.weight"].sizes(), state["h.0.attn.c_proj.weight"].sizes());
  print(state["h.0.attn.q_norm.weight"].sizes(), options.key_heads(), options.head_width());
  print(examples::message_of([&] { nn::GPT(nn::GPTOptions(options).kv_heads(3)); }));
  print(examples::message_of([&] { nn::GPT(nn::GPTOptions(options).head_dim(-6)); }));
}

/// Sequences of different lengths become one batch with padding on their left.
///
/// - Shapes: ids [batch, sequence], left_padding int64 [batch]
/// - Units: left_padding and pad_token in tokens
/// - Errors: `GPT: expected int64 left_padding of sizes [2], but got torch.int64 of sizes [1]` where it has others
/// - Errors: `generate: a sequence is nothing but padding` where one is
/// - PyTorch: none; `attention_mask` in transformers
EXAMPLE(etude::nn::GPT, etude::nn::generate) {
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  const Tensor ids = etude::tensor({{3, 1, 4}, {0, 0, 5}}), left = etude::tensor({0, 2});
  const Tensor alone = etude::tensor({{5}});
  const Tensor logits = model->next_logits(ids, nullptr, left);
  print(etude::allclose(logits[1], model->next_logits(alone)[0], 1e-4, 1e-5));
  const Tensor found = nn::generate(model, ids, nn::GenerateOptions(4).pad_token(0));
  print(etude::equal(found[1].slice(0, 2), nn::generate(model, alone, nn::GenerateOptions(4))[0]));
  print(examples::message_of([&] { model->next_logits(ids, nullptr, left.narrow(0, 0, 1)); }));
  print(examples::message_of([&] { nn::generate(model, ids * 0, nn::GenerateOptions(4).pad_token(0)); }));
}

/// - Shapes: x [..., in_features]; the result [..., out_features]; weight [in_features, out_features]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (1x3 and 2x3)` where the last dim is not in_features
/// - PyTorch: none
EXAMPLE(etude::nn::Conv1D) {
  nn::Conv1D layer(2, 3);
  print(layer(etude::ones({1, 2})).sizes(), layer->weight.sizes(), nn::Linear(2, 3)->weight.sizes());
  print(examples::message_of([&] { layer(etude::ones({1, 3})); }));
}

/// The parts of a block: a head looks at what came before, and the MLP turns each position by itself.
///
/// - Shapes: x [batch, sequence, d_model]; the result the same
/// - Errors: `embed_dim must be divisible by num_heads` where d_model is not
/// - Errors: `Given normalized_shape=[8], expected input with shape [*, 8], but got input of size[1, 3, 9]` where x of a
///   block has another width
/// - PyTorch: none
EXAMPLE(etude::nn::GPTBlock, etude::nn::CausalSelfAttention, etude::nn::GPTMLP) {
  const nn::GPTOptions options = nn::GPTOptions(11).d_model(8).heads(2).dropout(0);
  nn::GPTBlock block(options);
  const Tensor x = etude::arange(24.0).view({1, 3, 8});
  nn::NoPositions positions;
  const Tensor y = block(x, *positions);
  print(y.sizes(), etude::allclose(block(x.narrow(1, 0, 2), *positions), y.narrow(1, 0, 2), 1e-4, 1e-5));
  const Tensor attended = x + block->attn(block->ln_1.forward(x), *positions);
  print(etude::allclose(attended + block->mlp(block->ln_2.forward(attended)), y, 1e-4, 1e-5));
  print(examples::message_of([&] { block(etude::ones({1, 3, 9}), *positions); }));
}

/// - Shapes: keys and values [batch, heads, tokens, head_width]; rows int64 [batch]
/// - Units: length and capacity in tokens
/// - Errors: `the key-value cache has room for 3 tokens, but 4 are needed` where it is full
/// - Errors: `a key-value cache holds no graph` where gradients are recorded
/// - PyTorch: none
EXAMPLE(etude::nn::KeyValueCache) {
  const etude::NoGradGuard no_grad;
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  nn::KeyValueCache cache = model->make_cache(/*batch=*/1, /*capacity=*/3);
  const Tensor ids = etude::tensor({{3, 1, 4}});
  const Tensor before = model(ids.narrow(1, 0, 2), &cache), last = model(ids.narrow(1, 2, 1), &cache);
  print(etude::allclose(etude::cat({before, last}, 1), model(ids), 1e-4, 1e-5));
  print(cache.length(), cache.layer(0, 2).all().first.sizes());
  print(examples::message_of([&] { model(ids.narrow(1, 0, 1), &cache); }));
}

/// - Shapes: ids [batch, sequence]; the result int64 [batch, sequence + new tokens], of an EncoderDecoder
///   [batch, 1 + new tokens]
/// - Units: max_new_tokens in tokens
/// - Errors: `generate: temperature must be positive, but got 0`, and the like of other options
/// - Errors: `generate: beams are compared at the end: they go neither with sample nor with on_token` where they do
/// - PyTorch: none
EXAMPLE(etude::nn::generate) {
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  const Tensor ids = etude::tensor({{3, 1, 4}});
  const Tensor greedy = nn::generate(model, ids, nn::GenerateOptions(5));
  print(greedy.sizes(), greedy.narrow(1, 0, 3));
  const auto drawn = nn::GenerateOptions(5).sample(true).temperature(0.8).top_k(5);
  etude::manual_seed(0);
  const Tensor one = nn::generate(model, ids, drawn);
  etude::manual_seed(0);
  print(etude::equal(one, nn::generate(model, ids, drawn)));
  print(examples::message_of([&] { nn::generate(model, ids, nn::GenerateOptions(5).temperature(0)); }));
}

/// `on_token` gets each new token as it comes; returning false stops.
///
/// - Shapes: the new tokens int64 [batch]
/// - Errors: `generate: max_new_tokens must not be negative, but got -1` where it is
/// - PyTorch: none
EXAMPLE(etude::nn::generate, etude::nn::GenerateOptions) {
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  int told = 0;
  const auto options = nn::GenerateOptions(100).on_token([&](const Tensor&) { return ++told < 3; });
  print(nn::generate(model, etude::tensor({{3, 1, 4}}), options).sizes(), told);
}

/// - Shapes: logits [batch, vocab_size], ids [batch, sequence]; the result as logits
/// - Errors: `keep_top_k: k must be positive, but got -1` where it is not
/// - Errors: `index 5 is out of bounds for dimension 1 with size 4` where an id is not in the vocabulary
/// - PyTorch: none
EXAMPLE(etude::nn::keep_top_k, etude::nn::keep_top_p, etude::nn::penalize_repetition) {
  const Tensor logits = etude::tensor({{0.1, 0.2, 0.6, 0.1}}).log();
  print(nn::keep_top_k(logits, 2).exp());
  print(nn::keep_top_p(logits, 0.7).exp());  // 0.6 is not enough
  print(nn::penalize_repetition(etude::tensor({{2.0, -2.0, 1.0}}), etude::tensor({{0, 1}}), 2.0));
  print(examples::message_of([&] { nn::keep_top_k(logits, -1); }));
  print(examples::message_of([&] { nn::penalize_repetition(logits, etude::tensor({{5}}), 2.0); }));
}
