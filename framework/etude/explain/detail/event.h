#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "etude/core/detail/listen.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/tensor.h"

namespace etude::detail {

/// A tensor without its elements; an undefined tensor has no dtype.
struct TensorForm {
  std::optional<ScalarType> dtype;
  std::vector<int64_t> sizes;
  int64_t numel = 0;
  double bytes = 0;  // in memory; an expanded tensor counts once
  // To recognise views and writes in place, while the tensors live.
  const TensorImpl* tensor = nullptr;
  const Storage* storage = nullptr;
};
TensorForm form_of(const Tensor& t);
/// "float32 [2, 3]", with the dtype only if it differs from the one before.
std::string text_of(const TensorForm& form, std::optional<ScalarType>& dtype_before);
std::string text_of(const std::vector<TensorForm>& forms);

/// Statistics of the elements of a tensor. Extremes and mean are of the finite elements.
struct Statistics {
  int64_t count = 0, nans = 0, infs = 0;
  double min = std::numeric_limits<double>::infinity(), max = -min, sum = 0;
  double mean() const { return sum / static_cast<double>(count - nans - infs); }
};
/// Reads the memory directly, and so does not affect graphs, version counters and random streams.
Statistics numbers_of(const Tensor& t);
/// "min -1.5 mean 0 max 2", "3 of 8 nan, min 0 mean 1 max 2", "" without elements.
std::string text_of(const Statistics& numbers);

/// A number as printf writes it, in at most 31 characters.
std::string formatted(const char* format, double value);
/// 1,234,567 as "1.23 M", followed by the unit.
std::string with_prefix(double value, const char* unit);

/// An op, a node of a backward or a module that has run, and its place.
struct Event : listen::Event {
  std::vector<TensorForm> given, results;
  std::vector<Statistics> given_numbers, result_numbers;  // if requested
  bool number_is_nan = false, number_is_inf = false;      // among non-tensor arguments
  std::string kernel;    // of a library; empty for a plain kernel and for a view
  const char* way = "";  // "view", "in place", "copy"
  const char* grad_fn = "";
  int64_t nanoseconds = 0;            // without the time of watching
  std::optional<double> flop, bytes;  // if known
  std::vector<Event> inside;          // the ops that it consists of
};

/// Fills in the FLOP and bytes of an op from its name and forms, if they are known: a product and a sum are two
/// operations, a function of an element is one, and each tensor is read or written once. Also notes whether it copies.
/// Defined in work.cpp.
void count_work(Event& op);

}  // namespace etude::detail
