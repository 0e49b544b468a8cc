#include "etude/distributed/detail/reducer.h"

#include <doctest/doctest.h>

#include "etude/nn/activation_checkpoint.h"
#include "etude/ops/ops.h"
#include "support/has.h"
#include "support/refusal.h"
#include "support/thread_group.h"

using namespace etude;
using distributed::detail::Reducer;

TEST_SUITE("reducer") {
  namespace {

  std::shared_ptr<Reducer> reducer_of(const std::vector<Tensor>& parameters,
                                      std::shared_ptr<ThreadGroup> group, int64_t bucket_bytes) {
    auto reducer =
        std::make_shared<Reducer>(parameters, std::move(group), Reducer::Options{bucket_bytes, true});
    reducer->listen();
    return reducer;
  }

  std::vector<Tensor> parameters_of(const std::vector<int64_t>& sizes, ScalarType type = kFloat) {
    std::vector<Tensor> parameters;
    for (const int64_t size : sizes)
      parameters.push_back(etude::ones({size}, TensorOptions(type).requires_grad(true)));
    return parameters;
  }

  }  // namespace

  TEST_CASE("buckets are filled from the last parameter on, and later in the order of backward") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::vector<Tensor> p = parameters_of({1, 2, 3, 4});
      const auto reducer = reducer_of(p, group, 4);  // a bucket for each
      const auto backward = [&] {
        group->reduced.clear();
        // The forward order is 0, 3, 1; gradients arrive from the last on; 2 has none.
        const Tensor y = p[0].sum() * 2, z = p[3].sum() * 2, x = p[1].sum() * 2;
        (x + z + y).backward();
        return group->reduced;
      };
      using Sizes = std::vector<int64_t>;
      CHECK(backward() == Sizes{5, 4, 3, 2});  // and one flag per parameter: whether it is used
      CHECK(backward() == Sizes{3, 5, 2, 4});
      CHECK(backward() == Sizes{3, 5, 2, 4});
      CHECK_FALSE(p[2].grad().defined());
    });
  }

  TEST_CASE(
      "the order is that of rank 0, and buckets leave while backward goes on, as soon as all before are "
      "full") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::vector<Tensor> p = parameters_of({1, 2, 3});
      const auto reducer = reducer_of(p, group, 4);
      std::vector<std::vector<int64_t>> sent;  // the reduced sizes when each gradient arrives
      const auto backward = [&] {
        sent.clear();
        Tensor sum = etude::zeros({});
        const std::vector<size_t> order =
            group->getRank() == 0 ? std::vector<size_t>{0, 1, 2} : std::vector<size_t>{2, 0, 1};
        std::vector<Tensor> terms;
        for (const size_t i : order) {
          terms.push_back(p[i] * 2);
          terms.back().register_hook([&](const Tensor&) { sent.push_back(group->reduced); });
        }
        for (const Tensor& term : terms) sum = sum + term.sum();
        group->reduced.clear();
        sum.backward();
      };
      backward();
      CHECK(sent[2].empty());
      backward();
      using Sizes = std::vector<int64_t>;
      // Rank 1 gets the gradients of 1, 0, 2, and delays all buckets until it has the gradient of 2.
      if (group->getRank() == 0) CHECK(sent == std::vector<Sizes>{{}, {4}, {4, 3}});
      else CHECK(sent == std::vector<Sizes>{{}, {}, {}});
      CHECK(group->reduced == Sizes{4, 3, 2});
      for (const Tensor& t : p) CHECK(t.grad().eq(4).all().item<bool>());
    });
  }

  TEST_CASE("a bucket has one type, is full at its cap, and the first one is small") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      std::vector<Tensor> p = parameters_of({1000, 1000, 300000, 1000, 1000});
      const std::vector<Tensor> doubles = parameters_of({10, 10}, kDouble);
      p.insert(p.begin() + 1, doubles.begin(), doubles.end());
      const auto reducer = reducer_of(p, group, 25 * 1024 * 1024);
      Tensor sum = etude::zeros({}, kDouble);
      for (const Tensor& t : p) sum = sum + t.sum().to(kDouble);
      sum.backward();
      // 302,000 floats are more than 1 MiB; all others are less than 25 MiB.
      CHECK(group->reduced == std::vector<int64_t>{302003, 2002, 22});
      for (const Tensor& t : p) CHECK(t.grad().eq(1).all().item<bool>());
    });
  }

  TEST_CASE("gradients are the memory of the bucket, and no views") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::vector<Tensor> p = parameters_of({2, 3});
      const auto reducer = reducer_of(p, group, 1000);
      (p[0].sum() + p[1].sum()).backward();
      CHECK(p[0].grad().is_alias_of(p[1].grad()));
      CHECK_FALSE(p[0].grad().is_view());
    });
  }

  TEST_CASE("a weight whose gradient comes several times, from recomputed segments, is averaged once") {
    for (const bool in_parts : {false, true})
      on_ranks(2, [&](const std::shared_ptr<ThreadGroup>& group) {
        const std::vector<Tensor> p = parameters_of({3, 3});
        const auto reducer = reducer_of(p, group, 4);
        const auto segment = [&](const Tensor& x) { return x * p[0]; };
        const auto loss = [&](int segments) {
          Tensor x = p[1] * (group->getRank() + 1);
          for (int i = 0; i < segments; ++i) x = nn::utils::checkpoint(segment, x);
          return x.sum();
        };
        for (int step = 1; step <= 3; ++step) {
          if (in_parts)
            for (const bool is_last : {false, true}) {
              reducer->begin_part(is_last);
              (loss(3) / 4).backward();
              reducer->end_part();
            }
          else loss(3).backward();
          CHECK(p[0].grad().eq(4.5 * step).all().item<bool>());
          CHECK(p[1].grad().eq(1.5 * step).all().item<bool>());
        }
        if (in_parts) return;
        CHECK(has(refusal([&] { loss(4).backward(); }), "Expected to mark a variable ready only once."));
      });
  }

  TEST_CASE("after an exception in backward all begins anew") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::vector<Tensor> p = parameters_of({2, 2});
      const auto reducer = reducer_of(p, group, 4);
      (p[0] * p[1]).sum().backward();
      for (int i = 0; i < 2; ++i) {
        const Tensor y = p[0] * 3;
        y.register_hook([](const Tensor&) -> Tensor { throw Error("it is enough"); });
        const Tensor z = y.exp().log();
        CHECK(refusal([&] { (z + (p[1] * 1).exp().exp().exp().exp()).sum().backward(); }) ==
              "Error: it is enough");
        CHECK(p[0].grad().eq(1).all().item<bool>());
        CHECK(p[1].grad().eq(1).all().item<bool>());
      }
      (p[0] * p[1]).sum().backward();
      CHECK(p[0].grad().eq(2).all().item<bool>());
      CHECK(p[1].grad().eq(2).all().item<bool>());
    });
  }

  TEST_CASE("no gradient here changes nothing of the others', not even the sign of a zero") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::vector<Tensor> p = parameters_of({2, 2});
      const auto reducer = reducer_of(p, group, 1000);
      Tensor loss = p[1].sum();
      if (group->getRank() == 0) loss = loss + (p[0] * -0.0).sum();
      loss.backward();
      CHECK(std::signbit(p[0].grad()[0].item<float>()));
    });
  }

  TEST_CASE("a reducer that is gone leaves the gradients to their leaves") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::vector<Tensor> p = parameters_of({2});
      reducer_of(p, group, 4);
      p[0].sum().backward();
      CHECK(p[0].grad().eq(1).all().item<bool>());
      CHECK(group->reduced.empty());
    });
  }

  TEST_CASE("a parameter of another type than before is refused") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::vector<Tensor> p = parameters_of({2, 2});
      const auto reducer = reducer_of(p, group, 1000);
      (p[0].sum() + p[1].sum()).backward();
      for (const Tensor& t : p) {
        t.mutable_grad().reset();
        t.set_data(etude::ones({2}, kDouble));
      }
      CHECK(has(refusal([&] { (p[0].sum() + p[1].sum()).backward(); }), "has changed its type or its sizes"));
    });
  }
}
