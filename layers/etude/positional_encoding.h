#pragma once

#include "etude/dropout.h"

namespace etude::nn {

/// The layout of a batch of sequences:
/// [batch, sequence, d_model] or [sequence, batch, d_model].
enum class SequenceLayout { BatchFirst, SequenceFirst };
/// [batch, sequence, d_model]
constexpr SequenceLayout kBatchFirst = SequenceLayout::BatchFirst;
/// [sequence, batch, d_model]
constexpr SequenceLayout kSequenceFirst = SequenceLayout::SequenceFirst;

/// The table of "Attention Is All You Need", section 3.5, float32 [max_len, d_model]:
/// `table[pos][2i] = sin(pos / 10000^(2i / d_model))` and `table[pos][2i + 1] = cos(pos / 10000^(2i / d_model))`.
/// d_model may be odd; the last sine then has no cosine.
ETUDE_API Tensor sinusoidal_table(int64_t max_len, int64_t d_model);

namespace detail {
/// Adds rows first, first + 1, ... of a table of positions along `dim`. Every model adds its positions here.
ETUDE_API Tensor add_positions(const Tensor& x, const Tensor& table, int64_t dim, int64_t first);
}  // namespace detail

/// The layout is required, because a table sliced along the wrong dim would add wrong positions without an error.
struct PositionalEncodingOptions {
  PositionalEncodingOptions(int64_t d_model, SequenceLayout layout) : d_model_(d_model), layout_(layout) {}
  /// The width of the input.
  ETUDE_ARG(int64_t, d_model);
  /// Whether the input is [batch, sequence, d_model] or [sequence, batch, d_model].
  ETUDE_ARG(SequenceLayout, layout);
  /// The longest sequence.
  ETUDE_ARG(int64_t, max_len) = 5000;
  /// The probability that an element of the sum is dropped. With 0 there is no Dropout module.
  ETUDE_ARG(double, dropout) = 0;
  /// Whether the table is part of state_dict.
  ETUDE_ARG(bool, persistent) = true;

 public:
  bool batch_first() const { return layout_ == kBatchFirst; }
};

/// Adds row p of sinusoidal_table to the element at position p of sequences of at most max_len, then applies dropout:
/// [batch, sequence, d_model] or [sequence, batch, d_model] -> the same sizes.
class ETUDE_API PositionalEncodingImpl : public Cloneable<PositionalEncodingImpl> {
 public:
  PositionalEncodingImpl(int64_t d_model, SequenceLayout layout)
      : PositionalEncodingImpl(PositionalEncodingOptions(d_model, layout)) {}
  explicit PositionalEncodingImpl(const PositionalEncodingOptions& options_) : options(options_) {
    PositionalEncodingImpl::reset();
  }

  void reset() override;
  Tensor forward(const Tensor& x);

  PositionalEncodingOptions options;
  Tensor pe;  ///< [1, max_len, d_model], or [max_len, 1, d_model] if sequence-first; a buffer, not trained
  Dropout dropout = nullptr;  ///< empty if options.dropout() is 0
};
ETUDE_MODULE(PositionalEncoding);

}  // namespace etude::nn
