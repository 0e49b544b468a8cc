#include "etude/core/memory.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "etude/ops/ops.h"
#include "support/sanitized.h"

using namespace etude;

TEST_SUITE("empty_cache") {
  namespace {

  // Bytes of this process that are in memory; a sanitizer keeps what is freed.
  int64_t resident() {
    if (etude::sanitized()) return 0;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("VmRSS:", 0) == 0) return std::stoll(line.substr(6)) * 1024;
    return 0;
  }

  }  // namespace

  TEST_CASE("gives back what freed tensors leave, and says how much it was") {
    empty_cache();
    CHECK(empty_cache() == 0);
    const int64_t million = 1000000, before = resident();
    for (const int64_t size : {1000, 100000, 5000000}) {
      std::vector<Tensor> tensors;
      for (int64_t bytes = 0; bytes < 100 * million; bytes += 4 * size)
        tensors.push_back(etude::ones({size}));
    }
    const int64_t after = resident();
    CHECK((after == 0 || after - before > 200 * million));
    CHECK(empty_cache() > 290 * million);
    CHECK(resident() - before < 50 * million);
    CHECK(empty_cache() == 0);
  }

  TEST_CASE("leaves tensors that are in use alone") {
    const Tensor kept = etude::ones({100000});
    etude::ones({100000});
    CHECK(empty_cache() > 0);
    CHECK(kept.sum().item<float>() == 100000);
  }
}
