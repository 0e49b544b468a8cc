// Checks for every layer with parameters or attention: gradients against differences, the same bits for any number of
// threads, one token, and an empty batch.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "etude/etude.h"
#include "layers/golden.h"
#include "support/any_function.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("every layer") {
  namespace {

  /// A module and a function that calls it: floats [batch, tokens, width], or ids [batch, tokens] below 7 -> its output.
  struct Layer {
    std::string name;
    bool takes_ids;
    std::shared_ptr<Module> module;
    AnyFunction<Tensor(const Tensor&)> forward;
  };

  template <typename Holder>
  Layer of_floats(const std::string& name, Holder module) {
    return {name, false, module.ptr(), [module](const Tensor& x) mutable { return module(x); }};
  }

  template <typename Holder>
  Layer of_ids(const std::string& name, Holder module) {
    return {name, true, module.ptr(), [module](const Tensor& x) mutable { return module(x); }};
  }

  template <typename Options>
  Options block(Options o, bool norm_first, int64_t inner) {
    return o.dim_feedforward(inner).dropout(0).batch_first(true).norm_first(norm_first).activation(kGELU);
  }

  Tensor tokens_before(const Tensor& x) { return etude::ones({x.size(1), x.size(1)}, kBool).triu(1); }

  void add_attention(std::vector<Layer>& all, int64_t width) {
    MultiheadAttention attention(
        MultiheadAttentionOptions(width, 2).batch_first(true).add_bias_kv(true).add_zero_attn(true));
    all.push_back({"MultiheadAttention", false, attention.ptr(), [attention](const Tensor& x) mutable {
                     return std::get<0>(attention(x, x * 2, x + 1, Tensor(), true, Tensor()));
                   }});
    for (const bool norm_first : {false, true}) {
      const std::string form = norm_first ? ", norm first" : "";
      TransformerEncoderLayer encoder_layer(
          block(TransformerEncoderLayerOptions(width, 2), norm_first, width + 2));
      all.push_back(
          {"TransformerEncoderLayer" + form, false, encoder_layer.ptr(),
           [encoder_layer](const Tensor& x) mutable { return encoder_layer(x, tokens_before(x)); }});
      TransformerDecoderLayer decoder_layer(
          block(TransformerDecoderLayerOptions(width, 2), norm_first, width + 2));
      all.push_back(
          {"TransformerDecoderLayer" + form, false, decoder_layer.ptr(),
           [decoder_layer](const Tensor& x) mutable { return decoder_layer(x, x * 2, tokens_before(x)); }});
      Transformer transformer(block(TransformerOptions(width, 2, 2, 2), norm_first, width));
      all.push_back({"Transformer" + form, false, transformer.ptr(),
                     [transformer](const Tensor& x) mutable { return transformer(x, x.sin()); }});
    }
  }

  void add_recurrent(std::vector<Layer>& all, int64_t width) {
    LSTM lstm(LSTMOptions(width, 3).num_layers(2).bidirectional(true).batch_first(true).proj_size(2));
    GRU gru(GRUOptions(width, 3).batch_first(true));
    all.push_back(
        {"LSTM", false, lstm.ptr(), [lstm](const Tensor& x) mutable { return std::get<0>(lstm(x)); }});
    all.push_back({"GRU", false, gru.ptr(), [gru](const Tensor& x) mutable { return std::get<0>(gru(x)); }});
  }

  void add_models(std::vector<Layer>& all, int64_t width) {
    const auto small = GPTOptions(7).context(64).d_model(width).layers(2).heads(2).dropout(0);
    all.push_back(of_ids("GPT", GPT(small)));
    auto modern = small;
    modern.rms_norm(true).swiglu(true).bias(false).tied_head(false);
    all.push_back(of_ids("GPT, modern",
                         GPT(modern.positions(RotaryPositions(width / 2, RotaryPairs::Interleaved).ptr()))));
    all.push_back(of_ids("GPT with T5's positions",
                         GPT(GPTOptions(small).positions(T5Positions(T5PositionsOptions(2)).ptr()))));
    all.push_back(of_ids(
        "EncoderClassifier",
        EncoderClassifier(
            EncoderClassifierOptions(7, 3).d_model(width).heads(2).layers(2).dim_feedforward(width).dropout(
                0))));
    EncoderDecoder encoder_decoder(EncoderDecoderOptions(7)
                                       .d_model(width)
                                       .heads(2)
                                       .encoder_layers(1)
                                       .decoder_layers(2)
                                       .dim_feedforward(width)
                                       .dropout(0));
    all.push_back(
        {"EncoderDecoder", true, encoder_decoder.ptr(),
         [encoder_decoder](const Tensor& ids) mutable { return encoder_decoder(ids, ids.flip({1})); }});
  }

  std::vector<Layer> all_layers(int64_t width) {
    manual_seed(11);
    std::vector<Layer> all = {
        of_floats("Linear", Linear(width, 3)),
        of_floats("LayerNorm", LayerNorm(std::vector<int64_t>{width})),
        of_floats("RMSNorm", RMSNorm(std::vector<int64_t>{width})),
        of_floats("FeedForward",
                  FeedForward(FeedForwardOptions(width, width + 1).dropout(0).activation(kGELU))),
        of_floats("FeedForward, gated",
                  FeedForward(FeedForwardOptions(width, width + 1).dropout(0).activation(kGELU).gated(true))),
        of_floats("PReLU", PReLU()),
        of_ids("Embedding", Embedding(7, width)),
        of_ids("InputEmbedding", InputEmbedding(7, width, kBatchFirst)),
        of_ids("PositionedEmbedding",
               PositionedEmbedding(PositionedEmbeddingOptions(7, width).dropout(0).positions(
                   LearnedPositions(64, width).ptr())))};
    add_attention(all, width);
    add_recurrent(all, width);
    add_models(all, width);
    const NoGradGuard no_grad;
    for (const Layer& layer : all)  // away from the symmetric start
      for (Tensor& p : layer.module->parameters()) p.add_(golden::ramp(p.sizes()) * 0.1);
    return all;
  }

  Tensor input_of(const Layer& layer, int64_t batch, int64_t tokens, int64_t width, ScalarType dtype) {
    if (layer.takes_ids) return (etude::arange(batch * tokens) * 5 % 7).view({batch, tokens});
    return golden::ramp({batch, tokens, width}).to(dtype);
  }

  Tensor weighted(const Tensor& y) { return (y * golden::ramp(y.sizes()).to(y.scalar_type())).sum(); }

  /// The largest difference between the gradient of a leaf and central differences, at some of its elements.
  double largest_fault(const AnyFunction<double()>& f, Tensor leaf) {
    const Tensor grad = leaf.grad().contiguous().view(-1);
    const NoGradGuard no_grad;
    double fault = 0;
    for (int64_t i = 0; i < leaf.numel(); i += std::max<int64_t>(1, leaf.numel() / 5)) {
      Tensor element = leaf.view(-1)[i];
      const double value = element.item<double>(), step = 1e-6;
      element.fill_(value + step);
      const double above = f();
      element.fill_(value - step);
      const double below = f();
      element.fill_(value);
      const double distance = std::abs(grad[i].item<double>() - (above - below) / (2 * step));
      fault = std::isnan(distance) ? 1e300 : std::max(distance, fault);
    }
    return fault;
  }

  }  // namespace

  TEST_CASE("has the gradient of differences, of its input and of every parameter") {
    for (const Layer& layer : all_layers(4)) {
      CAPTURE(layer.name);
      layer.module->to(kDouble);
      Tensor x = input_of(layer, 2, 3, 4, kDouble);
      if (!layer.takes_ids) x.requires_grad_();
      const auto f = [&] { return weighted(layer.forward(x)); };
      f().backward();
      const auto value = [&] { return f().item<double>(); };
      if (!layer.takes_ids) CHECK(largest_fault(value, x) < 1e-6);
      for (const auto& p : layer.module->named_parameters()) {
        CAPTURE(p.key());
        REQUIRE(p->grad().defined());
        CHECK(largest_fault(value, *p) < 1e-6);
      }
    }
  }

  TEST_CASE("has the same bits for any number of threads") {
    const ThreadCount restored;
    const auto run = [](int threads) {
      set_num_threads(threads);
      std::vector<Tensor> found;
      for (const Layer& layer : all_layers(64)) {
        Tensor x = input_of(layer, 4, 40, 64, kFloat);
        if (!layer.takes_ids) x.requires_grad_();
        const Tensor y = layer.forward(x);
        weighted(y).backward();
        found.push_back(y);
        for (const Tensor& p : layer.module->parameters()) found.push_back(p.grad());
      }
      return found;
    };
    const std::vector<Tensor> one = run(1);
    for (const int threads : {2, 3}) {
      const std::vector<Tensor> more = run(threads);
      REQUIRE(more.size() == one.size());
      for (size_t i = 0; i < one.size(); ++i) CHECK(equal(more[i], one[i]));
    }
  }

  TEST_CASE("takes one token, and a batch of nothing") {
    for (const Layer& layer : all_layers(4)) {
      CAPTURE(layer.name);
      const Tensor one = layer.forward(input_of(layer, 1, 1, 4, kFloat));
      CHECK(isfinite(one).all().item<bool>());
      const Tensor none = layer.forward(input_of(layer, 0, 3, 4, kFloat));
      CHECK(none.size(0) == 0);
      CHECK(none.size(-1) == one.size(-1));
    }
  }

  TEST_CASE("has members that hold its parameters, or says that it has none") {
    struct Counting : etude::WarningHandler {
      void process(const SourceLocation&, const std::string& msg, bool) override { messages += msg + "\n"; }
      std::string messages;
    } counting;
    const WarningUtils::WarningHandlerGuard guard(&counting);
    const autograd::DetectAnomalyGuard looks;  // as a library built for debugging always does
    std::vector<std::shared_ptr<Module>> modules = {RNN(3, 4).ptr(),      LSTM(3, 4).ptr(),
                                                    GRU(3, 4).ptr(),      RNNCell(3, 4).ptr(),
                                                    LSTMCell(3, 4).ptr(), GRUCell(3, 4).ptr()};
    for (const Layer& layer : all_layers(4)) modules.push_back(layer.module);
    for (const auto& module : modules) CHECK(!module->named_parameters().is_empty());
    CHECK(counting.messages == "");
  }

  TEST_CASE("refuses a width that no tensor has, and names no negative number but one that was given") {
    for (const int64_t width : {int64_t{1} << 61, int64_t{1} << 62, int64_t{-4}}) {
      const std::string number = std::to_string(width);
      const std::pair<const char*, AnyFunction<void()>> layers[] = {
          {"attention", [&] { MultiheadAttention(MultiheadAttentionOptions(width, 2)); }},
          {"encoder", [&] { TransformerEncoderLayer(TransformerEncoderLayerOptions(width, 2)); }},
          {"GPT block", [&] { GPTBlock(GPTOptions(7).d_model(width).heads(2)); }},
          {"MLP", [&] { GPTMLP(GPTOptions(7).d_model(width)); }},
          {"RNN", [&] { RNN(RNNOptions(3, width)); }},
          {"GRU", [&] { GRU(GRUOptions(3, width)); }},
          {"LSTM", [&] { LSTM(LSTMOptions(3, width)); }},
          {"LSTM cell", [&] { LSTMCell(LSTMCellOptions(3, width)); }},
          {"GRU cell", [&] { GRUCell(GRUCellOptions(3, width)); }}};
      for (const auto& [name, make] : layers) {
        INFO(std::string(name));
        const std::string text = refusal_lines(make);
        INFO(text);
        CHECK(text != "");
        const size_t sign = text.find('-');
        CHECK((sign != std::string::npos) == (width < 0));
        if (width < 0) CHECK(text.compare(sign, number.size(), number) == 0);
      }
    }
  }
}
