#include "etude/core/memory.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "etude/ops/ops.h"
#include "support/sanitized.h"

using namespace etude;

TEST_SUITE("memory") {
  namespace {

  // The resident bytes of this process; 0 with a sanitizer, which keeps freed memory.
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
    std::vector<Tensor> tensors;
    for (const int64_t size : {1000, 100000, 5000000})
      for (int64_t bytes = 0; bytes < 100 * million; bytes += 4 * size)
        tensors.push_back(etude::ones({size}));
    tensors.clear();
    const int64_t after = resident();
    CHECK((after == 0 || after - before > 150 * million));
    CHECK(empty_cache() > 150 * million);  // part of the memory of small tensors was already released
    CHECK(resident() - before < 50 * million);
    CHECK(empty_cache() == 0);
  }

  TEST_CASE("stats count what tensors use, used at most, and leave") {
    memory::release();
    const memory::Stats before = memory::stats();
    memory::reset_most_in_use();
    {
      const Tensor x = etude::ones({1 << 20}), y = etude::ones({1 << 18});
      const memory::Stats with_both = memory::stats();
      // Blocks are rounded up, by a quarter at most.
      CHECK(with_both.in_use - before.in_use >= 5 << 20);
      CHECK(with_both.in_use - before.in_use <= 25 << 18);
      CHECK(with_both.most_in_use == with_both.in_use);
      CHECK(with_both.kept == 0);
    }
    const memory::Stats after = memory::stats();
    CHECK(after.in_use == before.in_use);
    CHECK(after.most_in_use - before.in_use >= 5 << 20);
    CHECK(after.kept >= 5 << 20);
    const Tensor z = etude::ones({1 << 20});  // reuses a kept block
    CHECK(memory::stats().kept < after.kept);
    memory::reset_most_in_use();
    CHECK(memory::stats().most_in_use == memory::stats().in_use);
  }

  TEST_CASE("a tensor whose bytes are a power of two, or a quarter more, takes hardly more than them") {
    const auto taken = [](int64_t bytes) {
      const int64_t before = memory::stats().in_use;
      const Tensor t = etude::empty({bytes}, kByte);
      return memory::stats().in_use - before;
    };
    const auto is_near = [](int64_t actual, int64_t bytes) {
      return actual >= bytes && actual <= bytes + 128;
    };
    for (int k = 11; k < 25; ++k) {
      const int64_t size = int64_t{1} << k;
      for (const int64_t bytes : {size, size / 4 * 5, size / 4 * 6, size / 4 * 7})
        for (const int64_t fewer : {0, 1, 63}) CHECK(is_near(taken(bytes - fewer), bytes));
      // A slightly larger tensor takes a quarter more, so that a block fits many sizes.
      CHECK(is_near(taken(size + 1), size / 4 * 5));
      CHECK(is_near(taken(size / 4 * 7 + 1), 2 * size));
    }
    memory::release();
    CHECK(taken(1000) <= 1024 + 128);
  }

  TEST_CASE("tensors of nearly one size take the same block") {
    memory::release();
    etude::empty({1 << 20}, kByte);
    CHECK(memory::stats().kept > 0);
    for (const int64_t bytes : {1 << 20, (1 << 20) - 1, (7 << 17) + 1}) {
      const Tensor t = etude::empty({bytes}, kByte);
      CHECK(memory::stats().kept == 0);
    }
  }

  TEST_CASE("what is in use or kept is at most twice what was in use lately") {
    memory::release();
    { const Tensor large = etude::ones({10000000}); }
    CHECK(memory::stats().kept > 40000000);
    for (int i = 0; i < 10001; ++i) etude::empty({1000});  // each is allocated and freed
    CHECK(memory::stats().kept < 10000000 + memory::stats().in_use);
    // Blocks of sizes that are never needed again do not add up.
    for (int64_t n = 100000; n < 4000000; n += n / 4) etude::empty({n});
    CHECK(memory::stats().kept <= 2 * (4 * 5000000 + memory::stats().in_use));
  }

  TEST_CASE("tensors of several sizes, one after the other, take what is kept") {
    memory::release();
    const auto round = [] {
      for (const int64_t n : {3000000, 4000000}) etude::empty({n});
      return memory::stats().kept;
    };
    CHECK(round() >= 7000000 * 4);
    CHECK(round() == round());
  }

  TEST_CASE("leaves tensors that are in use alone") {
    const Tensor kept = etude::ones({100000});
    etude::ones({100000});
    CHECK(empty_cache() > 0);
    CHECK(kept.sum().item<float>() == 100000);
  }

  TEST_CASE("make_unique makes one value, or an array of zeros") {
    const auto pair = etude::make_unique<std::pair<int, char>>(3, 'x');
    CHECK(pair->first == 3);
    CHECK(pair->second == 'x');
    const auto array = etude::make_unique<int[]>(3);
    array[0] = 7;
    CHECK(array[0] + array[1] + array[2] == 7);
  }
}
