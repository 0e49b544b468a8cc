// The memory of a training loop does not grow.
#include <doctest/doctest.h>
#include <malloc.h>

#include <vector>

#include "etude/etude.h"
#include "support/sanitized.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("memory of training") {
  namespace {

  /// The number of bytes that the process has allocated and not freed.
  size_t allocated_bytes() {
    if (sanitized()) return __sanitizer_get_current_allocated_bytes();
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  /// A typical training loop of a GPT on random ids. It first frees the cached blocks of earlier tests.
  struct Loop {
    Loop() { memory::release(); }
    // On a busy machine, where ops only sometimes use several threads, oneDNN would keep primitives for both cases.
    ThreadCount one_thread{1};
    nn::GPT model{nn::GPTOptions(31).context(16).d_model(32).layers(2).heads(2).dropout(0.1)};
    optim::AdamW optimizer{model->parameters(), optim::AdamWOptions(1e-3)};
    optim::CosineAnnealingLR schedule{optimizer, 1000};
    optim::EMA averages{model->parameters(), 0.99};

    Tensor step() {
      const Tensor ids = etude::randint(31, {4, 17});
      optimizer.zero_grad();
      const Tensor logits = model(ids.slice(1, 0, -1));
      Tensor loss = nn::functional::cross_entropy(logits.flatten(0, 1), ids.slice(1, 1).flatten());
      loss.backward();
      nn::utils::clip_grad_norm_(model->parameters(), 1.0);
      optimizer.step();
      schedule.step();
      averages.update();
      return loss;
    }
  };

  }  // namespace

  TEST_CASE("a loop needs as much after many steps as after a few") {
    Loop loop;
    for (int i = 0; i < 20; ++i) loop.step();
    const size_t early = allocated_bytes();
    for (int i = 0; i < 200; ++i) loop.step();
    CHECK(allocated_bytes() <= early + 16 * 1024);
  }

  TEST_CASE("graphs that are kept are seen in it") {
    Loop loop;
    for (int i = 0; i < 20; ++i) loop.step();
    const size_t early = allocated_bytes();
    std::vector<Tensor> kept;
    for (int i = 0; i < 200; ++i) kept.push_back(loop.step().clone());
    CHECK(allocated_bytes() > early + 16 * 1024);
  }
}
