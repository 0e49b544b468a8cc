// The state of activations and what their clones print, as in Python.
#include "etude/activation.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Activations, beyond LibTorch") {
  TEST_CASE("gumbel_softmax draws PyTorch's numbers") {
    const auto recorded = golden_json("layers/losses.json").at("gumbel");
    for (const bool hard : {false, true}) {
      manual_seed(3);
      const Tensor y = functional::gumbel_softmax(golden::ramp({3, 4}) * 2,
                                                  functional::GumbelSoftmaxFuncOptions().tau(0.5).hard(hard));
      CHECK(golden::close(y, recorded.at(hard ? "hard" : "soft")));
    }
  }

  TEST_CASE("have no state and can be cloned") {
    for (const std::shared_ptr<Module>& module :
         std::vector<std::shared_ptr<Module>>{ReLU().ptr(), GELU().ptr(), Tanh().ptr(), Sigmoid().ptr(),
                                              Softmax(1).ptr(), LogSoftmax(1).ptr()}) {
      CHECK(module->state_dict().is_empty());
      CHECK(golden::text(*module->clone()) == golden::text(*module));
    }
  }
}
