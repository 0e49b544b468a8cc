#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/dim_list.h"
#include "etude/core/dtype.h"
#include "etude/core/export.h"
#include "etude/core/generator.h"
#include "etude/core/options.h"
#include "etude/core/scalar.h"

namespace etude {

class Tensor;
struct TensorIndex;
template <typename T, size_t N>
class TensorAccessor;

/// Tensors as an argument: a vector, a list in braces, or one tensor.
using TensorList = ArrayRef<Tensor>;

namespace detail {
struct TensorImpl;
TensorImpl& impl(const Tensor& t);
}  // namespace detail
namespace autograd {
struct Node;
using Variable = Tensor;
using variable_list = std::vector<Tensor>;
}  // namespace autograd

/// An n-dimensional array of one element type (torch::Tensor). A tensor is a handle: it is cheap to copy, and
/// copies share the array.
///
/// Methods are declared here and defined in the file of the op they belong to. Free functions of the same
/// names are in `etude/ops/ops.h`, with docstrings.
class ETUDE_API Tensor {
 public:
  Tensor() noexcept {}
  Tensor(const Tensor& other) noexcept;
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(const Tensor& other) & noexcept;
  Tensor& operator=(Tensor&& other) & noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  /// Assigning to a temporary, as in `x.index({...}) = y` or `x[0] = y`, writes through copy_, as in PyTorch.
  Tensor& operator=(const Tensor& other) &&;
  Tensor& operator=(Tensor&& other) &&;  // NOLINT(performance-noexcept-move-constructor): it is a copy_
  Tensor& operator=(const Scalar& v) &&;
  ~Tensor();

  // Properties.
  bool defined() const { return impl_ != nullptr; }
  void reset();
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  int64_t use_count() const;
  int64_t dim() const;
  int64_t ndimension() const { return dim(); }
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  int64_t size(int64_t dim) const;
  template <typename SizesOrSizeOfADim = void>
  int64_t size() const = delete;  // sizes(), or size(0)
  int64_t stride(int64_t dim) const;
  int64_t numel() const;
  int64_t nbytes() const;
  int64_t element_size() const;
  int64_t itemsize() const { return element_size(); }
  int64_t storage_offset() const;
  ScalarType dtype() const { return scalar_type(); }
  ScalarType scalar_type() const;
  TensorOptions options() const;
  Device device() const { return kCPU; }
  int64_t get_device() const { return -1; }  // the index of a CUDA device; there is none
  Layout layout() const { return kStrided; }
  bool is_contiguous() const;
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool is_signed() const { return isSignedType(scalar_type()); }
  bool is_complex() const { return false; }
  bool is_cuda() const { return false; }
  bool is_cpu() const { return true; }
  bool is_sparse() const { return false; }
  bool is_pinned() const { return false; }
  bool is_alias_of(const Tensor& other) const;
  bool is_same_size(const Tensor& other) const { return sizes() == other.sizes(); }
  bool is_inference() const;  // made in an InferenceMode, or a view of such a tensor
  uint32_t _version() const;
  void print() const;  // writes its type and sizes to std::cerr: "[CPUFloatType [2, 3]]"

  /// The first element in memory. T is the element type of this tensor (or void); anything else throws.
  template <typename T>
  T* data_ptr() const;
  void* data_ptr() const;
  template <typename T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  void* mutable_data_ptr() const { return data_ptr(); }
  template <typename T>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  const void* const_data_ptr() const { return data_ptr(); }
  /// The elements as a[i][j], for N dims of type T (etude/core/tensor_accessor.h).
  template <typename T, size_t N>
  TensorAccessor<T, N> accessor() const&;
  template <typename T, size_t N>
  TensorAccessor<T, N> accessor() && = delete;
  /// The only element, as T. Throws unless there is exactly one.
  template <typename T>
  T item() const;
  Scalar item() const;
  template <typename UseItemOrEqual, typename = std::enable_if_t<std::is_same_v<UseItemOrEqual, bool>>>
  explicit operator UseItemOrEqual() const = delete;  // x.item<bool>(), or equal(a, b)

