#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "etude/core/generator.h"

namespace etude {

/// The next outputs of a generator.
inline std::vector<uint32_t> outputs(Generator generator, int count) {
  std::vector<uint32_t> all;
  for (int i = 0; i < count; ++i) all.push_back(generator.random());
  return all;
}

/// The first outputs of the standard library's Mersenne Twister.
inline std::vector<uint32_t> standard_outputs(uint32_t seed, int count) {
  std::mt19937 twister(seed);
  std::vector<uint32_t> all;
  for (int i = 0; i < count; ++i) all.push_back(static_cast<uint32_t>(twister()));
  return all;
}

}  // namespace etude
