#include "support/example.h"

/// # Sequences of several lengths
///
/// Side by side they need padding, which a recurrent network would read as if it were data. Packed, they stand step by step:
/// the first elements of all, then the second ones of those that have one.

/// - Shapes: sequences [length, ...] -> [longest, count, ...], or [count, longest, ...] if batch_first
/// - Errors: `received an empty list of sequences`
/// - Errors: `The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1` where sizes differ
///   after the first
/// - PyTorch: C++: `torch::pad_sequence`
/// - PyTorch: Python: `torch.nn.utils.rnn.pad_sequence`
EXAMPLE(etude::pad_sequence) {
  const Tensor a = etude::tensor({1, 2, 3}), b = etude::tensor({4, 5});
  print(etude::pad_sequence({a, b}));
  print(etude::pad_sequence({a, b}, /*batch_first=*/true, -1));
  print(examples::message_of([] { etude::pad_sequence(std::vector<Tensor>()); }));
  print(examples::message_of([] { etude::pad_sequence({etude::ones({2, 3}), etude::ones({2, 2})}); }));
}

/// Where the function has sorted them, `sorted_indices` says how.
///
/// - Shapes: sequences [length, ...] -> data [rows, ...], batch_sizes int64 [longest]
/// - Errors: `` `lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass
///   `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX
///   exportability. ``
EXAMPLE(etude::nn::utils::rnn::PackedSequence, etude::nn::utils::rnn::pack_sequence) {
  const Tensor a = etude::tensor({1, 2, 3}), b = etude::tensor({4, 5}), c = etude::tensor({6});
  const nn::utils::rnn::PackedSequence packed = nn::utils::rnn::pack_sequence({a, b, c});
  print(packed.data(), packed.batch_sizes());
  print(nn::utils::rnn::pack_sequence({c, a, b}, /*enforce_sorted=*/false).sorted_indices());
  print(examples::message_of([&] { nn::utils::rnn::pack_sequence({c, a, b}); }));
}

/// Packs a batch that has been padded, and pads one that has been packed.
///
/// - Shapes: input [steps, batch, ...], or [batch, steps, ...] if batch_first, lengths int64 [batch] -> data [rows, ...],
///   batch_sizes int64 [longest], and back
/// - Units: lengths in steps
/// - Errors: `Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0`
/// - Errors: ``Expected `len(lengths)` to be equal to batch_size, but got 1 (batch_size=2)``
/// - Errors: `Expected total_length to be at least the length of the longest sequence in input, but got total_length=1 and max
///   sequence length being 3`
EXAMPLE(etude::nn::utils::rnn::pack_padded_sequence, etude::nn::utils::rnn::pad_packed_sequence) {
  const Tensor batch = etude::tensor({{1, 4}, {2, 5}, {3, 0}});
  const auto packed = nn::utils::rnn::pack_padded_sequence(batch, etude::tensor({3, 2}));
  print(packed.data(), packed.batch_sizes());
  const auto [padded, lengths] = nn::utils::rnn::pad_packed_sequence(packed, /*batch_first=*/true);
  print(padded, lengths);
  print(examples::message_of([&] { nn::utils::rnn::pack_padded_sequence(batch, etude::tensor({3, 0})); }));
  print(examples::message_of([&] { nn::utils::rnn::pack_padded_sequence(batch, etude::tensor({3})); }));
  print(examples::message_of([&] { nn::utils::rnn::pad_packed_sequence(packed, false, 0.0, 1); }));
}

/// - Shapes: int64 [n] -> int64 [n]
/// - Errors: `index 7 is out of bounds for dimension 0 with size 2` where it is no permutation
EXAMPLE(etude::nn::utils::rnn::invert_permutation) {
  print(nn::utils::rnn::invert_permutation(etude::tensor({2, 0, 1})));
  print(examples::message_of([] { nn::utils::rnn::invert_permutation(etude::tensor({0, 7})); }));
}

/// The same on plain tensors, for the functions that take data and batch_sizes. Sequences are sorted already.
///
/// - Shapes: input [steps, batch, ...], or [batch, steps, ...] if batch_first, lengths int64 [batch] -> data [rows, ...],
///   batch_sizes int64 [longest], and back
/// - Units: lengths in steps
/// - Errors: those of pack_padded_sequence and pad_packed_sequence
EXAMPLE(etude::_pack_padded_sequence, etude::_pad_packed_sequence) {
  const Tensor batch = etude::tensor({{1.0, 4.0}, {2.0, 5.0}, {3.0, 0.0}});
  const auto [data, batch_sizes] = etude::_pack_padded_sequence(batch, etude::tensor({3, 2}), false);
  print(data, batch_sizes);
  print(std::get<0>(etude::_pad_packed_sequence(data, batch_sizes, false, -1, 4)));
}