  // Autograd.
  bool requires_grad() const;
  const Tensor& set_requires_grad(bool on) const;
  Tensor& requires_grad_(bool on = true) const;
  bool is_leaf() const;
  const Tensor& grad() const;
  Tensor& mutable_grad() const;
  std::shared_ptr<autograd::Node> grad_fn() const;  // its node (autograd/node.h); null for a leaf
  const char* grad_fn_name() const;                 // "AddBackward0"; empty for a leaf
  int64_t output_nr() const;
  void retain_grad() const;
  bool retains_grad() const;
  /// Walks the graph from this tensor to its leaves and adds to their grad. `gradient` may be omitted if this has one element.
  void backward(const Tensor& gradient = {}, optional<bool> retain_graph = nullopt, bool create_graph = false,
                optional<TensorList> inputs = nullopt) const;
  template <typename RetainIsSecond, typename = std::enable_if_t<std::is_same_v<RetainIsSecond, bool>>>
  void backward(RetainIsSecond) const = delete;  // backward({}, true)
  Tensor detach() const;
  Tensor& detach_() const;
  Tensor data() const;
  Tensor variable_data() const { return data(); }
  Tensor tensor_data() const { return data(); }
  void set_data(const Tensor& new_data) const;
  bool is_view() const;
  const Tensor _base() const;
  /// Calls `hook` with the gradient of this tensor whenever it is computed; a defined tensor that it returns
  /// replaces the gradient. Pass the result to remove_hook. A hook that captures its own tensor, or one computed
  /// from it, keeps that tensor alive until the hook is removed: capture `x.detach()` instead.
  template <typename Hook>
  unsigned register_hook(Hook&& hook) const;
  void remove_hook(unsigned position) const;

  // New tensors of the same dtype, unless the options name another.
  Tensor new_empty(IntArrayRef sizes, const TensorOptions& options = {}) const;
  Tensor new_zeros(IntArrayRef sizes, const TensorOptions& options = {}) const;
  Tensor new_ones(IntArrayRef sizes, const TensorOptions& options = {}) const;
  Tensor new_full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {}) const;

  // Copies and conversions.
  Tensor clone() const;
  Tensor contiguous() const;
  Tensor to(ScalarType t, bool non_blocking = false, bool copy = false) const;
  Tensor to(const TensorOptions& options, bool non_blocking = false, bool copy = false) const;
  Tensor to(Device, ScalarType t, bool non_blocking = false, bool copy = false) const;
  Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false) const;
  Tensor toType(ScalarType t) const { return to(t); }
  Tensor type_as(const Tensor& other) const { return to(other.scalar_type()); }
  Tensor cpu() const { return *this; }
  Tensor cuda() const;                         // refused: there is no GPU
  Tensor pin_memory() const { return *this; }  // no GPU copies from the memory, so it stays as it is
  Tensor& copy_(const Tensor& source, bool non_blocking = false) const;
  Tensor& fill_(const Scalar& value) const;
  Tensor& fill_(const Tensor& value) const;
  Tensor& zero_() const;
  Tensor& resize_(IntArrayRef sizes) const;

  // Views.
  Tensor view(IntArrayRef sizes) const;
  template <typename SizesGoInBraces, typename... More, typename = detail::IfInteger<SizesGoInBraces>>
  Tensor view(int64_t, SizesGoInBraces, More...) const = delete;  // view({2, 3})
  Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
  Tensor reshape(IntArrayRef sizes) const;
  template <typename SizesGoInBraces, typename... More, typename = detail::IfInteger<SizesGoInBraces>>
  Tensor reshape(int64_t, SizesGoInBraces, More...) const = delete;  // reshape({2, 3})
  Tensor reshape_as(const Tensor& other) const { return reshape(other.sizes()); }
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor unflatten(int64_t dim, IntArrayRef sizes) const;
  Tensor permute(IntArrayRef dims) const;
  template <typename DimsGoInBraces, typename... More, typename = detail::IfInteger<DimsGoInBraces>>
  Tensor permute(int64_t, DimsGoInBraces, More...) const = delete;  // permute({1, 0})
