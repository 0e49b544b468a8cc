#include "support/example.h"

/// # Positions
///
/// How a model is told where a token stands: by something added to embeddings, by turning queries and keys, or by something
/// added to attention scores.

/// - Shapes: the result [max_len, d_model]
/// - Errors: `sinusoidal_table: max_len must be positive, but got 0` where it is not, and the same of d_model
/// - PyTorch: none
EXAMPLE(etude::nn::sinusoidal_table) {
  print(nn::sinusoidal_table(3, 4));
  print(examples::message_of([&] { nn::sinusoidal_table(0, 4); }));
}

/// - Shapes: the result [height, width, d_model]
/// - Errors: `sinusoidal_table_2d: d_model must be even, but got 3` where it is odd
/// - PyTorch: none
EXAMPLE(etude::nn::sinusoidal_table_2d) {
  const Tensor table = nn::sinusoidal_table_2d(2, 3, 4);
  print(table[1][2]);  // of row 1, then of column 2
  print(examples::message_of([&] { nn::sinusoidal_table_2d(2, 3, 3); }));
}

/// - Shapes: x [batch, sequence, d_model] or [sequence, batch, d_model]; the result the same
/// - Errors: `PositionalEncoding: expected an input of 3 dims [batch, sequence, d_model], but got 2` where there
///   are more or fewer
/// - Errors: `The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1` where a sequence is
///   longer than max_len
/// - PyTorch: none
EXAMPLE(etude::nn::PositionalEncoding, etude::nn::SequenceLayout, etude::nn::kBatchFirst,
        etude::nn::kSequenceFirst) {
  nn::PositionalEncoding batch_first(4, nn::kBatchFirst), sequence_first(4, nn::kSequenceFirst);
  const Tensor x = etude::zeros({2, 3, 4});
  print(batch_first(x)[1]);
  print(etude::equal(sequence_first(x.transpose(0, 1)).transpose(0, 1), batch_first(x)));
  nn::PositionalEncoding two(nn::PositionalEncodingOptions(4, nn::kBatchFirst).max_len(2));
  print(examples::message_of([&] { two(x); }));
}

/// - Shapes: ids [batch, sequence] or [sequence, batch]; the result has d_model behind them
/// - Errors: `index out of range in self` where an id is not below vocab_size
/// - PyTorch: none
EXAMPLE(etude::nn::InputEmbedding) {
  nn::InputEmbedding input(
      nn::InputEmbeddingOptions(10, 4, nn::kBatchFirst).scale(true).padding_idx(0).max_len(16));
  print(input(etude::tensor({{7, 1, 0}})).sizes());
  print(input(etude::tensor({{0, 0}})).detach());  // of padding the positions remain
  print(examples::message_of([&] { input(etude::tensor({{10}})); }));
}

/// - Shapes: ids [batch, sequence]; the result [batch, sequence, d_model]
/// - Errors: `PositionedEmbedding: expected positions that are added to embeddings, but got
///   etude::nn::RotaryPositionsImpl, which act on attention` where the positions do something else
/// - PyTorch: none
EXAMPLE(etude::nn::PositionedEmbedding) {
  nn::PositionedEmbedding input(
      nn::PositionedEmbeddingOptions(10, 4).dropout(0).positions(nn::LearnedPositions(16, 4).ptr()));
  const Tensor ids = etude::tensor({{7, 1, 7}}), x = input(ids);
  print(x.sizes(), etude::equal(x[0][0], x[0][2]));  // one token at two places
  print(etude::equal(x.narrow(1, 2, 1), input(ids.narrow(1, 2, 1), /*first=*/2)));
}

/// - Shapes: `embed` takes [..., sequence, d_model], `turn` [..., sequence, head_width]; `bias` gives [heads, queries, keys] or
///   nothing
/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::nn::Positions, etude::nn::NoPositions) {
  const std::shared_ptr<nn::Positions> none = nn::NoPositions().ptr();
  const Tensor x = etude::ones({3, 2});
  print(none->embed(x, 0).is_same(x), none->turn(x, 0).is_same(x), none->bias(3, 3).defined());
  print(none->max_length().has_value());
}

/// - Shapes: x [..., sequence, d_model]; the result the same
/// - Errors: `expected embeddings of sizes [..., sequence, 2], but got [3, 4]` where they have another width
/// - PyTorch: none
EXAMPLE(etude::nn::SinusoidalPositions) {
  nn::SinusoidalPositions positions(2);
  print(positions->embed(etude::zeros({2, 2}), /*first=*/1));
  print(examples::message_of([&] { positions->embed(etude::zeros({3, 4}), 0); }));
}

