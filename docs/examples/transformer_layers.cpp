#include "support/example.h"

/// # Layers of the transformer
///
/// Attention of several heads, and the parts of encoders and decoders. L is the number of queries, S the length of a source, T
/// that of a target, N the size of the batch and E the width `embed_dim`.

/// - Shapes: query [L, N, embed_dim], key [S, N, kdim], value [S, N, vdim], or all without N; the output [L, N, embed_dim] and
///   the weights [N, L, S]; key_padding_mask [N, S], attn_mask [L, S] or [N * num_heads, L, S]
/// - Errors: `embed_dim must be divisible by num_heads` where it is not
/// - Errors: `Expected key_padded_mask.shape[1] to be 2, but got 3` where the mask has other sizes
/// - Errors: `The shape of the 2D attn_mask is torch.Size([3, 3]), but should be (2, 2).` where it is not [L, S]
EXAMPLE(etude::nn::MultiheadAttention) {
  etude::manual_seed(0);
  nn::MultiheadAttention attention(4, 2);
  const Tensor x = etude::arange(8.0).view({2, 1, 4});
  const auto [output, weights] = attention(x, x, x);
  print(output.sizes(), weights.sizes());
  const Tensor causal = nn::TransformerImpl::generate_square_subsequent_mask(2);
  print(std::get<1>(attention(x, x, x, Tensor(), /*need_weights=*/true, causal)).detach());
  print(examples::message_of([&] { nn::MultiheadAttention(5, 2); }));
}

/// Attention with weights of one's own. Here they are identities, and the one head attends most to the key that is most like its
/// query.
///
/// - Shapes: query [L, N, E], key [S, N, kdim], value [S, N, vdim], or all without N; the output [L, N, E] and the weights
///   [N, L, S], or by head [N, num_heads, L, S]
/// - Errors: `embed_dim must be divisible by num_heads` where it is not
EXAMPLE(etude::nn::functional::multi_head_attention_forward,
        etude::nn::functional::MultiheadAttentionForwardFuncOptions) {
  const Tensor same = etude::eye(2), zeros = etude::zeros({2}), x = 2 * same.unsqueeze(1);
  const auto options = F::MultiheadAttentionForwardFuncOptions(
                           /*embed_dim_to_check=*/2, /*num_heads=*/1, etude::cat({same, same, same}),
                           etude::zeros({6}), {}, {}, /*add_zero_attn=*/false, /*dropout_p=*/0, same, zeros)
                           .training(false);
  const auto [output, weights] = F::multi_head_attention_forward(x, x, x, options);
  print(weights);
  print(output.squeeze(1));
}

/// - Shapes: src [S, N, d_model]; the result the same; src_mask [S, S], src_key_padding_mask [N, S]
/// - Errors: `embed_dim must be divisible by num_heads` where d_model is not
EXAMPLE(etude::nn::TransformerEncoderLayer) {
  etude::manual_seed(0);
  nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(8).dropout(0));
  const Tensor src = etude::arange(8.0).view({2, 1, 4});
  print(layer(src).detach());
  const Tensor padding = etude::tensor({{false, true}});  // the second token is none
  print(etude::allclose(layer(src, Tensor(), padding)[0], layer(src.narrow(0, 0, 1))[0], 1e-4, 1e-5));
  print(examples::message_of([&] { nn::TransformerEncoderLayer(5, 2); }));
}

/// - Shapes: src [S, N, d_model]; the result the same
/// - Errors: as those of its layers
EXAMPLE(etude::nn::TransformerEncoder) {
  nn::TransformerEncoderOptions options(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16), 3);
  options.norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({8}))));
  nn::TransformerEncoder encoder(options);
  print(encoder(etude::ones({5, 2, 8})).sizes(), encoder->layers->size());
  print(encoder->named_parameters().back().key());
}

/// - Shapes: tgt [T, N, d_model], memory [S, N, d_model]; the result as tgt; tgt_mask [T, T], memory_mask [T, S]
/// - Errors: `embed_dim must be divisible by num_heads` where d_model is not
EXAMPLE(etude::nn::TransformerDecoderLayer) {
  nn::TransformerDecoderLayer layer(nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(16));
  const Tensor memory = etude::ones({7, 2, 8}), tgt = etude::ones({5, 2, 8});
  const Tensor causal = nn::TransformerImpl::generate_square_subsequent_mask(5);
  print(layer(tgt, memory, causal).sizes());
}

/// - Shapes: tgt [T, N, d_model], memory [S, N, d_model]; the result as tgt
/// - Errors: as those of its layers
EXAMPLE(etude::nn::TransformerDecoder) {
  const nn::TransformerDecoderLayer layer(nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(16));
  nn::TransformerDecoder decoder(layer, 3);
  print(decoder(etude::ones({5, 2, 8}), etude::ones({7, 2, 8})).sizes());
  print(decoder->parameters().size() == 3 * layer->parameters().size());
}

/// - Shapes: src [S, N, d_model], tgt [T, N, d_model]; the result as tgt
/// - Errors: `src and tgt should have equal batch size (at dim 1), but got 1 and 2` where they have not
/// - Errors: `src and tgt should have same feature size as d_model (at dim 2), but got 5 and 4 while d_model is 4` where they
///   have not
EXAMPLE(etude::nn::Transformer) {
  nn::Transformer model(nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(8));
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(3);
  print(mask);
  print(model(etude::ones({7, 2, 4}), etude::ones({3, 2, 4}), Tensor(), mask).sizes());
  print(examples::message_of([&] { model(etude::ones({7, 1, 4}), etude::ones({3, 2, 4})); }));
  print(examples::message_of([&] { model(etude::ones({7, 1, 5}), etude::ones({3, 1, 4})); }));
}

/// - Shapes: a function of x [*] gives the same sizes
/// - Errors: none of its own
/// - PyTorch: C++: `torch::nn::activation_t`
/// - PyTorch: Python: `activation`, an argument of the layers
EXAMPLE(etude::nn::activation_t) {
  const nn::activation_t silu = [](const Tensor& x) { return F::silu(x); };
  nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(8, 2).activation(silu));
  print(layer(etude::ones({5, 2, 8})).sizes());
}
