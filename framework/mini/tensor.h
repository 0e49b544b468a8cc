// Tensors: numbers in memory, and strides that say where each element is. Begin reading here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mini {

using Sizes = std::vector<int64_t>;
using IntArrayRef = Sizes;

struct Error : std::runtime_error {
  using runtime_error::runtime_error;
};
struct IndexError : Error {
  using Error::Error;
};
inline std::ostream& operator<<(std::ostream& out, const Sizes& sizes) {
  out << '[';
  for (size_t i = 0; i < sizes.size(); ++i) out << (i > 0 ? ", " : "") << sizes[i];
  return out << ']';
}
/// All parts as one text.
template <typename... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}
/// Throws an error with the text of `parts` unless `holds` is true.
template <typename Kind = Error, typename... Parts>
void check(bool holds, const Parts&... parts) {
  if (!holds) throw Kind(str(parts...));
}

enum class ScalarType { Bool, Long, Float };  // an op on two types computes in the later one
constexpr ScalarType kBool = ScalarType::Bool, kLong = ScalarType::Long, kFloat = ScalarType::Float;
template <typename T>
constexpr ScalarType type_of = std::is_same_v<T, bool> ? kBool
                               : std::is_integral_v<T> ? kLong
                                                       : kFloat;

/// Calls f with a zero of the C++ type: float, int64_t or bool.
template <typename F>
auto dispatch(ScalarType type, const F& f) {
  return type == kFloat ? f(0.0f) : type == kLong ? f(int64_t{0}) : f(false);
}

/// A number with its type: 2, 0.5 or true.
struct Scalar {
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T v) : type(type_of<T>), real(static_cast<double>(v)), whole(static_cast<int64_t>(v)) {}
  template <typename T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) return real != 0;
    else return type == kFloat ? static_cast<T>(real) : static_cast<T>(whole);
  }
  double toDouble() const { return to<double>(); }
  ScalarType type;
  double real;
  int64_t whole;
};

struct Device {};  // the CPU
struct Tensor;
using Tensors = std::vector<Tensor>;

/// A recorded op: its inputs, and a function that turns the gradient dy of its result into the gradients of the inputs.
struct Node {
  std::string text;
  Tensors inputs;
  std::function<Tensors(const Tensor& dy)> backward;  // returns one gradient per input
  int64_t number;                                     // in order of creation: smaller for the inputs' nodes
  const std::string& name() const { return text; }
  struct Edge {
    std::shared_ptr<Node> function;  // null if the input requires no gradient
  };
  std::vector<Edge> next_edges() const;
};

namespace indexing {

inline constexpr std::nullopt_t None = std::nullopt;

/// Every step-th index of [start, stop); negative bounds count from the end.
struct Slice {
  Slice(std::optional<int64_t> start_ = None, std::optional<int64_t> stop_ = None, int64_t step_ = 1)
      : start(start_), stop(stop_), step(step_) {}
  std::optional<int64_t> start, stop;
  int64_t step;
};

}  // namespace indexing

struct TensorIndex;
using Indices = std::initializer_list<TensorIndex>;

/// A handle: copies of it refer to the same tensor.
struct Tensor {
  struct Impl {
    std::shared_ptr<char[]> memory;
    ScalarType type;
    Sizes sizes, strides;  // element (i, j, ...) is at offset + i strides[0] + j strides[1] + ...
    int64_t offset;
    bool requires_grad = false;
    std::shared_ptr<Tensor> grad = {};
    std::shared_ptr<Node> node = {};  // null if no recorded op made it
  };

  Tensor() = default;
  explicit Tensor(Impl all) : impl(std::make_shared<Impl>(std::move(all))) {}

