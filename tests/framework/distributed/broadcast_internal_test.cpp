#include "etude/distributed/detail/broadcast.h"

#include <doctest/doctest.h>

#include "support/thread_group.h"

using namespace etude;

TEST_SUITE("broadcast of many tensors") {
  TEST_CASE("each process gets from the others what they own, whatever its type, its sizes and its strides") {
    on_ranks(3, [](const std::shared_ptr<ThreadGroup>& group) {
      const int rank = group->getRank();
      const auto own = [&](ScalarType type) { return etude::full({2, 3}, rank + 1, type); };
      const std::vector<std::vector<Tensor>> all = {
          {own(kFloat), own(kLong), own(kFloat).t(), etude::empty({0})}, {}, {own(kDouble), own(kBool)}};
      distributed::detail::broadcast_from_owners(*group, all);
      for (const size_t i : {0u, 1u, 2u}) CHECK(all[0][i].eq(1).all().item<bool>());
      CHECK(all[2][0].eq(3).all().item<bool>());
      CHECK(all[2][1].all().item<bool>());
    });
  }

  TEST_CASE("what is larger than one operation goes in several") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      std::vector<Tensor> all;
      for (int i = 0; i < 5; ++i) all.push_back(etude::full({3 * 1024 * 1024}, i + 10.0 * group->getRank()));
      all[1].requires_grad_();
      distributed::detail::broadcast_from_owners(*group, {all});
      for (int i = 0; i < 5; ++i) CHECK(all[static_cast<size_t>(i)].detach().eq(i).all().item<bool>());
    });
  }
}
