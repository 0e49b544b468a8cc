#include "etude/nn/utils/rnn.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
namespace rnn = etude::nn::utils::rnn;

TEST_SUITE("packed sequences") {
  TEST_CASE("hold the rows of the first step, then those of the second one, without padding") {
    const Tensor x = etude::arange(12).view({3, 4});
    const rnn::PackedSequence packed = rnn::pack_padded_sequence(x, etude::tensor({3, 2, 2, 1}));
    CHECK(packed.data().equal(etude::tensor({0, 1, 2, 3, 4, 5, 6, 8})));
    CHECK(packed.batch_sizes().equal(etude::tensor({4, 3, 1})));
    CHECK_FALSE(packed.sorted_indices().defined());
    CHECK_FALSE(packed.unsorted_indices().defined());
    const rnn::PackedSequence first = rnn::pack_padded_sequence(x.t(), etude::tensor({3, 2, 2, 1}), true);
    CHECK(first.data().equal(packed.data()));
    CHECK(rnn::pack_padded_sequence(x, etude::tensor({2.0, 2.0, 1.0, 1.0})).data().numel() == 6);
  }

  TEST_CASE("are sorted and brought back into their order") {
    const Tensor x = golden::ramp({4, 3, 2});
    const rnn::PackedSequence packed = rnn::pack_padded_sequence(x, etude::tensor({1, 4, 2}), false, false);
    CHECK(packed.sorted_indices().equal(etude::tensor({1, 2, 0})));
    CHECK(packed.unsorted_indices().equal(etude::tensor({2, 0, 1})));
    CHECK(packed.data()[1].equal(x[0][2]));
    for (const bool batch_first : {false, true}) {
      const auto [padded, lengths] = rnn::pad_packed_sequence(packed, batch_first, 7, 5);
      const Tensor y = batch_first ? padded.transpose(0, 1) : padded;
      CHECK(y.sizes() == IntArrayRef({5, 3, 2}));
      CHECK(lengths.equal(etude::tensor({1, 4, 2})));
      for (int64_t t = 0; t < 5; ++t)
        for (int64_t b = 0; b < 3; ++b)
          CHECK(y[t][b].equal(t < lengths[b].item<int64_t>() ? x[t][b] : etude::full({2}, 7.0)));
    }
  }

  TEST_CASE("pad_sequence fills up to the longest one") {
    const Tensor a = etude::tensor({{1, 2}, {3, 4}, {5, 6}}), b = etude::tensor({{7, 8}});
    const Tensor y = rnn::pad_sequence(std::vector<Tensor>{a, b});
    CHECK(y.equal(etude::tensor({1, 2, 7, 8, 3, 4, 0, 0, 5, 6, 0, 0}).view({3, 2, 2})));
    CHECK(y.is_contiguous());
    const Tensor z = rnn::pad_sequence(std::vector<Tensor>{b, a}, true, -1);
    CHECK(z.equal(etude::tensor({7, 8, -1, -1, -1, -1, 1, 2, 3, 4, 5, 6}).view({2, 3, 2})));
    CHECK(etude::pad_sequence(std::vector<Tensor>{a, etude::tensor({9, 9})})[1][1].equal(
        etude::tensor({9, 9})));  // broadcast, as copy_ does
    CHECK(rnn::pad_sequence(std::vector<Tensor>{a, b.to(kDouble)}).scalar_type() == kLong);
    CHECK(rnn::pad_sequence(std::vector<Tensor>{etude::zeros({0, 2})}).sizes() == IntArrayRef({0, 1, 2}));
  }

  TEST_CASE("pack_sequence packs sequences of any lengths") {
    const Tensor a = golden::ramp({3, 2}), b = golden::ramp({2, 2}) * 2;
    const rnn::PackedSequence packed = rnn::pack_sequence(std::vector<Tensor>{b, a}, false);
    CHECK(packed.data().equal(etude::stack({a[0], b[0], a[1], b[1], a[2]})));
    CHECK(packed.batch_sizes().equal(etude::tensor({2, 2, 1})));
    const Tensor y = std::get<0>(rnn::pad_packed_sequence(packed));
    CHECK(y.equal(rnn::pad_sequence(std::vector<Tensor>{b, a})));
  }

  TEST_CASE("can be converted") {
    const rnn::PackedSequence packed = rnn::pack_padded_sequence(etude::ones({2, 2}), etude::tensor({1, 2}),
                                                                 true, false),
                              wide = packed.to(kDouble);
    CHECK(wide.data().scalar_type() == kDouble);
    CHECK(wide.batch_sizes().scalar_type() == kLong);
    CHECK(wide.sorted_indices().equal(packed.sorted_indices()));
    CHECK(wide.unsorted_indices().scalar_type() == kLong);
    CHECK(packed.cpu().data().is_same(packed.data()));
    CHECK(packed.to(kFloat).data().is_same(packed.data()));
    CHECK_FALSE(packed.is_cuda());
    CHECK_FALSE(packed.is_pinned());
  }

  TEST_CASE("invert_permutation undoes a permutation") {
    CHECK(rnn::invert_permutation(etude::tensor({2, 0, 3, 1})).equal(etude::tensor({1, 3, 0, 2})));
    CHECK_FALSE(rnn::invert_permutation(Tensor()).defined());
  }

  TEST_CASE("padding gets no gradient: that of finite differences, and the second one") {
    const Tensor x = golden::ramp({3, 3, 2}).to(kDouble).requires_grad_(),
                 y = golden::ramp({2, 2}).to(kDouble).requires_grad_();
    const TensorFunction packs = [](const std::vector<Tensor>& in) {
      const Tensor data = rnn::pack_padded_sequence(in[0], etude::tensor({1, 3, 2}), false, false).data();
      return data * data * golden::ramp({6, 2});
    };
    const TensorFunction pads = [](const std::vector<Tensor>& in) {
      const rnn::PackedSequence packed = rnn::pack_sequence(std::vector<Tensor>{in[1], in[0][0]}, false);
      const Tensor z = std::get<0>(rnn::pad_packed_sequence(packed, true, 3, 4));
      return z * z * golden::ramp({2, 4, 2});
    };
    CHECK(gradcheck(packs, {x}));
    CHECK(gradgradcheck(packs, {x}));
    CHECK(gradcheck(pads, {x, y}));
    CHECK(gradgradcheck(pads, {x, y}));
  }

  TEST_CASE("refuse in PyTorch's words what does not fit") {
    const Tensor x = etude::ones({3, 2, 4});
    const auto pack = [&](const Tensor& lengths) {
      return refusal([&] { rnn::pack_padded_sequence(x, lengths); });
    };
    const std::string unsorted =
        "Error: `lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
        "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
        "requirement if you do not need ONNX exportability.";
    const std::string empty =
        "Error: Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= "
        "0";
    CHECK(pack(etude::tensor({2, 3})) == unsorted);
    CHECK(pack(etude::tensor({3, 0})) == empty);
    CHECK(pack(etude::tensor({3, 2, 1})) ==
          "Error: Expected `len(lengths)` to be equal to batch_size, but got 3 (batch_size=2)");
    CHECK(refusal([&] { rnn::pack_padded_sequence(x.slice(1, 0, 0), etude::zeros({0}, kLong)); }) ==
          "Error: Cannot pack empty tensors.");
    const rnn::PackedSequence packed = rnn::pack_padded_sequence(x, etude::tensor({3, 2}));
    const std::string too_short =
        "Error: Expected total_length to be at least the length of the longest sequence in input, but got "
        "total_length=2 and max sequence length being 3";
    CHECK(refusal([&] { rnn::pad_packed_sequence(packed, false, 0, 2); }) == too_short);
    CHECK(refusal([&] { etude::_pad_packed_sequence(packed.data(), packed.batch_sizes(), false, 0, 2); }) ==
          too_short);
    CHECK(refusal([] { rnn::pad_sequence(std::vector<Tensor>{}); }) ==
          "Error: received an empty list of sequences");
    CHECK(refusal([] {
            rnn::pad_sequence(std::vector<Tensor>{etude::ones({3, 2}), etude::ones({2, 3})});
          }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
    CHECK(refusal([] {
            rnn::pack_sequence(std::vector<Tensor>{etude::ones({1}), etude::ones({2})});
          }) == unsorted);
    CHECK(refusal([] {
            rnn::pack_sequence(std::vector<Tensor>{etude::ones({1}), etude::ones({0})});
          }) == empty);
  }
}
