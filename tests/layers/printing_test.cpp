// The rows for whole modules among the recorded prints and random streams.

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "etude/etude.h"
#include "layers/golden.h"
#include "support/any_function.h"
#include "support/fingerprint.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Recorded modules") {
  namespace {

  struct Empty : Module {};

  struct OnlyExtra : Module {
    std::string extra_repr() const override { return "a=1, b=2"; }
  };

  struct ExtraAndChild : Module {
    ExtraAndChild() { register_module("fc", Linear(2, 2)); }
    Tensor forward(Tensor x) { return x; }
    std::string extra_repr() const override { return "line one\nline two"; }
  };

  struct EmptyForward : Module {
    EmptyForward() : Module("Empty") {}
    Tensor forward(Tensor x) { return x; }
  };

  TransformerEncoderLayer encoder_layer() {
    return TransformerEncoderLayer(TransformerEncoderLayerOptions(8, 2).dim_feedforward(16));
  }

  TransformerDecoderLayer decoder_layer() {
    return TransformerDecoderLayer(TransformerDecoderLayerOptions(8, 2).dim_feedforward(16));
  }

  using Make = AnyFunction<std::shared_ptr<Module>()>;
  using TensorDict = OrderedDict<std::string, Tensor>;

  // The Python expressions of the recorded modules, in C++.
  const std::map<std::string, Make> modules = {
      {"nn.Linear(4, 3)", [] { return Linear(4, 3).ptr(); }},
      {"nn.Linear(4, 3, bias=False)", [] { return Linear(LinearOptions(4, 3).bias(false)).ptr(); }},
      {"nn.Embedding(10, 4)", [] { return Embedding(10, 4).ptr(); }},
      {"nn.Embedding(10, 4, padding_idx=1)",
       [] { return Embedding(EmbeddingOptions(10, 4).padding_idx(1)).ptr(); }},
      {"nn.Embedding(10, 4, padding_idx=1, max_norm=2.0, norm_type=1.0, scale_grad_by_freq=True)",
       [] {
         return Embedding(
                    EmbeddingOptions(10, 4).padding_idx(1).max_norm(2).norm_type(1).scale_grad_by_freq(true))
             .ptr();
       }},
      {"nn.LayerNorm(8)", [] { return LayerNorm(LayerNormOptions({8})).ptr(); }},
      {"nn.LayerNorm((2, 3), eps=1e-6, elementwise_affine=False)",
       [] {
         return LayerNorm(LayerNormOptions({2, 3}).eps(1e-6).elementwise_affine(false)).ptr();
       }},
      {"nn.TransformerEncoderLayer(8, 2, 16)", [] { return encoder_layer().ptr(); }},
      {"nn.TransformerDecoderLayer(8, 2, 16)", [] { return decoder_layer().ptr(); }},
      {"nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)",
       [] { return TransformerEncoder(encoder_layer(), 2).ptr(); }},
      {"nn.Dropout(0.1)", [] { return Dropout(0.1).ptr(); }},
      {"nn.Dropout(0.5, inplace=True)", [] { return Dropout(DropoutOptions(0.5).inplace(true)).ptr(); }},
      {"nn.Dropout(1e-5)", [] { return Dropout(1e-5).ptr(); }},
      {"nn.ReLU()", [] { return ReLU().ptr(); }},
      {"nn.ReLU(inplace=True)", [] { return ReLU(true).ptr(); }},
      {"nn.GELU()", [] { return GELU().ptr(); }},
      {"nn.GELU(approximate='tanh')", [] { return GELU(GELUOptions().approximate("tanh")).ptr(); }},
      {"nn.Tanh()", [] { return Tanh().ptr(); }},
      {"nn.Sigmoid()", [] { return Sigmoid().ptr(); }},
      {"nn.Softmax(dim=-1)", [] { return Softmax(-1).ptr(); }},
      {"nn.LogSoftmax(dim=1)", [] { return LogSoftmax(1).ptr(); }},
      {"nn.Identity()", [] { return Identity().ptr(); }},
      {"nn.Flatten()", [] { return Flatten().ptr(); }},
      {"nn.Flatten(0, 2)", [] { return Flatten(FlattenOptions().start_dim(0).end_dim(2)).ptr(); }},
      {"nn.Sequential()", [] { return Sequential().ptr(); }},
      {"nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))",
       [] { return Sequential(Linear(4, 8), ReLU(), Linear(8, 2)).ptr(); }},
      {"nn.Sequential(nn.Sequential(nn.Linear(1, 1)), nn.Identity())",
       [] { return Sequential(Sequential(Linear(1, 1)), Identity()).ptr(); }},
      {"nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])",
       [] { return ModuleList(Linear(2, 2), Linear(2, 2)).ptr(); }},
      {"nn.ModuleList()", [] { return ModuleList().ptr(); }},
      {"nn.ELU()", [] { return ELU().ptr(); }},
      {"nn.ELU(0.5, True)", [] { return ELU(ELUOptions().alpha(0.5).inplace(true)).ptr(); }},
      {"nn.SELU()", [] { return SELU().ptr(); }},
      {"nn.SELU(inplace=True)", [] { return SELU(true).ptr(); }},
      {"nn.CELU()", [] { return CELU().ptr(); }},
      {"nn.CELU(2.0, True)", [] { return CELU(CELUOptions().alpha(2).inplace(true)).ptr(); }},
      {"nn.ReLU6()", [] { return ReLU6().ptr(); }},
      {"nn.ReLU6(True)", [] { return ReLU6(true).ptr(); }},
      {"nn.LeakyReLU()", [] { return LeakyReLU().ptr(); }},
      {"nn.LeakyReLU(0.2, True)",
       [] { return LeakyReLU(LeakyReLUOptions().negative_slope(0.2).inplace(true)).ptr(); }},
      {"nn.PReLU()", [] { return PReLU().ptr(); }},
      {"nn.PReLU(3)", [] { return PReLU(PReLUOptions().num_parameters(3)).ptr(); }},
      {"nn.Hardtanh()", [] { return Hardtanh().ptr(); }},
      {"nn.Hardtanh(-2.0, 2.5, True)",
       [] { return Hardtanh(HardtanhOptions().min_val(-2).max_val(2.5).inplace(true)).ptr(); }},
      {"nn.Hardshrink()", [] { return Hardshrink().ptr(); }},
      {"nn.Softshrink(0.3)", [] { return Softshrink(0.3).ptr(); }},
      {"nn.Tanhshrink()", [] { return Tanhshrink().ptr(); }},
      {"nn.Softsign()", [] { return Softsign().ptr(); }},
      {"nn.Softmin(1)", [] { return Softmin(1).ptr(); }},
      {"nn.Softplus()", [] { return Softplus().ptr(); }},
      {"nn.Threshold(0.1, 20)", [] { return Threshold(0.1, 20).ptr(); }},
      {"nn.Threshold(0.1, 20, True)",
       [] { return Threshold(ThresholdOptions(0.1, 20).inplace(true)).ptr(); }},
      {"nn.LogSigmoid()", [] { return LogSigmoid().ptr(); }},
      {"nn.GLU()", [] { return GLU().ptr(); }},
      {"nn.SiLU()", [] { return SiLU().ptr(); }},
      {"nn.Mish()", [] { return Mish().ptr(); }},
      {"nn.CrossEntropyLoss()", [] { return CrossEntropyLoss().ptr(); }},
      {"nn.KLDivLoss()", [] { return KLDivLoss().ptr(); }},
      {"nn.CrossEntropyLoss(torch.ones(2))",
       [] { return CrossEntropyLoss(CrossEntropyLossOptions().weight(etude::ones({2}))).ptr(); }},
      {"nn.NLLLoss()", [] { return NLLLoss().ptr(); }},
      {"nn.MSELoss()", [] { return MSELoss().ptr(); }},
      {"nn.L1Loss()", [] { return L1Loss().ptr(); }},
      {"nn.SmoothL1Loss()", [] { return SmoothL1Loss().ptr(); }},
      {"nn.HuberLoss()", [] { return HuberLoss().ptr(); }},
      {"nn.BCELoss()", [] { return BCELoss().ptr(); }},
      {"nn.BCEWithLogitsLoss()", [] { return BCEWithLogitsLoss().ptr(); }},
      {"nn.CosineEmbeddingLoss()", [] { return CosineEmbeddingLoss().ptr(); }},
      {"nn.HingeEmbeddingLoss()", [] { return HingeEmbeddingLoss().ptr(); }},
      {"nn.TripletMarginLoss()", [] { return TripletMarginLoss().ptr(); }},
      {"nn.SoftMarginLoss()", [] { return SoftMarginLoss().ptr(); }},
      {"nn.PoissonNLLLoss()", [] { return PoissonNLLLoss().ptr(); }},
      {"nn.CosineSimilarity()", [] { return CosineSimilarity().ptr(); }},
      {"nn.MarginRankingLoss(0.5)",
       [] { return MarginRankingLoss(MarginRankingLossOptions().margin(0.5)).ptr(); }},
      {"nn.PairwiseDistance(1)", [] { return PairwiseDistance(PairwiseDistanceOptions().p(1)).ptr(); }},
      {"nn.ModuleDict()", [] { return ModuleDict().ptr(); }},
      {"nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.ReLU()})",
       [] {
         return ModuleDict(ModuleDictImpl::Items{{"a", Linear(2, 2).ptr()}, {"b", ReLU().ptr()}}).ptr();
       }},
      {"nn.ParameterList()", [] { return ParameterList().ptr(); }},
      {"nn.ParameterList([nn.Parameter(torch.zeros(2, 3))])",
       [] {
         return ParameterList(etude::zeros({2, 3})).ptr();
       }},
      {"nn.ParameterList([nn.Parameter(torch.zeros(2, 3)), nn.Parameter(torch.tensor(1.0))])",
       [] {
         return ParameterList(etude::zeros({2, 3}), etude::tensor(1.0)).ptr();
       }},
      {"nn.ParameterDict()", [] { return ParameterDict().ptr(); }},
      {"nn.ParameterDict({'a': nn.Parameter(torch.zeros(2, 3))})",
       [] {
         return ParameterDict(TensorDict{{"a", etude::zeros({2, 3})}}).ptr();
       }},
      {"nn.ParameterDict({'a': nn.Parameter(torch.zeros(2, 3)), 'b': nn.Parameter(torch.zeros(3, "
       "dtype=torch.double))})",
       [] {
         return ParameterDict(TensorDict{{"a", etude::zeros({2, 3})}, {"b", etude::zeros({3}, kDouble)}})
             .ptr();
       }},
      {"Empty()", [] { return std::make_shared<Empty>(); }},
      {"OnlyExtra()", [] { return std::make_shared<OnlyExtra>(); }},
      {"ExtraAndChild()", [] { return std::make_shared<ExtraAndChild>(); }},
      {"nn.Sequential(ExtraAndChild(), Empty())",
       [] { return Sequential(ExtraAndChild(), EmptyForward()).ptr(); }},
  };

  const std::map<std::string, Make> seeded = {
      {"Linear(8,3)", [] { return Linear(8, 3).ptr(); }},
      {"Embedding(5,4)", [] { return Embedding(5, 4).ptr(); }},
      {"MultiheadAttention(8,2)", [] { return MultiheadAttention(8, 2).ptr(); }},
      {"TransformerEncoderLayer(8,2,16)", [] { return encoder_layer().ptr(); }},
      {"TransformerDecoderLayer(8,2,16)", [] { return decoder_layer().ptr(); }},
      {"Transformer(8,2,1,2,16)",
       [] { return Transformer(TransformerOptions(8, 2, 1, 2).dim_feedforward(16)).ptr(); }},
  };

  }  // namespace

  TEST_CASE("print as Python prints them") {
    auto texts = golden::layers().at("texts").get<std::map<std::string, std::string>>();
    texts.merge(golden_json("layers/losses.json").at("texts").get<std::map<std::string, std::string>>());
    for (const auto& row : golden_json("printing.json"))
      if (row.at("kind") == "module") texts[row.at("expr")] = row.at("text");
    for (const auto& [expression, make] : modules) {
      CAPTURE(expression);
      REQUIRE(texts.count(expression) == 1);
      CHECK(golden::text(*make()) == texts[expression]);
    }
  }

  TEST_CASE("start with PyTorch's weights for a seed and leave its stream where PyTorch leaves it") {
    size_t found = 0;
    for (const auto& row : golden_json("rng_golden.json")) {
      if (!row.contains("module")) continue;
      const auto make = seeded.find(row.at("module").get<std::string>());
      if (make == seeded.end()) continue;
      ++found;
      CAPTURE(make->first);
      manual_seed(row.at("seed").get<uint64_t>());
      const auto parameters = make->second()->named_parameters();
      REQUIRE(parameters.size() == row.at("params").size());
      for (size_t i = 0; i < parameters.size(); ++i) {
        const auto& expected = row.at("params")[i];
        CHECK(parameters[i].key() == expected.at("name").get<std::string>());
        CHECK(parameters[i]->sizes() == expected.at("shape").get<std::vector<int64_t>>());
        CHECK(fingerprint(parameters[i]->detach()) == expected.at("fnv1a64").get<std::string>());
      }
      CHECK(default_generator().random() % (1u << 31) == row.at("next_random").get<uint32_t>());
    }
    CHECK(found == seeded.size());
  }
}
