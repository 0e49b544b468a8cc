#pragma once

#include <array>

#include "etude/core/detail/vectorised.h"

namespace etude {

/// The instruction sets, from the smallest to the largest.
constexpr std::array<detail::Isa, 3> kProcessors = {detail::Isa::Baseline, detail::Isa::Avx2,
                                                    detail::Isa::Avx512};

/// Limits the instruction set for a scope, and restores it afterwards.
class ProcessorGuard {
 public:
  explicit ProcessorGuard(detail::Isa most) : before_(detail::isa()) { detail::limit_isa(most); }
  ~ProcessorGuard() { detail::limit_isa(before_); }
  ProcessorGuard(const ProcessorGuard&) = delete;
  ProcessorGuard& operator=(const ProcessorGuard&) = delete;

 private:
  detail::Isa before_;
};

}  // namespace etude
