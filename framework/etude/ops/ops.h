#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/core/tensor_accessor.h"
#include "etude/ops/activation.h"
#include "etude/ops/index.h"
#include "etude/ops/loss.h"
#include "etude/ops/quantized_linear.h"
#include "etude/ops/tensor_literal.h"

// The free functions on tensors, together with the headers included here, grouped by the file that defines them. Names,
// arguments, defaults and results are LibTorch's. Shapes are written [rows, columns]. Ops without a gradient say so.

namespace etude {

// creation.cpp: new tensors. They have the default dtype unless the options or the docstring name another.

/// Uninitialised memory.
ETUDE_API Tensor empty(IntArrayRef sizes, const TensorOptions& options = {});
template <typename SizesGoInBraces, typename... More, typename = detail::IfInteger<SizesGoInBraces>>
Tensor empty(int64_t, SizesGoInBraces, More...) = delete;  // empty({2, 3})
ETUDE_API Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {});
template <typename SizesGoInBraces, typename... More, typename = detail::IfInteger<SizesGoInBraces>>
Tensor zeros(int64_t, SizesGoInBraces, More...) = delete;  // zeros({2, 3})
ETUDE_API Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});
template <typename SizesGoInBraces, typename... More, typename = detail::IfInteger<SizesGoInBraces>>
Tensor ones(int64_t, SizesGoInBraces, More...) = delete;  // ones({2, 3})
/// Filled with `value`. Without a dtype in the options, the value decides: bool, int64 or the default dtype.
ETUDE_API Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {});
ETUDE_API Tensor empty_like(const Tensor& like, const TensorOptions& options = {});
ETUDE_API Tensor zeros_like(const Tensor& like, const TensorOptions& options = {});
ETUDE_API Tensor ones_like(const Tensor& like, const TensorOptions& options = {});
ETUDE_API Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options = {});
/// The values from start up to but not including end, spaced by step: int64 if all three are integers, else the default dtype.
ETUDE_API Tensor arange(const Scalar& end, const TensorOptions& options = {});
ETUDE_API Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
ETUDE_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                        const TensorOptions& options = {});
/// `steps` values from start to end, both included, evenly spaced.
ETUDE_API Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                          const TensorOptions& options = {});
/// The identity matrix.
ETUDE_API Tensor eye(int64_t n, const TensorOptions& options = {});
ETUDE_API Tensor eye(int64_t n, int64_t m, const TensorOptions& options = {});
/// A 0-dim tensor.
ETUDE_API Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
/// A tensor over memory that the caller owns and keeps alive. The deleter, if given, is called with `data` when the
/// tensor no longer needs it. Strides count elements; without strides the tensor is contiguous.
ETUDE_API Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
ETUDE_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                           const TensorOptions& options = {});
ETUDE_API Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                           const TensorOptions& options = {});
ETUDE_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                           const std::function<void(void*)>& deleter, const TensorOptions& options = {});

// random.cpp, random_integers.cpp (randint), random_sample.cpp (randperm, bernoulli, multinomial): the same numbers as
// PyTorch's CPU streams, bit for bit.

/// Numbers that are uniform in [0, 1).
ETUDE_API Tensor rand(IntArrayRef sizes, const TensorOptions& options = {});
ETUDE_API Tensor rand(IntArrayRef sizes, optional<Generator> generator, const TensorOptions& options = {});
template <typename SizesGoInBraces, typename... More, typename = detail::IfInteger<SizesGoInBraces>>
Tensor rand(int64_t, SizesGoInBraces, More...) = delete;  // rand({2, 3})
ETUDE_API Tensor rand_like(const Tensor& like, const TensorOptions& options = {});
/// Normally distributed numbers with mean 0 and standard deviation 1.
ETUDE_API Tensor randn(IntArrayRef sizes, const TensorOptions& options = {});
ETUDE_API Tensor randn(IntArrayRef sizes, optional<Generator> generator, const TensorOptions& options = {});
template <typename SizesGoInBraces, typename... More, typename = detail::IfInteger<SizesGoInBraces>>
Tensor randn(int64_t, SizesGoInBraces, More...) = delete;  // randn({2, 3})
ETUDE_API Tensor randn_like(const Tensor& like, const TensorOptions& options = {});
/// Integers in [low, high). int64 if no options are passed; as in LibTorch, options without a dtype give the default dtype.
ETUDE_API Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions& options = kLong);
ETUDE_API Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const TensorOptions& options = kLong);
ETUDE_API Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, optional<Generator> generator,
                         const TensorOptions& options = kLong);
