// Custom functions: the arguments of forward and backward, and the place of their outputs in the graph.
#include "etude/autograd/function.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/leaf.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using autograd::AutogradContext;
using autograd::Function;
using autograd::Variable;
using autograd::variable_list;

namespace {

// slope * x^n + shift, with a number between the tensors, which gets no gradient.
struct ScaledPower : Function<ScaledPower> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int n, Tensor shift, double slope) {
    ctx->saved_data["n"] = n;
    ctx->saved_data["slope"] = slope;
    ctx->save_for_backward({x});
    return x.pow(n) * slope + shift;
  }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    const int64_t n = ctx->saved_data["n"].toInt();
    const Tensor x = ctx->get_saved_variables()[0];
    return {dy[0] * ctx->saved_data["slope"].toDouble() * static_cast<double>(n) * x.pow(n - 1), Tensor(),
            dy[0], Tensor()};
  }
};

// y = e^x, with the gradient computed from the output.
struct OwnExp : Function<OwnExp> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    const Tensor y = x.exp();
    ctx->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    return {dy[0] * ctx->get_saved_variables()[0]};
  }
};

struct SumAndProduct : Function<SumAndProduct> {
  static variable_list forward(AutogradContext* ctx, Tensor a, Tensor b) {
    ctx->save_for_backward({a, b});
    return {a + b, a * b};
  }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    const variable_list s = ctx->get_saved_variables();
    return {dy[0] + dy[1] * s[1], dy[0] + dy[1] * s[0]};
  }
};

// The second output, saved and used in backward.
struct SecondOutput : Function<SecondOutput> {
  static variable_list forward(AutogradContext* ctx, Tensor x) {
    const variable_list y{x * 2, x.exp()};
    ctx->save_for_backward(y);
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    return {dy[0] * 2 + dy[1] * ctx->get_saved_variables()[1]};
  }
};

struct Unmaterialized : Function<Unmaterialized> {
  static variable_list forward(AutogradContext* ctx, Tensor x) {
    ctx->set_materialize_grads(false);
    return {x * 2, x * 3};
  }
  static variable_list backward(AutogradContext*, variable_list dy) {
    Tensor dx;
    if (dy[0].defined()) dx = dy[0] * 2;
    if (dy[1].defined()) dx = dx.defined() ? dx + dy[1] * 3 : dy[1] * 3;
    return {dx};
  }
};

struct Tripling : Function<Tripling> {
  static Tensor forward(AutogradContext*, Tensor x) { return x; }
  static variable_list backward(AutogradContext*, variable_list dy) { return {dy[0] * 3}; }
};

struct Mixed : Function<Mixed> {
  static variable_list forward(AutogradContext* ctx, Tensor x) {
    const variable_list y{x * 2, x > 1, x * 5};
    ctx->mark_non_differentiable({y[2]});
    return y;
  }
  static variable_list backward(AutogradContext*, variable_list dy) {
    CHECK(dy.size() == 3);
    CHECK((dy[1].scalar_type() == kBool));
    CHECK(same(dy[2], etude::zeros({2}, kDouble)));
    return {dy[0] * 2};
  }
};

struct NotDifferentiable : Function<NotDifferentiable> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    ctx->mark_non_differentiable({x});
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list dy) { return dy; }
};

struct ListAndOption : Function<ListAndOption> {
  static Tensor forward(AutogradContext* ctx, TensorList list, optional<Tensor> extra,
                        std::vector<Tensor> plain) {
    ctx->saved_data["extra"] = extra.has_value();
    Tensor y = list[0] * 2 + list[1] * 3 + plain[0];
    return extra ? y + *extra : y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    return {dy[0] * 2, dy[0] * 3, ctx->saved_data["extra"].toBool() ? dy[0] * 7 : Tensor(), Tensor()};
  }
};

