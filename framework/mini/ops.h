// The ops: each has its formula, loop and gradient in one place. dy is the gradient of the result y, dx that of the input x.
#pragma once

#include <limits>

#include "mini/views.h"

namespace mini {

/// Broadcasting: sizes are aligned at the last dim, and a dim of size 1 is stretched to match the other.
inline Sizes broadcast(const Sizes& a, const Sizes& b) {
  const size_t n = std::max(a.size(), b.size());
  Sizes all(n, 1);
  for (size_t d = 0; d < n; ++d) {
    const int64_t left = d < n - a.size() ? 1 : a[d - (n - a.size())],
                  right = d < n - b.size() ? 1 : b[d - (n - b.size())];
    check(left == right || left == 1 || right == 1, "The size of tensor a (", left,
          ") must match the size of tensor b (", right, ") at non-singleton dimension ", d);
    all[d] = left == 1 ? right : left;
  }
  return all;
}
/// The gradient of a stretched tensor: dy summed over the stretched dims.
inline Tensor unstretched(const Tensor& dy, const Sizes& sizes) {
  return dy.sizes() == sizes ? dy
                             : gathered(dy, sizes, [&](const Tensor& x) { return x.expand(dy.sizes()); });
}
/// y[i] = f(x[i]); y has the type that f returns.
template <typename F>
Tensor map(const Tensor& x, const F& f) {
  return dispatch(x.scalar_type(), [&](auto zero) {
    using R = decltype(f(zero));
    const Tensor y = empty(x.sizes(), type_of<R>);
    for_each(
        x.sizes(), [&](R& to, auto from) { to = f(from); }, 0, Elements<R>(y), Elements<decltype(zero)>(x));
    return y;
  });
}
/// y[i] = f(a[i], b[i]), with both stretched to the same sizes and converted to the later of their types.
template <typename F>
Tensor zip(const Tensor& a, const Tensor& b, const F& f) {
  const ScalarType type = std::max(a.scalar_type(), b.scalar_type());
  const Sizes sizes = broadcast(a.sizes(), b.sizes());
  const Tensor left = a.detach().to(type).expand(sizes), right = b.detach().to(type).expand(sizes);
  return dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    using R =
        std::conditional_t<std::is_same_v<decltype(f(zero, zero)), bool>, bool, T>;  // bool + bool is an int
    const Tensor y = empty(sizes, type_of<R>);
    for_each(
        sizes, [&](R& to, T x, T z) { to = static_cast<R>(f(x, z)); }, 0, Elements<R>(y), Elements<T>(left),
        Elements<T>(right));
    return y;
  });
}

// y = f(a, b); slopes(dy) returns the gradients of the stretched a and b.
template <typename F, typename Slopes>
Tensor binary(const char* name, const Tensor& a, const Tensor& b, const F& f, const Slopes& slopes) {
  return recorded(name, {a, b}, zip(a, b, f), [=](const Tensor& dy) {
    const auto [da, db] = slopes(dy);
    return Tensors{unstretched(da, a.sizes()), unstretched(db, b.sizes())};
  });
}
inline Tensor operator-(const Tensor& x);
inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary(
      "AddBackward0", a, b, [](auto x, auto z) { return x + z; },
      [](const Tensor& dy) { return std::pair(dy, dy); });
}
inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return binary(
      "SubBackward0", a, b, [](auto x, auto z) { return x - z; },
      [](const Tensor& dy) { return std::pair(dy, -dy); });
}
inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary(
      "MulBackward0", a, b, [](auto x, auto z) { return x * z; },
      [=](const Tensor& dy) { return std::pair(dy * b, dy * a); });
}
inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return binary(
      "DivBackward0", a.to(kFloat), b.to(kFloat), [](auto x, auto z) { return x / z; },
      [=](const Tensor& dy) { return std::pair(dy / b, -dy * ((a / b) / b)); });
}
// The same ops with a number on one side.
#define MINI_NUMBER(op)                                                                     \
  inline Tensor operator op(const Tensor& a, Scalar b) { return a op full({}, b, b.type); } \
  inline Tensor operator op(Scalar a, const Tensor& b) { return full({}, a, a.type) op b; }
