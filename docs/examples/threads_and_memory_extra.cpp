#include "support/example.h"

/// - Units: bytes
/// - Errors: none of its own
/// - PyTorch: `torch.cuda.memory_allocated`, `torch.cuda.max_memory_allocated`, `torch.cuda.reset_peak_memory_stats`
EXAMPLE(etude::memory::stats, etude::memory::Stats, etude::memory::reset_most_in_use) {
  const int64_t mebibyte = 1024 * 1024;
  etude::memory::reset_most_in_use();
  const etude::memory::Stats before = etude::memory::stats();
  {
    const Tensor numbers = etude::zeros({mebibyte});
    print(etude::memory::stats().in_use - before.in_use >= 4 * mebibyte);
  }
  const etude::memory::Stats after = etude::memory::stats();
  print(after.in_use == before.in_use, after.most_in_use - before.in_use >= 4 * mebibyte);
}

/// - Units: bytes
/// - Errors: none of its own
/// - PyTorch: `torch.cuda.empty_cache`
EXAMPLE(etude::memory::release, etude::empty_cache) {
  etude::zeros({1024, 1024});
  print(etude::memory::release() > 0);
  print(etude::memory::stats().kept);
  print(etude::empty_cache());
}
