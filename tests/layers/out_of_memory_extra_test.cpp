// Each allocation of a training step, of a save and of a load fails once: this throws, and a second attempt succeeds.
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "etude/etude.h"
#include "support/any_function.h"
#include "support/fingerprint.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ETUDE_TEST_KEEPS_NEW
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(_WIN32)
#define ETUDE_TEST_KEEPS_NEW  // a sanitizer has its own
#endif

#ifndef ETUDE_TEST_KEEPS_NEW

namespace failing_new {
namespace {

// The number of allocations of this thread before the one that fails; negative if none fails.
thread_local int allocations_to_go = -1;

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (allocations_to_go >= 0 && allocations_to_go-- == 0) return nullptr;
  if (alignment == 0) return std::malloc(bytes > 0 ? bytes : 1);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const p = allocate(bytes, alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace
}  // namespace failing_new

// These replace operator new of the whole program; all other forms call them.
void* operator new(std::size_t n) { return failing_new::allocate_or_throw(n, 0); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return failing_new::allocate(n, 0); }
void* operator new(std::size_t n, std::align_val_t a) {
  return failing_new::allocate_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return failing_new::allocate(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }

using namespace etude;

TEST_SUITE("out of memory") {
  namespace {

  void on_a_thread(const AnyFunction<void()>& f) {
    std::thread([&] {
      const onednn::EnabledGuard without(false);  // oneDNN allocates its memory in other ways
      f();
    }).join();
  }

  /// An operation that is tried while an allocation fails.
  struct Attempt {
    AnyFunction<void()> begin, run;
    AnyFunction<bool()> is_right_if_it_threw, is_right_if_not;  // some can do without that memory

    /// Fails the first allocation of a run, then the second, until none is left, each time on a new thread, which keeps no
    /// small blocks. Under a sanitizer only each fourth allocation fails. Returns the number of allocations.
    int fail_each() const {
      int failed = 0, wrong = 0;
      for (bool all = false; !all; failed += sanitized() ? 4 : 1)
        on_a_thread([&] {
          memory::release();
          begin();
          bool threw = false;
          failing_new::allocations_to_go = failed;
          try {
            run();
          } catch (const std::exception&) {
            threw = true;
          }
          all = failing_new::allocations_to_go >= 0;
          failing_new::allocations_to_go = -1;
          const bool is_right = threw ? is_right_if_it_threw() : is_right_if_not();
          CHECK_MESSAGE(is_right, "allocation ", failed, std::string(threw ? " threw" : ""));
          wrong += !is_right;
        });
      CHECK(wrong == 0);
      return failed;
    }
  };

  template <typename Model>
  struct Training {
    Model model;
    optim::AdamW optimizer{model->parameters(), 0.01};

    explicit Training(Model to_train) : model(std::move(to_train)) {}
    virtual ~Training() = default;
    virtual Tensor loss() = 0;
    void step() {
      const Tensor lost = loss();
      optimizer.zero_grad();
      lost.backward();
      nn::utils::clip_grad_norm_(model->parameters(), 1.0);
      optimizer.step();
    }
    std::string weights() const {
      Fingerprint all;
      for (const auto& item : model->state_dict()) all.add(*item);
      return all.text();
    }
    std::string weights_after_a_step() {
      step();
      return weights();
    }
  };

  nn::GPT small_gpt() {
    manual_seed(1);
    return nn::GPT(nn::GPTOptions(5).context(4).d_model(8).layers(1).heads(2).dropout(0));
  }
  struct OfGPT : Training<nn::GPT> {
    Tensor ids = etude::arange(5).reshape({1, 5});
    OfGPT() : Training(small_gpt()) {}
    Tensor loss() override {
      const Tensor logits = model->forward(ids.slice(1, 0, 4));
      return nn::functional::cross_entropy(logits.reshape({4, 5}), ids.slice(1, 1, 5).reshape({4}));
    }
    /// Resets the model to its initial weights.
    void start_again() {
      model->load_state_dict(small_gpt()->state_dict());
      for (const Tensor& p : model->parameters()) optimizer.state().erase(optim::Optimizer::state_key(p));
    }
  };

  /// A Linear after one step from weights that are all `value`.
  struct OfLinear : Training<nn::Linear> {
    Checkpoint checkpoint;
    explicit OfLinear(double value) : Training(nn::Linear(2, 1)) {
      checkpoint.add("model", *model).add("optimizer", optimizer);
      fill(value);
      step();
    }
    Tensor loss() override { return model->forward(etude::ones({1, 2})).sum(); }
    void fill(double value) {
      const NoGradGuard no_grad;
      for (const Tensor& p : model->parameters()) p.fill_(value);
    }
  };

  }  // namespace

  TEST_CASE("after a training step that failed, the same step is made from the same weights") {
    std::string right;
    on_a_thread([&] { right = OfGPT().weights_after_a_step(); });
    std::optional<OfGPT> training;
    Attempt attempt;
    attempt.begin = [&] { training.emplace(); };
    attempt.run = [&] { training->step(); };
    attempt.is_right_if_not = [&] { return training->weights() == right; };
    attempt.is_right_if_it_threw = [&] {
      training->start_again();
      return training->weights_after_a_step() == right;
    };
    CHECK(attempt.fail_each() > 300);
  }

  TEST_CASE("a save that failed leaves the old file alone") {
    const TemporaryFolder folder;
    const std::string path = folder / "old";
    OfLinear training(1);
    for (const AnyFunction<void()>& run : {AnyFunction<void()>([&] { save(training.model, path); }),
                                           {[&] { training.checkpoint.save(path); }}}) {
      run();
      const std::string saved = read_bytes(path);
      Attempt attempt;
      attempt.begin = [&] { write_bytes(path, "old"); };
      attempt.run = run;
      attempt.is_right_if_it_threw = [&] { return read_bytes(path) == "old" && folder.count() == 1; };
      attempt.is_right_if_not = [&] { return read_bytes(path) == saved && folder.count() == 1; };
      CHECK(attempt.fail_each() > 20);
    }
  }

  TEST_CASE("a load that failed can be tried again") {
    const TemporaryFolder folder;
    const std::string weights = folder / "weights", whole = folder / "whole";
    OfLinear training(0), other(1);
    save(other.model, weights);
    other.checkpoint.save(whole);
    const std::string right = other.weights(), right_after_a_step = other.weights_after_a_step();

    Attempt attempt;
    attempt.begin = [&] { training.fill(0); };
    attempt.run = [&] { load(training.model, weights); };
    attempt.is_right_if_not = [&] { return training.weights() == right; };
    attempt.is_right_if_it_threw = [&] {
      attempt.run();
      return attempt.is_right_if_not();
    };
    CHECK(attempt.fail_each() > 20);
    attempt.run = [&] { training.checkpoint.load(whole); };
    attempt.is_right_if_not = [&] { return training.weights_after_a_step() == right_after_a_step; };
    CHECK(attempt.fail_each() > 20);
  }
}

#endif
