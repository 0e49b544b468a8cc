#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/options.h"

namespace etude {

/// A list of dims, or none.
using OptionalIntArrayRef = optional<IntArrayRef>;

/// A dim or a list of dims, or none, which stands for all dims: `sum(1)`, `sum({0, 1})`, `sum(nullopt)`.
class DimList {
 public:
  DimList() = default;
  DimList(nullopt_t) {}
  DimList(int64_t dim) : one_(dim), is_one_(true), given_(true) {}
  DimList(int dim) : DimList(static_cast<int64_t>(dim)) {}
  DimList(IntArrayRef dims) : dims_(dims), given_(true) {}
  DimList(std::initializer_list<int64_t> dims) : dims_(dims), given_(true) {}
  DimList(const std::vector<int64_t>& dims) : dims_(dims), given_(true) {}
  DimList(OptionalIntArrayRef dims) : dims_(dims.value_or(IntArrayRef())), given_(dims.has_value()) {}
  bool has_value() const { return given_; }
  IntArrayRef value() const { return is_one_ ? IntArrayRef(&one_, 1) : dims_; }

 private:
  IntArrayRef dims_;
  int64_t one_ = 0;
  bool is_one_ = false;
  bool given_ = false;
};

}  // namespace etude
