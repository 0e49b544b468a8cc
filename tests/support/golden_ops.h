#pragma once

#include <map>
#include <string>
#include <vector>

#include "etude/core/scalar.h"
#include "etude/core/tensor.h"
#include "support/any_function.h"
#include "support/golden.h"

namespace etude {

/// The arguments of one call: tensors by name, and attributes.
class GoldenCall {
 public:
  GoldenCall(const Recorded& attributes, std::vector<std::pair<std::string, Tensor>> tensors)
      : attributes_(attributes), tensors_(std::move(tensors)) {}

  const Tensor& operator[](const std::string& name) const;
  std::vector<Tensor> list(const std::string& name) const;  // xs.0, xs.1, ...
  bool has(const std::string& name) const {
    return attributes_.contains(name) && !attributes_.at(name).is_null();
  }
  int64_t integer(const std::string& name) const { return attributes_.at(name).get<int64_t>(); }
  bool flag(const std::string& name) const { return attributes_.at(name).get<bool>(); }
  std::string text(const std::string& name) const { return attributes_.at(name).get<std::string>(); }
  std::vector<int64_t> integers(const std::string& name) const {
    return attributes_.at(name).get<std::vector<int64_t>>();
  }
  /// int64 or double as the JSON has it; "inf_" and "-inf_" are infinities.
  Scalar number(const std::string& name) const;
  std::vector<Scalar> numbers(const std::string& name) const;
  /// The dims to reduce: none, one or several.
  std::vector<int64_t> dims(const std::string& name = "dim") const;
  Recorded attributes() const { return attributes_; }

 private:
  Recorded attributes_;
  std::vector<std::pair<std::string, Tensor>> tensors_;
};

using GoldenOp = AnyFunction<std::vector<Tensor>(const GoldenCall&)>;

/// Each op of golden/ops/index.json as a call of Etude.
const std::map<std::string, GoldenOp>& golden_ops();

}  // namespace etude
