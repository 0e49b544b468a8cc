// Results that have the same bits for any number of threads, where LibTorch's may differ in the last one.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include "etude/core/shape.h"
#include "etude/framework.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;
using indexing::Slice;

namespace {

Tensor phased(IntArrayRef sizes, double phase = 0.2) {
  return sin(etude::arange(count_elements(sizes), kDouble) * 1.3 + phase).view(sizes) * 3;
}

// Whether f gives the same bits with 1, 2 and 3 threads; restores the number of threads.
template <typename F>
bool same_bits_for_any_threads(F&& f) {
  const ThreadCount restored;
  set_num_threads(1);
  const Tensor one = f();
  bool same_bits = true;
  for (int threads : {2, 3}) {
    set_num_threads(threads);
    same_bits = same_bits && same(one, f());
  }
  return same_bits;
}

// Checks that f() gives the same bits with one thread and with more.
template <typename F>
void check_same_for_any_number_of_threads(const F& f) {
  const ThreadCount restored;
  set_num_threads(1);
  const Tensor one = f();
  for (int n : {2, 3, 5}) {
    set_num_threads(n);
    CHECK(same(f(), one));
  }
}

}  // namespace

TEST_SUITE("threads, beyond LibTorch") {
  TEST_CASE("gelu and its gradient give the same bits for any number of threads") {
    const Tensor x = phased({300, 301}).to(kFloat);
    for (const std::string form : {"none", "tanh"})
      CHECK(same_bits_for_any_threads([&] {
        const Tensor leaf = x.detach().requires_grad_(), y = gelu(leaf, form);
        return stack({y.detach(), autograd::grad({y}, {leaf}, {x})[0]});
      }));
  }

  TEST_CASE("softmax gives the same bits for any number of threads") {
    const Tensor x = phased({500, 301}).to(kFloat);
    for (const int64_t dim : {0, 1}) CHECK(same_bits_for_any_threads([&] { return softmax(x, dim); }));
  }

  TEST_CASE("matrix products give the same bits for any number of threads, with oneDNN and without") {
    const ThreadCount restored;
    for (const auto& [n, k, m] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{
             {1, 768, 768}, {300, 200, 170}, {64, 64, 64}, {5, 3000, 7}, {20, 50, 2000}}) {
      const Tensor a = phased({n, k}, 0).to(kFloat), b = phased({k, m}, 1).to(kFloat);
      for (bool fast : {true, false}) {
        const onednn::EnabledGuard path(fast);
        set_num_threads(1);
        const Tensor one = a.mm(b);
        for (int threads : {2, 3}) {
          set_num_threads(threads);
          CHECK(same(one, a.mm(b)));
        }
      }
    }
  }

  TEST_CASE("layer_norm gives the same bits for any number of threads") {
    manual_seed(3);
    const Tensor x = etude::randn({1500, 65}), dy = etude::randn({1500, 65});
    const ThreadCount restored;
    std::vector<Tensor> first;
    for (int n : {1, 2, 5}) {
      set_num_threads(n);
      const std::vector<Tensor> in = {x.clone().requires_grad_(), etude::ones({65}).requires_grad_(),
                                      etude::zeros({65}).requires_grad_()};
      const Tensor y = layer_norm(in[0], {65}, in[1], in[2]);
      y.backward(dy);
      std::vector<Tensor> now = {y.detach(), in[0].grad(), in[1].grad(), in[2].grad()};
      if (n == 1) first = now;
      for (size_t i = 0; i < now.size(); ++i) CHECK(same(now[i], first[i]));
    }
  }

  TEST_CASE("reductions give the same bits for any number of threads, along every dim") {
    const Tensor wide = phased({4001, 300}).to(kFloat).t(), narrow = phased({3, 400001}).to(kFloat).t();
    for (const Tensor& x : {wide, narrow, wide.contiguous(), narrow.contiguous()}) {
      CHECK(same_bits_for_any_threads([&] { return x.sum(); }));
      CHECK(same_bits_for_any_threads([&] { return x.sum(0); }));
      CHECK(same_bits_for_any_threads([&] { return x.mean(1); }));
      CHECK(same_bits_for_any_threads([&] { return x.var(); }));
      CHECK(same_bits_for_any_threads([&] { return x.argmax(0); }));
    }
  }

  TEST_CASE("indexing by tensors: results and gradients have the same bits for any number of threads") {
    manual_seed(3);
    const Tensor table = etude::randn({50, 600}), column = etude::randn({70000}),
                 ids = etude::randint(0, 50, {900}), places = etude::randint(0, 70000, {50000});
    const Tensor rows = etude::randn({900, 600}), values = etude::randn({50000});
    check_same_for_any_number_of_threads([&] { return table.index({ids}); });
    check_same_for_any_number_of_threads([&] { return table.index({Slice(), ids.remainder(600)}); });
    check_same_for_any_number_of_threads([&] { return table.clone().index_put_({ids}, rows); });
    check_same_for_any_number_of_threads([&] { return column.clone().index_put_({places}, values); });
    check_same_for_any_number_of_threads([&] {
      const Tensor leaf = table.clone().set_requires_grad(true);
      leaf.index({ids}).backward(rows);
      return leaf.grad();
    });
    check_same_for_any_number_of_threads([&] {
      const Tensor leaf = column.clone().set_requires_grad(true);
      leaf.index_select(0, places).backward(values);
      return leaf.grad();
    });
  }
}