#define MINI_COMPARE(op)                                        \
  inline Tensor operator op(const Tensor& a, const Tensor& b) { \
    return zip(a, b, [](auto x, auto z) { return x op z; });    \
  }                                                             \
  MINI_NUMBER(op)
MINI_NUMBER(+)
MINI_NUMBER(-)
MINI_NUMBER(*)
MINI_NUMBER(/)
MINI_COMPARE(==)
MINI_COMPARE(!=)
MINI_COMPARE(<)
MINI_COMPARE(>)
MINI_COMPARE(<=)
MINI_COMPARE(>=)
#undef MINI_COMPARE
#undef MINI_NUMBER

inline Tensor operator|(const Tensor& a, const Tensor& b) { return (a != 0) + (b != 0); }
inline Tensor Tensor::logical_or(const Tensor& b) const { return *this | b; }
inline Tensor Tensor::isnan() const { return *this != *this; }
inline const Tensor& operator+=(const Tensor& a, const Tensor& b) { return a.copy_(a + b); }
inline const Tensor& operator-=(const Tensor& a, const Tensor& b) { return a.copy_(a - b); }
inline const Tensor& operator+=(const Tensor& a, Scalar b) { return a.copy_(a + b); }
// y = a^b,  da = dy b a^(b - 1); mini has no gradient of the exponent
inline Tensor pow(const Tensor& a, const Tensor& b) {
  check(!b.requires_grad(), "pow: mini has no gradient of the exponent");
  check(a.is_floating_point() || b.is_floating_point() || (b < 0).sum().item<int64_t>() == 0,
        "Integers to negative integer powers are not allowed.");
  const auto power = [](auto x, auto z) {
    return static_cast<decltype(x)>(std::pow(static_cast<double>(x), static_cast<double>(z)));
  };
  return recorded("PowBackward0", {a}, zip(a, b, power), [=](const Tensor& dy) {
    const Tensor slope = b.to(kFloat) * pow(a, b.to(kFloat) - full({}, 1));
    return Tensors{unstretched(dy * slope.masked_fill(b == 0, 0), a.sizes())};
  });
}
inline Tensor pow(Scalar a, const Tensor& b) { return pow(full({}, a, a.type), b); }
inline Tensor pow(const Tensor& a, Scalar b) { return pow(a, full({}, b, b.type)); }
inline Tensor Tensor::pow(Scalar exponent) const { return mini::pow(*this, exponent); }

/// y = f(x), computed in float64 and rounded once,  dx = dy slope(x, y).
template <typename F, typename Slope>
Tensor function(const char* name, const Tensor& x, const F& f, const Slope& slope) {
  const Tensor y = map(x.to(kFloat), [&](auto v) { return static_cast<float>(f(static_cast<double>(v))); });
  return recorded(name, {x}, y,
                  [x, slope, kept = y.detach()](const Tensor& dy) { return Tensors{dy * slope(x, kept)}; });
}
#define MINI_FUNCTION(name, node, f, slope)                                                         \
  inline Tensor name(const Tensor& x) {                                                             \
    return function(                                                                                \
        node, x, [](double v) { return f; },                                                        \
        []([[maybe_unused]] const Tensor& x_, [[maybe_unused]] const Tensor& y) { return slope; }); \
  }                                                                                                 \
  inline Tensor Tensor::name() const { return mini::name(*this); }
MINI_FUNCTION(exp, "ExpBackward0", std::exp(v), y)
MINI_FUNCTION(log, "LogBackward0", std::log(v), 1 / x_)
MINI_FUNCTION(sqrt, "SqrtBackward0", std::sqrt(v), 0.5 / y)
MINI_FUNCTION(sin, "SinBackward0", std::sin(v), x_.cos())
MINI_FUNCTION(cos, "CosBackward0", std::cos(v), -x_.sin())
MINI_FUNCTION(tanh, "TanhBackward0", std::tanh(v), 1 - y * y)
MINI_FUNCTION(relu, "ReluBackward0", v <= 0 ? 0.0 : v, (x_ > 0).to(kFloat))
MINI_FUNCTION(round, "RoundBackward0", std::nearbyint(v), zeros(x_.sizes()))
#undef MINI_FUNCTION