std::string needed;
struct Needs : Function<Needs> {
  static Tensor forward(AutogradContext*, int, Tensor a, Tensor b) { return a * b; }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    for (size_t i = 0; i < 2; ++i) needed += ctx->needs_input_grad(i) ? 'y' : 'n';
    needed += ctx->needs_input_grad({{0, 1}, {1, 2}}) ? 'Y' : 'N';
    CHECK(refusal([&] { ctx->needs_input_grad(2); }) == "Error: Index out of range");
    return {Tensor(), dy[0], dy[0]};
  }
};

// Returns the gradients that it is given.
struct Returns : Function<Returns> {
  static Tensor forward(AutogradContext* ctx, Tensor x, std::vector<Tensor> gradients) {
    ctx->saved_data["gradients"] = gradients;
    return x * 2;
  }
  static variable_list backward(AutogradContext* ctx, variable_list) {
    return ctx->saved_data["gradients"].toTensorVector();
  }
};

// A backward that nests further backwards, x of them.
struct Again : Function<Again> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const AutoGradMode on(true);
    ctx->saved_data["x"] = x.detach().requires_grad_() - 1;
    return ctx->saved_data["x"].toTensor().detach();
  }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    const Tensor x = ctx->saved_data["x"].toTensor();
    if (x.item<float>() == 0) return dy;
    if (x.item<float>() < 0) throw std::out_of_range("below zero");
    const AutoGradMode on(true);
    Again::apply(x).sum().backward();
    return dy;
  }
};

}  // namespace

