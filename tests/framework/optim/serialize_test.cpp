#include "etude/optim/serialize.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "framework/optim/every_optimizer.h"
#include "support/refusal.h"
#include "support/state_key.h"

using namespace etude;
using every::leaf;
using every::options_of;

TEST_SUITE("optimizers in archives") {
  namespace {

  std::string bytes_of(const optim::Optimizer& optimizer) {
    std::ostringstream stream;
    etude::save(optimizer, stream);
    return stream.str();
  }

  template <typename O>
  void load_bytes(O& optimizer, const std::string& bytes) {
    std::istringstream stream(bytes);
    etude::load(optimizer, stream);
  }

  Tensor values(int64_t n) { return etude::arange(1, n + 1, kFloat); }

  std::vector<Tensor> two_leaves() {
    return {leaf(values(3), values(3) / 8), leaf(values(4).view({2, 2}), values(4).view({2, 2}) / 4)};
  }

  struct MyOptions : optim::OptimizerCloneableOptions<MyOptions> {
    MyOptions(double lr = 1) : lr_(lr) {}
    double lr_;
    double get_lr() const override { return lr_; }
    void set_lr(double lr) override { lr_ = lr; }
    void serialize(etude::serialize::OutputArchive& archive) const override {
      archive.write("lr", IValue(lr_));
    }
    void serialize(etude::serialize::InputArchive& archive) override {
      IValue v;
      archive.read("lr", v);
      lr_ = v.toDouble();
    }
  };

  struct MyParamState : optim::OptimizerCloneableParamState<MyParamState> {
    Tensor sum = etude::zeros({1});
    void serialize(etude::serialize::OutputArchive& archive) const override { archive.write("sum", sum); }
    void serialize(etude::serialize::InputArchive& archive) override { archive.read("sum", sum); }
  };

  /// An optimizer as a user of LibTorch writes it.
  struct MyOptimizer : optim::Optimizer {
    explicit MyOptimizer(const std::vector<Tensor>& params)
        : Optimizer(params, std::make_unique<MyOptions>()) {
      for (const Tensor& p : params) state_[state_key(p)] = std::make_unique<MyParamState>();
    }
    Tensor step(LossClosure = nullptr) override { return {}; }
    void save(etude::serialize::OutputArchive& archive) const override {
      optim::serialize<MyParamState, MyOptions>(archive, *this);
    }
    void load(etude::serialize::InputArchive& archive) override {
      optim::serialize<MyParamState, MyOptions>(archive, *this);
    }
    MyParamState& of(const Tensor& p) { return static_cast<MyParamState&>(*state_.at(state_key(p))); }
  };

  struct Nameless : optim::OptimizerOptions {};
  struct NamelessState : optim::OptimizerParamState {};

  }  // namespace

  TEST_CASE_TEMPLATE("a loaded optimizer goes on as the saved one does", O, EVERY_OPTIMIZER) {
    const std::vector<Tensor> a = two_leaves(), b = two_leaves();
    O first(a, options_of<O>()), second(b, options_of<O>());
    first.step();
    first.step();
    for (size_t i = 0; i < 2; ++i) b[i].detach().copy_(a[i].detach());
    load_bytes(second, bytes_of(first));
    CHECK(second.state().size() == 2);
    first.step();
    second.step();
    for (size_t i = 0; i < 2; ++i) CHECK(b[i].equal(a[i]));
  }

  TEST_CASE_TEMPLATE("without a gradient there is no state, and parameters are known by their order", O,
                     EVERY_OPTIMIZER) {
    std::vector<Tensor> a = two_leaves(), b = two_leaves();
    a[0].mutable_grad() = Tensor();
    b[0].mutable_grad() = Tensor();
    O first(a, options_of<O>()), second(b, options_of<O>());
    first.step();
    b[1].detach().copy_(a[1].detach());
    load_bytes(second, bytes_of(first));
    CHECK(second.state().size() == first.state().size());
    first.step();
    second.step();
    CHECK(b[0].equal(a[0]));
    CHECK(b[1].equal(a[1]));
  }

  TEST_CASE_TEMPLATE("other groups are refused", O, EVERY_OPTIMIZER) {
    const std::vector<Tensor> a = two_leaves();
    O saved(a, options_of<O>());
    saved.step();
    const std::string bytes = bytes_of(saved);
    O fewer(std::vector<Tensor>{a[0]}, options_of<O>());
    CHECK(refusal_text([&] { load_bytes(fewer, bytes); }) ==
          "loaded state dict contains a parameter group that has a different size than the optimizer's "
          "parameter group");
    std::vector<optim::OptimizerParamGroup> groups = {std::vector<Tensor>{a[0]}, std::vector<Tensor>{a[1]}};
    O more(groups, options_of<O>());
    CHECK(refusal_text([&] { load_bytes(more, bytes); }) ==
          "loaded state dict has a different number of parameter groups");
  }

  TEST_CASE("an optimizer of one's own saves and loads with serialize") {
    const std::vector<Tensor> a = two_leaves();
    MyOptimizer saved(a), loaded(a);
    saved.of(a[1]).sum.fill_(5);
    load_bytes(loaded, bytes_of(saved));
    CHECK(loaded.of(a[0]).sum.item<float>() == 0);
    CHECK(loaded.of(a[1]).sum.item<float>() == 5);
  }

  TEST_CASE("options and states that do not say what to save are refused") {
    const auto sentence = [](const std::string& archive, const std::string& what) {
      return spelled("void serialize(etude::serialize::" + archive +
                     "& archive) has not been implemented for etude::optim::Optimizer" + what +
                     ". You must override it in your subclass of etude::optim::OptimizerCloneable" + what +
                     "<YourOptimizer" + what + ">.");
    };
    etude::serialize::OutputArchive output;
    etude::serialize::InputArchive input;
    Nameless options;
    NamelessState state;
    CHECK(refusal_text([&] { options.serialize(output); }) == sentence("OutputArchive", "Options"));
    CHECK(refusal_text([&] { options.serialize(input); }) == sentence("InputArchive", "Options"));
    CHECK(refusal_text([&] { state.serialize(output); }) == sentence("OutputArchive", "ParamState"));
    CHECK(refusal_text([&] { state.serialize(input); }) == sentence("InputArchive", "ParamState"));
  }
}
