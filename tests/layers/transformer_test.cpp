#include "etude/transformer.h"

#include <doctest/doctest.h>

#include "layers/transformer_golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Transformer") {
  TEST_CASE("hands the memory of its encoder to its decoder") {
    Transformer model(TransformerOptions(8, 2, 1, 2).dim_feedforward(12));
    model->eval();
    const Tensor src = golden::ramp({5, 2, 8}), tgt = golden::ramp({4, 2, 8}), mask = golden::causal(4);
    const Tensor memory = model->encoder.forward(src, Tensor(), Tensor()),
                 expected = model->decoder.forward(tgt, memory, mask, Tensor(), Tensor(), Tensor());
    CHECK(etude::equal(model(src, tgt, Tensor(), mask), expected));
  }

  TEST_CASE("redraws every parameter of more than one dim, each on its own") {
    Transformer model(TransformerOptions(8, 2, 2, 1).dim_feedforward(12));
    const auto p = model->named_parameters();
    CHECK_FALSE(etude::equal(p["encoder.layers.0.linear1.weight"], p["encoder.layers.1.linear1.weight"]));
    CHECK(etude::equal(p["encoder.layers.0.linear1.bias"], p["encoder.layers.1.linear1.bias"]));
    CHECK(p["encoder.norm.weight"].sizes() == IntArrayRef({8}));
    CHECK(p["decoder.norm.bias"].sizes() == IntArrayRef({8}));
    const double bound = std::sqrt(6.0 / 20);
    CHECK(p["encoder.layers.0.linear1.weight"].abs().max().item<double>() <= bound);
    CHECK(p["encoder.layers.0.linear1.weight"].abs().max().item<double>() > 0.8 * bound);
  }

  TEST_CASE("the mask of subsequent positions is minus infinity above the diagonal") {
    const Tensor mask = TransformerImpl::generate_square_subsequent_mask(3);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 3; ++j)
        CHECK(mask[i][j].item<double>() == (j > i ? -std::numeric_limits<double>::infinity() : 0));
    CHECK(TransformerImpl::generate_square_subsequent_mask(0).sizes() == IntArrayRef({0, 0}));
  }

  TEST_CASE("a later target has no influence on an earlier output") {
    Transformer model(TransformerOptions(8, 2, 1, 1).dim_feedforward(12).dropout(0));
    const Tensor src = golden::ramp({5, 2, 8}), mask = golden::causal(4);
    Tensor tgt = golden::ramp({4, 2, 8});
    const Tensor y = model(src, tgt, Tensor(), mask).slice(0, 0, 3).clone();
    tgt[3].fill_(9);
    CHECK(etude::allclose(model(src, tgt, Tensor(), mask).slice(0, 0, 3), y));
    CHECK_FALSE(etude::allclose(model(src, tgt).slice(0, 0, 3), y));
  }

  TEST_CASE("encoder and decoder can be the caller's") {
    TransformerEncoder encoder(
        TransformerEncoderOptions(TransformerEncoderLayerOptions(8, 2).dim_feedforward(6).dropout(0), 1));
    Transformer model(TransformerOptions(8, 2, 2, 1).dropout(0).custom_encoder(AnyModule(encoder)));
    CHECK(model->named_parameters()["encoder.layers.0.linear1.weight"].sizes() == IntArrayRef({6, 8}));
    CHECK(model(golden::ramp({5, 2, 8}), golden::ramp({4, 2, 8})).sizes() == IntArrayRef({4, 2, 8}));
  }

  TEST_CASE("refuses sources and targets that do not fit together") {
    Transformer model(TransformerOptions(8, 2, 1, 1).dim_feedforward(12));
    auto call = [&](const Tensor& src, const Tensor& tgt) { return refusal([&] { model(src, tgt); }); };
    CHECK(call(etude::zeros({5, 2}), etude::zeros({4, 2, 8})) ==
          "Error: src and tgt should have 3 dimensions, but got 2 and 3");
    CHECK(call(etude::zeros({5, 2, 8}), etude::zeros({4, 3, 8})) ==
          "Error: src and tgt should have equal batch size (at dim 1), but got 2 and 3");
    CHECK(call(etude::zeros({5, 2, 6}), etude::zeros({4, 2, 8})) ==
          "Error: src and tgt should have same feature size as d_model (at dim 2), but got 6 and 8 while "
          "d_model is 8");
  }

  TEST_CASE("a clone computes the same and is trained alone") {
    Transformer model(TransformerOptions(8, 2, 1, 1).dim_feedforward(12).dropout(0));
    const auto copy = std::dynamic_pointer_cast<TransformerImpl>(model->clone());
    REQUIRE(copy);
    const Tensor src = golden::ramp({5, 2, 8}), tgt = golden::ramp({4, 2, 8}), y = model(src, tgt);
    CHECK(etude::equal(copy->forward(src, tgt), y));
    {
      NoGradGuard no_grad;
      for (Tensor& p : copy->parameters()) p.fill_(0.1);
    }
    CHECK(etude::equal(model(src, tgt), y));
  }
}