/// The integers from 0 to n - 1 in random order, int64.
ETUDE_API Tensor randperm(int64_t n, const TensorOptions& options = {});
ETUDE_API Tensor randperm(int64_t n, optional<Generator> generator, const TensorOptions& options = {});
/// Normally distributed numbers; mean and standard deviation are one number or one per element.
ETUDE_API Tensor normal(double mean, double std, IntArrayRef sizes, optional<Generator> generator = nullopt,
                        const TensorOptions& options = {});
ETUDE_API Tensor normal(const Tensor& mean, double std = 1, optional<Generator> generator = nullopt);
ETUDE_API Tensor normal(double mean, const Tensor& std, optional<Generator> generator = nullopt);
ETUDE_API Tensor normal(const Tensor& mean, const Tensor& std, optional<Generator> generator = nullopt);
/// Zeros and ones: element i is one with probability p[i].
ETUDE_API Tensor bernoulli(const Tensor& p, optional<Generator> generator = nullopt);
/// Draws indices with probabilities proportional to p: [n] or [rows, n] -> int64 [num_samples] or [rows, num_samples].
ETUDE_API Tensor multinomial(const Tensor& p, int64_t num_samples, bool replacement = false,
                             optional<Generator> generator = nullopt);

// copy.cpp
ETUDE_API Tensor clone(const Tensor& self);

// view.cpp, as_strided.cpp, split.cpp (functions that return several tensors): views, which share the memory of their input.
// reshape and flatten copy where a view is impossible.

ETUDE_API Tensor reshape(const Tensor& self, IntArrayRef sizes);
ETUDE_API Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1);
ETUDE_API Tensor permute(const Tensor& self, IntArrayRef dims);
ETUDE_API Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1);
ETUDE_API Tensor swapaxes(const Tensor& self, int64_t dim0, int64_t dim1);
ETUDE_API Tensor t(const Tensor& self);
ETUDE_API Tensor squeeze(const Tensor& self);
ETUDE_API Tensor squeeze(const Tensor& self, int64_t dim);
ETUDE_API Tensor unsqueeze(const Tensor& self, int64_t dim);
ETUDE_API Tensor select(const Tensor& self, int64_t dim, int64_t index);
ETUDE_API Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length);
ETUDE_API Tensor slice(const Tensor& self, int64_t dim = 0, optional<int64_t> start = nullopt,
                       optional<int64_t> end = nullopt, int64_t step = 1);
ETUDE_API Tensor diagonal(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
ETUDE_API Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                            optional<int64_t> storage_offset = nullopt);
ETUDE_API std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim = 0);
ETUDE_API std::vector<Tensor> split(const Tensor& self, IntArrayRef split_sizes, int64_t dim = 0);
ETUDE_API std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim = 0);
ETUDE_API std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim = 0);
ETUDE_API std::vector<Tensor> unbind(const Tensor& self, int64_t dim = 0);

// index_along.cpp (index_select), index_tensor.cpp (index, index_put_), gather.cpp (and one_hot), masked.cpp,
// pick.cpp (masked_select, take, nonzero)

/// The slices of self along dim at the positions listed in `index` (1-D).
ETUDE_API Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index);
/// The elements selected by tensors of indices or masks. indices[d] applies to dim d; nullopt selects the whole dim.
ETUDE_API Tensor index(const Tensor& self, const std::vector<optional<Tensor>>& indices);
/// Writes `value`, broadcast, to the elements that index() selects. With accumulate it is added instead, once for
/// each time that an element is selected.
ETUDE_API Tensor& index_put_(const Tensor& self, const std::vector<optional<Tensor>>& indices,
                             const Tensor& value, bool accumulate = false);
ETUDE_API Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad = false);
ETUDE_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);
ETUDE_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value);
/// The elements of self where mask is true, after broadcasting both -> [count].
ETUDE_API Tensor masked_select(const Tensor& self, const Tensor& mask);
/// The elements at these positions of the flattened self, with the sizes of index. Negative positions count from the end.
ETUDE_API Tensor take(const Tensor& self, const Tensor& index);
/// The coordinates of the nonzero elements: int64 [count, dims]. No gradient.
ETUDE_API Tensor nonzero(const Tensor& self);
/// The coordinates of the nonzero elements as one tensor [count] per dim; x.index() with these tensors gives the elements.
ETUDE_API std::vector<Tensor> nonzero_numpy(const Tensor& self);
ETUDE_API Tensor tril(const Tensor& self, int64_t diagonal = 0);
ETUDE_API Tensor triu(const Tensor& self, int64_t diagonal = 0);
ETUDE_API Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
ETUDE_API Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other);
ETUDE_API Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
ETUDE_API Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other);
/// 1 at each class, 0 elsewhere: int64 [...] -> int64 [..., num_classes].
ETUDE_API Tensor one_hot(const Tensor& self, int64_t num_classes = -1);

