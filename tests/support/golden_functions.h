#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/any_function.h"
#include "support/golden.h"

namespace etude {

/// A tensor of tests/golden/functions_more.json.
inline Tensor tensor_with_dtype(const Recorded& t) {
  const std::string name = t.at("dtype");
  const ScalarType type = name == "float16"    ? kHalf
                          : name == "bfloat16" ? kBFloat16
                          : name == "int8"     ? kChar
                                               : golden_dtype(name);
  return golden_numbers(t.at("values"), isFloatingType(type) ? kDouble : kLong)
      .to(type)
      .view(t.at("sizes").get<std::vector<int64_t>>());
}

/// Compares the outputs of f and the gradients of the first one with the recorded cases of an op: those of both versions of PyTorch,
/// or those that PyTorch 2 added. f gets the inputs and the case's arguments.
inline void check_recorded(
    const std::string& op,
    const AnyFunction<std::vector<Tensor>(const std::vector<Tensor>&, const Recorded&)>& f,
    bool added = false) {
  size_t count = 0;
  for (const Recorded& row : golden_json("functions_more.json")) {
    if (row.at("op") != op || row.contains("since") != added) continue;
    CAPTURE(row.dump());
    ++count;
    std::vector<Tensor> inputs, differentiable;
    for (const Recorded& input : row.at("inputs")) {
      inputs.push_back(tensor_with_dtype(input));
      if (inputs.back().is_floating_point()) differentiable.push_back(inputs.back().requires_grad_());
    }
    const auto close = [](const Tensor& found, const Recorded& expected) {
      const Tensor t = tensor_with_dtype(expected);
      const double tolerance = t.scalar_type() == kDouble ? 1e-9 : t.element_size() == 2 ? 1e-2 : 1e-6;
      CHECK(found.scalar_type() == t.scalar_type());
      CHECK(found.sizes() == t.sizes());
      CHECK(allclose(found.to(kDouble), t.to(kDouble), tolerance, tolerance, /*equal_nan=*/true));
    };
    const std::vector<Tensor> outputs = f(inputs, row.at("arguments"));
    REQUIRE(outputs.size() == row.at("outputs").size());
    for (size_t i = 0; i < outputs.size(); ++i) close(outputs[i].detach(), row.at("outputs")[i]);
    CHECK(outputs[0].requires_grad() == row.contains("gradients"));
    if (!row.contains("gradients")) continue;
    const Tensor& y = outputs[0];
    const double n = static_cast<double>(std::max<int64_t>(1, y.numel()));
    const Tensor dy = (etude::arange(1, 1 + y.numel()).to(y.scalar_type()) / n).view(y.sizes());
    const std::vector<Tensor> gradients = autograd::grad({y}, differentiable, {dy});
    REQUIRE(gradients.size() == row.at("gradients").size());
    for (size_t i = 0; i < gradients.size(); ++i) close(gradients[i], row.at("gradients")[i]);
  }
  CHECK(count > 0);
}

}  // namespace etude