#define ETUDE_BOTH_FORMS(name, ...) \
  Tensor name(__VA_ARGS__) const;   \
  Tensor& name##_(__VA_ARGS__) const;
  ETUDE_BOTH_FORMS(transpose, int64_t dim0, int64_t dim1)
  Tensor swapaxes(int64_t dim0, int64_t dim1) const { return transpose(dim0, dim1); }
  Tensor& swapaxes_(int64_t dim0, int64_t dim1) const { return transpose_(dim0, dim1); }
  Tensor swapdims(int64_t dim0, int64_t dim1) const { return transpose(dim0, dim1); }
  Tensor& swapdims_(int64_t dim0, int64_t dim1) const { return transpose_(dim0, dim1); }
  Tensor t() const;
  Tensor& t_() const;
  Tensor numpy_T() const;
  Tensor mT() const;
  Tensor expand(IntArrayRef sizes, bool implicit = false) const;
  Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
  Tensor squeeze() const;
  Tensor& squeeze_() const;
  ETUDE_BOTH_FORMS(squeeze, int64_t dim)
  ETUDE_BOTH_FORMS(unsqueeze, int64_t dim)
  Tensor select(int64_t dim, int64_t index) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor slice(int64_t dim = 0, optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
               int64_t step = 1) const;
  Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;
  Tensor diag(int64_t diagonal = 0) const;
  Tensor unfold(int64_t dim, int64_t size, int64_t step) const;
  Tensor as_strided(IntArrayRef sizes, IntArrayRef strides, optional<int64_t> storage_offset = nullopt) const;
  std::vector<Tensor> split(int64_t split_size, int64_t dim = 0) const;
  std::vector<Tensor> split(IntArrayRef split_sizes, int64_t dim = 0) const;
  std::vector<Tensor> split_with_sizes(IntArrayRef split_sizes, int64_t dim = 0) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  std::vector<Tensor> unbind(int64_t dim = 0) const;

  // Indexing.
  Tensor operator[](int64_t index) const;
  Tensor operator[](const Tensor& index) const;
  Tensor index(ArrayRef<TensorIndex> indices) const;
  Tensor index(std::initializer_list<TensorIndex> indices) const;
  Tensor index(const std::vector<optional<Tensor>>& indices) const;
  template <typename First, typename IndicesGoInBraces, typename... More>
  Tensor index(const First&, const IndicesGoInBraces&, const More&...) const = delete;  // index({0, 1})
  Tensor& index_put_(ArrayRef<TensorIndex> indices, const Tensor& value) const;
  Tensor& index_put_(ArrayRef<TensorIndex> indices, const Scalar& value) const;
  Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value) const;
  Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) const;
  Tensor& index_put_(const std::vector<optional<Tensor>>& indices, const Tensor& value,
                     bool accumulate) const;
  Tensor index_select(int64_t dim, const Tensor& index) const;
  Tensor gather(int64_t dim, const Tensor& index, bool sparse_grad = false) const;
  Tensor masked_select(const Tensor& mask) const;
  Tensor take(const Tensor& index) const;
  Tensor nonzero() const;
  Tensor argwhere() const { return nonzero(); }
  std::vector<Tensor> nonzero_numpy() const;
  ETUDE_BOTH_FORMS(masked_fill, const Tensor& mask, const Scalar& value)
  ETUDE_BOTH_FORMS(masked_fill, const Tensor& mask, const Tensor& value)
  ETUDE_BOTH_FORMS(scatter, int64_t dim, const Tensor& index, const Tensor& src)
  ETUDE_BOTH_FORMS(scatter, int64_t dim, const Tensor& index, const Scalar& value)
  ETUDE_BOTH_FORMS(scatter, int64_t dim, const Tensor& index, const Tensor& src, const std::string& reduce)
  ETUDE_BOTH_FORMS(scatter, int64_t dim, const Tensor& index, const Scalar& value, const std::string& reduce)
  ETUDE_BOTH_FORMS(scatter_add, int64_t dim, const Tensor& index, const Tensor& src)
  ETUDE_BOTH_FORMS(index_add, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha = 1)
  ETUDE_BOTH_FORMS(index_copy, int64_t dim, const Tensor& index, const Tensor& source)
  ETUDE_BOTH_FORMS(index_fill, int64_t dim, const Tensor& index, const Scalar& value)
  ETUDE_BOTH_FORMS(index_fill, int64_t dim, const Tensor& index, const Tensor& value)
  Tensor tril(int64_t diagonal = 0) const;
  Tensor triu(int64_t diagonal = 0) const;
  Tensor where(const Tensor& condition, const Tensor& other) const;

  // Joining.
  Tensor repeat(IntArrayRef repeats) const;
  Tensor tile(IntArrayRef dims) const;
  Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> dim = nullopt,
                           optional<int64_t> output_size = nullopt) const;
  Tensor repeat_interleave(int64_t repeats, optional<int64_t> dim = nullopt,
                           optional<int64_t> output_size = nullopt) const;
  Tensor flip(IntArrayRef dims) const;
  Tensor roll(IntArrayRef shifts, IntArrayRef dims = {}) const;

  // Pointwise arithmetic, with the in-place forms.
  Tensor operator-() const;
  Tensor operator~() const;