// gather.cpp: these write to the elements that gather reads. For dim 0, self[index[i, j], j] = src[i, j].

/// A copy of self in which src, or a value, stands at the places that `index` names: the counterpart of gather.
ETUDE_API Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
ETUDE_API Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value);
/// With `reduce`, "add" or "multiply", src or the value is added to the elements or multiplies them. No gradient.
ETUDE_API Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                         const std::string& reduce);
ETUDE_API Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                         const std::string& reduce);
ETUDE_API Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);

// index_along.cpp: these act on the slices along dim that a 1-D tensor of indices selects, as in index_select.

ETUDE_API Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha = 1);
ETUDE_API Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source);
ETUDE_API Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value);
ETUDE_API Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value);
/// The numbers i = 0, 1, ..., n - 1, each repeated repeats[i] times.
ETUDE_API Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size = nullopt);
/// Repeats each slice along dim (without a dim, each element of the flattened self) `repeats` times in a row.
ETUDE_API Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, optional<int64_t> dim = nullopt,
                                   optional<int64_t> output_size = nullopt);
ETUDE_API Tensor repeat_interleave(const Tensor& self, int64_t repeats, optional<int64_t> dim = nullopt,
                                   optional<int64_t> output_size = nullopt);

// join.cpp

ETUDE_API Tensor cat(TensorList tensors, int64_t dim = 0);
template <typename TensorsGoInBraces, typename... More,
          typename = std::enable_if_t<std::is_same_v<TensorsGoInBraces, Tensor>>>
Tensor cat(const Tensor&, const TensorsGoInBraces&, const More&...) = delete;  // cat({a, b})
ETUDE_API Tensor stack(TensorList tensors, int64_t dim = 0);
ETUDE_API Tensor flip(const Tensor& self, IntArrayRef dims);
ETUDE_API Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims = {});

// pointwise.cpp, quotient.cpp, clamp.cpp, functions.cpp: elementwise, with broadcasting and PyTorch's type promotion.