inline Tensor operator-(const Tensor& x) {
  return recorded("NegBackward0", {x}, map(x, [](auto v) { return static_cast<decltype(v)>(-v); }),
                  [](const Tensor& dy) { return Tensors{-dy}; });
}
inline Tensor abs(const Tensor& x) {
  return recorded("AbsBackward0", {x},
                  map(x, [](auto v) { return std::max(v, static_cast<decltype(v)>(-v)); }),
                  [x](const Tensor& dy) { return Tensors{dy * ((x > 0).to(kFloat) - (x < 0).to(kFloat))}; });
}
inline Tensor Tensor::abs() const { return mini::abs(*this); }
inline Tensor Tensor::logical_not() const {
  return map(*this, [](auto v) { return v == 0; });
}
// y = value where the mask is true and x elsewhere,  dx = dy where the mask is false
inline Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const {
  check(mask.scalar_type() == kBool, "masked_fill only supports boolean masks, but got mask with dtype ",
        name_of(mask.scalar_type()));
  const Tensor kept = mask.expand(sizes()).logical_not(), y = detach().clone();
  dispatch(scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each(
        sizes(), [v = value.to<T>()](T& to, bool keeps) { to = keeps ? to : v; }, 0, Elements<T>(y),
        Elements<bool>(kept));
  });
  return recorded("MaskedFillBackward0", {*this}, y, [kept](const Tensor& dy) { return Tensors{dy * kept}; });
}
/// Folds the elements along `dims` with `add`, beginning with `start`: one result for each place of the other dims.
template <typename Sum, typename Add>
Tensor folded(const Tensor& x, Sizes dims, bool keepdim, ScalarType type, Sum start, const Add& add) {
  if (dims.empty()) dims = all_dims(x);
  Sizes kept = x.sizes(), left;
  for (int64_t& d : dims) kept[static_cast<size_t>(d = x.wrap(d))] = 1;
  const Tensor y = empty(kept, type), there = y.expand(x.sizes());
  std::vector<Sum> sums(static_cast<size_t>(y.numel()), start);
  dispatch(x.scalar_type(), [&](auto zero) {
    for_each(
        x.sizes(), [&](Sum& sum, auto v) { sum = add(sum, static_cast<Sum>(v)); }, 0,
        Elements<Sum>(sums.data(), there.strides()), Elements<decltype(zero)>(x));
  });
  dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    std::transform(sums.begin(), sums.end(), y.data_ptr<T>(), [](Sum sum) { return static_cast<T>(sum); });
  });
  if (keepdim) return y;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) left.push_back(x.size(d));
  return y.view(left);
}
/// dy of a reduction with the reduced dims put back as size 1.
inline Tensor with_dims(Tensor dy, const Tensor& x, Sizes dims, bool keepdim) {
  if (dims.empty()) dims = all_dims(x);
  for (int64_t& d : dims) d = x.wrap(d);
  std::sort(dims.begin(), dims.end());
  for (const int64_t d : dims)
    if (!keepdim) dy = dy.unsqueeze(d);
  return dy;
}
// y = sum of x,  dx = dy
inline Tensor sum_of(const char* name, const Tensor& x, const Sizes& dims, bool keepdim) {
  const Tensor y = x.is_floating_point() ? folded(x, dims, keepdim, kFloat, 0.0, std::plus<>())
                                         : folded(x, dims, keepdim, kLong, int64_t{0}, std::plus<>());
  return recorded(name, {x}, y, [=](const Tensor& dy) {
    return Tensors{with_dims(dy, x, dims, keepdim).expand(x.sizes())};
  });
}
inline Tensor Tensor::sum() const { return sum_of("SumBackward0", *this, all_dims(*this), false); }
inline Tensor Tensor::sum(const Sizes& dims, bool keepdim) const {
  return sum_of("SumBackward1", *this, dims, keepdim);
}
inline Tensor Tensor::mean() const { return sum() / numel(); }
inline Tensor Tensor::mean(int64_t d, bool keepdim) const { return sum(d, keepdim) / size(d); }
/// The mean of the squared distances from the mean of n elements; `unbiased` divides their sum by n - 1.
inline Tensor Tensor::var(const Sizes& dims, bool unbiased, bool keepdim) const {
  int64_t n = 1;
  for (const int64_t d : dims) n *= size(d);
  const Tensor away = *this - sum(dims, true) / n;
  return (away * away).sum(dims, keepdim) / (n - (unbiased ? 1 : 0));
}
inline Tensor Tensor::var() const { return var(all_dims(*this)); }
inline Tensor Tensor::std(int64_t d, bool unbiased, bool keepdim) const {
  return var(Sizes{d}, unbiased, keepdim).sqrt();
}
/// sqrt(sum of x^2).
inline Tensor Tensor::norm() const { return (*this * *this).sum().sqrt(); }
inline Tensor Tensor::norm(Scalar p, int64_t d, bool keepdim) const {
  check(p.real == 2, "norm: mini has order 2 alone");
  return (*this * *this).sum(d, keepdim).sqrt();
}
// y = the largest element,  dx = dy there, shared equally by equal largest elements
inline Tensor Tensor::amax(const Sizes& dims, bool keepdim) const {
  check(numel() > 0, "amax(): Expected reduction dim to be specified for input.numel() == 0.");
  const auto larger = [](auto most, auto v) { return v > most || v != v ? v : most; };
  const double least = -std::numeric_limits<double>::infinity();
  const Tensor y = is_floating_point() ? folded(*this, dims, keepdim, kFloat, least, larger)
                                       : folded(*this, dims, keepdim, scalar_type(),
                                                std::numeric_limits<int64_t>::min(), larger);
  return recorded("AmaxBackward0", {*this}, y, [=, x = *this, kept = y.detach()](const Tensor& dy) {
    const Tensor there = (x == with_dims(kept, x, dims, keepdim)).to(kFloat);
    return Tensors{there * (with_dims(dy, x, dims, keepdim) / there.sum(dims, true))};
  });
}
inline Tensor Tensor::max() const { return amax(all_dims(*this)); }
inline Tensor Tensor::min() const { return scalar_type() == kBool ? all() : -(-*this).max(); }
inline Tensor Tensor::argmax() const { return ((flatten() == max()) | isnan().flatten()).nonzero()[0][0]; }
inline Tensor Tensor::argmin() const { return (0 - *this).argmax(); }
inline Tensor Tensor::any() const { return (*this != 0).sum() > 0; }
inline Tensor Tensor::any(int64_t d) const { return (*this != 0).sum(d) > 0; }
inline Tensor Tensor::all() const { return logical_not().any().logical_not(); }