#define ETUDE_ASSIGNMENT(op)                \
  Tensor& operator op(const Tensor& other); \
  Tensor& operator op(const Scalar& other);
#define ETUDE_UNARY_METHOD(name) \
  Tensor name() const;           \
  Tensor& name##_() const;
#define ETUDE_BINARY_METHOD(name)             \
  Tensor name(const Tensor& other) const;     \
  Tensor name(const Scalar& other) const;     \
  Tensor& name##_(const Tensor& other) const; \
  Tensor& name##_(const Scalar& other) const;
#define ETUDE_ALIAS(alias, name)          \
  Tensor alias() const { return name(); } \
  Tensor& alias##_() const { return name##_(); }
#define ETUDE_COMPARISON_ALIAS(alias, name)                              \
  Tensor alias(const Tensor& other) const { return name(other); }        \
  Tensor alias(const Scalar& other) const { return name(other); }        \
  Tensor& alias##_(const Tensor& other) const { return name##_(other); } \
  Tensor& alias##_(const Scalar& other) const { return name##_(other); }
  // clang-format off
  ETUDE_ASSIGNMENT(+=) ETUDE_ASSIGNMENT(-=) ETUDE_ASSIGNMENT(*=) ETUDE_ASSIGNMENT(/=)
  ETUDE_ASSIGNMENT(&=) ETUDE_ASSIGNMENT(|=) ETUDE_ASSIGNMENT(^=)
  ETUDE_UNARY_METHOD(abs) ETUDE_UNARY_METHOD(neg) ETUDE_UNARY_METHOD(exp) ETUDE_UNARY_METHOD(expm1)
  ETUDE_UNARY_METHOD(log) ETUDE_UNARY_METHOD(log1p) ETUDE_UNARY_METHOD(log2) ETUDE_UNARY_METHOD(sqrt)
  ETUDE_UNARY_METHOD(rsqrt) ETUDE_UNARY_METHOD(reciprocal) ETUDE_UNARY_METHOD(square) ETUDE_UNARY_METHOD(sin)
  ETUDE_UNARY_METHOD(cos) ETUDE_UNARY_METHOD(tan) ETUDE_UNARY_METHOD(tanh) ETUDE_UNARY_METHOD(sigmoid)
  ETUDE_UNARY_METHOD(relu) ETUDE_UNARY_METHOD(erf) ETUDE_UNARY_METHOD(erfinv) ETUDE_UNARY_METHOD(sign)
  ETUDE_UNARY_METHOD(floor) ETUDE_UNARY_METHOD(ceil) ETUDE_UNARY_METHOD(round) ETUDE_UNARY_METHOD(trunc)
  ETUDE_UNARY_METHOD(logical_not) ETUDE_UNARY_METHOD(bitwise_not)
  ETUDE_UNARY_METHOD(asin) ETUDE_UNARY_METHOD(acos) ETUDE_UNARY_METHOD(atan) ETUDE_UNARY_METHOD(sinh)
  ETUDE_UNARY_METHOD(cosh) ETUDE_UNARY_METHOD(asinh) ETUDE_UNARY_METHOD(acosh) ETUDE_UNARY_METHOD(atanh)
  ETUDE_UNARY_METHOD(frac)
  ETUDE_ALIAS(absolute, abs) ETUDE_ALIAS(negative, neg) ETUDE_ALIAS(fix, trunc)
  ETUDE_ALIAS(arcsin, asin) ETUDE_ALIAS(arccos, acos) ETUDE_ALIAS(arctan, atan) ETUDE_ALIAS(arcsinh, asinh)
  ETUDE_ALIAS(arccosh, acosh) ETUDE_ALIAS(arctanh, atanh)
  ETUDE_BOTH_FORMS(atan2, const Tensor& other)
  ETUDE_BOTH_FORMS(add, const Tensor& other, const Scalar& alpha = 1)
  ETUDE_BOTH_FORMS(add, const Scalar& other, const Scalar& alpha = 1)
  ETUDE_BOTH_FORMS(sub, const Tensor& other, const Scalar& alpha = 1)
  ETUDE_BOTH_FORMS(sub, const Scalar& other, const Scalar& alpha = 1)
  ETUDE_BOTH_FORMS(subtract, const Tensor& other, const Scalar& alpha = 1)
  ETUDE_BOTH_FORMS(subtract, const Scalar& other, const Scalar& alpha = 1)
  ETUDE_BINARY_METHOD(mul) ETUDE_BINARY_METHOD(multiply)
  ETUDE_BINARY_METHOD(div) ETUDE_BINARY_METHOD(divide) ETUDE_BINARY_METHOD(true_divide)
  ETUDE_BOTH_FORMS(div, const Tensor& other, optional<std::string> rounding_mode)
  ETUDE_BOTH_FORMS(div, const Scalar& other, optional<std::string> rounding_mode)
  ETUDE_BOTH_FORMS(divide, const Tensor& other, optional<std::string> rounding_mode)
  ETUDE_BOTH_FORMS(divide, const Scalar& other, optional<std::string> rounding_mode)
  ETUDE_BINARY_METHOD(floor_divide) ETUDE_BINARY_METHOD(remainder) ETUDE_BINARY_METHOD(fmod)
  ETUDE_BINARY_METHOD(pow) ETUDE_BINARY_METHOD(eq) ETUDE_BINARY_METHOD(ne) ETUDE_BINARY_METHOD(lt)
  ETUDE_BINARY_METHOD(le) ETUDE_BINARY_METHOD(gt) ETUDE_BINARY_METHOD(ge)
  ETUDE_COMPARISON_ALIAS(greater, gt) ETUDE_COMPARISON_ALIAS(greater_equal, ge) ETUDE_COMPARISON_ALIAS(less, lt)
  ETUDE_COMPARISON_ALIAS(less_equal, le) ETUDE_COMPARISON_ALIAS(not_equal, ne)
  ETUDE_BINARY_METHOD(bitwise_and) ETUDE_BINARY_METHOD(bitwise_or) ETUDE_BINARY_METHOD(bitwise_xor)
  ETUDE_BOTH_FORMS(logical_and, const Tensor& other) ETUDE_BOTH_FORMS(logical_or, const Tensor& other)
  ETUDE_BOTH_FORMS(logical_xor, const Tensor& other)
  ETUDE_BOTH_FORMS(clamp, const optional<Scalar>& min, const optional<Scalar>& max = nullopt)
  ETUDE_BOTH_FORMS(clamp, const optional<Tensor>& min = {}, const optional<Tensor>& max = {})
  ETUDE_BOTH_FORMS(clamp_min, const Scalar& min) ETUDE_BOTH_FORMS(clamp_min, const Tensor& min)
  ETUDE_BOTH_FORMS(clamp_max, const Scalar& max) ETUDE_BOTH_FORMS(clamp_max, const Tensor& max)
  ETUDE_BOTH_FORMS(addcmul, const Tensor& a, const Tensor& b, const Scalar& value = 1)
  ETUDE_BOTH_FORMS(addcdiv, const Tensor& a, const Tensor& b, const Scalar& value = 1)
  ETUDE_BOTH_FORMS(lerp, const Tensor& end, const Scalar& weight)
  ETUDE_BOTH_FORMS(lerp, const Tensor& end, const Tensor& weight)
