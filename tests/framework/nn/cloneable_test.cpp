#include "etude/nn/cloneable.h"

#include <doctest/doctest.h>

#include <string>

#include "etude/ops/ops.h"
#include "support/cloneable_leaf.h"
#include "support/refusal.h"

using namespace etude;
using nn::Cloneable;
using nn::Module;

TEST_SUITE("clone") {
  namespace {

  struct PairImpl : Cloneable<PairImpl> {
    PairImpl() { PairImpl::reset(); }
    void reset() override {
      left = register_module("left", CloneableLeaf(2));
      right = register_module("right", CloneableLeaf(20));
    }
    CloneableLeaf left = nullptr, right = nullptr;
  };
  ETUDE_MODULE(Pair);

  // Registers in the constructor only.
  struct Parameters : Cloneable<Parameters> {
    Parameters() { register_parameter("p", etude::ones({1})); }
    void reset() override {}
  };
  struct Buffers : Cloneable<Buffers> {
    Buffers() { register_buffer("b", etude::ones({1})); }
    void reset() override {}
  };
  struct Children : Cloneable<Children> {
    Children() { register_module("c", CloneableLeaf(1)); }
    void reset() override {}
  };

  std::string complaint(const char* what, const char* function) {
    return std::string("Error: The cloned module does not have the same number of ") + what +
           " as the original module after calling reset(). Are you sure you called " + function +
           "() inside reset() and not the constructor?";
  }

  }  // namespace

  TEST_CASE("copies values at every level and shares nothing") {
    Pair pair;
    {
      NoGradGuard no_grad;
      pair->left->mean.fill_(3);
      pair->left->value = 123;
    }
    Pair copy = std::dynamic_pointer_cast<PairImpl>(pair->clone());
    REQUIRE(copy);
    const auto before = pair->named_parameters(), after = copy->named_parameters();
    CHECK(before.keys() == after.keys());
    for (const auto& item : before) {
      CHECK(item->equal(after[item.key()]));
      CHECK_FALSE(item->is_alias_of(after[item.key()]));
    }
    CHECK(copy->left->mean.equal(etude::full({2}, 3.0)));
    CHECK(copy->left->value == 123);
    NoGradGuard no_grad;
    pair->left->weight.add_(1);
    CHECK_FALSE(pair->left->weight.equal(copy->left->weight));
  }

  TEST_CASE("members of the copy are its registered tensors and submodules") {
    Pair copy = std::dynamic_pointer_cast<PairImpl>(Pair()->clone());
    CHECK(copy->left->weight.is_same(copy->named_parameters()["left.weight"]));
    CHECK(copy->left.get() == copy->named_children()["left"]->as<CloneableLeaf>());
    CHECK_FALSE(copy->left->bias.defined());
  }

  TEST_CASE("keeps modes") {
    Pair pair;
    pair->eval();
    pair->right->train();
    Pair copy = std::dynamic_pointer_cast<PairImpl>(pair->clone());
    CHECK_FALSE(copy->is_training());
    CHECK_FALSE(copy->left->is_training());
    CHECK(copy->right->is_training());
    CHECK(copy->right->weight.requires_grad());
    CHECK(copy->right->weight.is_leaf());
  }

  TEST_CASE("a converted module stays converted, and gradients are not copied") {
    CloneableLeaf leaf(3);
    leaf->to(kDouble);
    leaf->weight.sum().backward();
    CloneableLeaf copy = std::dynamic_pointer_cast<CloneableLeafImpl>(leaf->clone());
    CHECK((copy->weight.dtype() == kDouble));
    CHECK_FALSE(copy->weight.grad().defined());
  }

  TEST_CASE("says which registration stands in the wrong place") {
    CHECK(refusal([&] { Parameters().clone(); }) == complaint("parameters", "register_parameter"));
    CHECK(refusal([&] { Buffers().clone(); }) == complaint("buffers", "register_buffer"));
    CHECK(refusal([&] { Children().clone(); }) == complaint("child modules", "register_module"));
  }
}