  bool defined() const { return impl != nullptr; }
  void reset() { impl.reset(); }
  const Sizes& sizes() const { return the().sizes; }
  const Sizes& strides() const { return the().strides; }
  int64_t storage_offset() const { return the().offset; }
  ScalarType scalar_type() const { return the().type; }
  ScalarType dtype() const { return the().type; }
  bool is_floating_point() const { return the().type == kFloat; }
  int64_t dim() const { return static_cast<int64_t>(sizes().size()); }
  /// d as a non-negative dim: a negative d counts from the end. d may be up to `extra` past the last dim.
  int64_t wrap(int64_t d, int64_t extra = 0) const;
  int64_t size(int64_t d) const { return sizes()[static_cast<size_t>(wrap(d))]; }
  int64_t stride(int64_t d) const { return strides()[static_cast<size_t>(wrap(d))]; }
  int64_t numel() const;
  int64_t element_size() const { return the().type == kFloat ? 4 : the().type == kLong ? 8 : 1; }
  bool is_contiguous() const;
  void* data_ptr() const;
  /// The address of the first element.
  template <typename T>
  T* data_ptr() const {
    check(the().type == type_of<T> && static_cast<int64_t>(sizeof(T)) == element_size(),
          "expected scalar type ", name_of(type_of<T>), " but found ", name_of(the().type));
    return reinterpret_cast<T*>(the().memory.get()) + the().offset;
  }
  /// The value of a tensor with one element.
  Scalar item() const {
    return dispatch(the().type, [&](auto zero) { return Scalar(item<decltype(zero)>()); });
  }
  template <typename T>
  T item() const {
    check(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
    return dispatch(the().type,
                    [&](auto zero) { return Scalar(*data_ptr<decltype(zero)>()).template to<T>(); });
  }

  // Autograd, in autograd.h.
  bool requires_grad() const { return the().requires_grad; }
  const Tensor& requires_grad_(bool on = true) const;
  const Tensor& grad() const;
  Tensor& mutable_grad() const;
  std::shared_ptr<Node> grad_fn() const { return the().node; }
  bool is_leaf() const { return !the().node; }
  void backward(const Tensor& dy = {}, bool retain_graph = false) const;
  Tensor detach() const;

  // Views of the same memory, in views.h.
  Tensor expand(const Sizes& sizes) const;
  Tensor view(const Sizes& sizes) const;
  Tensor reshape(const Sizes& sizes) const;
  Tensor permute(const Sizes& dims) const;
  Tensor transpose(int64_t a, int64_t b) const;
  Tensor t() const { return transpose(0, dim() < 2 ? 0 : 1); }
  Tensor unsqueeze(int64_t d) const, squeeze(int64_t d) const, select(int64_t d, int64_t i) const;
  Tensor slice(int64_t d, int64_t start, int64_t stop, int64_t step = 1) const;
  Tensor narrow(int64_t d, int64_t start, int64_t length) const;
  Tensor flatten(int64_t from = 0, int64_t to = -1) const;
  Tensors split(int64_t length, int64_t d = 0) const;
  Tensors chunk(int64_t chunks, int64_t d = 0) const {
    check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
    return split(std::max<int64_t>(1, (size(d) + chunks - 1) / chunks), d);
  }
  Tensor operator[](int64_t i) const { return select(0, i); }
  Tensor index(Indices indices) const;
  const Tensor& index_put_(Indices indices, const Tensor& value) const;
  const Tensor& index_put_(Indices indices, Scalar value) const;

  // Copies.
  Tensor clone() const;
  Tensor contiguous() const { return is_contiguous() ? *this : clone(); }
  Tensor to(ScalarType type) const;
  Tensor to(Device) const { return *this; }
  Device device() const { return {}; }
  const Tensor& copy_(const Tensor& from) const;
  const Tensor& fill_(Scalar value) const;
  const Tensor& zero_() const { return fill_(0); }
  const Tensor& operator=(Scalar value) && { return fill_(value); }
  Tensor(const Tensor& other) = default;
  Tensor& operator=(const Tensor& other) & = default;

  // Ops, in ops.h.
  Tensor exp() const, log() const, sin() const, cos() const, tanh() const, sqrt() const, abs() const;
  Tensor round() const, relu() const, pow(Scalar exponent) const;
  Tensor logical_not() const, isnan() const;
  Tensor logical_or(const Tensor& b) const;
  Tensor masked_fill(const Tensor& mask, Scalar value) const;
  Tensor sum() const, var() const, norm() const, norm(Scalar p, int64_t d, bool keepdim = false) const;
  Tensor sum(const Sizes& dims, bool keepdim = false) const;
  Tensor sum(int64_t d, bool keepdim = false) const { return sum(Sizes{d}, keepdim); }
  Tensor mean() const, mean(int64_t d, bool keepdim = false) const;
  Tensor var(const Sizes& dims, bool unbiased = true, bool keepdim = false) const;
  Tensor std(int64_t d, bool unbiased = true, bool keepdim = false) const;
  Tensor amax(const Sizes& dims, bool keepdim = false) const;
  Tensor max() const, min() const, all() const, any() const, any(int64_t d) const, argmax() const,
      argmin() const;
  Tensor nonzero() const;
  Tensor index_select(int64_t d, const Tensor& places) const;
  Tensor flip(const Sizes& dims) const;
  Tensor flip(int64_t d) const { return flip(Sizes{d}); }
  Tensor tril(int64_t diagonal = 0) const, triu(int64_t diagonal = 0) const;

  // Random numbers, in random.h.
  const Tensor& uniform_(double from = 0, double to = 1) const;
  const Tensor& bernoulli_(double p) const;
  const Tensor& normal_(double mean = 0, double deviation = 1) const;

  static const char* name_of(ScalarType type) {
    return type == kFloat ? "Float" : type == kLong ? "Long" : "Bool";
  }
  Impl& the() const {
    check(defined(), "expected a tensor, but it is undefined");
    return *impl;
  }
  std::shared_ptr<Impl> impl;
};

struct TensorIndex {
  TensorIndex(std::nullopt_t none) : value(none) {}
  TensorIndex(indexing::Slice slice) : value(slice) {}
  TensorIndex(Tensor places) : value(std::move(places)) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  TensorIndex(T i) : value(static_cast<int64_t>(i)) {}
  std::variant<std::nullopt_t, int64_t, indexing::Slice, Tensor> value;
};

inline int64_t count(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

/// The strides of a row-major tensor.
inline Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides(sizes.size());
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0; step *= std::max<int64_t>(sizes[d], 1)) strides[d] = step;
  return strides;
}
inline int64_t Tensor::wrap(int64_t d, int64_t extra) const {
  const int64_t n = dim() + extra;
  check<IndexError>(d >= -n && d < n, "Dimension out of range (expected to be in range of [", -n, ", ", n - 1,
                    "], but got ", d, ")");
  return d < 0 ? d + n : d;
}
inline int64_t Tensor::numel() const { return count(sizes()); }
inline bool Tensor::is_contiguous() const {
  const Sizes wanted = contiguous_strides(sizes());
  bool is = true;
  for (size_t d = 0; d < wanted.size(); ++d) is = is && (sizes()[d] == 1 || strides()[d] == wanted[d]);
  return is || numel() == 0;
}
inline void* Tensor::data_ptr() const {
  return dispatch(the().type, [&](auto zero) { return static_cast<void*>(data_ptr<decltype(zero)>()); });
}