ETUDE_API Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
ETUDE_API Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
ETUDE_API Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
ETUDE_API Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
ETUDE_API Tensor rsub(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
ETUDE_API Tensor rsub(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
ETUDE_API Tensor mul(const Tensor& self, const Tensor& other);
ETUDE_API Tensor mul(const Tensor& self, const Scalar& other);
/// True division: integers give the default dtype.
ETUDE_API Tensor div(const Tensor& self, const Tensor& other);
ETUDE_API Tensor div(const Tensor& self, const Scalar& other);
/// rounding_mode is "floor", "trunc" or nullopt.
ETUDE_API Tensor div(const Tensor& self, const Tensor& other, optional<std::string> rounding_mode);
ETUDE_API Tensor div(const Tensor& self, const Scalar& other, optional<std::string> rounding_mode);
ETUDE_API Tensor floor_divide(const Tensor& self, const Tensor& other);
ETUDE_API Tensor floor_divide(const Tensor& self, const Scalar& other);
/// The remainder with the sign of the divisor, as Python's %.
ETUDE_API Tensor remainder(const Tensor& self, const Tensor& other);
ETUDE_API Tensor remainder(const Tensor& self, const Scalar& other);
/// The remainder with the sign of the dividend, as C's fmod.
ETUDE_API Tensor fmod(const Tensor& self, const Tensor& other);
ETUDE_API Tensor fmod(const Tensor& self, const Scalar& other);
ETUDE_API Tensor pow(const Tensor& self, const Tensor& exponent);
ETUDE_API Tensor pow(const Tensor& self, const Scalar& exponent);
ETUDE_API Tensor pow(const Scalar& self, const Tensor& exponent);
ETUDE_API Tensor maximum(const Tensor& self, const Tensor& other);
ETUDE_API Tensor minimum(const Tensor& self, const Tensor& other);
ETUDE_API Tensor clamp(const Tensor& self, const optional<Scalar>& min,
                       const optional<Scalar>& max = nullopt);
ETUDE_API Tensor clamp(const Tensor& self, const optional<Tensor>& min = {},
                       const optional<Tensor>& max = {});
ETUDE_API Tensor clamp_min(const Tensor& self, const Scalar& min);
ETUDE_API Tensor clamp_min(const Tensor& self, const Tensor& min);
ETUDE_API Tensor clamp_max(const Tensor& self, const Scalar& max);
ETUDE_API Tensor clamp_max(const Tensor& self, const Tensor& max);
/// self + value * a * b
ETUDE_API Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value = 1);
/// self + value * a / b
ETUDE_API Tensor addcdiv(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value = 1);
/// self + weight * (end - self)
ETUDE_API Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight);
ETUDE_API Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight);
ETUDE_API Tensor abs(const Tensor& self);
ETUDE_API Tensor neg(const Tensor& self);
ETUDE_API Tensor exp(const Tensor& self);
ETUDE_API Tensor expm1(const Tensor& self);
ETUDE_API Tensor log(const Tensor& self);
ETUDE_API Tensor log1p(const Tensor& self);
ETUDE_API Tensor log2(const Tensor& self);
ETUDE_API Tensor sqrt(const Tensor& self);
ETUDE_API Tensor rsqrt(const Tensor& self);
ETUDE_API Tensor reciprocal(const Tensor& self);
ETUDE_API Tensor square(const Tensor& self);
ETUDE_API Tensor sin(const Tensor& self);
ETUDE_API Tensor cos(const Tensor& self);
ETUDE_API Tensor tan(const Tensor& self);
ETUDE_API Tensor asin(const Tensor& self);
ETUDE_API Tensor acos(const Tensor& self);
ETUDE_API Tensor atan(const Tensor& self);
ETUDE_API Tensor sinh(const Tensor& self);
ETUDE_API Tensor cosh(const Tensor& self);
ETUDE_API Tensor asinh(const Tensor& self);
ETUDE_API Tensor acosh(const Tensor& self);
ETUDE_API Tensor atanh(const Tensor& self);
ETUDE_API Tensor erf(const Tensor& self);
ETUDE_API Tensor erfinv(const Tensor& self);
ETUDE_API Tensor sign(const Tensor& self);
ETUDE_API Tensor floor(const Tensor& self);
ETUDE_API Tensor ceil(const Tensor& self);
/// Rounds to the nearest integer, halves to even.
ETUDE_API Tensor round(const Tensor& self);
ETUDE_API Tensor trunc(const Tensor& self);
/// x - trunc(x)
ETUDE_API Tensor frac(const Tensor& self);

// compare.cpp: bool results, no gradient.

ETUDE_API Tensor eq(const Tensor& self, const Tensor& other);
ETUDE_API Tensor eq(const Tensor& self, const Scalar& other);
ETUDE_API Tensor ne(const Tensor& self, const Tensor& other);
ETUDE_API Tensor ne(const Tensor& self, const Scalar& other);
ETUDE_API Tensor lt(const Tensor& self, const Tensor& other);
ETUDE_API Tensor lt(const Tensor& self, const Scalar& other);
ETUDE_API Tensor le(const Tensor& self, const Tensor& other);
ETUDE_API Tensor le(const Tensor& self, const Scalar& other);
ETUDE_API Tensor gt(const Tensor& self, const Tensor& other);
ETUDE_API Tensor gt(const Tensor& self, const Scalar& other);
ETUDE_API Tensor ge(const Tensor& self, const Tensor& other);
ETUDE_API Tensor ge(const Tensor& self, const Scalar& other);
ETUDE_API Tensor logical_and(const Tensor& self, const Tensor& other);
ETUDE_API Tensor logical_or(const Tensor& self, const Tensor& other);
ETUDE_API Tensor logical_xor(const Tensor& self, const Tensor& other);
ETUDE_API Tensor logical_not(const Tensor& self);
ETUDE_API Tensor isnan(const Tensor& self);
ETUDE_API Tensor isinf(const Tensor& self);
ETUDE_API Tensor isfinite(const Tensor& self);
/// |self - other| <= atol + rtol * |other|, element by element.
ETUDE_API Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                         bool equal_nan = false);
ETUDE_API bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                        bool equal_nan = false);
/// Whether both have the same sizes and the same values.
ETUDE_API bool equal(const Tensor& self, const Tensor& other);
/// Whether the only element is not zero; throws unless there is exactly one.
ETUDE_API bool is_nonzero(const Tensor& self);
namespace native {
using etude::is_nonzero;
}

