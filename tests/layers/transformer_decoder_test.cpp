#include "etude/transformer_decoder.h"

#include <doctest/doctest.h>

#include "layers/transformer_golden.h"

using namespace etude;
using namespace etude::nn;

namespace {
std::string kind(const TransformerEncoderLayerOptions&) { return "encoder"; }
std::string kind(const TransformerDecoderLayerOptions&) { return "decoder"; }
}  // namespace

TEST_SUITE("TransformerDecoder") {
  TEST_CASE("a layer is two attentions and two linear layers, each added to its input and normalised") {
    TransformerDecoderLayer layer(TransformerDecoderLayerOptions(8, 2).dim_feedforward(12));
    layer->eval();
    const Tensor x = golden::ramp({3, 2, 8}), memory = golden::ramp({5, 2, 8}) * 2, mask = golden::causal(3);
    const Tensor a = layer->norm1(x + std::get<0>(layer->self_attn(x, x, x, Tensor(), false, mask)));
    const Tensor b = layer->norm2(a + std::get<0>(layer->multihead_attn(a, memory, memory)));
    const Tensor expected = layer->norm3(b + layer->linear2(etude::relu(layer->linear1(b))));
    CHECK(etude::allclose(layer(x, memory, mask), expected, 1e-5, 1e-6));
  }

  TEST_CASE("the layers of a decoder are copies with the same values, and are trained apart") {
    TransformerDecoderLayer layer(TransformerDecoderLayerOptions(8, 2).dim_feedforward(12));
    TransformerDecoder decoder(
        TransformerDecoderOptions(layer, 2).norm(AnyModule(LayerNorm(LayerNormOptions({8})))));
    const auto parameters = decoder->named_parameters();
    CHECK(parameters.size() == 38);
    for (const auto& parameter : layer->named_parameters())
      for (const std::string number : {"0", "1"}) {
        const Tensor copy = parameters["layers." + number + "." + parameter.key()];
        CHECK(etude::equal(copy, *parameter));
        CHECK_FALSE(copy.is_alias_of(*parameter));
      }
    decoder->reset_parameters();
    CHECK_FALSE(etude::equal(parameters["layers.0.linear1.weight"], parameters["layers.1.linear1.weight"]));
  }

  TEST_CASE("a padded position of the memory has no influence") {
    TransformerDecoder decoder(
        TransformerDecoderOptions(TransformerDecoderLayerOptions(8, 2).dim_feedforward(12).dropout(0), 2));
    const Tensor x = golden::ramp({4, 2, 8}), memory = golden::ramp({5, 2, 8});
    Tensor other = memory.clone();
    other.index_put_({etude::indexing::Slice(3), 1}, 7.0);
    const Tensor padding = golden::two_of_padding(), none;
    const Tensor y = decoder(x, memory, none, none, none, padding);
    CHECK(etude::equal(y, decoder(x, other, none, none, none, padding)));
    CHECK_FALSE(etude::allclose(y, decoder(x, other)));
  }

  TEST_CASE("a clone computes the same and is trained alone") {
    TransformerDecoder decoder(
        TransformerDecoderOptions(TransformerDecoderLayerOptions(8, 2).dim_feedforward(12).dropout(0), 2));
    const auto copy = std::dynamic_pointer_cast<TransformerDecoderImpl>(decoder->clone());
    REQUIRE(copy);
    const Tensor x = golden::ramp({3, 2, 8}), memory = golden::ramp({5, 2, 8}), y = decoder(x, memory);
    CHECK(etude::equal(copy->forward(x, memory), y));
    {
      NoGradGuard no_grad;
      for (Tensor& p : copy->parameters()) p.fill_(0.1);
    }
    CHECK(etude::equal(decoder(x, memory), y));
    CHECK_FALSE(etude::allclose(copy->forward(x, memory), y));
  }

  TEST_CASE("a layer's options are not those of an encoder's") {
    CHECK(kind(TransformerEncoderLayerOptions(8, 2).dropout(0)) == "encoder");
    CHECK(kind(TransformerDecoderLayerOptions(8, 2).dropout(0)) == "decoder");
  }
}
