#pragma once

#include <tuple>
#include <utility>

#include "etude/core/tensor.h"
#include "etude/ops/ops.h"
#include "etude/ops/recurrent.h"

// Batches of sequences of different lengths (torch::nn::utils::rnn).

namespace etude::nn::utils::rnn {

/// The inverse of a permutation, int64 [n]; undefined for an undefined permutation.
ETUDE_API Tensor invert_permutation(const Tensor& permutation);

/// Sequences without padding, step by step: data [rows, ...], where batch_sizes[t] rows belong to step t. If the
/// sequences were sorted, sorted_indices is the permutation that sorts them and unsorted_indices its inverse.
class ETUDE_API PackedSequence {
 public:
  explicit PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                          Tensor unsorted_indices = {})
      : data_(std::move(data)),
        batch_sizes_(std::move(batch_sizes)),
        sorted_indices_(std::move(sorted_indices)),
        unsorted_indices_(unsorted_indices.defined() ? std::move(unsorted_indices)
                                                     : invert_permutation(sorted_indices_)) {}

  const Tensor& data() const { return data_; }
  const Tensor& batch_sizes() const { return batch_sizes_; }
  const Tensor& sorted_indices() const { return sorted_indices_; }
  const Tensor& unsorted_indices() const { return unsorted_indices_; }

  /// The same sequences with converted data, for example to another dtype; sizes and indices stay.
  PackedSequence to(const TensorOptions& options) const {
    return PackedSequence(data_.to(options), batch_sizes_, sorted_indices_, unsorted_indices_);
  }
  PackedSequence cpu() const { return *this; }
  bool is_cuda() const { return false; }
  bool is_pinned() const { return false; }

 private:
  Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

/// Packs a batch [steps, batch, ...], or [batch, steps, ...] if batch_first, without the steps beyond the lengths,
/// [batch], each at least 1. Sequences must be sorted by decreasing length unless enforce_sorted is false.
ETUDE_API PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                                              bool enforce_sorted = true);

/// The padded batch and the lengths, int64 [batch], in the order before sorting. The batch has as many steps
/// as the longest sequence, or total_length.
ETUDE_API std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                                         bool batch_first = false, double padding_value = 0.0,
                                                         optional<int64_t> total_length = nullopt);

using etude::pad_sequence;

/// Packs sequences [length, ...], each of length 1 or more, the longest first unless enforce_sorted is false.
ETUDE_API PackedSequence pack_sequence(TensorList sequences, bool enforce_sorted = true);

// Functions of Python that LibTorch lacks.

/// The sequences [length, ...] of a padded batch; they share its memory.
ETUDE_API std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths,
                                             bool batch_first = false);
/// The packed sequences [length, ...], in the order before sorting.
ETUDE_API std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences);

}  // namespace etude::nn::utils::rnn
