#include "support/example.h"

/// - Shapes: x [*]; the result the same
/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::nn::functional::activate) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(F::activate(x, etude::kReLU));
  print(F::activate(x, [](const Tensor& t) { return t * 10; }));
}

/// - Shapes: src ids [batch, source], tgt ids [batch, target]; logits [batch, target, tgt_vocab_size]; the loss []
/// - Errors: `PositionedEmbedding: expected ids of sizes [batch, sequence], but got [1]` where ids have other dims
/// - Errors: `EncoderDecoder: a shared embedding needs one vocabulary, but the source has 11 tokens and the target 12` where
///   two vocabularies are to share
/// - PyTorch: none
EXAMPLE(etude::nn::EncoderDecoder) {
  nn::EncoderDecoder model(
      nn::EncoderDecoderOptions(11).d_model(8).heads(2).encoder_layers(1).decoder_layers(1).dim_feedforward(
          16));
  const Tensor src = etude::tensor({{3, 1, 4}}), tgt = etude::tensor({{0, 5}});
  print(model(src, tgt).sizes(), model->loss(src, tgt).sizes());
  print(model->encode(src).sizes(), model->cross_attention(src, tgt).front().sizes());
  print(examples::message_of([&] { model(etude::tensor({1}), tgt); }));
  print(examples::message_of(
      [&] { nn::EncoderDecoder(nn::EncoderDecoderOptions(11, 12).shared_embedding(true)); }));
}

/// A target that is decoded token by token, as `generate` does it.
///
/// - Shapes: padding bool [batch, source]
/// - Errors: `EncoderDecoder: a target is continued without dropout` where the model is in train mode
/// - PyTorch: none
EXAMPLE(etude::nn::DecoderState) {
  const etude::NoGradGuard no_grad;
  nn::EncoderDecoder model(
      nn::EncoderDecoderOptions(11).d_model(8).heads(2).encoder_layers(1).decoder_layers(1).dim_feedforward(
          16));
  model->eval();
  const Tensor src = etude::tensor({{3, 1, 4}}), tgt = etude::tensor({{0, 5}}), memory = model->encode(src);
  nn::DecoderState state = model->start(memory, src, /*capacity=*/2);
  const Tensor first = model->decode(tgt.narrow(1, 0, 1), state),
               second = model->decode(tgt.narrow(1, 1, 1), state);
  print(etude::allclose(etude::cat({first, second}, 1), model(src, tgt), 1e-4, 1e-5), state.target.length());
  model->train();
  print(examples::message_of([&] { model->decode(tgt, state); }));
}

/// - Shapes: ids [batch, sequence]; logits [batch, classes]
/// - Errors: `EncoderClassifier: expected ids of sizes [batch, sequence] with at least one token, but got [1]` where ids have
///   other dims
/// - PyTorch: none
EXAMPLE(etude::nn::EncoderClassifier, etude::nn::Pooling) {
  nn::EncoderClassifier model(nn::EncoderClassifierOptions(11, 3)
                                  .d_model(8)
                                  .heads(2)
                                  .layers(1)
                                  .dim_feedforward(16)
                                  .padding_idx(0)
                                  .pooling(nn::Pooling::First));
  print(model(etude::tensor({{3, 1, 4}, {5, 9, 0}})).sizes());
  print(examples::message_of([&] { model(etude::tensor({1})); }));
}
