#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "etude/core/detail/generator_impl.h"
#include "etude/core/generator.h"
#include "support/processor.h"
#include "support/twister.h"

using namespace etude;

TEST_SUITE("generator, inside") {
  TEST_CASE("the stream is the same with the instructions of any processor") {
    for (const detail::Isa isa : kProcessors) {
      const ProcessorGuard guard(isa);
      CHECK(outputs(Generator(7), 1300) == standard_outputs(7, 1300));
    }
  }

  TEST_CASE("words taken in bulk are those taken one by one, wherever a block of 624 ends") {
    for (const int64_t before : {0, 1, 623, 624, 625}) {
      for (const int64_t count : {0, 1, 2, 623, 624, 625, 2000}) {
        detail::GeneratorImpl one(3), bulk(3);
        for (int64_t i = 0; i < before; ++i) CHECK(one.word() == bulk.word());
        std::vector<uint32_t> words(static_cast<size_t>(count));
        bulk.words(words.data(), count);
        for (const uint32_t word : words) REQUIRE(word == one.word());
        CHECK(bulk.word() == one.word());
      }
    }
  }
}
