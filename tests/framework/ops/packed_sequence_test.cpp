#include <doctest/doctest.h>

#include "etude/ops/recurrent.h"
#include "layers/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("_pack_padded_sequence, _pad_packed_sequence, pad_sequence") {
  TEST_CASE("pack takes the rows that are no padding, step by step, and pad puts them back") {
    const Tensor x = golden::ramp({4, 3, 2, 2}), lengths = etude::tensor({4, 2, 1});
    const auto [data, counts] = etude::_pack_padded_sequence(x, lengths, false);
    CHECK(counts.equal(etude::tensor({3, 2, 1, 1})));
    CHECK(data.equal(etude::cat({x[0], x[1].slice(0, 0, 2), x[2].slice(0, 0, 1), x[3].slice(0, 0, 1)})));
    const auto [same, same_counts] = etude::_pack_padded_sequence(x.transpose(0, 1), lengths, true);
    CHECK(same.equal(data));
    CHECK(same_counts.equal(counts));

    for (const int64_t total : {-1, 0, 4, 6}) {
      const auto [y, back] = etude::_pad_packed_sequence(data, counts, true, 0.5, total);
      CHECK(y.sizes() == IntArrayRef({3, total > 0 ? total : 4, 2, 2}));
      CHECK(back.equal(lengths));
      for (int64_t b = 0; b < 3; ++b)
        for (int64_t t = 0; t < y.size(1); ++t)
          CHECK(y[b][t].equal(t < lengths[b].item<int64_t>() ? x[t][b] : etude::full({2, 2}, 0.5)));
    }
  }

  TEST_CASE("padding of integers is cut to an integer") {
    const auto y = std::get<0>(
        etude::_pad_packed_sequence(etude::tensor({1, 2, 3}), etude::tensor({2, 1}), false, 2.5, 0));
    CHECK(y.equal(etude::tensor({{1, 2}, {3, 2}})));
  }

  TEST_CASE("the batch may be shorter than it could be") {
    const auto [data, counts] =
        etude::_pack_padded_sequence(etude::arange(6).view({3, 2}), etude::tensor({2, 1}), false);
    CHECK(data.equal(etude::tensor({0, 1, 2})));
    CHECK(counts.equal(etude::tensor({2, 1})));
  }

  TEST_CASE("pad_sequence copies as copy_ does: types are converted, and dims broadcast") {
    const Tensor a = etude::tensor({{1, 2}, {3, 4}, {5, 6}});
    CHECK(etude::pad_sequence(std::vector<Tensor>{a, etude::tensor({{7.5}, {8.5}})}, true)[1].equal(
        etude::tensor({{7, 7}, {8, 8}, {0, 0}})));
  }

  TEST_CASE("have the gradient and second gradient of finite differences") {
    const Tensor x = golden::ramp({3, 2, 2}).to(kDouble).requires_grad_(),
                 y = golden::ramp({1, 2}).to(kDouble).requires_grad_();
    const TensorFunction packs = [](const std::vector<Tensor>& in) {
      const Tensor data = std::get<0>(etude::_pack_padded_sequence(in[0], etude::tensor({3, 1}), false));
      return data * data * golden::ramp({4, 2});
    };
    const TensorFunction pads = [](const std::vector<Tensor>& in) {
      const Tensor z =
          std::get<0>(etude::_pad_packed_sequence(in[0].select(1, 0), etude::tensor({2, 1}), false, 2, 3));
      return z * z * golden::ramp({3, 2, 2});
    };
    const TensorFunction joins = [](const std::vector<Tensor>& in) {
      const Tensor z = etude::pad_sequence(std::vector<Tensor>{in[0].select(1, 0), in[1]}, true, 3);
      return z * z * golden::ramp({2, 3, 2});
    };
    CHECK(gradcheck(packs, {x}));
    CHECK(gradgradcheck(packs, {x}));
    CHECK(gradcheck(pads, {x}));
    CHECK(gradgradcheck(pads, {x}));
    CHECK(gradcheck(joins, {x, y}));
    CHECK(gradgradcheck(joins, {x, y}));
  }

  TEST_CASE("refuse in PyTorch's words what does not fit") {
    const Tensor x = etude::ones({3, 2, 4});
    CHECK(refusal([&] {
            etude::_pack_padded_sequence(x, etude::tensor({3, 2}).to(kInt), false);
          }).find("Error: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D") == 0);
    CHECK(refusal([&] {
            etude::_pack_padded_sequence(x, etude::tensor({2, 3}), false);
          }).find("Error: `lengths` array must be sorted in decreasing order") == 0);
    CHECK(refusal([] { etude::pad_sequence(std::vector<Tensor>{}); }) ==
          "Error: received an empty list of sequences");
  }

  TEST_CASE("pad_sequence names the dim that a number lacks") {
    CHECK(refusal([] {
            etude::pad_sequence(std::vector<Tensor>{etude::scalar_tensor(1)});
          }).find("Dimension specified as 0 but tensor has no dimensions") != std::string::npos);
  }
}
