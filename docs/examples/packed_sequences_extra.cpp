#include "support/example.h"

/// - Shapes: padded [steps, batch, ...], or [batch, steps, ...] if batch_first, lengths int64 [batch] -> sequences [length,
///   ...]
/// - Units: lengths in steps
/// - Errors: `there must be a length for each sequence`
/// - PyTorch: `torch.nn.utils.rnn.unpad_sequence`
EXAMPLE(etude::nn::utils::rnn::unpad_sequence) {
  const Tensor batch = etude::tensor({{1, 4}, {2, 5}, {3, 0}});
  for (const Tensor& sequence : nn::utils::rnn::unpad_sequence(batch, etude::tensor({3, 2}))) print(sequence);
}

/// - Shapes: data [rows, ...] -> sequences [length, ...]
/// - Errors: none of its own
/// - PyTorch: `torch.nn.utils.rnn.unpack_sequence`
EXAMPLE(etude::nn::utils::rnn::unpack_sequence) {
  const Tensor a = etude::tensor({1, 2}), b = etude::tensor({3, 4, 5});
  const auto packed = nn::utils::rnn::pack_sequence({a, b}, /*enforce_sorted=*/false);
  for (const Tensor& sequence : nn::utils::rnn::unpack_sequence(packed)) print(sequence);
}