// reduce*.cpp (max to any: reduce_arg.cpp), cumsum.cpp: over all dims or the given ones; same bits for any number of threads.

ETUDE_API Tensor sum(const Tensor& self, optional<ScalarType> dtype = nullopt);
ETUDE_API Tensor sum(const Tensor& self, DimList dim, bool keepdim = false,
                     optional<ScalarType> dtype = nullopt);
ETUDE_API Tensor mean(const Tensor& self, optional<ScalarType> dtype = nullopt);
ETUDE_API Tensor mean(const Tensor& self, DimList dim, bool keepdim = false,
                      optional<ScalarType> dtype = nullopt);
/// The sum of squared deviations divided by n - 1 if unbiased, else by n.
ETUDE_API Tensor var(const Tensor& self, bool unbiased = true);
ETUDE_API Tensor var(const Tensor& self, DimList dim, bool unbiased = true, bool keepdim = false);
ETUDE_API Tensor std(const Tensor& self, bool unbiased = true);
ETUDE_API Tensor std(const Tensor& self, DimList dim, bool unbiased = true, bool keepdim = false);
/// The standard deviation and the mean.
ETUDE_API std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased = true);
ETUDE_API std::tuple<Tensor, Tensor> std_mean(const Tensor& self, DimList dim, bool unbiased = true,
                                              bool keepdim = false);
/// The variance and the mean.
ETUDE_API std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased = true);
ETUDE_API std::tuple<Tensor, Tensor> var_mean(const Tensor& self, DimList dim, bool unbiased = true,
                                              bool keepdim = false);
ETUDE_API Tensor prod(const Tensor& self, optional<ScalarType> dtype = nullopt);
ETUDE_API Tensor prod(const Tensor& self, int64_t dim, bool keepdim = false,
                      optional<ScalarType> dtype = nullopt);
ETUDE_API Tensor max(const Tensor& self);
ETUDE_API Tensor min(const Tensor& self);
/// The values along a dim and their indices; the first of equal values.
ETUDE_API std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim = false);
ETUDE_API std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim = false);
ETUDE_API Tensor max(const Tensor& self, const Tensor& other);
ETUDE_API Tensor min(const Tensor& self, const Tensor& other);
/// The largest element, over all dims or the given ones; equal maxima share the gradient evenly.
ETUDE_API Tensor amax(const Tensor& self, DimList dim = {}, bool keepdim = false);
ETUDE_API Tensor amin(const Tensor& self, DimList dim = {}, bool keepdim = false);

// argmax to any have no gradient.

ETUDE_API Tensor argmax(const Tensor& self, optional<int64_t> dim = nullopt, bool keepdim = false);
ETUDE_API Tensor argmin(const Tensor& self, optional<int64_t> dim = nullopt, bool keepdim = false);
ETUDE_API Tensor all(const Tensor& self);
ETUDE_API Tensor all(const Tensor& self, int64_t dim, bool keepdim = false);
ETUDE_API Tensor any(const Tensor& self);
ETUDE_API Tensor any(const Tensor& self, int64_t dim, bool keepdim = false);
ETUDE_API Tensor cumsum(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
ETUDE_API Tensor logsumexp(const Tensor& self, DimList dim, bool keepdim = false);
/// The p-norm: (sum |x|^p)^(1/p).
ETUDE_API Tensor norm(const Tensor& self, const Scalar& p = 2);
ETUDE_API Tensor norm(const Tensor& self, const optional<Scalar>& p, DimList dim, bool keepdim = false);

// sort.cpp: values and their int64 indices along a dim; nan counts as the largest value. Equal elements keep their
// order if `stable`, otherwise they have PyTorch's order. argsort has no gradient.

ETUDE_API std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim = -1, bool descending = false);
ETUDE_API std::tuple<Tensor, Tensor> sort(const Tensor& self, optional<bool> stable, int64_t dim = -1,
                                          bool descending = false);
ETUDE_API Tensor argsort(const Tensor& self, int64_t dim = -1, bool descending = false);
ETUDE_API Tensor argsort(const Tensor& self, bool stable, int64_t dim = -1, bool descending = false);
/// The k largest or smallest elements, in order if `sorted`.
ETUDE_API std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim = -1,
                                          bool largest = true, bool sorted = true);

