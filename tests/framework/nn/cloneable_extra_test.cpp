// What clone does beyond LibTorch's: it draws no random numbers, keeps frozen and non-persistent state, skips
// null submodules and names a submodule that cannot be cloned.
#include "etude/nn/cloneable.h"

#include <doctest/doctest.h>

#include <thread>

#include "support/cloneable_leaf.h"

using namespace etude;
using nn::Cloneable;
using nn::Module;

TEST_SUITE("clone, beyond LibTorch") {
  namespace {

  struct PairImpl : Cloneable<PairImpl> {
    PairImpl() { PairImpl::reset(); }
    void reset() override {
      left = register_module("left", CloneableLeaf(2));
      right = register_module("right", CloneableLeaf(20));
      register_module("none", std::shared_ptr<CloneableLeafImpl>());
      scratch = register_buffer("scratch", etude::zeros({2}), /*persistent=*/false);
    }
    CloneableLeaf left = nullptr, right = nullptr;
    Tensor scratch;
  };
  ETUDE_MODULE(Pair);

  }  // namespace

  TEST_CASE("draws no random numbers") {
    Pair pair;
    manual_seed(4);
    const float expected = etude::rand({1}).item<float>();
    manual_seed(4);
    pair->clone();
    CHECK(etude::rand({1}).item<float>() == expected);
  }

  TEST_CASE("keeps modes, frozen parameters and what is not persistent") {
    Pair pair;
    pair->eval();
    pair->right->train();
    pair->left->weight.set_requires_grad(false);
    Pair copy = std::dynamic_pointer_cast<PairImpl>(pair->clone());
    CHECK_FALSE(copy->is_training());
    CHECK_FALSE(copy->left->is_training());
    CHECK(copy->right->is_training());
    CHECK_FALSE(copy->left->weight.requires_grad());
    CHECK(copy->right->weight.requires_grad());
    CHECK(copy->right->weight.is_leaf());
    CHECK(copy->state_dict().keys() == pair->state_dict().keys());
    CHECK_FALSE(copy->state_dict().contains("scratch"));
    CHECK(copy->named_buffers().contains("scratch"));
  }

  TEST_CASE("leaves other threads the stream that they draw from") {
    struct Asks : Cloneable<Asks> {
      void reset() override {
        here = default_generator();
        std::thread([this] { elsewhere = default_generator(); }).join();
      }
      Generator here, elsewhere;
    };
    const auto copy = std::dynamic_pointer_cast<Asks>(Asks().clone());
    CHECK(copy->elsewhere == default_generator());
    CHECK(copy->here != default_generator());
  }

  TEST_CASE("a submodule that cannot be cloned says so") {
    struct Plain : Module {};
    struct Holder : Cloneable<Holder> {
      Holder() { Holder::reset(); }
      void reset() override { register_module("plain", std::make_shared<Plain>()); }
    };
    CHECK_THROWS_WITH(Holder().clone(), doctest::Contains("clone() has not been implemented for "));
  }

  TEST_CASE("the random stream goes on where it was even if reset throws") {
    struct Throws : Cloneable<Throws> {
      void reset() override {
        etude::rand({3});
        throw Error("reset failed");
      }
    };
    manual_seed(4);
    const float expected = etude::rand({1}).item<float>();
    manual_seed(4);
    CHECK_THROWS_WITH(Throws().clone(), "reset failed");
    CHECK(etude::rand({1}).item<float>() == expected);
  }
}
