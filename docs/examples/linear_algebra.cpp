#include "support/example.h"

/// # Products
///
/// Shapes are written [rows, columns].

EXAMPLE(etude::matmul) {
  const Tensor a = etude::tensor({{1, 2}, {3, 4}}), v = etude::tensor({10, 1});
  print(etude::matmul(a, a));
  print(etude::matmul(a, v));
  print(etude::zeros({5, 2, 3}).matmul(etude::zeros({3, 4})).sizes());
}

EXAMPLE(etude::mm) {
  const Tensor a = etude::tensor({{1.0, 2.0}}), b = etude::tensor({{3.0}, {4.0}});
  print(etude::mm(a, b));
}

EXAMPLE(etude::bmm) { print(etude::bmm(etude::ones({5, 2, 3}), etude::ones({5, 3, 4})).sizes()); }

EXAMPLE(etude::mv, etude::dot, etude::outer) {
  const Tensor a = etude::tensor({{1, 2}, {3, 4}}), v = etude::tensor({10, 1});
  print(etude::mv(a, v));
  print(etude::dot(v, v));
  print(etude::outer(v, v));
}

EXAMPLE(etude::addmm) {
  const Tensor bias = etude::tensor({1.0, 2.0}), a = etude::ones({2, 3}), b = etude::ones({3, 2});
  print(etude::addmm(bias, a, b));
}

EXAMPLE(etude::linear) {
  const Tensor x = etude::tensor({{1.0, 2.0}}), weight = etude::tensor({{1.0, 1.0}, {0.0, 3.0}, {2.0, 0.0}});
  print(etude::linear(x, weight, etude::tensor({0.5, 0.0, 0.0})));
}

EXAMPLE(etude::einsum) {
  const Tensor a = etude::tensor({{1, 2}, {3, 4}}), b = etude::tensor({{1, 0}, {0, 2}});
  print(etude::einsum("ij,jk->ik", {a, b}));
  print(etude::einsum("ii->", {a}));
}

EXAMPLE(etude::tensordot) {
  print(etude::tensordot(etude::ones({2, 3, 4}), etude::ones({4, 3}), {1, 2}, {1, 0}));
}
