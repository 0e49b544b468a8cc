#include "etude/functional.h"

#include <doctest/doctest.h>

#include <sstream>

#include "etude/linear.h"
#include "etude/sequential.h"
#include "layers/golden.h"

using namespace etude;
using nn::Functional;

TEST_SUITE("Functional") {
  TEST_CASE("calls a function or a lambda") {
    CHECK(Functional(relu)(etude::tensor({-1.0, 2.0})).equal(etude::tensor({0.0, 2.0})));
    const double factor = 3;
    Functional scale([factor](Tensor x) { return x * factor; });
    CHECK(scale(etude::ones({2})).equal(etude::full({2}, 3.0)));
    CHECK(scale->forward(etude::ones({2})).equal(etude::full({2}, 3.0)));
    CHECK((*scale)(etude::ones({2})).equal(etude::full({2}, 3.0)));
  }

  TEST_CASE("is left out where modules are saved and loaded") {
    const auto make = [] { return nn::Sequential(nn::Linear(2, 2), Functional(relu), nn::Linear(2, 2)); };
    nn::Sequential saved = make(), loaded = make();
    CHECK_FALSE(saved[1]->is_serializable());
    std::stringstream stream;
    etude::save(saved, stream);
    etude::load(loaded, stream);
    CHECK(loaded->forward(etude::ones({2})).equal(saved->forward(etude::ones({2}))));
    serialize::InputArchive archive, none;
    stream.seekg(0);
    archive.load_from(stream);
    CHECK(archive.try_read("0", none));
    CHECK_FALSE(archive.try_read("1", none));
  }

  TEST_CASE("binds further arguments") {
    Functional power([](const Tensor& x, double exponent, double factor) { return x.pow(exponent) * factor; },
                     2.0, 5.0);
    CHECK(power(etude::tensor({3.0})).equal(etude::tensor({45.0})));
  }
}
