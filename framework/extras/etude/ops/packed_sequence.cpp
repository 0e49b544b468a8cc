// Sequences of different lengths in one tensor. Packed, the rows of the first step come first, then the rows of the second
// step, which are fewer if a sequence has ended. With x [steps, batch, ...] and lengths that do not increase:
//
//   pack   y = the rows (t, b) of x with t < lengths[b], in order     dx = dy at these rows, 0 elsewhere
//   pad    the same rows of a tensor filled with the padding value   dx = dy at these rows

#include <algorithm>

#include "etude/core/detail/listen.h"
#include "etude/ops/detail/packed.h"
#include "etude/ops/recurrent.h"

namespace etude {
namespace {

void check_is_count(const Tensor& lengths) {
  ETUDE_CHECK(lengths.dim() == 1 && lengths.scalar_type() == kLong,
              "'lengths' argument should be a 1D CPU int64 tensor, but got ", lengths.dim(), "D cpu ",
              toString(lengths.scalar_type()), " tensor");
}

Tensor tensor_of(std::vector<int64_t> values) {
  return from_blob(values.data(), {static_cast<int64_t>(values.size())}, kLong).clone();
}

// The indices of the rows (t, b) with b < counts[t] among the rows of [steps, batch].
Tensor packed_rows(IntArrayRef counts, int64_t batch) {
  std::vector<int64_t> rows;
  int64_t start = 0;
  for (const int64_t count : counts) {
    for (int64_t b = 0; b < count; ++b) rows.push_back(start + b);
    start += batch;
  }
  return tensor_of(rows);
}

// The sizes of t with `first` in place of its first `dims` sizes.
std::vector<int64_t> with_first(const Tensor& t, int64_t dims, std::vector<int64_t> first) {
  first.insert(first.end(), t.sizes().begin() + dims, t.sizes().end());
  return first;
}

// The number of sequences with more than t steps, for each t. Applied to these counts, it gives the lengths.
std::vector<int64_t> counts_of(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> counts(static_cast<size_t>(lengths[0]), 0);
  for (size_t b = lengths.size(); b-- > 0;)
    for (int64_t t = b + 1 < lengths.size() ? lengths[b + 1] : 0; t < lengths[b]; ++t)
      counts[static_cast<size_t>(t)] = static_cast<int64_t>(b) + 1;
  return counts;
}

}  // namespace

std::vector<int64_t> detail::step_counts(const Tensor& batch_sizes, int64_t rows) {
  check_is_count(batch_sizes);
  ETUDE_CHECK(batch_sizes.numel() > 0, "batch_sizes must name at least one step");
  std::vector<int64_t> counts = to_vector<int64_t>(batch_sizes);
  int64_t rest = rows, before = rows;
  for (const int64_t count : counts) {
    if (count < 0 || count > before || count > rest) rest = -1;
    if (rest < 0) break;
    rest -= count;
    before = count;
  }
  ETUDE_CHECK(rest == 0, "batch_sizes must not rise, and be ", rows,
              " together, as many as data has rows\nreceived ", IntArrayRef(counts),
              "\nhint: pack_padded_sequence and pack_sequence make them");
  return counts;
}

std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first) {
  ETUDE_OP(_pack_padded_sequence, input, lengths, batch_first);
  check_is_count(lengths);
  ETUDE_CHECK(input.numel() > 0, "Cannot pack empty tensors.");
  const Tensor x = batch_first ? input.transpose(0, 1) : input;
  const int64_t steps = x.size(0), batch = x.size(1);
  const std::vector<int64_t> each = to_vector<int64_t>(lengths);
  ETUDE_CHECK(lengths.numel() == batch, "Expected `len(lengths)` to be equal to batch_size, but got ",
              lengths.numel(), " (batch_size=", batch, ")");
  ETUDE_CHECK(each.back() > 0,
              "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= "
              "0\nreceived ",
              IntArrayRef(each));
  for (size_t b = 1; b < each.size(); ++b)
    ETUDE_CHECK(each[b] <= each[b - 1],
                "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                "requirement if you do not need ONNX exportability.\nreceived ",
                IntArrayRef(each));
  ETUDE_CHECK(each[0] <= steps, "a sequence cannot be longer than the batch, which has ", steps,
              " steps\nreceived lengths ", IntArrayRef(each));
  const std::vector<int64_t> counts = counts_of(each);
  const Tensor rows = x.reshape(with_first(x, 2, {steps * batch}));
  return {rows.index_select(0, packed_rows(counts, batch)), tensor_of(counts)};
}

std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first, const Scalar& padding_value,
                                                int64_t total_length) {
  ETUDE_OP(_pad_packed_sequence, data, batch_sizes, batch_first, padding_value, total_length);
  ETUDE_CHECK(data.dim() > 0, "packed data must have a dim of rows\nreceived a 0-dim tensor");
  const std::vector<int64_t> counts = detail::step_counts(batch_sizes, data.size(0));
  const int64_t longest = batch_sizes.size(0), steps = total_length > 0 ? total_length : longest,
                batch = counts[0];
  ETUDE_CHECK(steps >= longest,
              "Expected total_length to be at least the length of the longest sequence in input, but got "
              "total_length=",
              total_length, " and max sequence length being ", longest);
  Tensor y = full(with_first(data, 1, {steps * batch}), padding_value, data.scalar_type())
                 .index_copy(0, packed_rows(counts, batch), data)
                 .view(with_first(data, 1, {steps, batch}));
  return {batch_first ? y.transpose(0, 1) : y, tensor_of(counts_of(counts))};
}

Tensor pad_sequence(TensorList sequences, bool batch_first, double padding_value,
                    std::string_view padding_side) {
  ETUDE_OP(pad_sequence, sequences, batch_first, padding_value);
  ETUDE_CHECK(!sequences.empty(), "received an empty list of sequences");
  const bool left = padding_side == "left";
  ETUDE_CHECK(left || padding_side == "right", "Expected padding_side to be one of left or right, but got ",
              padding_side, ".");
  const int64_t count = static_cast<int64_t>(sequences.size());
  int64_t longest = 0;
  for (const Tensor& s : sequences) longest = std::max(longest, s.size(0));
  Tensor y = full(
      with_first(sequences[0], 1,
                 batch_first ? std::vector<int64_t>{count, longest} : std::vector<int64_t>{longest, count}),
      padding_value, sequences[0].scalar_type());
  for (int64_t i = 0; i < count; ++i) {
    const Tensor& s = sequences[static_cast<size_t>(i)];
    const int64_t length = s.size(0);
    y.select(batch_first ? 0 : 1, i).narrow(0, left ? longest - length : 0, length).copy_(s);
  }
  return y;
}

}  // namespace etude
