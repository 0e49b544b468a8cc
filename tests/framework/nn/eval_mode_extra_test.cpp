#include "etude/nn/eval_mode.h"

#include <doctest/doctest.h>

#include <thread>

using namespace etude;
using nn::EvalMode;
using nn::Module;

TEST_SUITE("EvalMode") {
  namespace {

  struct Inner : Module {};
  struct Outer : Module {
    Outer() { inner = register_module("inner", std::make_shared<Inner>()); }
    std::shared_ptr<Inner> inner;
  };

  }  // namespace

  TEST_CASE("a model and what is in it act as in eval mode, and others do not") {
    Outer model, other;
    {
      const EvalMode eval_mode(model);
      CHECK_FALSE(model.is_training());
      CHECK_FALSE(model.inner->is_training());
      CHECK(other.is_training());
      CHECK(other.inner->is_training());
    }
    CHECK(model.is_training());
    CHECK(model.inner->is_training());
  }

  TEST_CASE("other threads see the mode that the model has") {
    Outer model;
    const EvalMode eval_mode(model);
    bool model_trains = false, inner_trains = false;
    std::thread([&] {
      model_trains = model.is_training();
      inner_trains = model.inner->is_training();
    }).join();
    CHECK(model_trains);
    CHECK(inner_trains);
  }

  TEST_CASE("they stand in each other, and end in any order") {
    Outer model;
    auto first = std::make_unique<EvalMode>(model), second = std::make_unique<EvalMode>(*model.inner);
    first.reset();
    CHECK(model.is_training());
    CHECK_FALSE(model.inner->is_training());
    second.reset();
    CHECK(model.inner->is_training());
  }

  TEST_CASE("a mode that is set meanwhile counts afterwards") {
    Outer model;
    {
      const EvalMode eval_mode(model);
      model.inner->eval();
      model.train();
      CHECK_FALSE(model.inner->is_training());
      model.inner->eval();
    }
    CHECK(model.is_training());
    CHECK_FALSE(model.inner->is_training());
  }
}
