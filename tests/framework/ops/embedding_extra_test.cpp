// positioned_embedding: one pass over embedding, positions and dropout, against the three of them.
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "etude/core/restoring.h"
#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("positioned_embedding") {
  namespace {

  struct Given {
    Tensor ids;
    int64_t position_dim = 1, padding_idx = -1;
    double scale = 1, p = 0;
  };

  Tensor by_steps(const Given& g, const Tensor& weight, const Tensor& table) {
    const Tensor rows = table.narrow(0, 0, g.ids.size(g.position_dim));
    Tensor x = embedding(weight, g.ids, g.padding_idx);
    if (g.scale != 1) x = x * g.scale;
    return dropout(x + (g.position_dim == 1 ? rows : rows.unsqueeze(1)), g.p, true);
  }

  Tensor in_one(const Given& g, const Tensor& weight, const Tensor& table) {
    return positioned_embedding(weight, g.ids, table, g.position_dim, g.padding_idx, g.scale, g.p);
  }

  // The result and the gradient of the weight, from one seed.
  template <typename F>
  std::vector<Tensor> both(const F& f, const Given& g, const Tensor& weight, const Tensor& table) {
    manual_seed(3);
    const Tensor leaf = weight.detach().requires_grad_(), y = f(g, leaf, table);
    y.backward(cos(etude::arange(y.numel(), y.scalar_type())).view(y.sizes()));
    return {y.detach(), leaf.grad(), etude::rand({2})};
  }

  }  // namespace

  TEST_CASE("has the bits of embedding, sum and dropout, and draws what they draw") {
    const Tensor some = etude::tensor({3, 0, 3, 7, 1, 0, 8, 2, 3, 4, 4, 0}, kLong).view({3, 4});
    const Tensor many = etude::arange(40 * 90).remainder(9).view({40, 90});
    for (const auto type : {kFloat, kDouble})
      for (const Tensor& ids :
           {some, some.t(), some.to(kInt), etude::empty({0, 3}, kLong), etude::empty({2, 0}, kLong), many})
        for (const int64_t dim : {0, 1})
          for (const double p : {0.0, 0.3}) {
            const int64_t width = ids.numel() > 100 ? 33 : 5;
            const Tensor weight = sin(etude::arange(9 * width, type)).view({9, width}),
                         table = cos(etude::arange(95 * width, type)).view({95, width});
            for (const Given& g : {Given{ids, dim, -1, 1, p}, Given{ids, dim, 3, 2.5, p}}) {
              CAPTURE(ids.sizes());
              CAPTURE(dim);
              CAPTURE(p);
              const auto expected = both(by_steps, g, weight, table);
              for (const int threads : {1, 3}) {
                const etude::detail::Restoring<get_num_threads, set_num_threads> restoring(threads);
                const auto found = both(in_one, g, weight, table);
                for (size_t i = 0; i < expected.size(); ++i) CHECK(equal(found[i], expected[i]));
              }
            }
          }
  }

  TEST_CASE("takes views of a table and of a weight") {
    const Tensor weight = sin(etude::arange(30, kFloat)).view({5, 6}).t(),
                 table = cos(etude::arange(80, kFloat)).view({8, 10}).narrow(1, 2, 5);
    const Given g{etude::tensor({{0, 5, 2}}, kLong)};
    CHECK(equal(in_one(g, weight, table), by_steps(g, weight, table)));
  }

  TEST_CASE("takes a table with a dim of size 1 beside its positions, as that of PositionalEncoding") {
    const Tensor weight = sin(etude::arange(15, kFloat)).view({5, 3}),
                 table = cos(etude::arange(12, kFloat)).view({4, 3});
    for (const Tensor& ids : {etude::tensor({{0, 4, 2}}, kLong), etude::tensor({{0}, {1}, {3}}, kLong)})
      for (const int64_t dim : {0, 1}) {
        const Tensor expected = in_one({ids, dim}, weight, table);
        for (const int64_t one : {0, 1})
          CHECK(equal(in_one({ids, dim}, weight, table.unsqueeze(one)), expected));
      }
    const Tensor ids = etude::zeros({1, 5}, kLong);
    CHECK(refusal([&] { in_one({ids}, weight, table.unsqueeze(0)); }) ==
          "Error: positioned_embedding: expected a table of at least 5 positions as wide as [5, 3], but got "
          "[1, 4, 3]");
    CHECK(refusal([&] {
            in_one({ids}, weight, etude::zeros({2, 5, 3}));
          }) ==
          "Error: positioned_embedding: expected a table of at least 5 positions as wide as [5, 3], but got "
          "[2, 5, 3]");
    CHECK(refusal([&] { in_one({ids}, weight, etude::zeros({3})); }) ==
          "Error: positioned_embedding: expected a table of at least 5 positions as wide as [5, 3], but got "
          "[3]");
    CHECK(refusal([&] {
            in_one({ids}, etude::zeros({5, 4, 3}), etude::zeros({10, 4}));
          }) == "Error: 'weight' must be 2-D");
  }

  TEST_CASE("gradients and second gradients are those of finite differences") {
    const Tensor weight = sin(etude::arange(12, kDouble)).view({4, 3}),
                 table = cos(etude::arange(6, kDouble)).view({2, 3});
    for (const double p : {0.0, 0.4}) {
      const Given g{etude::tensor({{2, 0}, {2, 3}, {1, 2}}, kLong), 1, -1, 1.5, p};
      const TensorFunction f = [&](const auto& in) {
        manual_seed(4);
        return in_one(g, in[0], table);
      };
      CHECK(f({weight.detach().requires_grad_()}).grad_fn()->name() ==
            (p > 0 ? "MulBackward0" : "AddBackward0"));
      CHECK(gradcheck(f, {weight}));
      CHECK(gradgradcheck(f, {weight}));
    }
  }

  TEST_CASE("its gradient is added to what else the table is used for") {
    const Tensor w = sin(etude::arange(120, kDouble)).view({40, 3}), x = w.narrow(0, 3, 2),
                 ids = etude::tensor({{7, 39, 7, 2}}, kLong),
                 places = cos(etude::arange(12, kDouble)).view({4, 3});
    for (const int64_t padding_idx : {-1, 39, 5}) {
      const auto gradient = [&](bool of_ids, bool of_all) {
        const Tensor table = w.clone().requires_grad_();
        manual_seed(1);
        Tensor loss =
            (in_one({ids, 1, padding_idx, 2, 0.3}, table, places) * places).sum() * (of_ids ? 1 : 0);
        if (of_all) loss = loss + matmul(x, table.t()).cos().sum();
        loss.backward();
        return table.grad();
      };
      CHECK(same(gradient(true, true), gradient(false, true) + gradient(true, false)));
    }
  }

  TEST_CASE("ids that were written to after the forward pass are found") {
    const Tensor weight = etude::ones({4, 2}).requires_grad_(), ids = etude::zeros({1, 2}, kLong);
    const Tensor y = in_one({ids}, weight, etude::zeros({3, 2}));
    ids.add_(1);
    CHECK(refusal([&] { y.sum().backward(); }).find("modified by an inplace operation") != std::string::npos);
  }

  TEST_CASE("refuses ids that are no rows, tables that do not fit, and probabilities that are none") {
    const Tensor weight = etude::ones({4, 2}), table = etude::zeros({3, 2}),
                 ids = etude::zeros({1, 2}, kLong);
    CHECK(refusal([&] { in_one({ids + 4}, weight, table); }) == "IndexError: index out of range in self");
    CHECK(refusal([&] {
            in_one({ids.to(kFloat)}, weight, table);
          }).find("Expected tensor for argument #1 'indices'") != std::string::npos);
    CHECK(refusal([&] {
            in_one({etude::zeros({1, 4}, kLong)}, weight, table);
          }) ==
          "Error: positioned_embedding: expected a table of at least 4 positions as wide as [4, 2], but got "
          "[3, 2]");
    CHECK(refusal([&] {
            in_one({ids[0], 0}, weight, table);
          }) == "Error: positioned_embedding: expected ids of 2 dims, but got [2]");
    CHECK(refusal([&] { in_one({ids}, weight, table.to(kDouble)); }) ==
          "Error: expected scalar type Float but found Double");
    CHECK(refusal([&] {
            in_one({ids, 1, -1, 1, 1.5}, weight, table);
          }) == "Error: dropout probability has to be between 0 and 1, but got 1.5");
    CHECK(refusal([&] { in_one({ids}, weight, etude::zeros({3, 2}).requires_grad_()); }) != "");
  }
}
