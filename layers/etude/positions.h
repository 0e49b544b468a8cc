#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// How a model learns the position of a token in a sequence. Each kind does one of three things: it adds to
/// embeddings, rotates queries and keys, or adds to attention scores. The other two methods change nothing.
class ETUDE_API Positions : public virtual Module {
 public:
  /// Adds to embeddings [..., sequence, d_model] of positions first, first + 1, ...
  virtual Tensor embed(const Tensor& x, [[maybe_unused]] int64_t first) { return x; }
  /// Rotates queries or keys [..., sequence, head_width] of positions first, first + 1, ... The product of a rotated query and a
  /// rotated key must depend only on their distance.
  virtual Tensor turn(const Tensor& x, [[maybe_unused]] int64_t first) { return x; }
  /// The term added to the scores [..., heads, queries, keys] of queries at positions keys - queries, ...,
  /// keys - 1 and keys at 0, ..., keys - 1; undefined for none.
  virtual Tensor bias([[maybe_unused]] int64_t queries, [[maybe_unused]] int64_t keys) { return {}; }
  /// The longest sequence, if there is one.
  virtual optional<int64_t> max_length() const { return nullopt; }
};

namespace detail {
/// positions.embed(x, first). For a listener, the added vectors are computed separately and offered as hook_pos_embed.
ETUDE_API Tensor add_positions(const Tensor& x, Positions& positions, int64_t first);
/// positions.turn(x, first) for heads [batch, heads, sequence, head_width]. If the positions rotate heads, a listener hears the
/// rotated ones under this name as [batch, sequence, heads, head_width].
ETUDE_API Tensor turn_heads(const char* name, const Tensor& x, Positions& positions, int64_t first);
}  // namespace detail

/// Changes nothing. A causal model still learns something about the order of tokens (Haviv et al. 2022).
class ETUDE_API NoPositionsImpl : public Cloneable<NoPositionsImpl>, public Positions {
 public:
  void reset() override {}
};
ETUDE_MODULE(NoPositions);

/// Adds row p of sinusoidal_table at position p (Vaswani et al. 2017, section 3.5).
class ETUDE_API SinusoidalPositionsImpl : public Cloneable<SinusoidalPositionsImpl>, public Positions {
 public:
  explicit SinusoidalPositionsImpl(int64_t d_model) : d_model_(d_model) {}
  void reset() override {}
  Tensor embed(const Tensor& x, int64_t first) override;

 private:
  Tensor table(int64_t rows, ScalarType dtype);

  // Of each module its own, since clone() may copy a module while another thread's forward() lengthens it.
  struct Table {
    Table() = default;
    Table(const Table&) {}
    Table& operator=(const Table&) { return *this; }
    Tensor rows;  // as many as needed so far
  };

  int64_t d_model_;
  Table table_;
};
ETUDE_MODULE(SinusoidalPositions);

/// Adds a trained vector for each position (Gehring et al. 2017; BERT and GPT-2).
class ETUDE_API LearnedPositionsImpl : public Cloneable<LearnedPositionsImpl>, public Positions {
 public:
  LearnedPositionsImpl(int64_t max_length, int64_t d_model) : max_length_(max_length), d_model_(d_model) {
    LearnedPositionsImpl::reset();
  }
  void reset() override;
  /// Draws from N(0, 0.02^2).
  void reset_parameters() { init::normal_(weight, 0, 0.02); }
  Tensor embed(const Tensor& x, int64_t first) override;
  optional<int64_t> max_length() const override { return max_length_; }

  Tensor weight;  ///< [max_length, d_model]

 private:
  int64_t max_length_, d_model_;
};
ETUDE_MODULE(LearnedPositions);

/// The two elements of a head that are rotated together: 2i and 2i + 1 (as in the paper and GPT-J), or i and
/// i + head_width / 2 (as in GPT-NeoX, and in files of Llama that transformers writes). Weights trained with one do not
/// work with the other.
enum class RotaryPairs { Interleaved, Half };

/// How the angles of rotary positions are reduced for sequences that are longer than those of training.
struct RotaryScaling {
  /// kLinear divides all angles by `factor` (Chen et al. 2023). kLlama3 divides the angles of pairs that turn fewer than
  /// low_freq_factor times within original_context, keeps those of pairs that turn more than high_freq_factor times, and
  /// interpolates in between.
  enum class Kind { kNone, kLinear, kLlama3 };
  ETUDE_ARG(Kind, kind) = Kind::kNone;
  ETUDE_ARG(double, factor) = 1.0;
  ETUDE_ARG(double, low_freq_factor) = 1.0;
  ETUDE_ARG(double, high_freq_factor) = 4.0;
  ETUDE_ARG(int64_t, original_context) = 8192;
};