#undef ETUDE_ASSIGNMENT
#undef ETUDE_UNARY_METHOD
#undef ETUDE_BINARY_METHOD
#undef ETUDE_ALIAS
#undef ETUDE_COMPARISON_ALIAS
#undef ETUDE_BOTH_FORMS
  Tensor maximum(const Tensor& other) const;
  Tensor minimum(const Tensor& other) const;
  // clang-format on
  Tensor arctan2(const Tensor& other) const { return atan2(other); }
  Tensor& arctan2_(const Tensor& other) const { return atan2_(other); }
  Tensor clip(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const {
    return clamp(min, max);
  }
  Tensor clip(const optional<Tensor>& min = {}, const optional<Tensor>& max = {}) const {
    return clamp(min, max);
  }
  Tensor& clip_(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const {
    return clamp_(min, max);
  }
  Tensor& clip_(const optional<Tensor>& min = {}, const optional<Tensor>& max = {}) const {
    return clamp_(min, max);
  }
  Tensor prelu(const Tensor& weight) const;
  Tensor hardshrink(const Scalar& lambd = 0.5) const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isfinite() const;
  bool equal(const Tensor& other) const;
  bool is_nonzero() const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;

  // Reductions.
  Tensor sum(optional<ScalarType> dtype = nullopt) const;
  Tensor sum(DimList dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) const;
  Tensor mean(optional<ScalarType> dtype = nullopt) const;
  Tensor mean(DimList dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) const;
  Tensor var(bool unbiased = true) const;
  Tensor var(DimList dim, bool unbiased = true, bool keepdim = false) const;
  Tensor std(bool unbiased = true) const;
  Tensor std(DimList dim, bool unbiased = true, bool keepdim = false) const;
  Tensor var(int dim) const { return var(DimList(dim)); }
  Tensor std(int dim) const { return std(DimList(dim)); }
  Tensor prod(optional<ScalarType> dtype = nullopt) const;
  Tensor prod(int64_t dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) const;
  Tensor max() const;
  Tensor min() const;
  std::tuple<Tensor, Tensor> max(int64_t dim, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> min(int64_t dim, bool keepdim = false) const;
  Tensor max(const Tensor& other) const { return maximum(other); }
  Tensor min(const Tensor& other) const { return minimum(other); }
  Tensor amax(DimList dim = {}, bool keepdim = false) const;
  Tensor amin(DimList dim = {}, bool keepdim = false) const;
  Tensor argmax(optional<int64_t> dim = nullopt, bool keepdim = false) const;
  Tensor argmin(optional<int64_t> dim = nullopt, bool keepdim = false) const;
  Tensor all() const;
  Tensor all(int64_t dim, bool keepdim = false) const;
  Tensor any() const;
  Tensor any(int64_t dim, bool keepdim = false) const;
  Tensor count_nonzero(DimList dim = {}) const;
  Tensor trace() const;
  Tensor cumsum(int64_t dim, optional<ScalarType> dtype = nullopt) const;
  Tensor cumprod(int64_t dim, optional<ScalarType> dtype = nullopt) const;
  Tensor& cumprod_(int64_t dim, optional<ScalarType> dtype = nullopt) const;
  std::tuple<Tensor, Tensor> cummax(int64_t dim) const;
  std::tuple<Tensor, Tensor> cummin(int64_t dim) const;
  Tensor median() const;
  std::tuple<Tensor, Tensor> median(int64_t dim, bool keepdim = false) const;
  Tensor nanmedian() const;
  std::tuple<Tensor, Tensor> nanmedian(int64_t dim, bool keepdim = false) const;
  Tensor logsumexp(DimList dim, bool keepdim = false) const;
  Tensor norm(const Scalar& p = 2) const;
  Tensor norm(const optional<Scalar>& p, DimList dim, bool keepdim = false) const;

  std::tuple<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false) const;
  std::tuple<Tensor, Tensor> sort(optional<bool> stable, int64_t dim = -1, bool descending = false) const;
  Tensor argsort(int64_t dim = -1, bool descending = false) const;
  Tensor argsort(bool stable, int64_t dim = -1, bool descending = false) const;
  std::tuple<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true, bool sorted = true) const;

  // Products.
  Tensor matmul(const Tensor& other) const;
  Tensor mm(const Tensor& other) const;
  Tensor bmm(const Tensor& other) const;
  Tensor mv(const Tensor& vector) const;
  Tensor dot(const Tensor& other) const;
  Tensor outer(const Tensor& vec2) const;
  Tensor ger(const Tensor& vec2) const { return outer(vec2); }
  Tensor cross(const Tensor& other, optional<int64_t> dim = nullopt) const;
  Tensor addmm(const Tensor& a, const Tensor& b, const Scalar& beta = 1, const Scalar& alpha = 1) const;
  template <typename EtudeHasNoLinearAlgebra = void>
  Tensor inverse() const = delete;
  template <typename EtudeHasNoLinearAlgebra = void>
  Tensor det() const = delete;
  Tensor softmax(int64_t dim, optional<ScalarType> dtype = nullopt) const;
  Tensor log_softmax(int64_t dim, optional<ScalarType> dtype = nullopt) const;
  template <typename DimIsMissing = void>
  Tensor softmax() const = delete;  // softmax(-1)

  // Random fills: PyTorch's CPU streams, bit for bit.
  Tensor& uniform_(double from = 0, double to = 1, optional<Generator> generator = nullopt) const;
  Tensor& normal_(double mean = 0, double std = 1, optional<Generator> generator = nullopt) const;
  Tensor& exponential_(double lambda = 1, optional<Generator> generator = nullopt) const;
  Tensor& bernoulli_(double p = 0.5, optional<Generator> generator = nullopt) const;
  Tensor& bernoulli_(const Tensor& p, optional<Generator> generator = nullopt) const;
  Tensor bernoulli(optional<Generator> generator = nullopt) const;
  Tensor& random_(int64_t from, optional<int64_t> to, optional<Generator> generator = nullopt) const;
  Tensor& random_(int64_t to, optional<Generator> generator = nullopt) const;
  Tensor& random_(optional<Generator> generator = nullopt) const;
  Tensor multinomial(int64_t num_samples, bool replacement = false,
                     optional<Generator> generator = nullopt) const;

  /// Private to the framework.
  detail::TensorImpl* unsafeGetTensorImpl() const { return impl_; }
  /// Private to the framework: takes over one reference.
  explicit Tensor(detail::TensorImpl* impl) noexcept : impl_(impl) {}

 private:
  friend detail::TensorImpl& detail::impl(const Tensor& t);
  unsigned add_hook(std::function<Tensor(const Tensor&)> hook) const;

  detail::TensorImpl* impl_ = nullptr;
};

template <typename Hook>
unsigned Tensor::register_hook(Hook&& hook) const {
  if constexpr (std::is_void_v<std::invoke_result_t<Hook&, Tensor>>)
    return add_hook([h = std::decay_t<Hook>(std::forward<Hook>(hook))](const Tensor& g) mutable {
      h(g);
      return Tensor();
    });
  else return add_hook(std::forward<Hook>(hook));
}

/// Writes the tensor as Python's `repr` does: `tensor([1., 2.])`.
ETUDE_API std::ostream& operator<<(std::ostream& out, const Tensor& t);

}  // namespace etude
