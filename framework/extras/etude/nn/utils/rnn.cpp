#include "etude/nn/utils/rnn.h"

#include "etude/core/error.h"

namespace etude::nn::utils::rnn {

Tensor invert_permutation(const Tensor& permutation) {
  if (!permutation.defined()) return {};
  return empty_like(permutation)
      .scatter_(0, permutation, arange(permutation.numel(), permutation.scalar_type()));
}

PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first, bool enforce_sorted) {
  lengths = lengths.to(kLong);
  Tensor order;
  if (!enforce_sorted) {
    std::tie(lengths, order) = etude::sort(lengths, /*dim=*/-1, /*descending=*/true);
    input = input.index_select(batch_first ? 0 : 1, order);
  }
  const auto [data, batch_sizes] = etude::_pack_padded_sequence(input, lengths, batch_first);
  return PackedSequence(data, batch_sizes, order);
}

std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first,
                                               double padding_value, optional<int64_t> total_length) {
  const int64_t longest = sequence.batch_sizes().size(0), steps = total_length.value_or(longest);
  ETUDE_CHECK(steps >= longest,
              "Expected total_length to be at least the length of the longest sequence in input, but got "
              "total_length=",
              steps, " and max sequence length being ", longest);
  auto padded =
      etude::_pad_packed_sequence(sequence.data(), sequence.batch_sizes(), batch_first, padding_value, steps);
  const Tensor& order = sequence.unsorted_indices();
  if (!order.defined()) return padded;
  return {std::get<0>(padded).index_select(batch_first ? 0 : 1, order),
          std::get<1>(padded).index_select(0, order)};
}

PackedSequence pack_sequence(TensorList sequences, bool enforce_sorted) {
  std::vector<int64_t> lengths;
  for (const Tensor& s : sequences) lengths.push_back(s.size(0));
  return pack_padded_sequence(etude::pad_sequence(sequences), tensor(lengths), /*batch_first=*/false,
                              enforce_sorted);
}

std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths, bool batch_first) {
  const std::vector<Tensor> sequences = padded_sequences.unbind(batch_first ? 0 : 1);
  ETUDE_CHECK(lengths.dim() == 1 && lengths.size(0) == padded_sequences.size(batch_first ? 0 : 1),
              "there must be a length for each sequence\nreceived lengths of sizes ", lengths.sizes(),
              " for a batch of sizes ", padded_sequences.sizes());
  std::vector<Tensor> all;
  for (size_t i = 0; i < sequences.size(); ++i)
    all.push_back(sequences[i].narrow(0, 0, lengths[static_cast<int64_t>(i)].item<int64_t>()));
  return all;
}

std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences) {
  const auto [padded, lengths] = pad_packed_sequence(packed_sequences, /*batch_first=*/true);
  return unpad_sequence(padded, lengths, /*batch_first=*/true);
}

}  // namespace etude::nn::utils::rnn
