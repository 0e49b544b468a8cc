// Clones and state of a ParameterList, as in Python, and the whole text of its error.
#include "etude/parameter_list.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("ParameterList, beyond LibTorch") {
  TEST_CASE("a clone has parameters of its own, frozen ones too") {
    ParameterList list(etude::ones({2}).requires_grad_(), etude::zeros({3}));
    const auto copy = std::dynamic_pointer_cast<ParameterListImpl>(list->clone());
    CHECK(copy->size() == 2);
    CHECK(copy->at(0).requires_grad());
    CHECK(copy->at(0).is_leaf());
    CHECK_FALSE(copy->at(1).requires_grad());
    list->at(1).fill_(1);
    CHECK(copy->at(1).equal(etude::zeros({3})));
  }

  TEST_CASE("its state goes out and in again") {
    ParameterList from(etude::ones({2}).requires_grad_()), to(etude::zeros({2}).requires_grad_());
    to->load_state_dict(from->state_dict());
    CHECK(to->at(0).equal(etude::ones({2})));
  }

  TEST_CASE("refuses positions that it does not have") {
    CHECK(golden::error_of([] { ParameterList(etude::ones({1}))->at(1); }) ==
          "Index out of range\nParameterList: index 1 of 1 parameters");
  }

  TEST_CASE("can be added to itself") {
    ParameterList list(etude::ones({2}), etude::zeros({3}), etude::ones({4}));
    *list += *list;
    CHECK(list->size() == 6);
    CHECK(list->at(5).equal(etude::ones({4})));
  }
}
