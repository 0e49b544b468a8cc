#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/golden.h"

// The recordings of golden/layers/make.py from PyTorch, and comparisons with them.

namespace golden {

using etude::Recorded;
using etude::Tensor;

inline const Recorded& layers() {
  static const Recorded data = etude::golden_json("layers/layers.json");
  return data;
}

/// The recorded tensor in float64, which holds every recorded number exactly.
inline Tensor tensor(const Recorded& t) {
  return etude::tensor(t.at("values").get<std::vector<double>>(), etude::kDouble)
      .reshape(t.at("sizes").get<std::vector<int64_t>>());
}

/// Whether both are equal bit for bit, apart from the type.
inline bool same(const Tensor& t, const Recorded& expected) {
  const Tensor e = tensor(expected);
  return t.sizes() == e.sizes() && t.detach().to(etude::kDouble).equal(e);
}

inline bool close(const Tensor& t, const Recorded& expected, double tolerance = 2e-6) {
  const Tensor e = tensor(expected);
  return t.sizes() == e.sizes() && t.detach().to(etude::kDouble).allclose(e, tolerance, tolerance);
}

/// sin(1), sin(2), ... in float32, as in make.py's ramp.
inline Tensor ramp(etude::IntArrayRef sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(std::sin(static_cast<double>(i + 1)));
  return etude::tensor(values, etude::kDouble).to(etude::kFloat).reshape(sizes);
}

/// The text that std::cout would print.
template <typename T>
std::string text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// The whole text of the error that f throws; empty if it throws none.
template <typename F>
std::string error_of(F f) {
  try {
    f();
  } catch (const etude::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace golden
