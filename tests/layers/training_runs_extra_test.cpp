// Whole training runs with every random number seeded, compared with PyTorch: tests/golden/training/make.py.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "etude/etude.h"
#include "support/any_function.h"
#include "support/golden.h"

using namespace etude;
using namespace etude::nn;
using indexing::None;
using indexing::Slice;

TEST_SUITE("Training runs") {
  namespace {

  // Sets the default dtype to the type of the run for a scope, and back to float32 afterwards.
  class DefaultDtype {
   public:
    explicit DefaultDtype(ScalarType type) { set_default_dtype(scalarTypeToTypeMeta(type)); }
    ~DefaultDtype() { set_default_dtype(scalarTypeToTypeMeta(kFloat)); }
    DefaultDtype(const DefaultDtype&) = delete;
    DefaultDtype& operator=(const DefaultDtype&) = delete;
  };

  // Also computed in float32 in float64 runs, then widened.
  Tensor positions(int64_t length, int64_t width, const Tensor& like) {
    return sinusoidal_table(length, width).to(like.scalar_type());
  }

  struct TinyLM : Module {
    TinyLM(int64_t vocab, int64_t width, int64_t depth, const TransformerEncoderLayerOptions& options) {
      embedding = register_module("emb", Embedding(vocab, width));
      layers = register_module("layers", ModuleList());
      for (int64_t i = 0; i < depth; ++i)
        layers->push_back(TransformerEncoderLayer(TransformerEncoderLayerOptions(options).batch_first(true)));
      head = register_module("head", Linear(width, vocab));
    }

    Tensor loss(const Tensor& data) {
      const Tensor ids = data.index({Slice(), Slice(None, -1)});
      const int64_t length = ids.size(1), width = embedding->weight.size(1);
      Tensor x = embedding(ids) * std::sqrt(static_cast<double>(width));
      x = x + positions(length, width, x);
      const Tensor later = ones({length, length}, kBool).triu(1);
      for (size_t i = 0; i < layers->size(); ++i)
        x = layers->at<TransformerEncoderLayerImpl>(i).forward(x, later);
      return functional::cross_entropy(head(x).flatten(0, 1), data.index({Slice(), Slice(1)}).flatten());
    }

    Embedding embedding = nullptr;
    ModuleList layers = nullptr;
    Linear head = nullptr;
  };

  struct TinySeq2Seq : Module {
    explicit TinySeq2Seq(double p) {
      source = register_module("src_emb", Embedding(EmbeddingOptions(9, 16).padding_idx(0)));
      target = register_module("tgt_emb", Embedding(EmbeddingOptions(9, 16).padding_idx(0)));
      transformer = register_module(
          "transformer", Transformer(TransformerOptions(16, 4, 1, 1).dim_feedforward(32).dropout(p)));
      head = register_module("head", Linear(LinearOptions(16, 9).bias(false)));
    }

    Tensor loss(const Tensor& from, const Tensor& to) {
      const Tensor ids = to.index({Slice(None, -1)}), none;
      auto embed = [](Embedding& table, const Tensor& t) {
        const Tensor x = table(t);
        return x + positions(t.size(0), 16, x).unsqueeze(1);
      };
      const Tensor x = embed(source, from), y = embed(target, ids);
      const Tensor mask = TransformerImpl::generate_square_subsequent_mask(ids.size(0)).to(x.scalar_type());
      const Tensor decoded = transformer(x, y, none, mask, none, from.eq(0).t());
      return functional::cross_entropy(
          head(decoded).flatten(0, 1), to.index({Slice(1)}).flatten(),
          functional::CrossEntropyFuncOptions().ignore_index(0).label_smoothing(0.1));
    }

    Embedding source = nullptr, target = nullptr;
    Transformer transformer = nullptr;
    Linear head = nullptr;
  };

  // A model, the data drawn after it, and its training step.
  struct Run {
    std::shared_ptr<Module> model;
    AnyFunction<Tensor()> loss;
    std::unique_ptr<optim::Optimizer> optimizer;
  };

  Run network(Sequential model, bool with_adam) {
    const Tensor x = randn({20, 3}), y = randn({20, 1});
    Run run{model.ptr(), [=]() mutable { return functional::mse_loss(model->forward(x), y); }, nullptr};
    if (with_adam)
      run.optimizer = std::make_unique<optim::Adam>(model->parameters(), optim::AdamOptions(0.01));
    else
      run.optimizer = std::make_unique<optim::SGD>(model->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    return run;
  }

  template <typename Optimizer, typename Options>
  Run language_model(const std::shared_ptr<TinyLM>& model, int64_t vocab, IntArrayRef sizes,
                     const Options& options) {
    const Tensor data = randint(0, vocab, sizes);
    return {model, [=] { return model->loss(data); },
            std::make_unique<Optimizer>(model->parameters(), options)};
  }

  template <typename Optimizer, typename Options>
  Run translation(double p, const Options& options) {
    const auto model = std::make_shared<TinySeq2Seq>(p);
    Tensor from = randint(1, 9, {7, 3});
    from.index_put_({Slice(5), 1}, 0);
    const Tensor to = cat({ones({1, 3}, kLong), from});
    return {model, [=] { return model->loss(from, to); },
            std::make_unique<Optimizer>(model->parameters(), options)};
  }

  const std::map<std::string, AnyFunction<Run()>> runs = {
      {"mlp sgd",
       [] {
         return network(Sequential{Linear(3, 8), Tanh(), Linear(8, 1)}, false);
       }},
      {"mlp dropout",
       [] {
         return network(Sequential{Linear(3, 8), GELU(), Dropout(0.25), Linear(8, 1)}, true);
       }},
      {"lm adam",
       [] {
         return language_model<optim::Adam>(
             std::make_shared<TinyLM>(11, 16, 1,
                                      TransformerEncoderLayerOptions(16, 2).dim_feedforward(32).dropout(0)),
             11, {4, 9}, optim::AdamOptions(0.005));
       }},
      {"lm adamw dropout",
       [] {
         return language_model<optim::AdamW>(
             std::make_shared<TinyLM>(11, 16, 2,
                                      TransformerEncoderLayerOptions(16, 2).dim_feedforward(32).dropout(0.1)),
             11, {4, 9}, optim::AdamWOptions(0.005));
       }},
      {"lm norm first",
       [] {
         return language_model<optim::RMSprop>(std::make_shared<TinyLM>(13, 24, 3,
                                                                        TransformerEncoderLayerOptions(24, 3)
                                                                            .dim_feedforward(40)
                                                                            .dropout(0.2)
                                                                            .norm_first(true)
                                                                            .activation(kGELU)),
                                               13, {3, 12}, optim::RMSpropOptions(0.0005));
       }},
      {"seq2seq",
       [] {
         return translation<optim::Adam>(0, optim::AdamOptions(0.005).betas({0.9, 0.98}).eps(1e-9));
       }},
      {"seq2seq dropout", [] { return translation<optim::SGD>(0.3, optim::SGDOptions(0.05).momentum(0.9)); }},
  };

  // The tolerance to PyTorch after 30 steps. PyTorch's own kernels with and without AVX2 differ by 1.5e-6 in float32
  // losses and by 1.5e-4 in norms; in float64 by 1.1e-7 and 4e-6, from rounding of the float32 tables.
  struct Tolerance {
    double loss, norm;
  };

  Tolerance tolerance_of(const std::string& name, const std::string& type) {
    if (type == "float32") return {1e-5, 1e-3};
    return name.rfind("mlp", 0) == 0 ? Tolerance{1e-12, 1e-12} : Tolerance{1e-6, 1e-4};
  }

  }  // namespace

  TEST_CASE("have PyTorch's losses, norms of gradients and random numbers in every step") {
    size_t count = 0;
    for (const auto& row : golden_json("training/runs.json")) {
      const std::string name = row.at("run"), type = row.at("dtype");
      CAPTURE(name);
      CAPTURE(type);
      ++count;
      const Tolerance tolerance = tolerance_of(name, type);
      const DefaultDtype default_dtype(golden_dtype(type));
      manual_seed(row.at("seed").get<uint64_t>());
      Run run = runs.at(name)();
      const double clip =
          row.at("clip").is_null() ? std::numeric_limits<double>::infinity() : row.at("clip").get<double>();
      for (size_t step = 0; step < row.at("losses").size(); ++step) {
        CAPTURE(step);
        run.optimizer->zero_grad();
        const Tensor loss = run.loss();
        loss.backward();
        const double norm = utils::clip_grad_norm_(run.model->parameters(), clip);
        run.optimizer->step();
        CHECK(loss.item<double>() ==
              doctest::Approx(row.at("losses")[step].get<double>()).scale(0).epsilon(tolerance.loss));
        CHECK(norm ==
              doctest::Approx(row.at("grad_norms")[step].get<double>()).scale(0).epsilon(tolerance.norm));
      }
      CHECK(default_generator().random() % (1u << 31) == row.at("next_random").get<uint32_t>());
    }
    CHECK(count == 2 * runs.size());
  }
}
