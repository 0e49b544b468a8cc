#include "support/example.h"

/// # Reductions
///
/// Over all elements, or over the dims given, which are gone in the result unless `keepdim` keeps them with size 1. The result
/// has the same bits for any number of threads.

/// The sum; integers and bools give int64.
EXAMPLE(etude::sum) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::sum(x));
  print(etude::sum(x, 0));
  print(x.sum(1, /*keepdim=*/true));
}

/// The sum over the number of elements.
EXAMPLE(etude::mean) {
  const Tensor x = etude::tensor({{1.0, 2.0}, {3.0, 6.0}});
  print(etude::mean(x));
  print(etude::mean(x, 1));
}

/// The mean squared distance from the mean, and its root; `std_mean` and `var_mean` give the mean too.
EXAMPLE(etude::var, etude::std, etude::var_mean, etude::std_mean) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0, 4.0});
  print(etude::var(x), etude::var(x, /*unbiased=*/false));
  print(etude::std(x));
  const auto [var, mean] = etude::var_mean(x);
  print(var, mean);
  print(std::get<0>(etude::std_mean(x)));
}

/// The product.
EXAMPLE(etude::prod) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::prod(x));
  print(etude::prod(x, 0));
}

EXAMPLE(etude::max, etude::min) {
  const Tensor x = etude::tensor({{1, 5, 2}, {7, 3, 9}});
  print(etude::max(x));
  const auto [values, indices] = etude::max(x, 1);
  print(values, indices);
  print(etude::min(x, etude::tensor(4)));
}

/// The largest and the smallest along several dims, without their places. Equal ones share the gradient evenly.
EXAMPLE(etude::amax, etude::amin) {
  const Tensor x = etude::tensor({{1, 5}, {7, 3}});
  print(etude::amax(x, {0, 1}));
  print(etude::amin(x, 1));
}

/// Where the largest, or the smallest, stands: in the flattened tensor, or along a dim.
EXAMPLE(etude::argmax, etude::argmin) {
  const Tensor x = etude::tensor({{1, 5, 2}, {7, 3, 9}});
  print(etude::argmax(x));
  print(etude::argmin(x, 1));
}

/// Whether all, or any, of the elements are not zero.
EXAMPLE(etude::all, etude::any) {
  const Tensor x = etude::tensor({{true, false}, {true, true}});
  print(etude::all(x), etude::any(x));
  print(etude::all(x, 1));
}

/// The sums of the elements up to each.
EXAMPLE(etude::cumsum) { print(etude::cumsum(etude::tensor({1, 2, 3}), 0)); }

/// log(sum(exp(x))), without overflow.
EXAMPLE(etude::logsumexp) { print(etude::logsumexp(etude::tensor({1000.0, 1000.0}), 0)); }

EXAMPLE(etude::norm) {
  const Tensor x = etude::tensor({{3.0, 4.0}, {6.0, 8.0}});
  print(etude::norm(x[0]));
  print(etude::norm(x, 2, 1));
}