TEST_SUITE("function") {
  TEST_CASE("a custom function computes, and its gradient is what backward returns") {
    const Tensor x = leaf({1.0, 2.0}), shift = leaf({3.0, 4.0});
    const Tensor y = ScaledPower::apply(x, 3, shift, 0.5);
    CHECK(same(y.detach(), etude::tensor({3.5, 8.0}, kDouble)));
    y.sum().backward();
    CHECK(same(x.grad(), etude::tensor({1.5, 6.0}, kDouble)));
    CHECK(same(shift.grad(), etude::ones({2}, kDouble)));
  }

  TEST_CASE("first and second gradients of custom functions agree with finite differences") {
    const Tensor x = etude::tensor({{0.3, -0.7}, {1.1, 0.4}}, kDouble),
                 b = etude::tensor({{2.0, 0.5}, {-1.0, 0.1}}, kDouble);
    const std::vector<TensorsFunction> functions = {
        [](const std::vector<Tensor>& in) { return variable_list{ScaledPower::apply(in[0], 3, in[1], 0.5)}; },
        [](const std::vector<Tensor>& in) { return variable_list{OwnExp::apply(in[0])}; },
        [](const std::vector<Tensor>& in) { return SumAndProduct::apply(in[0], in[1]); },
        [](const std::vector<Tensor>& in) { return SecondOutput::apply(in[0]); },
        [](const std::vector<Tensor>& in) { return Unmaterialized::apply(in[0]); },
    };
    for (size_t i = 0; i < functions.size(); ++i) {
      CAPTURE(i);
      CHECK(gradcheck_fault(functions[i], {x, b}) == "");
      CHECK(gradgradcheck_fault(functions[i], {x, b}) == "");
    }
  }

  TEST_CASE("forward is not recorded, and neither is anything without an input that requires grad") {
    const Tensor x = leaf({1.0});
    CHECK(ScaledPower::apply(x, 2, x, 1.0).grad_fn()->next_edge(0).function->name() ==
          kAutogradScope + "AccumulateGrad");
    const Tensor plain = ScaledPower::apply(x.detach(), 2, x.detach(), 1.0);
    CHECK_FALSE(plain.requires_grad());
    CHECK(plain.grad_fn() == nullptr);
    const NoGradGuard no_grad;
    CHECK_FALSE(OwnExp::apply(x).requires_grad());
  }

  TEST_CASE("the node of a custom function is named after its class, as PyTorch names it") {
    struct Local : Function<Local> {
      static Tensor forward(AutogradContext*, Tensor x) { return x * 2; }
      static variable_list backward(AutogradContext*, variable_list dy) { return dy; }
    };
    const Tensor x = leaf({1.0});
    const Tensor y = Tripling::apply(x);
    CHECK(y.grad_fn()->name() == kAutogradScope + "CppNode<(anonymous namespace)::Tripling>");
    CHECK(node_name(y) == "Tripling>");
    const std::string local = Local::apply(x).grad_fn()->name();
    CHECK(local.rfind(kAutogradScope + "CppNode<", 0) == 0);
    CHECK(local.find("::Local>") != std::string::npos);
  }

  TEST_CASE("lists of tensors and optional tensors are arguments with gradients, vectors are not") {
    const Tensor a = leaf({1.0}), b = leaf({2.0}), c = leaf({3.0}), d = leaf({4.0});
    const variable_list list{a, b};
    ListAndOption::apply(TensorList(list), optional<Tensor>(c), variable_list{d}).backward();
    CHECK(a.grad().item<double>() == 2);
    CHECK(b.grad().item<double>() == 3);
    CHECK(c.grad().item<double>() == 7);
    CHECK_FALSE(d.grad().defined());
    ListAndOption::apply(TensorList(list), optional<Tensor>(), variable_list{d}).backward();
    CHECK(a.grad().item<double>() == 4);
    CHECK(c.grad().item<double>() == 7);
  }

  TEST_CASE("an output without a gradient gets zeros, or nothing if that is asked for") {
    const Tensor a = leaf({2.0}), b = leaf({5.0}), x = leaf({1.0});
    SumAndProduct::apply(a, b)[1].backward();
    CHECK(a.grad().item<double>() == 5);
    Unmaterialized::apply(x)[1].backward();
    CHECK(x.grad().item<double>() == 3);
    CHECK(Unmaterialized::apply(x)[1].output_nr() == 1);
  }

  TEST_CASE("outputs that are integers or marked have no gradient") {
    const Tensor x = leaf({1.0, 2.0});
    const variable_list y = Mixed::apply(x);
    CHECK(y[0].requires_grad());
    CHECK_FALSE(y[1].requires_grad());
    CHECK_FALSE(y[2].requires_grad());
    y[0].sum().backward();
    CHECK(same(x.grad(), etude::full({2}, 2.0, kDouble)));
    const Tensor same_values = NotDifferentiable::apply(x);
    CHECK_FALSE(same_values.requires_grad());
    CHECK_FALSE(same_values.is_same(x));
    CHECK(x.requires_grad());
  }

  TEST_CASE("needs_input_grad tells which gradients the walk asks for") {
    const Tensor a = leaf({2.0}), b = leaf({5.0});
    needed.clear();
    Needs::apply(1, a, b).backward();
    autograd::grad({Needs::apply(1, a, b)}, {b});
    Needs::apply(1, a, b.detach()).backward();
    Needs::apply(1, a * 2, b).backward({}, nullopt, false, TensorList(a));
    CHECK(needed == "yyYnyYynYynY");
  }

  namespace {

  std::string returning(const variable_list& gradients) {
    return refusal([&] { Returns::apply(leaf({1.0, 2.0}), gradients).sum().backward(); });
  }

  const std::string kReturns =
      "Error: function " + kAutogradScope + "CppNode<(anonymous namespace)::Returns> returned ";

  }  // namespace

  TEST_CASE("a gradient of an argument that is not a tensor is refused") {
    const Tensor g = etude::ones({2}, kDouble);
    CHECK(returning({g, g}) == kReturns +
                                   "a gradient different that is defined at position 2, but the "
                                   "corresponding forward input was not a Variable");
  }

  TEST_CASE("gradients that do not fit the arguments are refused") {
    const Tensor g = etude::ones({2}, kDouble), none;
    CHECK(returning({g, none}) == "");
    CHECK(returning({none, none}) == "");
    CHECK(returning({g, none, none, none}) == "");
    CHECK(returning({g}) == kReturns + "an incorrect number of gradients (expected 2, got 1)");
    CHECK(returning({g, none, g}) == kReturns + "an incorrect number of gradients (expected 2, got 3)");
    CHECK(returning({etude::ones({7}, kDouble), none}) ==
          "Error: F" + kReturns.substr(8) +
              "an invalid gradient at index 0 - got [7] but expected shape compatible with [2]");
    CHECK(refusal([] { Tripling::apply(Tensor()); }) == "Error: tensor does not have a device");
  }

  TEST_CASE("what was saved is used once unless retained, and a function that saved nothing runs again") {
    const Tensor x = leaf({1.0});
    const Tensor y = OwnExp::apply(x);
    y.backward({}, true);
    y.backward();
    CHECK(refusal([&] {
            y.backward();
          }).rfind("Error: Trying to backward through the graph a second time", 0) == 0);
    const Tensor z = Tripling::apply(x + 1);
    z.backward();
    z.backward();
  }

  TEST_CASE("saved tensors are those that were saved, undefined ones too, and notice a write") {
    struct Saves : Function<Saves> {
      static Tensor forward(AutogradContext* ctx, Tensor x, Tensor w) {
        ctx->save_for_backward({Tensor(), x, w, x * 2});
        return x * w;
      }
      static variable_list backward(AutogradContext* ctx, variable_list dy) {
        const variable_list s = ctx->get_saved_variables();
        CHECK_FALSE(s[0].defined());
        CHECK((s[1].requires_grad() && s[1].is_leaf()));
        CHECK((s[2].requires_grad() && !s[2].is_leaf()));
        CHECK_FALSE(s[3].requires_grad());
        return {dy[0] * s[2], dy[0] * s[1]};
      }
    };
    const Tensor x = leaf({1.0, 2.0}), v = leaf({3.0, 4.0});
    Saves::apply(x, v * 2).sum().backward();
    CHECK(same(v.grad(), etude::tensor({2.0, 4.0}, kDouble)));
    const Tensor w = v * etude::full({2}, 2.0, kDouble), y = Saves::apply(x, w);
    w.mul_(etude::full({2}, 2.0, kDouble));
    CHECK(
        refusal([&] { y.sum().backward(); }) ==
        "Error: one of the variables needed for gradient computation has been modified by an inplace "
        "operation: "
        "[" +
            tensor_type("Double") + " [2]], which is output 0 of " + newer("Mul", "MulBackward0") +
            ", is at version 1; expected version 0 "
            "instead. "
            "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(" +
            newer("True, check_nan=False", "True") + ").");
    const Tensor z = Saves::apply(x, v * 2);
    const uint32_t version = x._version();
    {
      const NoGradGuard no_grad;
      x.mul_(2);
    }
    CHECK(refusal([&] { z.sum().backward(); })
              .find("[" + tensor_type("Double") + " [2]] is at version " + std::to_string(version + 1) +
                    "; expected version " + std::to_string(version) + " instead.") != std::string::npos);
  }

  TEST_CASE("an exception in forward or backward reaches the caller") {
    struct Throws : Function<Throws> {
      static Tensor forward(AutogradContext*, Tensor x, bool at_once) {
        if (at_once) throw std::runtime_error("forward");
        return x * 2;
      }
      static variable_list backward(AutogradContext*, variable_list) { throw std::runtime_error("backward"); }
    };
    const Tensor x = leaf({1.0});
    CHECK_THROWS_WITH_AS(Throws::apply(x, true), "forward", std::runtime_error);
    CHECK(GradMode::is_enabled());
    CHECK_THROWS_WITH_AS(Throws::apply(x, false).backward(), "backward", std::runtime_error);
  }

  TEST_CASE("a backward inside of a backward, and so on, does not overflow the stack") {
    const Tensor x = etude::full({1}, 8193.0, TensorOptions().requires_grad(true));
    Again::apply(x).sum().backward();
    CHECK(x.grad().item<float>() == 1);
  }

  TEST_CASE("and what is thrown deep inside comes out") {
    const Tensor x = etude::full({1}, 200.5, TensorOptions().requires_grad(true));
    CHECK_THROWS_AS(Again::apply(x).sum().backward(), std::out_of_range);
    CHECK_FALSE(x.grad().defined());
  }
}
