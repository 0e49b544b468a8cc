// Clones and state of a ParameterDict, as in Python.
#include "etude/parameter_dict.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("ParameterDict, beyond LibTorch") {
  TEST_CASE("a clone has parameters of its own, frozen ones too") {
    ParameterDict dict;
    dict->insert("a", etude::ones({2}).requires_grad_());
    dict->insert("b", etude::zeros({3}));
    const auto copy = std::dynamic_pointer_cast<ParameterDictImpl>(dict->clone());
    CHECK(copy->keys() == dict->keys());
    CHECK(copy->get("a").requires_grad());
    CHECK_FALSE(copy->get("b").requires_grad());
    dict["b"].fill_(1);
    CHECK(copy->get("b").equal(etude::zeros({3})));
  }

  TEST_CASE("its state goes out and in again") {
    ParameterDict from, to;
    from->insert("a", etude::ones({2}).requires_grad_());
    to->insert("a", etude::zeros({2}).requires_grad_());
    CHECK(from->state_dict().keys() == std::vector<std::string>{"a"});
    to->load_state_dict(from->state_dict());
    CHECK(to["a"].equal(etude::ones({2})));
  }
}
