// Python's repr of a tensor, after torch/_tensor_str.py.

#include "etude/io/print.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "etude/autograd/node.h"
#include "etude/core/detail/dispatch.h"
#include "etude/core/error.h"
#include "etude/io/detail/number_text.h"

namespace etude {
namespace {

PrintOptions chosen;

constexpr char kOpening[] = "tensor(";
constexpr int kIndent = 7;  // its length

// The elements of a tensor. In a dim that is cut, only some at both ends are shown.
template <typename T>
struct Elements {
  const T* data;
  IntArrayRef sizes, strides;
  bool summarised;

  int64_t dims() const { return static_cast<int64_t>(sizes.size()); }
  int64_t size(int64_t d) const { return sizes[static_cast<size_t>(d)]; }
  int64_t stride(int64_t d) const { return strides[static_cast<size_t>(d)]; }
  bool is_cut(int64_t d) const { return summarised && size(d) > 2 * int64_t{chosen.edgeitems}; }
  // In a cut dim, [0, head) and [tail, size) are shown.
  int64_t head(int64_t d) const { return is_cut(d) ? chosen.edgeitems : size(d); }
  int64_t tail(int64_t d) const { return is_cut(d) ? size(d) - chosen.edgeitems : size(d); }
};

template <typename T, typename F>
void for_each_shown(const Elements<T>& x, const T* p, int64_t d, F&& f) {
  if (d == x.dims()) return f(*p);
  for (int64_t i = 0; i < x.head(d); ++i) for_each_shown(x, p + i * x.stride(d), d + 1, f);
  for (int64_t i = x.tail(d); i < x.size(d); ++i) for_each_shown(x, p + i * x.stride(d), d + 1, f);
}

template <typename T>
void append_item(std::string& out, T v) {
  if constexpr (std::is_same_v<T, bool>) out += v ? "True" : "False";
  else if constexpr (std::is_integral_v<T>) out += std::to_string(v);
  else detail::append_shortest(out, v);
}

// Writes the elements of a tensor, all in one format, which it chooses for those that are shown.
template <typename T>
class Printer {
 public:
  Printer(const Elements<T>& x, std::string& out) : x_(x), out_(out) {
    if constexpr (detail::is_floating<T>) choose_notation();
    std::string text;
    for_each_shown(x, x.data, 0, [&](T v) {
      // Zeros, infinities and nan do not count for the width: they may be out of line.
      if (detail::is_floating<T> && !counts(v)) return;
      text.clear();
      append_bare(text, v);
      width_ = std::max(width_, text.size());
    });
  }

  // The innermost dim fills lines; items of other dims begin a line each.
  void append(const T* p, int64_t d, int indent) {
    if (d == x_.dims()) return append_aligned(*p);
    const int64_t dims_inside = x_.dims() - d - 1, cell = static_cast<int64_t>(width_) + 2;
    const int64_t per_line = dims_inside > 0 ? 1 : std::max<int64_t>(1, (chosen.linewidth - indent) / cell);
    const std::string new_line = "," +
                                 std::string(static_cast<size_t>(std::max<int64_t>(1, dims_inside)), '\n') +
                                 std::string(static_cast<size_t>(indent) + 1, ' ');
    int64_t items = 0;
    const auto separate = [&] {
      if (items > 0) out_ += items % per_line == 0 ? new_line : ", ";
      ++items;
    };
    const auto append_some = [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        separate();
        append(p + i * x_.stride(d), d + 1, indent + 1);
      }
    };
    out_ += '[';
    append_some(0, x_.head(d));
    if (x_.is_cut(d)) {
      separate();
      out_ += dims_inside > 0 || chosen.edgeitems == 0 ? "..." : " ...";
    }
    append_some(x_.tail(d), x_.size(d));
    out_ += ']';
  }

 private:
  static bool counts(T v) { return std::isfinite(static_cast<double>(v)) && v != T(0); }

  void choose_notation() {
    double lowest = std::numeric_limits<double>::infinity(), highest = 0;
    for_each_shown(x_, x_.data, 0, [&](T v) {
      if (!counts(v)) return;
      const double magnitude = std::abs(static_cast<double>(v));
      lowest = std::min(lowest, magnitude);
      highest = std::max(highest, magnitude);
      integers_ = integers_ && v == std::ceil(v);
      any_counts_ = true;
    });
    if (!any_counts_) return;
    scientific_ = chosen.sci_mode.value_or(highest / lowest > 1000.0 || highest > 1.0e8 ||
                                           (!integers_ && lowest < 1.0e-4));
  }

  void append_bare(std::string& out, T v) const {
    if constexpr (std::is_integral_v<T>) {
      append_item(out, v);
    } else if (scientific_) {
      detail::append_scientific(out, v, chosen.precision);
    } else if (!integers_) {
      detail::append_fixed(out, v, chosen.precision);
    } else {
      detail::append_fixed(out, v, 0);
      if (std::isfinite(static_cast<double>(v))) out += '.';
    }
  }

