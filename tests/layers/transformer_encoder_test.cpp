#include "etude/transformer_encoder.h"

#include <doctest/doctest.h>

#include "layers/transformer_golden.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("TransformerEncoder") {
  TEST_CASE("a layer has PyTorch's output and gradients, with dropout drawn as there") {
    TransformerEncoderLayer layer(TransformerEncoderLayerOptions(8, 2).dim_feedforward(12));
    golden::check_layer("encoder layer", *layer, [&](const std::vector<Tensor>& in) {
      return layer(in[0], Tensor(), golden::two_of_padding());
    });
  }

  TEST_CASE("an encoder has them too, with masks and a final norm") {
    TransformerEncoder encoder(
        TransformerEncoderOptions(
            TransformerEncoderLayer(TransformerEncoderLayerOptions(8, 2).dim_feedforward(12).dropout(0.2)), 2)
            .norm(AnyModule(LayerNorm(LayerNormOptions({8})))));
    golden::check_layer("encoder", *encoder, [&](const std::vector<Tensor>& in) {
      return encoder(in[0], golden::causal(4, in[0]));
    });
  }

  TEST_CASE("a layer is attention and two linear layers, each added to its input and normalised") {
    TransformerEncoderLayer layer(TransformerEncoderLayerOptions(8, 2).dim_feedforward(12));
    layer->eval();
    const Tensor x = golden::ramp({3, 2, 8});
    const Tensor a = layer->norm1(x + std::get<0>(layer->self_attn(x, x, x)));
    const Tensor expected = layer->norm2(a + layer->linear2(etude::relu(layer->linear1(a))));
    CHECK(etude::allclose(layer(x), expected, 1e-5, 1e-6));
  }

  TEST_CASE("any function can be the activation") {
    const Tensor x = golden::ramp({3, 2, 8});
    const auto options = TransformerEncoderLayerOptions(8, 2).dim_feedforward(12).dropout(0);
    TransformerEncoderLayer layer(options);
    const Tensor relu = layer(x);
    layer->options.activation([](const Tensor& t) { return etude::relu(t); });
    CHECK(etude::equal(layer(x), relu));
    layer->options.activation(kGELU);
    const Tensor gelu = layer(x);
    CHECK_FALSE(etude::allclose(gelu, relu));
    layer->options.activation([](const Tensor& t) { return etude::gelu(t); });
    CHECK(etude::equal(layer(x), gelu));
  }

  TEST_CASE("the layers of an encoder are copies with the same values, and are trained apart") {
    TransformerEncoderLayer layer(TransformerEncoderLayerOptions(8, 2).dim_feedforward(12));
    TransformerEncoder encoder(layer, 3);
    const auto parameters = encoder->named_parameters();
    CHECK(parameters.size() == 36);
    for (const auto& parameter : layer->named_parameters())
      for (const std::string number : {"0", "1", "2"}) {
        const Tensor copy = parameters["layers." + number + "." + parameter.key()];
        CHECK(etude::equal(copy, *parameter));
        CHECK_FALSE(copy.is_alias_of(*parameter));
      }
    encoder->reset_parameters();
    CHECK_FALSE(etude::equal(parameters["layers.0.linear1.weight"], parameters["layers.1.linear1.weight"]));
  }

  TEST_CASE("an encoder of no layers is its norm, or nothing") {
    const TransformerEncoderLayerOptions options(8, 2);
    const Tensor x = golden::ramp({3, 2, 8});
    CHECK(etude::equal(
        TransformerEncoder(
            TransformerEncoderOptions(options, 0).norm(AnyModule(LayerNorm(LayerNormOptions({8})))))(x),
        LayerNorm(LayerNormOptions({8}))(x)));
  }

  TEST_CASE("a clone computes the same and is trained alone") {
    TransformerEncoder encoder(
        TransformerEncoderOptions(TransformerEncoderLayerOptions(8, 2).dim_feedforward(12).dropout(0), 2)
            .norm(AnyModule(LayerNorm(LayerNormOptions({8})))));
    const auto copy = std::dynamic_pointer_cast<TransformerEncoderImpl>(encoder->clone());
    REQUIRE(copy);
    const Tensor x = golden::ramp({3, 2, 8}), y = encoder(x);
    CHECK(etude::equal(copy->forward(x), y));
    {
      NoGradGuard no_grad;
      for (Tensor& p : copy->parameters()) p.fill_(0.1);
    }
    CHECK(etude::equal(encoder(x), y));
    CHECK_FALSE(etude::allclose(copy->forward(x), y));
  }
}
