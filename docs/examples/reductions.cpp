#include <cmath>

#include "support/example.h"

/// # Reductions
///
/// Over all elements, or over the dims given, which are gone in the result unless `keepdim` keeps them with size 1. The result
/// has the same bits for any number of threads.

/// The sum; integers and bools give int64.
///
/// - Shapes: self [...] -> [], or [...] without the dims given (with keepdim of size 1)
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`
/// - Errors: `dim 0 appears multiple times in the list of dims`
EXAMPLE(etude::sum) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::sum(x));
  print(etude::sum(x, 0));
  print(x.sum(1, /*keepdim=*/true));
  print(examples::message_of([&] { x.sum(2); }));
  print(examples::message_of([&] { x.sum(etude::IntArrayRef{0, 0}); }));
}

/// The sum of the elements divided by their number.
///
/// - Shapes: self [...] -> [], or [...] without the dims given (with keepdim of size 1)
/// - Errors: `mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long`
///   where no dtype is given
EXAMPLE(etude::mean) {
  const Tensor x = etude::tensor({{1.0, 2.0}, {3.0, 6.0}});
  print(etude::mean(x));
  print(etude::mean(x, 1));
  print(etude::mean(etude::tensor({1, 2}), etude::kDouble));
  print(examples::message_of([&] { etude::tensor({1, 2}).mean(); }));
}

/// The mean squared distance from the mean, and its root; `std_mean` and `var_mean` give the mean too.
///
/// - Shapes: self [...] -> [], or [...] without the dims given (with keepdim of size 1)
/// - Errors: `std and var only support floating point and complex dtypes`, `var_mean only support floating point and complex
///   dtypes` where self holds integers. Too few elements are no error: the variance of one is 0 / 0 = nan.
EXAMPLE(etude::var, etude::std, etude::var_mean, etude::std_mean) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0, 4.0});
  print(etude::var(x), etude::var(x, /*unbiased=*/false));
  print(etude::std(x));
  const auto [var, mean] = etude::var_mean(x);
  print(var, mean);
  print(std::get<0>(etude::std_mean(x)));
  print(examples::message_of([&] { etude::tensor({1, 2}).var(); }));
}

/// The product of the elements.
///
/// - Shapes: self [...] -> [], or [...] without the dim given (with keepdim of size 1)
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`
EXAMPLE(etude::prod) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::prod(x));
  print(etude::prod(x, 0));
}

/// Without a dim, `max` gives the largest of all elements and `min` the smallest. With another tensor they are `maximum` and
/// `minimum`.
///
/// - Shapes: self [...] -> [], or values and indices [...] without the dim given (with keepdim of size 1); of two tensors the
///   shape that both broadcast to
/// - Errors: `max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim'
///   argument.`, `max(): Expected reduction dim 0 to have non-zero size.` where there are no elements
EXAMPLE(etude::max, etude::min) {
  const Tensor x = etude::tensor({{1, 5, 2}, {7, 3, 9}});
  print(etude::max(x));
  const auto [values, indices] = etude::max(x, 1);
  print(values, indices);
  print(etude::min(x, etude::tensor(4)));
  print(examples::message_of([&] { etude::zeros({0}).max(); }));
  print(examples::message_of([&] { etude::zeros({0, 3}).max(0); }));
}

/// The largest and the smallest element along one or several dims, without their indices.
///
/// - Shapes: self [...] -> [], or [...] without the dims given (with keepdim of size 1)
/// - Errors: `amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim'
///   argument.`, `amax(): Expected reduction dim 0 to have non-zero size.` where there are no elements
EXAMPLE(etude::amax, etude::amin) {
  const Tensor x = etude::tensor({{1, 5}, {7, 3}});
  print(etude::amax(x, {0, 1}));
  print(etude::amin(x, 1));
  print(examples::message_of([&] { etude::zeros({0, 3}).amax(0); }));
}

