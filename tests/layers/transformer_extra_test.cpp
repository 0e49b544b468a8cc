// Compared with Python: seeded weights, the order of the state, and the options that LibTorch lacks.
#include <doctest/doctest.h>

#include "etude/sequential.h"
#include "etude/transformer.h"
#include "layers/transformer_golden.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Transformers beyond LibTorch") {
  namespace {

  using Make = AnyFunction<std::shared_ptr<Module>()>;
  using Inputs = std::vector<Tensor>;

  void check_start(const std::string& name, const Make& make) {
    CAPTURE(name);
    manual_seed(3);
    const auto module = make();
    const golden::Recorded& expected = golden::transformer().at("layers").at(name);
    const auto state = module->state_dict();
    REQUIRE(state.size() == expected.at("state").size());
    for (size_t i = 0; i < state.size(); ++i) {
      CHECK(state[i].key() == expected.at("state")[i][0].get<std::string>());
      CHECK(same(state[i].value(), golden::single(expected.at("state")[i][1])));
    }
    CHECK(golden::text(*module) == expected.at("text").get<std::string>());
  }

  TransformerEncoderLayerOptions encoder_options() {
    return TransformerEncoderLayerOptions(8, 2).dim_feedforward(12);
  }
  TransformerDecoderLayerOptions decoder_options() {
    return TransformerDecoderLayerOptions(8, 2).dim_feedforward(12);
  }
  TransformerOptions batch_first() {
    return TransformerOptions(8, 4, 1, 1)
        .dim_feedforward(12)
        .dropout(0)
        .activation(kGELU)
        .batch_first(true)
        .norm_first(true);
  }

  }  // namespace

  TEST_CASE("start with PyTorch's weights for a seed, and print as in Python") {
    check_start("encoder layer", [] { return TransformerEncoderLayer(encoder_options()).ptr(); });
    check_start("encoder layer first", [] {
      return TransformerEncoderLayer(encoder_options().norm_first(true).layer_norm_eps(1e-3)).ptr();
    });
    check_start("decoder layer", [] { return TransformerDecoderLayer(decoder_options()).ptr(); });
    check_start("encoder", [] {
      return TransformerEncoder(TransformerEncoderOptions(encoder_options().dropout(0.2), 2)
                                    .norm(AnyModule(LayerNorm(LayerNormOptions({8})))))
          .ptr();
    });
    check_start("decoder",
                [] { return TransformerDecoder(TransformerDecoderOptions(decoder_options(), 2)).ptr(); });
    check_start("transformer",
                [] { return Transformer(TransformerOptions(8, 2, 1, 2).dim_feedforward(12)).ptr(); });
    check_start("transformer batch first", [] { return Transformer(batch_first()).ptr(); });
  }

  TEST_CASE("with the norms first, batch first and gelu they compute what PyTorch computes") {
    TransformerEncoderLayer encoder(
        encoder_options().norm_first(true).batch_first(true).activation(kGELU).layer_norm_eps(1e-3));
    golden::check_layer("encoder layer first", *encoder,
                        [&](const Inputs& in) { return encoder(in[0], golden::causal(4, in[0])); });
    TransformerDecoderLayer decoder(decoder_options().norm_first(true).batch_first(true).activation(kGELU));
    golden::check_layer("decoder layer first", *decoder,
                        [&](const Inputs& in) { return decoder(in[0], in[1]); });
    Transformer model(batch_first());
    golden::check_layer("transformer batch first", *model,
                        [&](const Inputs& in) { return model(in[0], in[1]); });
  }

  TEST_CASE("with dropout a decoder and a transformer draw as PyTorch does") {
    const Tensor none;
    TransformerDecoderLayer layer(decoder_options());
    golden::check_layer("decoder layer", *layer, [&](const Inputs& in) {
      return layer(in[0], in[1], golden::causal(4, in[0]), none, none, golden::two_of_padding());
    });
    TransformerDecoder decoder(TransformerDecoderOptions(decoder_options(), 2));
    golden::check_layer("decoder", *decoder,
                        [&](const Inputs& in) { return decoder(in[0], in[1], golden::causal(4, in[0])); });
    Transformer model(TransformerOptions(8, 2, 1, 2).dim_feedforward(12));
    golden::check_layer("transformer", *model, [&](const Inputs& in) {
      return model(in[0], in[1], none, golden::causal(4, in[0]), none, golden::two_of_padding());
    });
    CHECK(rand({1}).item<float>() ==
          golden::transformer().at("layers").at("transformer").at("next").get<float>());
  }

  TEST_CASE("copies of a layer use up no random numbers") {
    TransformerEncoderLayer layer(encoder_options());
    manual_seed(1);
    const double next = rand({1}).item<double>();
    manual_seed(1);
    TransformerEncoder encoder(layer, 3);
    CHECK(rand({1}).item<double>() == next);
  }

  TEST_CASE("a stack has no negative number of layers") {
    const std::string sentence = "ValueError: num_layers must not be negative, but got -1";
    CHECK(refusal([] { TransformerEncoder(TransformerEncoderLayer(encoder_options()), -1); }) == sentence);
    CHECK(refusal([] { Transformer(TransformerOptions(8, 2).num_encoder_layers(-1)); }) == sentence);
    CHECK(refusal([] {
            Transformer(TransformerOptions(8, 2).num_encoder_layers(1).num_decoder_layers(-1));
          }) == sentence);
    CHECK(TransformerEncoder(TransformerEncoderLayer(encoder_options()), 0)->layers->is_empty());
  }

  TEST_CASE("batch first changes where the batch size is looked for") {
    Transformer model(batch_first());
    CHECK(refusal([&] {
            model(zeros({5, 2, 8}), zeros({4, 2, 8}));
          }) == "Error: src and tgt should have equal batch size (at dim 0), but got 5 and 4");
  }

  TEST_CASE("a module of another class among the layers is refused") {
    TransformerEncoder encoder(TransformerEncoderOptions(encoder_options(), 1));
    encoder->layers->push_back(Linear(8, 8));
    CHECK(refusal([&] {
            encoder(golden::ramp({3, 2, 8}));
          }) ==
          "Error: Attempted to cast module of type etude::nn::LinearImpl to type "
          "etude::nn::TransformerEncoderLayerImpl");
  }

  TEST_CASE("stand in a Sequential, which leaves the masks out") {
    const Tensor x = golden::ramp({3, 2, 8});
    TransformerEncoderLayer layer(encoder_options().dropout(0));
    TransformerEncoder encoder(TransformerEncoderOptions(layer, 2));
    Sequential both(layer, encoder);
    CHECK(same(both->forward(x), encoder(layer(x))));
  }
}
