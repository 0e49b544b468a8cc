// The state of losses with weights, as in Python, and clones that share no weights.
#include "etude/loss.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Losses, beyond LibTorch") {
  TEST_CASE("their state dict has the weights that there are") {
    const Tensor w = etude::tensor({1.0, 2.0});
    CHECK(CrossEntropyLoss()->state_dict().is_empty());
    CHECK(CrossEntropyLoss(CrossEntropyLossOptions().weight(w))->state_dict().keys() ==
          std::vector<std::string>{"weight"});
    CHECK(BCEWithLogitsLoss(BCEWithLogitsLossOptions().pos_weight(w))->state_dict().keys() ==
          std::vector<std::string>{"pos_weight"});
  }

  TEST_CASE("the loss is that of the weights loaded, or converted") {
    const Tensor scores = golden::ramp({3, 2}), classes = etude::tensor({0, 1, 1});
    CrossEntropyLoss loaded(CrossEntropyLossOptions().weight(etude::ones({2})));
    CrossEntropyLoss meant(CrossEntropyLossOptions().weight(etude::tensor({3.0, 0.5})));
    loaded->load_state_dict(meant->state_dict());
    CHECK(loaded(scores, classes).equal(meant(scores, classes)));
    meant->to(kDouble);
    CHECK(meant(scores.to(kDouble), classes).allclose(loaded(scores, classes).to(kDouble), 1e-6));
  }

  TEST_CASE("a clone has weights of its own") {
    const Tensor w = etude::tensor({1.0, 2.0});
    NLLLoss original(NLLLossOptions().weight(w));
    const auto copy = std::dynamic_pointer_cast<NLLLossImpl>(original->clone());
    copy->weight.fill_(5);
    CHECK(w.equal(etude::tensor({1.0, 2.0})));
    CHECK(original->weight.equal(w));
    CHECK(copy->buffers()[0].equal(etude::full({2}, 5.0)));
    original->weight.fill_(7);
    CHECK(copy->weight.equal(etude::full({2}, 5.0)));
  }
}