/// The index of the largest, or the smallest, element: in the flattened tensor, or along a dim. There is no gradient.
///
/// - Shapes: self [...] -> int64 [], or [...] without the dim given (with keepdim of size 1)
/// - Errors: `argmax(): Expected reduction dim to be specified for input.numel() == 0.`, `argmax(): Expected reduction dim 0 to
///   have non-zero size.` where there are no elements
/// - Errors: `argmax(): does not support bool input`
EXAMPLE(etude::argmax, etude::argmin) {
  const Tensor x = etude::tensor({{1, 5, 2}, {7, 3, 9}});
  print(etude::argmax(x));
  print(etude::argmin(x, 1));
  print(examples::message_of([&] { etude::zeros({0}).argmax(); }));
}

/// Whether all, or any, of the elements are not zero. There is no gradient.
///
/// - Shapes: self [...] -> bool [], or [...] without the dim given (with keepdim of size 1)
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`
EXAMPLE(etude::all, etude::any) {
  const Tensor x = etude::tensor({{true, false}, {true, true}});
  print(etude::all(x), etude::any(x));
  print(etude::all(x, 1));
  print(etude::any(etude::zeros({0})), etude::all(etude::zeros({0})));
}

/// - Shapes: self [...] -> int64 [], or [...] without the dims given
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`
EXAMPLE(etude::count_nonzero) {
  const Tensor x = etude::tensor({{0.5, 0.0, 2.0}, {0.0, 0.0, 1.0}});
  print(etude::count_nonzero(x));
  print(x.count_nonzero(etude::IntArrayRef({1})));
}

/// - Shapes: [n, m] -> []
/// - Errors: `trace: expected a matrix, but got tensor with dim 1`
EXAMPLE(etude::trace) {
  print(etude::trace(etude::tensor({{1, 2}, {3, 4}})));
  print(examples::message_of([] { etude::ones({3}).trace(); }));
}

/// The sum of the elements up to each one, along one dim.
///
/// - Shapes: self [...] -> [...]
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got 1)`
EXAMPLE(etude::cumsum) {
  const Tensor x = etude::tensor({1, 2, 3});
  print(etude::cumsum(x, 0));
  print(examples::message_of([&] { etude::cumsum(x, 1); }));
}

/// The product of the elements up to each one, along one dim.
///
/// - Shapes: self [...] -> [...]
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got 1)`
EXAMPLE(etude::cumprod) {
  const Tensor x = etude::tensor({2, 3, 4});
  print(etude::cumprod(x, 0));
  print(examples::message_of([&] { etude::cumprod(x, 1); }));
}

/// - Shapes: self [...] -> values [...], indices [...]
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got 1)`
EXAMPLE(etude::cummax, etude::cummin) {
  const Tensor x = etude::tensor({2, 5, 1});
  const auto [largest, places] = etude::cummax(x, 0);
  print(largest, places);
  print(std::get<0>(etude::cummin(x, 0)));
  print(examples::message_of([&] { etude::cummin(x, 1); }));
}

/// - Shapes: self [...] -> [], or values and indices [...] without the dim given (with keepdim of size 1)
/// - Errors: `median(): Expected reduction dim 0 to have non-zero size.`
EXAMPLE(etude::median, etude::nanmedian) {
  const Tensor x = etude::tensor({{3, 1, 2}, {9, 7, 8}});
  print(etude::median(x));
  const auto [values, indices] = etude::median(x, 1);
  print(values, indices);
  print(etude::nanmedian(etude::tensor({3.0, std::nan(""), 1.0, 2.0})));
  print(examples::message_of([&] { etude::median(etude::zeros({0, 2}), 0); }));
}

/// log(sum(exp(x))), without overflow.
///
/// - Shapes: self [...] -> [...] without the dims given (with keepdim of size 1)
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got 1)`
EXAMPLE(etude::logsumexp) { print(etude::logsumexp(etude::tensor({1000.0, 1000.0}), 0)); }

/// - Shapes: self [...] -> [], or [...] without the dims given (with keepdim of size 1)
/// - Errors: `norm(): input dtype should be either floating point or complex. Got Long instead.`
EXAMPLE(etude::norm) {
  const Tensor x = etude::tensor({{3.0, 4.0}, {6.0, 8.0}});
  print(etude::norm(x[0]));
  print(etude::norm(x, 2, 1));
  print(examples::message_of([&] { etude::tensor({3, 4}).norm(); }));
}
