#pragma once

#include <iosfwd>
#include <limits>
#include <vector>

#include "etude/core/tensor.h"

namespace etude {

namespace indexing {

enum class EllipsisIndexType { Ellipsis };
/// As many `:` as are needed to cover the remaining dims.
constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
/// A new dim of size one, or the open end of a Slice.
constexpr nullopt_t None = nullopt;

/// The values of the open ends of a Slice.
constexpr int64_t INDEX_MAX = std::numeric_limits<int64_t>::max();
constexpr int64_t INDEX_MIN = std::numeric_limits<int64_t>::min();

/// Python's `start:stop:step`; None leaves a part open. step is positive.
struct ETUDE_API Slice {
  Slice(optional<int64_t> start = nullopt, optional<int64_t> stop = nullopt,
        optional<int64_t> step = nullopt);
  int64_t start() const { return start_; }
  int64_t stop() const { return stop_; }
  int64_t step() const { return step_; }

 private:
  int64_t start_, stop_, step_;
};

}  // namespace indexing

/// One entry of an index: None, Ellipsis, an integer, a bool, a Slice, a mask or a tensor of indices.
struct ETUDE_API TensorIndex {
  enum class Kind { None, Ellipsis, Integer, Boolean, Slice, Tensor };

  TensorIndex(nullopt_t) : kind_(Kind::None) {}
  TensorIndex(indexing::EllipsisIndexType) : kind_(Kind::Ellipsis) {}
  TensorIndex(const char* text);  // "..."
  TensorIndex(int64_t i) : kind_(Kind::Integer), integer_(i) {}
  TensorIndex(int i) : TensorIndex(static_cast<int64_t>(i)) {}
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, bool>>>
  TensorIndex(T b) : kind_(Kind::Boolean), boolean_(b) {}
  TensorIndex(indexing::Slice s) : kind_(Kind::Slice), slice_(s) {}
  TensorIndex(Tensor t) : kind_(Kind::Tensor), tensor_(std::move(t)) {}

  bool is_none() const { return kind_ == Kind::None; }
  bool is_ellipsis() const { return kind_ == Kind::Ellipsis; }
  bool is_integer() const { return kind_ == Kind::Integer; }
  bool is_boolean() const { return kind_ == Kind::Boolean; }
  bool is_slice() const { return kind_ == Kind::Slice; }
  bool is_tensor() const { return kind_ == Kind::Tensor; }
  int64_t integer() const { return integer_; }
  bool boolean() const { return boolean_; }
  const indexing::Slice& slice() const { return slice_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  Kind kind_;
  int64_t integer_ = 0;
  bool boolean_ = false;
  indexing::Slice slice_;
  Tensor tensor_;
};

namespace indexing {

using etude::TensorIndex;

/// Writes start:stop:step with the values of the open ends: `1:9223372036854775807:2`.
ETUDE_API std::ostream& operator<<(std::ostream& out, const Slice& slice);

}  // namespace indexing

/// Writes `None`, `...`, a number, a bool, a slice or a tensor; a list is written in parentheses.
ETUDE_API std::ostream& operator<<(std::ostream& out, const TensorIndex& index);
ETUDE_API std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices);

}  // namespace etude
