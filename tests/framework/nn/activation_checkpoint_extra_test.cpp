// Recomputation as in Python's torch.utils.checkpoint with use_reentrant; its numbers were recorded.
#include "etude/nn/activation_checkpoint.h"

#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using utils::checkpoint;
using utils::checkpoint_sequential;
using utils::CheckpointOptions;

TEST_SUITE("checkpoint") {
  namespace {

  struct AffineImpl : nn::Cloneable<AffineImpl> {
    AffineImpl(int64_t in, int64_t out) : in_(in), out_(out) { AffineImpl::reset(); }
    void reset() override {
      weight = register_parameter("weight", etude::empty({out_, in_}));
      bias = register_parameter("bias", etude::empty({out_}));
      nn::init::kaiming_uniform_(weight, std::sqrt(5.0));
      const double bound = 1 / std::sqrt(static_cast<double>(in_));
      nn::init::uniform_(bias, -bound, bound);
    }
    Tensor forward(const Tensor& x) {
      ++runs;
      return nn::functional::linear(x, weight, bias);
    }
    Tensor weight, bias;
    int runs = 0;

   private:
    int64_t in_, out_;
  };
  ETUDE_MODULE(Affine);

  struct DropsImpl : nn::Cloneable<DropsImpl> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return etude::dropout(x, 0.5, is_training()); }
  };
  ETUDE_MODULE(Drops);
  struct TanhOfImpl : nn::Cloneable<TanhOfImpl> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return x.tanh(); }
  };
  ETUDE_MODULE(TanhOf);

  // Python's Sequential(Linear(3, 4), Dropout(0.5), Tanh(), Linear(4, 2)) after manual_seed(3).
  struct Net {
    Affine first = nullptr, last = nullptr;
    std::vector<nn::AnyModule> modules;

    Net() {
      manual_seed(3);
      first = Affine(3, 4);
      last = Affine(4, 2);
      for (nn::AnyModule m :
           {nn::AnyModule(first), nn::AnyModule(Drops()), nn::AnyModule(TanhOf()), nn::AnyModule(last)})
        modules.push_back(std::move(m));
    }
    Tensor operator()(Tensor x) {
      for (nn::AnyModule& m : modules) x = m.forward(x);
      return x;
    }
  };

  Tensor input() { return etude::tensor({{1.0F, 2.0F, 3.0F}, {-1.0F, 0.5F, 2.0F}}).requires_grad_(); }
  Tensor loss_of(const Tensor& y) { return (y * etude::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}})).sum(); }
  Tensor numbers(const std::vector<double>& values) { return etude::tensor(values, kDouble); }
  void check_near(const Tensor& found, const std::vector<double>& expected) {
    const Tensor f = found.detach().reshape({-1}).to(kDouble);
    REQUIRE(f.numel() == static_cast<int64_t>(expected.size()));
    CHECK((f - numbers(expected)).abs().max().item<double>() < 2e-6);
  }
  Tensor leaf_with(const std::vector<double>& values) { return numbers(values).to(kFloat).requires_grad_(); }

  const std::vector<double> kOutput = {-0.443817288, -0.175415546, -0.574466228, -0.642607093};
  const std::vector<double> kInputGradient = {6.90037559e-05, 6.66970664e-06, 6.24547247e-05,
                                              0.81909579,     0.734233975,    0.284478605};

  Tensor wave(const Tensor& x) { return (x * x).sin() * x.exp(); }

  // wave through a checkpoint, for a checker that calls grad(): the backward inside has no inputs.
  struct ThroughCheckpoint : autograd::Function<ThroughCheckpoint> {
    static std::pair<Tensor, Tensor> run(const Tensor& x) {
      const EnableGradGuard on;
      const Tensor leaf = x.detach().requires_grad_();
      const Tensor y = checkpoint(wave, leaf);
      note_nodes(y, gradchecked_nodes());
      return {leaf, y};
    }
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
      ctx->save_for_backward({x});
      return run(x).second.detach();
    }
    static autograd::variable_list backward(autograd::AutogradContext* ctx, autograd::variable_list dy) {
      const auto [leaf, y] = run(ctx->get_saved_variables()[0]);
      y.backward(dy[0].detach());
      return {leaf.grad()};
    }
  };

  struct Texts : WarningHandler {
    void process(const SourceLocation&, const std::string& msg, bool) override { all.push_back(msg); }
    std::vector<std::string> all;
  };

  }  // namespace

  TEST_CASE("outputs, gradients and random numbers are those without") {
    for (const bool checkpointed : {false, true}) {
      CAPTURE(checkpointed);
      Net net;
      const Tensor x = input();
      manual_seed(7);
      const Tensor y = checkpointed ? checkpoint(net, x) : net(x);
      check_near(y, kOutput);
      CHECK(etude::rand({1}).item<float>() == 0.720380425453186F);
      loss_of(y).backward();
      CHECK(etude::rand({1}).item<float>() == 0.07305192947387695F);
      check_near(x.grad(), kInputGradient);
      check_near(net.first->weight.grad(),
                 {-6.00582644e-06, -1.20116529e-05, -1.80174793e-05, -0.00012003442, -0.000240068839,
                  -0.000360103266, -2.60922003, 1.30461001, 5.21844006, 0, 0, 0});
      check_near(net.last->bias.grad(), {4, 6});
      CHECK(net.first->runs == (checkpointed ? 2 : 1));
      if (checkpointed) CHECK(std::string(y.grad_fn_name()) == "CheckpointFunctionBackward");
    }
  }

  TEST_CASE("without preserve_rng_state the second run draws other numbers") {
    Net net;
    const Tensor x = input();
    manual_seed(7);
    const Tensor y = checkpoint(CheckpointOptions().preserve_rng_state(false), net, x);
    manual_seed(100);
    y.sum().backward();
    check_near(x.grad(), {0.11029958, 0.100990109, 0.0374071635, -0.0905501842, 0.0114323748, -0.0699199885});
  }

  TEST_CASE("checkpoint_sequential keeps the last segment") {
    Net net;
    const Tensor x = input();
    manual_seed(7);
    const Tensor y = checkpoint_sequential(net.modules, 2, x);
    check_near(y, kOutput);
    loss_of(y).backward();
    check_near(x.grad(), kInputGradient);
    CHECK(net.first->runs == 2);
    CHECK(net.last->runs == 1);
    CHECK(refusal([&] { checkpoint_sequential(net.modules, 5, x); }) ==
          "ValueError: checkpoint_sequential: expected from 1 to 4 segments, one per module at most, but got "
          "5");
    CHECK_FALSE(refusal([&] { checkpoint_sequential(net.modules, 0, x); }).empty());
  }

  TEST_CASE("several tensors go in and out, and other values past them") {
    const auto f = [](const Tensor& a, const Tensor& b, int k) {
      return std::make_tuple(a * b, a + b * k, k);
    };
    Tensor a = leaf_with({1, 2}), b = leaf_with({3, 4});
    const auto [p, q, k] = checkpoint(f, a, b, 5);
    CHECK(k == 5);
    CHECK(str(p) == "tensor([3., 8.], grad_fn=<CheckpointFunctionBackward>)");
    check_near(q, {16, 22});
    (p * etude::tensor({1.0F, 10.0F})).sum().backward();
    check_near(a.grad(), {3, 40});
    check_near(b.grad(), {1, 20});
    a = leaf_with({1, 2});
    const auto [r, s, t] = checkpoint(f, a, b.detach(), 5);
    (r + s).sum().backward();
    check_near(a.grad(), {4, 5});
    const std::vector<Tensor> parts = checkpoint(
        [](const Tensor& x) {
          return std::vector<Tensor>{x * 2, etude::tensor({1, 2}), Tensor()};
        },
        a);
    CHECK(parts[0].requires_grad());
    CHECK_FALSE(parts[1].requires_grad());
    CHECK_FALSE(parts[2].defined());
    const auto optional_bias = [](const Tensor& x, const optional<Tensor>& bias) {
      return bias ? x + *bias : x * 1;
    };
    b = leaf_with({3, 4});
    checkpoint(optional_bias, a, optional<Tensor>(b)).sum().backward();
    check_near(b.grad(), {1, 1});
    check_near(checkpoint(optional_bias, a, optional<Tensor>()), {1, 2});
  }

  TEST_CASE("the gradient through a checkpoint is that of finite differences") {
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return ThroughCheckpoint::apply(in[0]); },
                    {etude::tensor({0.3, -0.7, 1.9}, kDouble)}));
  }

  TEST_CASE("an input that is returned as it is becomes a view") {
    const Tensor a = leaf_with({1, 2});
    const Tensor y = checkpoint([](const Tensor& x) { return x; }, a);
    CHECK(y.is_view());
    y.sum().backward();
    check_near(a.grad(), {1, 1});
  }

  TEST_CASE("checkpoints in checkpoints") {
    Texts texts;
    const WarningUtils::WarningHandlerGuard guard(&texts);
    const Tensor a = leaf_with({1, 2});
    const auto inner = [](const Tensor& t) { return (t * t).tanh(); };
    const auto outer = [&](const Tensor& t) { return checkpoint(inner, t.sin()) * t; };
    const Tensor y = checkpoint(outer, a);
    check_near(y, {0.609467268, 1.35753143});
    y.sum().backward();
    check_near(a.grad(), {1.18100595, -0.137486756});
  }

  TEST_CASE("the second run has the autocast of the first") {
    manual_seed(3);
    const Affine affine(3, 2);
    const Tensor x = input();
    autocast::set_cpu_enabled(true);
    const Tensor y = checkpoint(affine, x);
    autocast::set_cpu_enabled(false);
    autocast::clear_cache();
    CHECK(y.scalar_type() == kBFloat16);
    y.to(kFloat).sum().backward();
    CHECK_FALSE(autocast::is_cpu_enabled());
    CHECK(x.grad().scalar_type() == kFloat);
    check_near(x.grad(), {-1.125, -0.48828125, -0.75390625, -1.125, -0.48828125, -0.75390625});
    check_near(affine->weight.grad(), {0, 2.5, 5, 0, 2.5, 5});
  }

  TEST_CASE("nothing is recorded without grad mode or without an input in the graph, and the latter warns") {
    Net net;
    Texts texts;
    const WarningUtils::WarningHandlerGuard guard(&texts);
    const WarningUtils::WarnAlways always;
    CHECK_FALSE(checkpoint(net, input().detach()).requires_grad());
    CHECK(texts.all ==
          std::vector<std::string>{"None of the inputs have requires_grad=True. Gradients will be None"});
    const NoGradGuard no_grad;
    CHECK_FALSE(checkpoint(net, input()).requires_grad());
    CHECK(texts.all.size() == 1);
  }

  TEST_CASE("gradients for some inputs only, a second backward and writes in between are refused") {
    Net net;
    const Tensor x = input();
    const char* const restricted =
        "Checkpointing is not compatible with .grad() or when an `inputs` parameter is passed to "
        ".backward(). Please use "
        ".backward() and do not pass its `inputs` argument.";
    CHECK(refusal_text([&] { autograd::grad({checkpoint(net, x).sum()}, {x}); }) == restricted);
    CHECK(refusal_text([&] { checkpoint(net, x).sum().backward({}, nullopt, false, TensorList({x})); }) ==
          restricted);
    CHECK(refusal_text([&] {
            checkpoint([](const Tensor& t) { return t.detach() * 1; }, x).sum().backward();
          }) == "none of output has requires_grad=True, this checkpoint() is not necessary");
    const Tensor y = checkpoint(net, x).sum();
    y.backward();
    CHECK(refusal_text([&] { y.backward(); }).find("Trying to backward through the graph a second time") ==
          0);
    const Tensor z = x * 1, w = checkpoint(net, z).sum();
    z.add_(1);
    CHECK(refusal_text([&] { w.backward(); })
              .find("has been modified by an inplace operation: [torch.FloatTensor "
                    "[2, 3]], which is output 0 of Mul,") != std::string::npos);
  }

  TEST_CASE("a second backward of a graph that was kept computes the same") {
    const Tensor a = leaf_with({1, 2});
    const Tensor y = checkpoint([](const Tensor& x) { return x.exp(); }, a).sum();
    y.backward({}, /*retain_graph=*/true);
    const Tensor once = a.grad().clone();
    y.backward();
    CHECK(a.grad().equal(once * 2));
  }

  TEST_CASE("what a checkpointed part keeps is its input") {
    const auto deep = [](const Tensor& x) {
      Tensor y = x;
      for (int i = 0; i < 8; ++i) y = y.sin();
      return y;
    };
    const auto kept = [&](bool checkpointed) {
      const Tensor x = etude::ones({1000, 256}, TensorOptions().requires_grad(true));
      const int64_t before = memory::stats().in_use;
      const Tensor y = checkpointed ? checkpoint(deep, x) : deep(x);
      return memory::stats().in_use - before;
    };
    CHECK(kept(false) > 7 * 1024000);
    CHECK(kept(true) < 2 * 1024000);
  }

  TEST_CASE("a second run that returns more tensors than the first is refused") {
    const Tensor x = etude::ones({2}, requires_grad());
    const auto f = [](const Tensor& a) {
      return GradMode::is_enabled() ? std::vector<Tensor>{a * 2, a * 3} : std::vector<Tensor>{a * 2};
    };
    const Tensor y = checkpoint(f, x)[0].sum();
    CHECK(refusal([&] { y.backward(); }).rfind("IndexError: tuple index out of range", 0) == 0);
  }
}
