// Python's streams of generators, and generators that are made from a seed and drawn from directly, which
// LibTorch only has internally.
#include <doctest/doctest.h>

#include <random>
#include <thread>
#include <vector>

#include "etude/core/generator.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/twister.h"

using namespace etude;

TEST_SUITE("generator, beyond LibTorch") {
  TEST_CASE("the stream is that of the standard library's Mersenne Twister") {
    for (const uint32_t seed : {0u, 1u, 42u, 5489u, 2147483648u, 4294967295u})
      CHECK(outputs(Generator(seed), 2000) == standard_outputs(seed, 2000));
  }

  TEST_CASE("64-bit outputs have the earlier output as their high half") {
    std::mt19937 twister(9);
    Generator generator(9);
    for (int i = 0; i < 1000; ++i) {
      const uint64_t high = twister(), low = twister();
      CHECK(generator.random64() == (high << 32 | low));
    }
  }

  TEST_CASE("only the low 32 bits of a seed reach the stream, but all 64 are kept") {
    const uint64_t seed = (uint64_t{5} << 32) + 11;
    Generator generator(1);
    generator.manual_seed(seed);
    CHECK(generator.initial_seed() == seed);
    CHECK(generator.current_seed() == seed);
    CHECK(outputs(generator, 700) == standard_outputs(11, 700));
    generator.set_current_seed(static_cast<uint64_t>(-1));
    CHECK(generator.initial_seed() == 18446744073709551615u);
    CHECK(outputs(generator, 10) == standard_outputs(4294967295u, 10));
  }

  TEST_CASE("a generator that nobody seeded has PyTorch's seed 67280421310721") {
    const Generator generator;
    CHECK(generator.initial_seed() == 67280421310721u);
    CHECK(outputs(generator, 10) == standard_outputs(static_cast<uint32_t>(67280421310721u), 10));
  }

  TEST_CASE("copies name the same stream and are equal, others are not") {
    Generator a(4);
    Generator b = a;
    CHECK(a == b);
    CHECK(a != Generator(4));
    const std::vector<uint32_t> expected = standard_outputs(4, 2);
    CHECK(a.random() == expected[0]);
    CHECK(b.random() == expected[1]);
  }

  TEST_CASE("seed() takes a seed from the system, keeps it and starts its stream") {
    Generator a(4), b(4);
    const uint64_t seed = a.seed();
    CHECK(a.initial_seed() == seed);
    CHECK(seed != b.seed());
    CHECK(outputs(a, 5) == standard_outputs(static_cast<uint32_t>(seed), 5));
  }

  TEST_CASE("manual_seed seeds the default generator") {
    manual_seed(12);
    CHECK(default_generator().initial_seed() == 12);
    CHECK(detail::getDefaultCPUGenerator() == default_generator());
    CHECK(outputs(default_generator(), 5) == standard_outputs(12, 5));
  }

  TEST_CASE("a state that has more outputs left than there are is refused, where PyTorch reads past them") {
    Generator generator(5);
    generator.random();
    const Tensor state = generator.get_state();
    state[16].fill_(2);
    CHECK(refusal_text([&] { generator.set_state(state); }) == "Invalid mt19937 state");
    state[16].fill_(1);
    generator.set_state(state);
    CHECK(generator.random() == standard_outputs(5, 2).back());
  }

  TEST_CASE("two threads may draw from one generator") {
    Generator generator(8);
    const auto draw = [&] {
      for (int i = 0; i < 20000; ++i) generator.random();
    };
    std::thread other(draw);
    draw();
    other.join();
    CHECK(generator.random() == standard_outputs(8, 40001).back());
  }
}
