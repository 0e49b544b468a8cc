#pragma once

#include <iosfwd>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "etude/core/error.h"
#include "etude/core/export.h"
#include "etude/core/tensor.h"

namespace etude {

/// How tensors are printed; the defaults are Python's (torch.set_printoptions).
struct PrintOptions {
  int precision = 4;        ///< The number of digits after the point.
  double threshold = 1000;  ///< Tensors with more elements are printed without their middle.
  int edgeitems = 3;        ///< The number of items at each end that are printed then.
  int linewidth = 80;       ///< The number of characters in a line.
  optional<bool> sci_mode;  ///< Whether numbers are in scientific notation; unless set, the values decide.
};

/// Replaces the print options; `set_printoptions(PrintOptions{})` restores the defaults.
ETUDE_API void set_printoptions(const PrintOptions& options);
/// The current print options.
ETUDE_API const PrintOptions& get_printoptions();
/// Chooses one of Python's profiles: "default", "short" or "full".
ETUDE_API void set_printoptions(const std::string& profile);

/// The text of a tensor, as Python's `repr` gives it.
ETUDE_API std::string repr(const Tensor& t);

/// Writes a list of tensors as Python's `repr` does: `[tensor([1.]), tensor([2.])]`.
ETUDE_API std::ostream& operator<<(std::ostream& out, TensorList tensors);

/// The text of a parameter, as Python's `repr` gives it: the line `Parameter containing:` comes first.
ETUDE_API std::string parameter_repr(const Tensor& t);

/// The shortest decimal that reads back as the same double, as Python prints a float: `0.1`, `1.0`, `1e-05`.
ETUDE_API std::string python_float(double v);

/// Nested lists in brackets, as Python prints `t.tolist()`.
ETUDE_API std::string tolist(const Tensor& t);

/// Formats a 0-dim tensor with a Python format spec such as ".4f", "10.2f", ".2e" or ".3g". An empty spec gives
/// the item's text, or the repr of a tensor with dims. Supports all number formats of Python except the code 'c'.
ETUDE_API std::string format(const Tensor& t, const std::string& spec);

namespace detail {

/// Writes floats as Python does, bools as True and False, other values with <<.
template <typename T>
void print_one(std::ostream& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) out << (value ? "True" : "False");
  else if constexpr (std::is_floating_point_v<T>) out << python_float(static_cast<double>(value));
  else out << value;
}
/// Writes the result of item() as Python writes the number.
ETUDE_API void print_one(std::ostream& out, const Scalar& value);

/// Joins the parts, each written as above: `python_str("p=", 0.5, ", inplace=", false)`.
template <typename... Parts>
std::string python_str(const Parts&... parts) {
  std::ostringstream out;
  (print_one(out, parts), ...);
  return out.str();
}

/// `(2, 3)`, `(2,)` or `()`.
template <typename Numbers>
std::string python_tuple(const Numbers& numbers) {
  return '(' + Join(", ", numbers) + (numbers.size() == 1 ? ",)" : ")");
}

template <typename T, typename = void>
inline constexpr bool is_streamed = false;
template <typename T>
inline constexpr bool
    is_streamed<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>> = true;

struct Print {
  template <typename... Parts, std::enable_if_t<(is_streamed<Parts> && ...), int> = 0>
  void operator()(const Parts&... parts) const {
    [[maybe_unused]] const char* blank = "";
    ((std::cout << blank, print_one(std::cout, parts), blank = " "), ...);
    std::cout << '\n';
  }
  template <typename... NeedsOutputOperator,
            std::enable_if_t<!(is_streamed<NeedsOutputOperator> && ...), int> = 0>
  void operator()(const NeedsOutputOperator&...) const = delete;  // print(pair.first, pair.second)
};

}  // namespace detail

/// Python's print: writes its arguments, separated by blanks, and a newline to std::cout. A function object,
/// so that argument-dependent lookup never finds it.
inline constexpr detail::Print print{};

}  // namespace etude