/// A tensor whose elements are not yet set.
inline Tensor empty(const Sizes& sizes, ScalarType type = kFloat) {
  for (const int64_t size : sizes)
    check(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
  const size_t bytes = static_cast<size_t>(count(sizes)) * sizeof(int64_t);  // enough for any type
  return Tensor({std::shared_ptr<char[]>(new char[bytes]), type, sizes, contiguous_strides(sizes), 0});
}

/// A position in a tensor's memory, with the strides that lead to the next elements.
template <typename T>
struct Elements {
  explicit Elements(const Tensor& t) : at(t.data_ptr<T>()), strides(&t.strides()) {}
  Elements(T* at_, const Sizes& strides_) : at(at_), strides(&strides_) {}
  T* at;
  const Sizes* strides;
};
/// Calls f with the elements of all tensors at each index of `sizes`, in row-major order. d is the dim that this call loops over.
template <typename F, typename... T>
void for_each(const Sizes& sizes, const F& f, size_t d, Elements<T>... x) {
  if (d == sizes.size()) return f(*x.at...);
  const bool is_row = d + 1 == sizes.size();
  for (int64_t i = 0; i < sizes[d]; ++i, ((x.at += (*x.strides)[d]), ...))
    if (is_row) f(*x.at...);
    else for_each(sizes, f, d + 1, x...);
}

}  // namespace mini