// matmul.cpp

/// The matrix product with broadcasting over leading dims: [..., n, k] x [..., k, m] -> [..., n, m]. A vector is a
/// row on the left and a column on the right.
ETUDE_API Tensor matmul(const Tensor& self, const Tensor& other);
/// The product of two matrices: [n, k] x [k, m] -> [n, m].
ETUDE_API Tensor mm(const Tensor& self, const Tensor& other);
/// The products of the matrices of two batches: [b, n, k] x [b, k, m] -> [b, n, m].
ETUDE_API Tensor bmm(const Tensor& self, const Tensor& other);
/// The product of a matrix and a vector: [n, k] x [k] -> [n].
ETUDE_API Tensor mv(const Tensor& self, const Tensor& vector);
/// The dot product of two vectors: [k] x [k] -> [].
ETUDE_API Tensor dot(const Tensor& self, const Tensor& other);
/// The outer product of two vectors: [n] x [m] -> [n, m].
ETUDE_API Tensor outer(const Tensor& self, const Tensor& vec2);
/// beta * self + alpha * (a x b), where a x b is a product of matrices [n, m] and self is broadcast to it.
ETUDE_API Tensor addmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                       const Scalar& alpha = 1);
/// input W^T + bias for a weight W: [..., in], [out, in], [out] -> [..., out].
ETUDE_API Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// linear() into out, which is resized and must have the dtype of the result. No tensor may require a gradient.
ETUDE_API Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias = {});

// softmax.cpp, attention.cpp, layer_norm.cpp, embedding.cpp, sinusoids.cpp, dropout.cpp

/// exp(x) divided by its sum along a dim.
ETUDE_API Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
/// The logarithm of softmax.
ETUDE_API Tensor log_softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
template <typename DimIsMissing = void>
Tensor softmax(const Tensor&) = delete;  // softmax(x, -1)
/// softmax(q k^T scale + mask) v, and the attention weights (undefined unless need_weights): see
/// nn::functional::AttentionFuncOptions. [..., L, d], [..., S, d], [..., S, e] -> [..., L, e] and [..., L, S].
ETUDE_API std::pair<Tensor, Tensor> attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                              const Tensor& mask, optional<int64_t> causal_from,
                                              optional<double> scale, double dropout_p, bool need_weights,
                                              bool enable_gqa = false);
/// (x - mean) / sqrt(var + eps) * weight + bias over the last dims. normalized_shape gives the sizes of these dims,
/// which are also the sizes of weight and bias.
ETUDE_API Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                            const Tensor& bias = {}, double eps = 1e-5, bool cudnn_enable = true);
/// The rows of `weight` [rows, width] at the given indices: [...] -> [..., width]. Row padding_idx gets no gradient.
ETUDE_API Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1,
                           bool scale_grad_by_freq = false, bool sparse = false);
/// dropout(embedding(weight, ids) * scale + table, dropout_p) in one pass: ids [a, b] -> [a, b, width]. The position along
/// position_dim selects the row of the table, which is [positions, width] or has a dim of size 1 beside that of the positions.
/// The table gets no gradient.
ETUDE_API Tensor positioned_embedding(const Tensor& weight, const Tensor& ids, const Tensor& table,
                                      int64_t position_dim, int64_t padding_idx = -1, double scale = 1,
                                      double dropout_p = 0);
/// The table of sinusoidal positions: sin(positions[p] * frequencies[i]) in column 2 i and the cosine in column 2 i + 1, for
/// positions [n] and frequencies [ceil(width / 2)] -> [n, width] (Vaswani et al. 2017, section 3.5). No gradient.
ETUDE_API Tensor sinusoids(const Tensor& positions, const Tensor& frequencies, int64_t width);
/// Scales down, in place, each row listed in `indices` whose norm is above max_norm (torch::embedding_renorm_). No gradient.
ETUDE_API Tensor& embedding_renorm_(Tensor& self, const Tensor& indices, double max_norm, double norm_type);
/// In training, zeroes each element with probability p and divides the rest by 1 - p; otherwise returns its input.
ETUDE_API Tensor dropout(const Tensor& input, double p, bool train);
ETUDE_API Tensor& dropout_(Tensor& input, double p, bool train);

}  // namespace etude

#include "etude/ops/composed.h"
#include "etude/ops/operators.h"
