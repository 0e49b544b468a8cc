#pragma once

#include <cstdint>
#include <vector>

#include "etude/ops/detail/random.h"
#include "support/processor.h"

namespace etude {

constexpr int64_t kCount = 3001;

/// The bytes that f writes from seed 5 with a given instruction set.
template <typename T, typename F>
std::vector<unsigned char> bytes_on(detail::Isa isa, F&& f) {
  const ProcessorGuard guard(isa);
  detail::GeneratorImpl generator(5);
  std::vector<unsigned char> bytes(kCount * sizeof(T));
  f(generator, reinterpret_cast<T*>(bytes.data()));
  return bytes;
}

template <typename T, typename F>
bool same_on_all(F&& f) {
  for (const detail::Isa isa : kProcessors)
    if (bytes_on<T>(isa, f) != bytes_on<T>(detail::Isa::Baseline, f)) return false;
  return true;
}

}  // namespace etude
