// embedding: rows picked by ids, what their gradient adds up to, and what a wrong id is told.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

namespace {

Tensor table() { return (arange(12, kDouble) * 0.5).view({4, 3}); }

}  // namespace

TEST_SUITE("embedding") {
  TEST_CASE("picks a row for every id, whatever the sizes and strides of ids and table") {
    const Tensor ids = tensor({{3, 0, 3}, {1, 2, 2}});
    const Tensor y = embedding(table(), ids);
    CHECK(y.sizes() == IntArrayRef({2, 3, 3}));
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 3; ++j) CHECK(same(y[i][j], table()[ids[i][j].item<int64_t>()]));
    CHECK(same(embedding(table(), ids.t()), y.transpose(0, 1)));
    CHECK(same(embedding(table().t().contiguous().t(), ids.to(kInt)), y));
    CHECK(same(embedding(table(), tensor(1)), table()[1]));
    CHECK(embedding(table(), zeros({0, 2}, kLong)).sizes() == IntArrayRef({0, 2, 3}));
  }

  TEST_CASE("its gradient adds up what came back for an id, and leaves the padding row alone") {
    const Tensor w = table().requires_grad_(), ids = tensor({1, 3, 1, 1});
    embedding(w, ids).backward(ones({4, 3}, kDouble));
    CHECK(same(w.grad().select(1, 0), tensor({0, 3, 0, 1}, kDouble)));
    const Tensor padded = table().requires_grad_();
    embedding(padded, ids, 1).backward(ones({4, 3}, kDouble));
    CHECK(same(padded.grad().select(1, 0), tensor({0, 0, 0, 1}, kDouble)));
    const Tensor scaled = table().requires_grad_();
    embedding(scaled, ids, -1, true).backward(ones({4, 3}, kDouble));
    CHECK(allclose(scaled.grad().select(1, 0), tensor({0, 1, 0, 1}, kDouble)));
  }

  TEST_CASE("its gradient and second gradient are those of finite differences") {
    for (bool by_frequency : {false, true}) {
      const auto f = [by_frequency](const std::vector<Tensor>& in) {
        return embedding(in[0], tensor({{1, 3}, {1, 0}}), -1, by_frequency);
      };
      if (!by_frequency) CHECK(gradcheck(f, {table()}));
      CHECK(gradgradcheck(
          [](const std::vector<Tensor>& in) {
            return embedding(in[0] * in[0], tensor({1, 1, 2}));
          },
          {table()}));
    }
  }

  TEST_CASE("its gradient has the same bits for any number of threads") {
    const Tensor ids = (arange(5000) * 37).remainder(101),
                 dy = sin(arange(5000 * 64, kFloat)).view({5000, 64});
    const int before = get_num_threads();
    std::vector<Tensor> gradients;
    for (int threads : {1, 2, 3}) {
      set_num_threads(threads);
      const Tensor w = zeros({101, 64}).requires_grad_();
      embedding(w, ids).backward(dy);
      gradients.push_back(w.grad());
    }
    set_num_threads(before);
    CHECK(same(gradients[0], gradients[1]));
    CHECK(same(gradients[0], gradients[2]));
  }

  TEST_CASE("a wrong id is told which it is, where it stands and how large the table is") {
    try {
      embedding(table(), tensor({{0, 1}, {2, 9}}));
      FAIL("id 9 was accepted");
    } catch (const IndexError& e) {
      const std::string text = e.what();
      CHECK(text.substr(0, text.find('\n')) == "index out of range in self");
      CHECK(text.find("id 9") != std::string::npos);
      CHECK(text.find("[1, 1]") != std::string::npos);
      CHECK(text.find("4 rows") != std::string::npos);
    }
    CHECK(refusal([] { embedding(table(), tensor({-1})); }) == "IndexError: index out of range in self");
    CHECK(refusal([] { embedding(zeros({5}), tensor({0})); }) == "Error: 'weight' must be 2-D");
    CHECK(refusal([] { embedding(table(), tensor({0.0})); }) ==
          "Error: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
          "Int; but got "
          "torch.FloatTensor instead (while checking arguments for embedding)");
  }

  TEST_CASE("renorm shortens the rows named, once each, and no others") {
    Tensor w = tensor({{3.0, 4.0}, {0.3, 0.4}, {6.0, 8.0}}, kDouble);
    embedding_renorm_(w, tensor({0, 0, 1}), 1.0, 2.0);
    CHECK(w[0].norm().item<double>() == doctest::Approx(1).epsilon(1e-6));
    CHECK(same(w[1], tensor({0.3, 0.4}, kDouble)));
    CHECK(same(w[2], tensor({6.0, 8.0}, kDouble)));
  }
}

TEST_SUITE("dropout") {
  TEST_CASE("keeps an element with probability 1 - p and scales it by 1 / (1 - p)") {
    manual_seed(3);
    const Tensor x = ones({200, 50}), y = dropout(x, 0.25, true);
    const double kept = y.ne(0).sum().item<double>() / 10000;
    CHECK(kept > 0.72);
    CHECK(kept < 0.78);
    CHECK(same(y.masked_fill(y.ne(0), 1 / 0.75f), where(y.ne(0), y, y)));
  }

  TEST_CASE("returns its input in evaluation and for p = 0, and draws nothing then or for p = 1") {
    const Tensor x = tensor({1.0, -2.0, 3.0});
    manual_seed(1);
    const uint32_t next = default_generator().random();
    manual_seed(1);
    CHECK(dropout(x, 0.5, false).is_same(x));
    CHECK(dropout(x, 0, true).is_same(x));
    CHECK(same(dropout(x, 1, true).abs(), zeros({3})));
    CHECK(default_generator().random() == next);
  }

  TEST_CASE("the sample belongs to the element in row-major order, and the gradient gets the same noise") {
    const Tensor x = ones({4, 6}, kDouble).requires_grad_();
    manual_seed(5);
    const Tensor y = dropout(x, 0.4, true);
    manual_seed(5);
    CHECK(same(dropout(ones({6, 4}, kDouble).t(), 0.4, true), y.detach()));
    y.backward(full({4, 6}, 2.0, kDouble));
    CHECK(allclose(x.grad(), y.detach() * 2));
    CHECK(std::string(y.grad_fn_name()) == "MulBackward0");
  }

  TEST_CASE("its gradient is that of finite differences, with the noise held fixed") {
    const auto f = [](const std::vector<Tensor>& in) {
      manual_seed(9);
      return dropout(in[0], 0.3, true);
    };
    CHECK(gradcheck(f, {table()}));
    CHECK(gradgradcheck(f, {table()}));
  }

  TEST_CASE("refuses what is no probability") {
    CHECK(refusal([] { dropout(zeros({3}), 1.5, true); }) ==
          "Error: dropout probability has to be between 0 and 1, but got 1.5");
  }
}
