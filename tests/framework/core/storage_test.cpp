#include <doctest/doctest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "etude/core/detail/tensor_impl.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using detail::Ref;
using detail::Storage;

namespace {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
const doctest::skip without_threads;
#else
const doctest::skip without_threads(false);
#endif

}  // namespace

TEST_SUITE("storage") {
  TEST_CASE("memory of every size is aligned to 64 bytes, its own and writable to the last byte") {
    std::vector<Ref<Storage>> blocks;
    for (const int64_t bytes :
         {0, 1, 63, 64, 65, 900, 960, 961, 1024, 1025, 4000, 65537, 1 << 20, (1 << 20) + 1, 3 << 20}) {
      blocks.push_back(detail::allocate(bytes));
      const Ref<Storage>& s = blocks.back();
      CAPTURE(bytes);
      CHECK(s->bytes == bytes);
      CHECK(reinterpret_cast<uintptr_t>(s->data) % 64 == 0);
      CHECK(s->version == 0);
      std::memset(s->data, static_cast<int>(blocks.size()), static_cast<size_t>(bytes));
    }
    for (size_t i = 0; i < blocks.size(); ++i)
      for (int64_t b = 0; b < blocks[i]->bytes; b += 61)
        REQUIRE(static_cast<size_t>(blocks[i]->data[b]) == i + 1);
  }

  TEST_CASE("a freed block is used again for the next of its size") {
    for (const int64_t bytes : {100, 5000, 1 << 22}) {
      const std::byte* first = detail::allocate(bytes)->data;
      CHECK(detail::allocate(bytes)->data == first);
    }
  }

  TEST_CASE("blocks pass between threads and die on any of them" * without_threads) {
    std::vector<std::thread> threads;
    std::vector<Tensor> made(8);
    for (size_t t = 0; t < made.size(); ++t)
      threads.emplace_back([&made, t] {
        for (int i = 1; i < 300; ++i) made[t] = full({i % 50 + 1}, static_cast<double>(t));
      });
    for (std::thread& t : threads) t.join();
    threads.clear();
    for (size_t t = 0; t < made.size(); ++t)
      threads.emplace_back([&made, t] {
        Tensor mine = std::move(made[t]);
        if (mine[0].item<double>() == static_cast<double>(t)) made[t] = mine + 1;
      });
    for (std::thread& t : threads) t.join();
    for (size_t t = 0; t < made.size(); ++t) CHECK(made[t][0].item<double>() == static_cast<double>(t) + 1);
  }

  TEST_CASE("impossible requests are refused and not attempted") {
    CHECK_THROWS_AS(detail::allocate(-1), Error);
    CHECK_THROWS_AS(detail::allocate(int64_t{1} << 60), Error);
    if (sizeof(void*) == 4) CHECK_THROWS_AS(detail::allocate(int64_t{1} << 33), Error);
    CHECK(refusal([] { empty({int64_t{1} << 40, int64_t{1} << 40}); }).rfind("Error: ", 0) == 0);
    CHECK(refusal([] { empty({int64_t{1} << 61}, kDouble); }).rfind("Error: ", 0) == 0);
  }

  TEST_CASE("memory that belongs to somebody else is used in place and not freed") {
    std::vector<float> mine = {1, 2, 3, 4, 5, 6};
    {
      const Tensor t = from_blob(mine.data(), {2, 3});
      t.mul_(2);
      CHECK(t.data_ptr<float>() == mine.data());
    }
    CHECK(mine == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(equal(from_blob(mine.data(), {2, 2}, {1, 3}), tensor({{2.0, 8.0}, {4.0, 10.0}})));
  }

  TEST_CASE("a counted reference frees its object with the last copy") {
    Ref<Storage> a = detail::allocate(10);
    CHECK(a.unique());
    Ref<Storage> b = a;
    CHECK_FALSE(a.unique());
    CHECK(a == b);
    b = nullptr;
    CHECK(a.unique());
    const Ref<Storage> c = std::move(a);
    CHECK((c.unique() && !a));
  }
}
