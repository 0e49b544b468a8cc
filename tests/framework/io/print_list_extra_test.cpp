// Lists of tensors, written as Python's repr of a list.
#include <doctest/doctest.h>

#include <sstream>
#include <vector>

#include "etude/framework.h"

using namespace etude;

TEST_SUITE("printed lists of tensors") {
  TEST_CASE("stand in brackets") {
    std::ostringstream out;
    const std::vector<Tensor> list = {etude::ones({1}), etude::zeros({2})};
    out << list << TensorList() << TensorList(list).slice(1);
    CHECK(out.str() == "[tensor([1.]), tensor([0., 0.])][][tensor([0., 0.])]");
  }
}