  void append_aligned(T v) {
    const size_t start = out_.size();
    append_bare(out_, v);
    const size_t length = out_.size() - start;
    if (length < width_) out_.insert(start, width_ - length, ' ');
  }

  const Elements<T>& x_;
  std::string& out_;
  size_t width_ = 1;
  bool any_counts_ = false;
  bool integers_ = true;
  bool scientific_ = false;
};

void append_body(std::string& out, const Tensor& t) {
  if (t.numel() == 0) return (void)(out += "[]");
  const bool summarised = static_cast<double>(t.numel()) > chosen.threshold;
  detail::dispatch(t.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const Elements<T> elements{t.data_ptr<T>(), t.sizes(), t.strides(), summarised};
    Printer<T>(elements, out).append(elements.data, 0, kIndent);
  });
}

// Python's names of nodes have no namespaces.
std::string unqualified(const std::string& name) { return name.substr(name.rfind(':') + 1); }

std::vector<std::string> suffixes(const Tensor& t) {
  std::vector<std::string> all;
  const ScalarType type = t.scalar_type();
  if (t.numel() == 0 ? t.dim() != 1 : chosen.edgeitems == 0)
    all.push_back("size=" + detail::python_tuple(t.sizes()));
  const bool shows_itself = t.numel() > 0 && (type == kLong || type == kBool);
  if (type != get_default_dtype() && !shows_itself) all.push_back(str("dtype=", dtype_name(type)));
  if (t.grad_fn()) all.push_back("grad_fn=<" + unqualified(t.grad_fn()->name()) + ">");
  else if (t.requires_grad()) all.push_back("requires_grad=True");
  return all;
}

template <typename T>
void append_list(std::string& out, const Elements<T>& x, const T* p, int64_t d) {
  if (d == x.dims()) return append_item(out, *p);
  out += '[';
  for (int64_t i = 0; i < x.size(d); ++i) {
    if (i > 0) out += ", ";
    append_list(out, x, p + i * x.stride(d), d + 1);
  }
  out += ']';
}

}  // namespace

void set_printoptions(const PrintOptions& wanted) {
  ETUDE_CHECK_VALUE(wanted.precision >= 0, "Format specifier missing precision\nreceived precision ",
                    wanted.precision, "\nhint: precision counts the digits after the point");
  ETUDE_CHECK_VALUE(wanted.edgeitems >= 0, "edgeitems must not be negative\nreceived edgeitems ",
                    wanted.edgeitems, "\nhint: edgeitems counts the items shown at each end of a dim");
  chosen = wanted;
}

const PrintOptions& get_printoptions() { return chosen; }

void set_printoptions(const std::string& profile) {
  PrintOptions wanted;
  if (profile == "short") {
    wanted.precision = 2;
    wanted.edgeitems = 2;
  } else if (profile == "full") {
    wanted.threshold = std::numeric_limits<double>::infinity();
  } else {
    ETUDE_CHECK_VALUE(profile == "default", "unknown print profile '", profile,
                      "'\nhint: the profiles are default, short and full");
  }
  set_printoptions(wanted);
}

std::string repr(const Tensor& t) {
  if (!t.defined()) return "[ Tensor (undefined) ]";
  std::string out = kOpening;
  append_body(out, t);
  // The column after the last line and the ", " that follows; the closing parenthesis is not counted.
  size_t column = out.size() - (out.rfind('\n') + 1) + 2;
  for (const std::string& suffix : suffixes(t)) {
    if (static_cast<int64_t>(column + suffix.size() + 2) > chosen.linewidth) {
      out += ",\n" + std::string(kIndent, ' ') + suffix;
      column = kIndent + suffix.size();
    } else {
      out += ", " + suffix;
      column += suffix.size() + 2;
    }
  }
  return out + ')';
}

std::string parameter_repr(const Tensor& t) { return "Parameter containing:\n" + repr(t); }

std::string tolist(const Tensor& t) {
  std::string out;
  detail::dispatch(t.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const Elements<T> elements{t.data_ptr<T>(), t.sizes(), t.strides(), false};
    append_list(out, elements, elements.data, 0);
  });
  return out;
}

void detail::print_one(std::ostream& out, const Scalar& value) {
  std::string text;
  if (value.isFloatingPoint()) append_item(text, value.toDouble());
  else if (value.isBoolean()) append_item(text, value.toBool());
  else append_item(text, value.toLong());
  out << text;
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << repr(t); }
std::ostream& operator<<(std::ostream& out, TensorList tensors) {
  return out << '[' << Join(", ", tensors) << ']';
}

}  // namespace etude