inline bool equal(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && (a == b).all().item<bool>();
}
inline bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8) {
  return ((a - b).abs() <= b.abs() * rtol + atol).all().item<bool>();
}
// Matrix products, one per batch: y[i][j] = sum over k of a[i][k] b[k][j],  da = dy b^T,  db = a^T dy
inline Tensor bmm(const Tensor& a, const Tensor& b) {  // [batch, n, k] and [batch, k, m]
  const int64_t n = a.size(1), inner = a.size(2), m = b.size(2);
  check(inner == b.size(1) && a.size(0) == b.size(0), "mat1 and mat2 shapes cannot be multiplied (", n, "x",
        inner, " and ", b.size(1), "x", m, ")");
  const Tensor y = empty({a.size(0), n, m}), left = a.detach().contiguous(), right = b.detach().contiguous();
  const float *p = left.data_ptr<float>(), *q = right.data_ptr<float>();
  float* to = y.data_ptr<float>();
  for (int64_t row = 0; row < a.size(0) * n; ++row, to += m) {
    const float* matrix = q + row / std::max<int64_t>(n, 1) * inner * m;
    std::vector<double> sums(static_cast<size_t>(m), 0);
    for (int64_t k = 0; k < inner; ++k, ++p)
      for (int64_t j = 0; j < m; ++j)
        sums[static_cast<size_t>(j)] += static_cast<double>(*p) * static_cast<double>(matrix[k * m + j]);
    std::copy(sums.begin(), sums.end(), to);
  }
  return recorded("BmmBackward0", {a, b}, y, [=](const Tensor& dy) {
    return Tensors{a.requires_grad() ? bmm(dy, b.transpose(1, 2)) : Tensor(),
                   b.requires_grad() ? bmm(a.transpose(1, 2), dy) : Tensor()};
  });
}
/// The product of vectors, matrices or batches of matrices; the batch dims are broadcast.
inline Tensor matmul(const Tensor& a, const Tensor& b) {
  check(a.dim() > 0 && b.dim() > 0, "both arguments to matmul need to be at least 1D, but they are ", a.dim(),
        "D and ", b.dim(), "D");
  if (a.dim() == 1) return matmul(a.unsqueeze(0), b).squeeze(b.dim() == 1 ? 0 : -2);
  if (b.dim() == 1) return matmul(a, b.unsqueeze(1)).squeeze(-1);
  const Sizes batch =
      broadcast(Sizes(a.sizes().begin(), a.sizes().end() - 2), Sizes(b.sizes().begin(), b.sizes().end() - 2));
  const auto matrices = [&](const Tensor& x) {
    Sizes all = batch;
    all.insert(all.end(), x.sizes().end() - 2, x.sizes().end());
    return x.expand(all).reshape({count(batch), x.size(-2), x.size(-1)});
  };
  Sizes sizes = batch;
  sizes.insert(sizes.end(), {a.size(-2), b.size(-1)});
  return bmm(matrices(a), matrices(b)).view(sizes);
}
// y = x - log(sum of exp(x)) along d,  dx = dy - softmax(x) sum(dy)
inline Tensor log_softmax(const Tensor& x, int64_t d) {
  const Tensor shifted = x.detach() - x.detach().amax({d}, true),
               y = shifted - shifted.exp().sum(d, true).log();
  return recorded("LogSoftmaxBackward0", {x}, y, [d, kept = y.detach()](const Tensor& dy) {
    return Tensors{dy - kept.exp() * dy.sum(d, true)};
  });
}
// y = exp(x) / sum of exp(x) along d,  dx = y (dy - sum of dy y)
inline Tensor softmax(const Tensor& x, int64_t d) {
  const Tensor y = log_softmax(x.detach(), d).exp();
  return recorded("SoftmaxBackward0", {x}, y, [d, kept = y.detach()](const Tensor& dy) {
    return Tensors{kept * (dy - (dy * kept).sum(d, true))};
  });
}
// y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), composed of ops above
inline Tensor gelu(const Tensor& x, const std::string& approximate) {
  check(approximate == "tanh", "gelu: mini has the approximation by tanh alone");
  const double factor = std::sqrt(2 / std::acos(-1.0));
  return 0.5 * x * (1 + tanh(factor * (x + 0.044715 * x * x * x)));
}
// y = (x - mean) / sqrt(var + eps) weight + bias over the last dim, composed of ops above
inline Tensor layer_norm(const Tensor& x, const Sizes& sizes, const Tensor& weight = {},
                         const Tensor& bias = {}, double eps = 1e-5) {
  check(sizes == Sizes{x.size(-1)}, "Given normalized_shape=", sizes, ", but got input of size", x.sizes());
  const Tensor away = x - x.mean(-1, true), y = away / ((away * away).mean(-1, true) + eps).sqrt();
  const Tensor scaled = weight.defined() ? y * weight : y;
  return bias.defined() ? scaled + bias : scaled;
}
// y = the tensors joined along d; each gets its own part of dy
inline Tensor cat(const Tensors& all, int64_t d = 0) {
  check(!all.empty(), "torch.cat(): expected a non-empty list of Tensors");
  d = all[0].wrap(d);
  Sizes sizes = all[0].sizes();
  sizes[static_cast<size_t>(d)] = 0;
  ScalarType type = kBool;
  for (const Tensor& x : all) {
    sizes[static_cast<size_t>(d)] += x.size(d);
    type = std::max(type, x.scalar_type());
  }
  const Tensor y = empty(sizes, type);
  int64_t start = 0;
  for (const Tensor& x : all) {
    const Tensor part = y.narrow(d, std::exchange(start, start + x.size(d)), x.size(d));
    check(part.sizes() == x.sizes(), "Sizes of tensors must match except in dimension ", d, ".");
    copy_elements(part, x);
  }
  return recorded("CatBackward0", all, y, [all, d](const Tensor& dy) {
    Tensors parts;
    int64_t at = 0;
    for (const Tensor& x : all) parts.push_back(dy.narrow(d, std::exchange(at, at + x.size(d)), x.size(d)));
    return parts;
  });
}
inline Tensor stack(const Tensors& all, int64_t d = 0) {
  Tensors rows;
  for (const Tensor& x : all) rows.push_back(x.unsqueeze(d));
  return cat(rows, d);
}
// y[.., k, ..] = x[.., places[k], ..],  dx[.., places[k], ..] += dy[.., k, ..]
inline Tensor Tensor::index_select(int64_t d, const Tensor& places) const {
  check(places.scalar_type() == kLong, "index_select(): Expected dtype int32 or int64 for index");
  d = wrap(d);
  const auto each = [places, d](const Tensor& many, const Tensor& few, const auto& f) {
    for (int64_t k = 0; k < places.numel(); ++k)
      f(many.select(d, places[k].item<int64_t>()), few.select(d, k));
  };
  Sizes to = sizes();
  to[static_cast<size_t>(d)] = places.numel();
  const Tensor y = empty(to, scalar_type());
  each(detach(), y, [](const Tensor& from, const Tensor& row) { copy_elements(row, from); });
  return recorded("IndexSelectBackward0", {*this}, y, [each, from = sizes()](const Tensor& dy) {
    const Tensor dx = zeros(from);
    each(dx, dy, [](const Tensor& row, const Tensor& more) { row.copy_(row + more); });
    return Tensors{dx};
  });
}
inline Tensor Tensor::flip(const Sizes& dims) const {
  Tensor y = *this;
  for (const int64_t d : dims) y = y.index_select(d, (size(d) - 1) - arange(size(d)));
  return y;
}
/// The indices of the elements that are not zero, [count, dims].
inline Tensor Tensor::nonzero() const {
  check(dim() > 0, "nonzero: mini takes tensors of at least one dim");
  std::vector<int64_t> places;
  const Tensor is_there = logical_not();
  const bool* zero = is_there.data_ptr<bool>();
  for (int64_t i = 0; i < numel(); ++i)
    if (!zero[i])
      for (int64_t d = 0, rest = numel(), at = i; d < dim(); ++d) {
        rest /= size(d);
        places.push_back(at / rest);
        at %= rest;
      }
  return tensor(places).view({-1, dim()});
}
inline Tensor eye(int64_t n, ScalarType type = kFloat) {
  return (arange(n).unsqueeze(1) == arange(n)).to(type);
}
// y = x on one side of a diagonal and 0 on the other,  dx = dy where x was kept
inline Tensor triangle(const Tensor& x, int64_t diagonal, bool lower) {
  const Tensor apart = arange(x.size(-1)) - arange(x.size(-2)).unsqueeze(1);
  const Tensor gone = lower ? apart > diagonal : apart < diagonal;
  return recorded(lower ? "TrilBackward0" : "TriuBackward0", {x}, x.detach().masked_fill(gone, 0),
                  [gone](const Tensor& dy) { return Tensors{dy.masked_fill(gone, 0)}; });
}
inline Tensor Tensor::tril(int64_t diagonal) const { return triangle(*this, diagonal, true); }
inline Tensor Tensor::triu(int64_t diagonal) const { return triangle(*this, diagonal, false); }

