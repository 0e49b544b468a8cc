// embedding: rows selected by ids, the sums in their gradient, and the error for a wrong id.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("embedding") {
  namespace {

  Tensor table() { return (etude::arange(12, kDouble) * 0.5).view({4, 3}); }

  }  // namespace

  TEST_CASE("picks a row for every id, whatever the sizes and strides of ids and table") {
    const Tensor ids = etude::tensor({{3, 0, 3}, {1, 2, 2}});
    const Tensor y = embedding(table(), ids);
    CHECK(y.sizes() == IntArrayRef({2, 3, 3}));
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 3; ++j) CHECK(same(y[i][j], table()[ids[i][j].item<int64_t>()]));
    CHECK(same(embedding(table(), ids.t()), y.transpose(0, 1)));
    CHECK(same(embedding(table().t().contiguous().t(), ids.to(kInt)), y));
    CHECK(same(embedding(table(), etude::tensor(1)), table()[1]));
    CHECK(embedding(table(), etude::zeros({0, 2}, kLong)).sizes() == IntArrayRef({0, 2, 3}));
  }

  TEST_CASE("its gradient adds up what came back for an id, and leaves the padding row alone") {
    const Tensor w = table().requires_grad_(), ids = etude::tensor({1, 3, 1, 1});
    embedding(w, ids).backward(etude::ones({4, 3}, kDouble));
    CHECK(same(w.grad().select(1, 0), etude::tensor({0, 3, 0, 1}, kDouble)));
    const Tensor padded = table().requires_grad_();
    embedding(padded, ids, 1).backward(etude::ones({4, 3}, kDouble));
    CHECK(same(padded.grad().select(1, 0), etude::tensor({0, 0, 0, 1}, kDouble)));
    const Tensor scaled = table().requires_grad_();
    embedding(scaled, ids, -1, true).backward(etude::ones({4, 3}, kDouble));
    CHECK(allclose(scaled.grad().select(1, 0), etude::tensor({0, 1, 0, 1}, kDouble)));
  }

  TEST_CASE(
      "its gradient is added to what else the table is used for, and to nothing that shares memory with "
      "that") {
    const Tensor ids = etude::tensor({7, 39, 7, 2}), dy = sin(etude::arange(12, kDouble)).view({4, 3});
    const Tensor x = cos(etude::arange(6, kDouble)).view({2, 3}),
                 w = sin(etude::arange(120, kDouble)).view({40, 3});
    for (const int64_t padding_idx : {-1, 39, 5}) {
      const auto of_ids = [&](const Tensor& table) {
        return (embedding(table, ids, padding_idx) * dy).sum();
      };
      const auto of_all = [&](const Tensor& table) { return matmul(x, table.t()).cos().sum(); };
      const Tensor rows = w.clone().requires_grad_(), all = w.clone().requires_grad_(),
                   both = w.clone().requires_grad_(), other = w.clone().requires_grad_();
      of_ids(rows).backward();
      of_all(all).backward();
      const Tensor picked = of_ids(both);
      (picked + of_all(both)).backward();
      CHECK(same(both.grad(), all.grad() + rows.grad()));
      both.mutable_grad() = Tensor();
      const Tensor again = of_ids(both);
      (again + (both + other).sum()).backward();
      CHECK(same(both.grad(), rows.grad() + 1));
      CHECK(same(other.grad(), etude::ones_like(w)));
    }
  }

  TEST_CASE("its gradient and second gradient are those of finite differences") {
    for (bool by_frequency : {false, true}) {
      const auto f = [by_frequency](const std::vector<Tensor>& in) {
        return embedding(in[0], etude::tensor({{1, 3}, {1, 0}}), -1, by_frequency);
      };
      if (!by_frequency) CHECK(gradcheck(f, {table()}));
      CHECK(gradgradcheck(
          [](const std::vector<Tensor>& in) {
            return embedding(in[0] * in[0], etude::tensor({1, 1, 2}));
          },
          {table()}));
    }
  }

  TEST_CASE("its gradient has the same bits for any number of threads") {
    const Tensor ids = (etude::arange(5000) * 37).remainder(101),
                 dy = sin(etude::arange(5000 * 64, kFloat)).view({5000, 64});
    const ThreadCount restored;
    std::vector<Tensor> gradients;
    for (int threads : {1, 2, 3}) {
      set_num_threads(threads);
      const Tensor w = etude::zeros({101, 64}).requires_grad_();
      embedding(w, ids).backward(dy);
      gradients.push_back(w.grad());
    }
    CHECK(same(gradients[0], gradients[1]));
    CHECK(same(gradients[0], gradients[2]));
  }

  TEST_CASE("refuses a wrong id, and what is no table or no id") {
    CHECK(refusal([] {
            embedding(table(), etude::tensor({{0, 1}, {2, 9}}));
          }) == "IndexError: index out of range in self");
    CHECK(refusal([] { embedding(table(), etude::tensor({-1})); }) ==
          "IndexError: index out of range in self");
    CHECK(refusal([] { embedding(etude::zeros({5}), etude::tensor({0})); }) == "Error: 'weight' must be 2-D");
    CHECK(refusal([] { embedding(table(), etude::tensor({0.0})); }) ==
          "Error: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
          "Int; but got " +
              tensor_type("Float") + " instead (while checking arguments for embedding)");
  }

  TEST_CASE("renorm shortens the rows named, once each, and no others") {
    Tensor w = etude::tensor({{3.0, 4.0}, {0.3, 0.4}, {6.0, 8.0}}, kDouble);
    embedding_renorm_(w, etude::tensor({0, 0, 1}), 1.0, 2.0);
    CHECK(w[0].norm().item<double>() == doctest::Approx(1).epsilon(1e-6));
    CHECK(same(w[1], etude::tensor({0.3, 0.4}, kDouble)));
    CHECK(same(w[2], etude::tensor({6.0, 8.0}, kDouble)));
  }

  TEST_CASE("rows whose norm is no number are not renormalised") {
    const double nan = std::nan("");
    Tensor table = etude::tensor({{3., 4.}, {-0.5, nan}}, kDouble);
    embedding_renorm_(table, etude::tensor({0, 1}), 1, 2);
    CHECK(table[1][0].item<double>() == -0.5);
    CHECK(allclose(table[0], etude::tensor({0.6, 0.8}, kDouble)));
  }
}
