#include "support/example.h"

/// # Joining, repeating and sorting

/// Joins tensors along a dim that is there; all others have to agree.
EXAMPLE(etude::cat, etude::concat, etude::concatenate) {
  const Tensor a = etude::tensor({{1, 2}}), b = etude::tensor({{3, 4}, {5, 6}});
  print(etude::cat({a, b}));
  print(etude::concat({b, b}, 1));
  print(etude::concatenate({a, a}, -1));
}

/// Joins tensors of the same sizes along a new dim.
EXAMPLE(etude::stack) {
  const Tensor a = etude::tensor({1, 2}), b = etude::tensor({3, 4});
  print(etude::stack({a, b}));
  print(etude::stack({a, b}, 1));
}

EXAMPLE(etude::hstack, etude::vstack) {
  const Tensor a = etude::tensor({1, 2}), b = etude::tensor({3, 4});
  print(etude::hstack({a, b}));
  print(etude::vstack({a, b}));
}

/// The elements of the dims given in opposite order; a copy.
EXAMPLE(etude::flip) { print(etude::flip(etude::tensor({{1, 2, 3}, {4, 5, 6}}), {1})); }

/// The elements moved on by so many places; what falls off comes in on the other side.
EXAMPLE(etude::roll) {
  print(etude::roll(etude::arange(5), 2));
  print(etude::roll(etude::tensor({{1, 2}, {3, 4}}), 1, 0));
}

EXAMPLE(etude::repeat_interleave) {
  print(etude::repeat_interleave(etude::tensor({7, 8}), 2));
  print(etude::repeat_interleave(etude::tensor({2, 0, 1})));
}

EXAMPLE(etude::meshgrid) {
  for (const Tensor& x : etude::meshgrid({etude::arange(2), etude::arange(3)}, "ij")) print(x);
}

/// The elements of a dim in order, and where each of them was; `argsort` gives only the latter.
EXAMPLE(etude::sort, etude::argsort) {
  const Tensor x = etude::tensor({3, 1, 2});
  const auto [values, indices] = etude::sort(x);
  print(values, indices);
  print(etude::argsort(x, -1, /*descending=*/true));
}

EXAMPLE(etude::topk) {
  const auto [values, indices] = etude::topk(etude::tensor({0.1, 0.7, 0.2}), 2);
  print(values, indices);
}

/// Each value once. The `dim` forms compare whole slices, the `consecutive` ones neighbours alone.
EXAMPLE(etude::_unique, etude::_unique2, etude::unique_dim, etude::unique_consecutive,
        etude::unique_dim_consecutive) {
  const Tensor x = etude::tensor({2, 2, 1, 2});
  print(std::get<0>(etude::_unique(x)));
  const auto [values, places, counts] = etude::_unique2(x, true, true, true);
  print(values, places, counts);
  print(std::get<0>(etude::unique_consecutive(x)));
  const Tensor rows = etude::tensor({{1, 2}, {1, 2}, {0, 0}});
  print(std::get<0>(etude::unique_dim(rows, 0)));
  print(std::get<0>(etude::unique_dim_consecutive(rows, 0)));
}
