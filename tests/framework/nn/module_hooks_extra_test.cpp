// Module hooks as in Python's nn.Module; their arguments and results were recorded from Python.
#include "etude/nn/module_hooks.h"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using nn::Module;

TEST_SUITE("hooks of modules") {
  namespace {

  using List = std::vector<Tensor>;

  // a * b, a + k and 3 b: Python's Two.
  struct TwoImpl : nn::Cloneable<TwoImpl> {
    void reset() override {}
    std::tuple<Tensor, Tensor, Tensor> forward(const Tensor& a, const Tensor& b, int k) {
      return {a * b, a + k, b * 3};
    }
  };
  ETUDE_MODULE(Two);

  // x times a weight of ones: Linear(2, 1, bias=False).
  struct SumImpl : nn::Cloneable<SumImpl> {
    SumImpl() { SumImpl::reset(); }
    void reset() override { weight = register_parameter("weight", etude::ones({1, 2})); }
    Tensor forward(const Tensor& x) { return x.mm(weight.t()); }
    Tensor weight;
  };
  ETUDE_MODULE(Sum);

  struct OuterImpl : nn::Cloneable<OuterImpl> {
    OuterImpl() { OuterImpl::reset(); }
    void reset() override { sum = register_module("sum", Sum()); }
    Tensor forward(const Tensor& x) { return sum(x) * 2; }
    Sum sum = nullptr;
  };
  ETUDE_MODULE(Outer);

  // Takes its input by value, as modules that may write into it.
  struct TakesImpl : Module {
    Tensor forward(Tensor x) { return x.add_(1); }
  };
  ETUDE_MODULE(Takes);

  struct CountImpl : Module {
    int forward(int n) { return n + 1; }
  };
  ETUDE_MODULE(Count);

  std::string text(const List& list) {
    std::ostringstream out;
    for (const Tensor& t : list) {
      if (!t.defined()) out << "None ";
      else
        for (const Tensor& x : t.reshape({-1}).unbind()) out << x.item<float>() << " ";
      out << "| ";
    }
    return out.str();
  }

  Tensor two_ones(bool requires_grad = true) {
    return etude::ones({1, 2}, TensorOptions().requires_grad(requires_grad));
  }
  Tensor leaf_of(const std::vector<double>& values) {
    return etude::tensor(values).to(kFloat).requires_grad_();
  }

  }  // namespace

  TEST_CASE("hooks run in their order, and what they return takes the place of inputs and outputs") {
    Sum sum;
    std::string seen;
    const auto look = [&](Module&, const List& x, const List& y) { seen += text(x) + "-> " + text(y); };
    sum->register_forward_pre_hook([](Module&, const List& x) { return x[0] * 2; });
    sum->register_forward_pre_hook([](Module&, const List& x) { return List{x[0] + 1}; });
    sum->register_forward_hook(look);
    sum->register_forward_hook(
        [](Module&, const List&, const List& y) { return optional<List>({y[0] * 100}); });
    sum->register_forward_hook([](Module&, const List&, const List&) { return optional<List>(); });
    sum->register_forward_hook([](Module&, const List&, const List&) { return Tensor(); });
    sum->register_forward_hook(look);
    CHECK(sum(two_ones(false)).item<float>() == 600);
    CHECK(seen == "3 3 | -> 6 | 3 3 | -> 600 | ");
    CHECK(sum->forward(two_ones(false)).item<float>() == 2);
    CHECK(nn::call(*sum, two_ones(false)).item<float>() == 600);
  }

  TEST_CASE("a hook after forward sees an input that forward took by value") {
    Takes takes;
    std::string seen;
    takes->register_forward_hook([&](Module&, const List& x, const List& y) { seen = text(x) + text(y); });
    takes(two_ones(false));
    CHECK(seen == "2 2 | 2 2 | ");
    const Tensor x = two_ones(false);
    takes(x);
    CHECK(seen == "2 2 | 2 2 | ");
    CHECK(x.defined());
  }

  TEST_CASE("a hook gets the module, and handles remove hooks") {
    Sum sum;
    int calls = 0;
    CHECK_FALSE(sum->has_hooks());
    const auto handle = sum->register_forward_hook([&](Module& module, const List&, const List&) {
      CHECK(&module == static_cast<Module*>(sum.get()));
      ++calls;
    });
    CHECK(sum->has_hooks());
    const auto other = sum->register_forward_pre_hook([&](Module&, const List&) { calls += 10; });
    sum(two_ones());
    CHECK(calls == 11);
    handle.remove();
    handle.remove();
    sum(two_ones());
    CHECK(calls == 21);
    other.remove();
    sum(two_ones());
    CHECK(calls == 21);
    const auto late = Sum()->register_forward_hook([](Module&, const List&, const List&) {});
    late.remove();  // a hook of a destroyed module
  }

  TEST_CASE("a call goes through the hooks that it found, whatever they remove") {
    Sum sum;
    std::string calls;
    optional<nn::RemovableHandle> second;
    const auto first = sum->register_forward_hook([&](Module&, const List&, const List&) {
      calls += "1";
      second->remove();
    });
    second = sum->register_forward_hook([&](Module&, const List&, const List&) { calls += "2"; });
    sum(two_ones());
    sum(two_ones());
    CHECK(calls == "121");
    // A forward hook that forward or a pre-hook adds is called, as in Python.
    first.remove();
    sum->register_forward_pre_hook([&](Module& module, const List&) {
      second = module.register_forward_hook([&](Module&, const List&, const List&) { calls += "3"; });
    });
    sum(two_ones());
    CHECK(calls == "1213");
  }

  TEST_CASE("a hook that counts for itself counts on, and one that throws ends the call") {
    Sum sum;
    int last = 0;
    sum->register_forward_hook([&last, n = 0](Module&, const List&, const List&) mutable { last = ++n; });
    sum(two_ones());
    sum(two_ones());
    CHECK(last == 2);
    sum->register_forward_pre_hook([](Module&, const List&) { throw std::runtime_error("no more"); });
    CHECK_THROWS_WITH_AS(sum(two_ones()), "no more", std::runtime_error);
    CHECK(last == 2);
  }

  TEST_CASE("arguments that are no tensors go past the hooks") {
    Two two;
    two->register_forward_pre_hook([](Module&, const List& x) {
      CHECK(x.size() == 3);
      CHECK_FALSE(x[2].defined());
      return List{x[0] + 1, x[1], Tensor()};
    });
    two->register_forward_hook([](Module&, const List&, const List& y) {
      CHECK(y.size() == 3);
      return List{y[0], y[1] * 10, y[2]};
    });
    const Tensor a = etude::tensor({1.0F}), b = etude::tensor({2.0F});
    const auto [p, q, r] = two(a, b, 5);
    CHECK(text({p, q, r}) == "4 | 70 | 6 | ");
    CHECK(text({a, b}) == "1 | 2 | ");

    Two other;
    other->register_forward_pre_hook([](Module&, const List& x) { return List{x[0], x[1], x[0]}; });
    CHECK(refusal_lines([&] { other(a, b, 5); }) ==
          "a hook put a Tensor in the place of a value of type int\nhint: where no tensor was, the list that "
          "a hook "
          "returns has an undefined one\nin Two");
  }

  TEST_CASE("lists of another size are refused") {
    Sum before, after;
    before->register_forward_pre_hook([](Module&, const List& x) { return List{x[0], x[0]}; });
    after->register_forward_hook([](Module&, const List&, const List&) { return List(); });
    CHECK(refusal_text([&] { before(two_ones()); }) ==
          "Forward pre-hook returned an invalid number of inputs, got 2, but expected 1");
    CHECK(refusal_text([&] { after(two_ones()); }) ==
          "Forward hook returned an invalid number of outputs, got 0, but expected 1");
  }

  TEST_CASE("a result without tensors is refused by hooks that would see it, and by those alone") {
    Count count;
    CHECK(count(3) == 4);
    count->register_forward_pre_hook([](Module&, const List& x) { CHECK_FALSE(x[0].defined()); });
    CHECK(count(3) == 4);
    const auto handle = count->register_forward_hook([](Module&, const List&, const List&) {});
    CHECK(refusal_lines([&] { count(3); }) ==
          "hooks and checkpoints find no tensors in a result of type int\nhint: forward may return a Tensor, "
          "a tuple "
          "with some, or a std::vector of them\nin Count");
    handle.remove();
    CHECK(count(3) == 4);
  }

  TEST_CASE("AnyModule calls hooks") {
    Sum sum;
    Two two;
    nn::AnyModule any(sum), any_two(two);
    sum->register_forward_pre_hook([](Module&, const List& x) { return x[0] * 3; });
    sum->register_forward_hook([](Module&, const List&, const List& y) { return y[0] + 1; });
    CHECK(any.forward(two_ones()).item<float>() == 7);
    two->register_forward_hook([](Module&, const List& x, const List& y) {
      CHECK_FALSE(x[2].defined());
      return List{y[0] * 2, y[1], y[2]};
    });
    const auto three = any_two.forward<std::tuple<Tensor, Tensor, Tensor>>(two_ones(), two_ones(), 4);
    CHECK(text({std::get<0>(three), std::get<1>(three)}) == "2 2 | 5 5 | ");
    Count count;
    nn::AnyModule any_count(count);
    count->register_forward_pre_hook([](Module&, const List&) { return List{two_ones()}; });
    CHECK(refusal_text([&] { any_count.forward<int>(1); }) ==
          "a hook put a Tensor in the place of a value of type int");
  }

  TEST_CASE("a clone has the same hooks, and a list of its own") {
    Outer outer;
    std::vector<const Module*> called;
    const auto note = [&](Module& module, const List&, const List&) { called.push_back(&module); };
    const auto handle = outer->register_forward_hook(note);
    outer->sum->register_forward_hook(note);
    const auto copy = std::dynamic_pointer_cast<OuterImpl>(outer->clone());
    nn::call(*copy, two_ones());
    CHECK(called == std::vector<const Module*>{copy->sum.get(), copy.get()});
    handle.remove();
    copy->register_forward_hook(note);
    called.clear();
    outer(two_ones());
    CHECK(called == std::vector<const Module*>{outer->sum.get()});
    called.clear();
    nn::call(*copy, two_ones());
    CHECK(called.size() == 3);
  }

  TEST_CASE("backward hooks see the gradients of all inputs and outputs") {
    Two two;
    std::string seen;
    two->register_full_backward_hook(
        [&](Module&, const List& dx, const List& dy) { seen += text(dx) + "<- " + text(dy); });
    Tensor a = leaf_of({1, 2}), b = leaf_of({3, 4});
    {
      const auto [x, y, z] = two(a, b, 5);
      CHECK(x.is_view());
      CHECK(std::string(x.grad_fn_name()) == "BackwardHookFunctionBackward");
      CHECK(str(x) == "tensor([3., 8.], grad_fn=<BackwardHookFunctionBackward>)");
      x.sum().backward();
    }
    CHECK(seen == "3 4 | 1 2 | None | <- 1 1 | None | None | ");
    CHECK(text({a.grad(), b.grad()}) == "3 4 | 1 2 | ");
    a.mutable_grad().reset();
    b.mutable_grad().reset();
    seen.clear();
    std::get<2>(two(a, b, 5)).sum().backward();
    CHECK(seen == "0 0 | 3 3 | None | <- None | None | 1 1 | ");
    CHECK(text({a.grad(), b.grad()}) == "0 0 | 3 3 | ");
    seen.clear();
    const auto [x, y, z] = two(a, b.detach(), 5);
    CHECK_FALSE(z.requires_grad());
    x.sum().backward();
    CHECK(seen == "3 4 | 0 0 | None | <- 1 1 | None | None | ");
  }

  TEST_CASE("backward hooks of a call without inputs in the graph see the outputs alone") {
    Sum sum;
    std::string seen;
    const auto handle = sum->register_full_backward_hook([&](Module&, const List& dx, const List& dy) {
      seen += text(dx) + "<- " + text(dy);
      return List(1);
    });
    sum(two_ones(false)).sum().backward();
    CHECK(seen == "None | <- 1 | ");
    CHECK(text({sum->weight.grad()}) == "1 1 | ");
    handle.remove();
    sum->register_full_backward_hook([](Module&, const List&, const List&) { return two_ones(false); });
    CHECK(refusal_lines([&] { sum(two_ones(false)).sum().backward(); }) ==
          "Backward hook for Modules where no input requires gradient should always return None or None for "
          "all "
          "gradients.");
  }

  TEST_CASE("what a backward hook returns goes on in place of the gradient") {
    Sum sum;
    std::string seen;
    auto first =
        sum->register_full_backward_hook([](Module&, const List& dx, const List&) { return dx[0] * 10; });
    const auto second =
        sum->register_full_backward_hook([&](Module&, const List& dx, const List&) { seen = text(dx); });
    Tensor x = two_ones();
    sum(x).sum().backward();
    CHECK(seen == "10 10 | ");
    CHECK(text({x.grad(), sum->weight.grad()}) == "10 10 | 1 1 | ");
    first.remove();
    first = sum->register_full_backward_hook([](Module&, const List&, const List&) { return List(1); });
    x = two_ones();
    sum(x).sum().backward();
    CHECK_FALSE(x.grad().defined());
    first.remove();
    const auto refused = [&](const Tensor& replacement, size_t count) {
      const auto handle = sum->register_full_backward_hook(
          [=](Module&, const List&, const List&) { return List(count, replacement); });
      const std::string sentence = refusal_text([&] { sum(two_ones()).sum().backward(); });
      handle.remove();
      return sentence;
    };
    CHECK(refused(two_ones(false), 2) ==
          "Backward hook returned an invalid number of grad_input, got 2, but expected 1");
    CHECK(refused(etude::ones({3}), 1) == "hook 'hook' has changed the size of value");
    CHECK(refused(etude::ones({1, 2}, kDouble), 1) ==
          "hook 'hook' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)");
  }

  TEST_CASE("a hook that is removed after forward still sees that backward, and the module may be gone") {
    int calls = 0;
    Tensor y;
    {
      Sum sum;
      const auto handle = sum->register_full_backward_hook([&](Module& module, const List&, const List&) {
        calls += static_cast<int>(module.parameters().size());
      });
      y = sum(two_ones());
      handle.remove();
    }
    y.sum().backward();
    CHECK(calls == 1);
  }

  TEST_CASE("backward hooks run in each backward, and with grad mode under create_graph") {
    Sum sum;
    std::string seen;
    sum->register_full_backward_hook([&](Module&, const List& dx, const List& dy) {
      seen += text(dx) + "<- " + text(dy) + (GradMode::is_enabled() ? "on " : "off ");
    });
    Tensor x = two_ones();
    Tensor y = sum(x).square().sum();
    y.backward({}, /*retain_graph=*/true);
    y.backward();
    CHECK(seen == "4 4 | <- 4 | off 4 4 | <- 4 | off ");
    CHECK(text({x.grad()}) == "8 8 | ");
    seen.clear();
    x = two_ones();
    const Tensor g = autograd::grad({sum(x).square().sum()}, {x}, {}, nullopt, /*create_graph=*/true)[0];
    CHECK(text({g}) == "4 4 | ");
    g.sum().backward();
    CHECK(text({x.grad(), sum->weight.grad()}) == "4 4 | 16 16 | ");
    CHECK(seen == "4 4 | <- 4 | on 4 4 | <- 4 | off ");
  }

  TEST_CASE("with a backward hook neither outputs nor inputs may be written in place") {
    const char* const refused =
        "Output 0 of BackwardHookFunction is a view and is being modified inplace. This view was "
        "created inside "
        "a custom Function (or because an input was returned as-is) and the autograd logic to handle "
        "view+inplace would "
        "override the custom backward associated with the custom Function, leading to incorrect gradients. "
        "This behavior "
        "is forbidden. You can fix this by cloning the output of the custom Function.";
    Sum sum;
    sum->register_full_backward_hook([](Module&, const List&, const List&) {});
    CHECK(refusal_text([&] { sum(two_ones()).add_(1); }) == refused);
    CHECK(refusal_text([&] { sum(two_ones(false)).add_(1); }) == refused);
    struct InPlaceImpl : Module {
      Tensor forward(const Tensor& x) { return x.relu_(); }
    };
    nn::ModuleHolder<InPlaceImpl> in_place{InPlaceImpl()};
    in_place->register_full_backward_hook([](Module&, const List&, const List&) {});
    CHECK(refusal_text([&] { in_place(two_ones() * 2); }) == refused);
    const NoGradGuard no_grad;
    CHECK(sum(two_ones()).add_(1).item<float>() == 3);
  }

  TEST_CASE("gradients and their gradients go through backward hooks") {
    Two two;
    two->register_full_backward_hook([](Module&, const List&, const List&) {});
    const auto f = [&](const List& in) {
      const auto [p, q, r] = two(in[0].sin(), in[1], 2);
      return List{p.exp(), q * r};
    };
    const List inputs = {etude::tensor({0.3, -0.7}, kDouble), etude::tensor({1.1, 0.4}, kDouble)};
    CHECK(gradcheck(f, inputs));
    CHECK(gradgradcheck(f, inputs));
  }

  TEST_CASE("gradients of an input that also goes elsewhere are those without hooks") {
    Outer outer;
    const auto run = [&] {
      const Tensor x = leaf_of({0.5, -2}).unsqueeze(0);
      const Tensor leaf = x.detach().requires_grad_();
      (outer(leaf) * leaf + leaf.exp()).sum().backward();
      return leaf.grad();
    };
    const Tensor expected = run();
    int calls = 0;
    const auto count = [&](Module&, const List&, const List&) { ++calls; };
    outer->register_full_backward_hook(count);
    outer->sum->register_full_backward_hook(count);
    CHECK(run().equal(expected));
    CHECK(calls == 2);
  }
}
