#include "etude/core/generator.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("generator") {
  TEST_CASE("manual_seed seeds the default generator") {
    manual_seed(12);
    CHECK(etude::detail::getDefaultCPUGenerator().current_seed() == 12);
    const Tensor first = etude::rand({5});
    CHECK_FALSE(etude::rand({5}).equal(first));
    manual_seed(12);
    CHECK(etude::rand({5}).equal(first));
  }

  TEST_CASE("only the low 32 bits of a seed reach the stream, but all 64 are kept") {
    Generator generator = etude::detail::getDefaultCPUGenerator();
    const uint64_t seed = (uint64_t{5} << 32) + 11;
    generator.set_current_seed(seed);
    CHECK(generator.current_seed() == seed);
    const Tensor drawn = etude::rand({700});
    generator.set_current_seed(11);
    CHECK(etude::rand({700}).equal(drawn));
    generator.set_current_seed(static_cast<uint64_t>(-1));
    CHECK(generator.current_seed() == 18446744073709551615u);
  }

  TEST_CASE("copies name the same stream and are equal") {
    const Generator generator = etude::detail::getDefaultCPUGenerator();
    Generator copy = generator;
    CHECK(copy == generator);
    CHECK_FALSE(copy != generator);
    copy.set_current_seed(4);
    CHECK(generator.current_seed() == 4);
    CHECK(etude::detail::getDefaultCPUGenerator() == copy);
  }

  TEST_CASE("seed() takes a seed from the system, keeps it and starts its stream") {
    Generator generator = etude::detail::getDefaultCPUGenerator();
    const uint64_t seed = generator.seed();
    CHECK(generator.current_seed() == seed);
    const Tensor drawn = etude::rand({5});
    CHECK(generator.seed() != seed);
    manual_seed(seed);
    CHECK(etude::rand({5}).equal(drawn));
  }
}
