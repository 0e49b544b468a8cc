#include "support/example.h"

#include <etude/ops/attention_scores.h>

/// # Attention and positions as functions
///
/// What the layers of a transformer compute with: attention between queries, keys and values, and embeddings of tokens that
/// know where they stand.

/// In the example, the queries are zeros: they look at all keys alike and get the mean of the values.
///
/// - Shapes: query [..., L, d], key [..., S, d], value [..., S, e], mask that broadcasts to [..., L, S] -> [..., L, e]
/// - Errors: `scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True`
/// - Errors: `Only float, byte, and bool types are supported for attn_mask, not torch.int64`
/// - Errors: `scaled_dot_product_attention: expected query, key and value of at least 2 dims, but got 1, 2 and 2`
/// - Errors: `Number of heads in key and value must divide the number of heads in query` with enable_gqa where they do not
/// - PyTorch: `torch.nn.functional.scaled_dot_product_attention` of version 2
EXAMPLE(etude::nn::functional::scaled_dot_product_attention) {
  const Tensor q = etude::zeros({2, 3}), k = etude::ones({2, 3}), v = etude::tensor({{2.0}, {4.0}});
  print(F::scaled_dot_product_attention(q, k, v));
  print(F::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true));
  print(F::scaled_dot_product_attention(q, k, v, etude::tensor({{false, true}})));
  const auto grouped = [&](int64_t heads) {  // 4 heads of queries, and so many of keys and values
    const Tensor of_heads = etude::stack(std::vector<Tensor>(static_cast<size_t>(heads), k));
    return F::scaled_dot_product_attention(q.expand({4, 2, 3}), of_heads, of_heads, {}, 0.0, false, {},
                                           /*enable_gqa=*/true);
  };
  print(grouped(2).sizes());
  print(examples::message_of([&] { grouped(3); }));
  print(examples::message_of([&] { F::scaled_dot_product_attention(q, k, v, q, 0.0, true); }));
  print(examples::message_of([&] { F::scaled_dot_product_attention(q, k, v, etude::tensor({0, 1})); }));
  print(examples::message_of([&] { F::scaled_dot_product_attention(q[0], k, v); }));
}

/// - Shapes: query [..., L, d], key [..., S, d], value [..., S, e], mask that broadcasts to [..., L, S] -> [..., L, e] and
///   [..., L, S]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (2x3 and 4x2)` where queries and keys differ in width, the second shape
///   being that of the transposed keys
/// - Errors: `dropout probability has to be between 0 and 1, but got 2`
/// - PyTorch: none
EXAMPLE(etude::nn::functional::attention, etude::attention) {
  const Tensor q = etude::zeros({2, 3}), k = etude::ones({2, 3}), v = etude::tensor({{2.0}, {4.0}});
  const auto options = F::AttentionFuncOptions().causal_from(0).need_weights(true);
  const auto [output, weights] = F::attention(q, k, v, options);
  print(output, weights);
  print(etude::attention(q, k, v, etude::tensor({9.0, 9.0}), {}, {}, 0.0, false).first);
  print(examples::message_of([&] { F::attention(q, etude::ones({2, 4}), v); }));
  print(examples::message_of([&] { F::attention(q, k, v, F::AttentionFuncOptions().dropout_p(2)); }));
}

/// - Shapes: query [..., L, d], key [..., S, d], mask that broadcasts to [..., L, S] -> [..., L, S]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (2x2 and 3x2)` where queries and keys differ in width
/// - PyTorch: none
EXAMPLE(etude::attention_scores) {
  const Tensor q = etude::tensor({{1.0, 0.0}, {0.0, 2.0}}), k = etude::tensor({{1.0, 1.0}, {2.0, 0.0}});
  print(etude::attention_scores(q, k, {}, /*causal_from=*/0, /*scale=*/1.0));
  print(examples::message_of([&] { etude::attention_scores(q, etude::ones({2, 3})); }));
}

/// In masks of PyTorch's layers, true hides a key; in those of scaled_dot_product_attention, a query may look there.
///
/// - Shapes: [...] -> [...]
/// - Errors: `Only float, byte, and bool types are supported for attn_mask, not torch.int64`
/// - PyTorch: none
EXAMPLE(etude::nn::functional::added_to_scores, etude::nn::functional::TrueMeans) {
  const Tensor mask = etude::tensor({true, false});
  print(F::added_to_scores(mask, "attn_mask", F::TrueMeans::MayLook, etude::kFloat));
  print(F::added_to_scores(mask, "attn_mask", F::TrueMeans::Hidden, etude::kFloat));
}

/// - Shapes: weight [rows, width], ids int64 [a, b], table [positions, width] -> [a, b, width]
/// - Errors: `positioned_embedding: expected a table of at least 2 positions as wide as [2, 2], but got [1, 2]`
/// - Errors: `positioned_embedding: expected ids of 2 dims, but got [1, 1, 2]`
/// - Errors: `index out of range in self`
/// - PyTorch: none
EXAMPLE(etude::positioned_embedding) {
  const Tensor weight = etude::tensor({{1.0, 2.0}, {3.0, 4.0}}), ids = etude::tensor({{1, 0}});
  const Tensor table = etude::tensor({{0.5, 0.5}, {0.0, 0.0}});
  print(etude::positioned_embedding(weight, ids, table, /*position_dim=*/1, -1, /*scale=*/10));
  print(examples::message_of([&] { etude::positioned_embedding(weight, ids, table.narrow(0, 0, 1), 1); }));
  print(examples::message_of([&] { etude::positioned_embedding(weight, ids.unsqueeze(0), table, 1); }));
  print(examples::message_of([&] { etude::positioned_embedding(weight, ids + 1, table, 1); }));
}

/// - Shapes: positions [n], frequencies [width / 2], rounded up -> [n, width]
/// - Units: frequencies in radians per position
/// - Errors: `sinusoids: expected positions and 3 frequencies for a width of 6, but got [2] and [2]`
/// - PyTorch: none
EXAMPLE(etude::sinusoids) {
  const Tensor positions = etude::tensor({0.0, 1.0}), frequencies = etude::tensor({1.0, 0.5});
  print(etude::sinusoids(positions, frequencies, 4));
  print(examples::message_of([&] { etude::sinusoids(positions, frequencies, 6); }));
}
