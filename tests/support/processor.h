#pragma once

#include <array>

#include "etude/core/detail/vectorised.h"

namespace etude {

/// What processors can do, from the least to the most.
constexpr std::array<detail::Isa, 3> kProcessors = {detail::Isa::Baseline, detail::Isa::Avx2,
                                                    detail::Isa::Avx512};

/// In its scope the processor can do no more than what it is given, and afterwards as much as before.
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
