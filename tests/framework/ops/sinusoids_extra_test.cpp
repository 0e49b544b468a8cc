// Sines and cosines side by side, against both of them.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/core/restoring.h"
#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::indexing;

TEST_SUITE("sinusoids") {
  namespace {

  Tensor by_steps(const Tensor& positions, const Tensor& frequencies, int64_t width) {
    const Tensor angle = positions.unsqueeze(1) * frequencies,
                 y = etude::empty({positions.size(0), width}, angle.options());
    y.index_put_({Slice(), Slice(0, None, 2)}, sin(angle));
    y.index_put_({Slice(), Slice(1, None, 2)}, cos(angle).narrow(1, 0, width / 2));
    return y;
  }

  }  // namespace

  TEST_CASE("has the bits of sin and cos, for angles of every size and any number of threads") {
    for (const auto type : {kFloat, kDouble})
      for (const int64_t width : {0, 1, 2, 7, 64, 333})
        for (const double furthest : {0.0, 1.0, 3000.0, 1e9}) {
          CAPTURE(width);
          CAPTURE(furthest);
          const Tensor positions = (etude::arange(600, type) / 599 - 0.25) * furthest,
                       frequencies = exp(etude::arange((width + 1) / 2, type) * -0.05);
          const Tensor expected = by_steps(positions, frequencies, width);
          for (const int threads : {1, 3}) {
            const detail::Restoring<get_num_threads, set_num_threads> restoring(threads);
            const Tensor y = sinusoids(positions, frequencies, width);
            CHECK((y.scalar_type() == type));
            CHECK(y.equal(expected));
          }
        }
  }

  TEST_CASE("takes views, no positions, and negative zero") {
    const Tensor both = etude::arange(24, kFloat).view({6, 4});
    CHECK(sinusoids(both.select(1, 1), both.select(0, 0).slice(0, 0, 4, 2), 4)
              .equal(by_steps(both.select(1, 1), both.select(0, 0).slice(0, 0, 4, 2), 4)));
    CHECK(sinusoids(etude::empty({0}), both[0], 8).sizes() == IntArrayRef({0, 8}));
    CHECK(std::signbit(sinusoids(etude::full({1}, -0.0), etude::ones({1}), 2)[0][0].item<float>()));
  }

  TEST_CASE("infinite angles have no sine") {
    const Tensor y = sinusoids(etude::tensor({0.0, 1.0}), etude::tensor({1.0, double{INFINITY}}), 4);
    CHECK(y.isnan().equal(etude::tensor({{false, false, true, true}, {false, false, true, true}})));
  }

  TEST_CASE("refuses sizes that do not fit, other types, and gradients") {
    const Tensor p = etude::ones({3}), f = etude::ones({2});
    CHECK(refusal([&] { sinusoids(p, f, 5); }) ==
          "Error: sinusoids: expected positions and 3 frequencies for a width of 5, but got [3] and [2]");
    CHECK(refusal([&] { sinusoids(p.unsqueeze(0), f, 4); }).find("but got [1, 3] and [2]") !=
          std::string::npos);
    CHECK(refusal([&] { sinusoids(p, f.to(kDouble), 4); }) ==
          "Error: expected scalar type Float but found Double");
    CHECK(refusal([&] { sinusoids(p.to(kInt), f.to(kInt), 4); }).find("not implemented for 'Int'") !=
          std::string::npos);
    CHECK(refusal([&] { sinusoids(p.requires_grad_(), f, 4); }) != "");
  }
}