struct RotaryPositionsOptions {
  explicit RotaryPositionsOptions(int64_t head_width) : head_width_(head_width) {}
  /// The width of a head, which is even.
  ETUDE_ARG(int64_t, head_width);
  /// Which two elements of a head are rotated together.
  ETUDE_ARG(RotaryPairs, pairs) = RotaryPairs::Half;
  /// Pair i is rotated by the angle base^(-2i / head_width) per position.
  ETUDE_ARG(double, base) = 10000.0;
  /// How the angles are reduced for longer sequences.
  ETUDE_ARG(RotaryScaling, scaling);
  /// The longest sequence that a model should see; no limit unless given.
  ETUDE_ARG(optional<int64_t>, max_length);
};

/// Rotates pair i of every query and key at position p by the angle p base^(-2i / head_width), which may be scaled, so that the
/// scores depend only on distances (Su et al. 2021, section 3.4.2).
class ETUDE_API RotaryPositionsImpl : public Cloneable<RotaryPositionsImpl>, public Positions {
 public:
  RotaryPositionsImpl(int64_t head_width, RotaryPairs pairs, double base = 10000.0)
      : RotaryPositionsImpl(RotaryPositionsOptions(head_width).pairs(pairs).base(base)) {}
  explicit RotaryPositionsImpl(const RotaryPositionsOptions& options_);
  void reset() override {}
  Tensor turn(const Tensor& x, int64_t first) override;
  optional<int64_t> max_length() const override { return options.max_length(); }

  /// The angle of each pair per position: float64 [head_width / 2].
  const Tensor& frequencies() const { return frequencies_; }

  RotaryPositionsOptions options;

 private:
  Tensor frequencies_;
};
ETUDE_MODULE(RotaryPositions);

/// Subtracts slope * distance from the score of each earlier key. The slopes of n heads are 2^(-8/n),
/// 2^(-16/n), ... if n is a power of two; otherwise the slopes of the next smaller power, then every second
/// slope of the next larger (Press et al. 2022, section 3 and appendix). Later keys get nothing.
class ETUDE_API ALiBiPositionsImpl : public Cloneable<ALiBiPositionsImpl>, public Positions {
 public:
  explicit ALiBiPositionsImpl(int64_t heads);
  void reset() override;
  Tensor bias(int64_t queries, int64_t keys) override;

  Tensor slopes;  ///< [heads], a buffer that is not saved

 private:
  int64_t heads_;
};
ETUDE_MODULE(ALiBiPositions);

struct T5PositionsOptions {
  explicit T5PositionsOptions(int64_t heads) : heads_(heads) {}
  /// The number of heads of the attention.
  ETUDE_ARG(int64_t, heads);
  /// Half of the buckets hold one distance each; the others hold growing ranges of distances.
  ETUDE_ARG(int64_t, buckets) = 32;
  /// All distances from this one on share a bucket.
  ETUDE_ARG(int64_t, max_distance) = 128;
  /// Whether later keys have their own buckets, as in an encoder.
  ETUDE_ARG(bool, bidirectional) = false;
};

/// Adds a trained number per head and distance bucket to the scores (Raffel et al. 2020, section 2.1).
class ETUDE_API T5PositionsImpl : public Cloneable<T5PositionsImpl>, public Positions {
 public:
  explicit T5PositionsImpl(const T5PositionsOptions& options_);
  void reset() override;
  /// Draws from N(0, 1).
  void reset_parameters() { init::normal_(weight); }
  Tensor bias(int64_t queries, int64_t keys) override;

  T5PositionsOptions options;
  Tensor weight;  ///< [buckets, heads]
};
ETUDE_MODULE(T5Positions);

/// The table [height, width, d_model] for images: the first half of the elements is sinusoidal_table of the
/// row, the second half of the column (Wang and Liu 2019; He et al. 2022). d_model is even.
ETUDE_API Tensor sinusoidal_table_2d(int64_t height, int64_t width, int64_t d_model);

/// Adds sinusoidal_table_2d to patches of an image, row by row: [..., height * width, d_model].
class ETUDE_API Sinusoidal2DPositionsImpl : public Cloneable<Sinusoidal2DPositionsImpl>, public Positions {
 public:
  Sinusoidal2DPositionsImpl(int64_t height, int64_t width, int64_t d_model)
      : table_(sinusoidal_table_2d(height, width, d_model).flatten(0, 1)) {}
  void reset() override {}
  Tensor embed(const Tensor& x, int64_t first) override;
  optional<int64_t> max_length() const override { return table_.size(0); }

 private:
  Tensor table_;  // [height * width, d_model]
};
ETUDE_MODULE(Sinusoidal2DPositions);

}  // namespace etude::nn