/// - Shapes: x [..., sequence, d_model]; the result the same; weight [max_length, d_model]
/// - Errors: `position 4 is out of range: there are 4 positions` where a sequence is longer
/// - PyTorch: none
EXAMPLE(etude::nn::LearnedPositions) {
  nn::LearnedPositions positions(4, 2);
  print(etude::equal(positions->embed(etude::zeros({2, 2}), /*first=*/1), positions->weight.narrow(0, 1, 2)));
  print(*positions->max_length());
  print(examples::message_of([&] { positions->embed(etude::zeros({3, 2}), 2); }));
}

/// - Shapes: queries or keys x [..., sequence, head_width]; the result the same
/// - Units: angles in radians
/// - Errors: `RotaryPositions: the width of a head must be even, but got 3` where it is odd
/// - PyTorch: none
EXAMPLE(etude::nn::RotaryPositions, etude::nn::RotaryPairs) {
  nn::RotaryPositions positions(2, nn::RotaryPairs::Interleaved);
  const Tensor x = etude::tensor({{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}});
  const Tensor turned = positions->turn(x, 0);
  print(turned);                                              // by 0, 1 and 2
  print(turned[0].dot(turned[1]), turned[1].dot(turned[2]));  // the same distance
  print(examples::message_of([&] { nn::RotaryPositions(3, nn::RotaryPairs::Half); }));
}

/// Llama 3 leaves the pairs that turn often within the original context as they are, and turns the slow ones `factor` times
/// slower.
///
/// - Shapes: as those of RotaryPositions
/// - Units: original_context in tokens
/// - Errors: `RotaryScaling: factor must be positive, but got 0` where it is not
/// - Errors: `RotaryScaling: original_context must be positive and high_freq_factor above low_freq_factor, but got 8192, 1 and 1`
///   where they are not
/// - PyTorch: none; `rope_scaling` in transformers
EXAMPLE(etude::nn::RotaryScaling, etude::nn::RotaryPositions, etude::nn::RotaryPositionsOptions) {
  const Tensor x = etude::tensor({{1.0, 0.0}});
  const auto turned = [&](const nn::RotaryScaling& scaling) {
    return nn::RotaryPositions(nn::RotaryPositionsOptions(2).scaling(scaling))->turn(x, 8);
  };
  const auto linear = nn::RotaryScaling().kind(nn::RotaryScaling::Kind::kLinear).factor(8);
  const auto llama3 = nn::RotaryScaling().kind(nn::RotaryScaling::Kind::kLlama3).factor(8);
  print(turned(linear), turned(llama3));  // by 1 and by 8
  print(examples::message_of([&] { turned(nn::RotaryScaling(linear).factor(0)); }));
  print(examples::message_of([&] { turned(nn::RotaryScaling(llama3).high_freq_factor(1)); }));
}

/// - Shapes: the bias [heads, queries, keys]
/// - Errors: `ALiBiPositions: there must be at least one head, but got 0` where there is none
/// - PyTorch: none
EXAMPLE(etude::nn::ALiBiPositions) {
  nn::ALiBiPositions positions(2);
  print(positions->slopes);
  print(positions->bias(/*queries=*/2, /*keys=*/3)[0]);
  print(examples::message_of([&] { nn::ALiBiPositions(0); }));
}

/// - Shapes: the bias [heads, queries, keys]; weight [buckets, heads]
/// - Errors: `T5Positions: the number of buckets must be a multiple of 4, but got 3` where it is not
/// - Errors: `T5Positions: max_distance must be above half the number of buckets, but got 4 and 32` where it is not
/// - PyTorch: none
EXAMPLE(etude::nn::T5Positions) {
  nn::T5Positions positions(nn::T5PositionsOptions(1).buckets(4).max_distance(8));
  positions->weight.detach().copy_(etude::arange(4).unsqueeze(1));  // the number of the bucket
  print(positions->bias(1, 10)[0].detach());
  print(examples::message_of([&] { nn::T5Positions(nn::T5PositionsOptions(2).buckets(3)); }));
}

/// - Shapes: x [..., height * width, d_model]; the result the same
/// - Errors: `position 6 is out of range: there are 6 positions` where there are more patches
/// - PyTorch: none
EXAMPLE(etude::nn::Sinusoidal2DPositions) {
  nn::Sinusoidal2DPositions positions(2, 3, 4);
  print(etude::equal(positions->embed(etude::zeros({6, 4}), 0)[5], nn::sinusoidal_table_2d(2, 3, 4)[1][2]));
  print(examples::message_of([&] { positions->embed(etude::zeros({7, 4}), 0); }));
}