/// x.index({0, Slice(1, 3)}) is a view; with a tensor of ids or a mask among the indices it is a copy.
inline Tensor Tensor::index(Indices indices) const {
  Tensor y = *this;
  int64_t d = 0, given = 0, tensors = 0;  // the next dim of y; how many dims of x and tensors came before
  for (const auto& [index] : indices) {
    if (const auto* i = std::get_if<int64_t>(&index)) {
      const int64_t n = y.size(d);
      check<IndexError>(*i >= -n && *i < n, "index ", *i, " is out of bounds for dimension ", given++,
                        " with size ", n);
      y = y.select(d, *i);
    } else if (const auto* s = std::get_if<indexing::Slice>(&index)) {
      y = y.slice(d, s->start.value_or(0), s->stop.value_or(y.size(d)), s->step);
      ++d;
      ++given;
    } else if (const auto* places = std::get_if<Tensor>(&index)) {
      Tensor at = *places;
      check(++tensors == 1, "index: mini takes one tensor of ids or one mask");
      if (at.scalar_type() == kBool) {
        check(at.dim() > 0, "index: mini takes masks of at least one dim");
        const auto masked = y.sizes().begin() + d;
        check<IndexError>(d + at.dim() <= y.dim() && std::equal(at.sizes().begin(), at.sizes().end(), masked),
                          "The shape of the mask ", at.sizes(), " at index ", given,
                          " does not match the shape of the indexed tensor ", sizes(), " at index ", given);
        given += at.dim() - 1;
        y = y.flatten(d, d + at.dim() - 1);
        at = at.flatten().nonzero().squeeze(1);
      }
      ++given;
      Sizes sizes = y.sizes();
      sizes.erase(sizes.begin() + d);
      sizes.insert(sizes.begin() + d, at.sizes().begin(), at.sizes().end());
      y = y.index_select(d, at.flatten()).view(sizes);
      d += at.dim();
    } else {
      y = y.unsqueeze(d++);
    }
  }
  return y;
}
inline const Tensor& Tensor::index_put_(Indices indices, const Tensor& value) const {
  for (const TensorIndex& index : indices)
    check(!std::holds_alternative<Tensor>(index.value), "index_put_: mini takes numbers and slices");
  index(indices).copy_(value);
  return *this;
}
inline const Tensor& Tensor::index_put_(Indices indices, Scalar value) const {
  return index_put_(indices, full({}, value, value.type));
}
// y[p] = weight[ids[p]],  dweight[ids[p]] += dy[p]
inline Tensor embedding(const Tensor& weight, const Tensor& ids) {
  check(ids.scalar_type() == kLong,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
        "got ",
        Tensor::name_of(ids.scalar_type()));
  const Tensor flat = ids.flatten().contiguous();
  const int64_t rows = weight.size(0), width = weight.size(1);
  Sizes sizes = ids.sizes();
  sizes.push_back(width);
  const Tensor y = empty(sizes), table = weight.detach().contiguous();
  const int64_t* id = flat.data_ptr<int64_t>();
  for (int64_t p = 0; p < flat.numel(); ++p) {
    check<IndexError>(id[p] >= 0 && id[p] < rows, "index out of range in self");
    for (int64_t j = 0; j < width; ++j)
      y.data_ptr<float>()[p * width + j] = table.data_ptr<float>()[id[p] * width + j];
  }
  return recorded("EmbeddingBackward0", {weight}, y, [=](const Tensor& dy) {
    const Tensor dweight = zeros({rows, width}), from = dy.contiguous();
    for (int64_t p = 0; p < flat.numel(); ++p)
      for (int64_t j = 0; j < width; ++j)
        dweight.data_ptr<float>()[flat.data_ptr<int64_t>()[p] * width + j] +=
            from.data_ptr<float>()[p * width + j];
    return Tensors{dweight};
  });
}

}  // namespace mini
