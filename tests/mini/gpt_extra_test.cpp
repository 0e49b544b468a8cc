// Mini's GPT trains like the library's: from one seed it has the same weights, losses and gradients.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/etude.h"
#include "mini/gpt.h"

TEST_SUITE("mini") {
  namespace {

  std::vector<double> numbers_of(const etude::Tensor& t) {
    const etude::Tensor x = t.detach().to(etude::kDouble).contiguous();
    return {x.data_ptr<double>(), x.data_ptr<double>() + x.numel()};
  }
  std::vector<double> numbers_of(const mini::Tensor& t) {
    const mini::Tensor x = t.detach().to(mini::kFloat).contiguous();
    return {x.data_ptr<float>(), x.data_ptr<float>() + x.numel()};
  }

  // The largest difference, relative to the largest number.
  template <typename A, typename B>
  double apart(const A& a, const B& b) {
    const std::vector<double> x = numbers_of(a), y = numbers_of(b);
    REQUIRE(x.size() == y.size());
    double largest = 1e-30, farthest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i]));
      farthest = std::isnan(x[i] - y[i]) ? 1e300 : std::max(farthest, std::abs(x[i] - y[i]));
    }
    return farthest / largest;
  }

  template <typename Named>
  std::string names_of(const Named& named) {
    std::string all;
    for (const auto& item : named) all += item.key() + "\n";
    return all;
  }

  }  // namespace

  TEST_CASE("a GPT has the library's names, first weights, losses and steps, with dropout too") {
    for (const double dropout : {0.0, 0.2}) {
      etude::manual_seed(3);
      mini::manual_seed(3);
      etude::nn::GPT fast(
          etude::nn::GPTOptions(11).context(9).d_model(16).layers(2).heads(2).dropout(dropout));
      fast->reset_parameters();
      mini::nn::GPT plain(
          mini::nn::GPTOptions(11).context(9).d_model(16).layers(2).heads(2).dropout(dropout));
      etude::manual_seed(4);
      mini::manual_seed(4);
      fast->reset_parameters();
      plain->reset_parameters();
      CHECK(names_of(fast->state_dict()) == names_of(plain->state_dict()));
      etude::optim::AdamW fast_step(fast->parameters(), etude::optim::AdamWOptions(0.01));
      mini::optim::AdamW plain_step(plain->parameters(), mini::optim::AdamWOptions(0.01));
      for (int step = 0; step < 4; ++step) {
        const auto ids = etude::randint(11, {4, 9});
        const auto same_ids = mini::randint(11, {4, 9});
        fast_step.zero_grad();
        plain_step.zero_grad();
        const auto loss = etude::nn::functional::cross_entropy(fast(ids.narrow(1, 0, 8)).reshape({-1, 11}),
                                                               ids.narrow(1, 1, 8).reshape({-1}));
        const auto same_loss = mini::nn::functional::cross_entropy(
            plain(same_ids.narrow(1, 0, 8)).reshape({-1, 11}), same_ids.narrow(1, 1, 8).reshape({-1}));
        loss.backward();
        same_loss.backward();
        CHECK(apart(loss, same_loss) < 2e-6);
        const auto theirs = plain->named_parameters();
        for (const auto& item : fast->named_parameters()) {
          INFO(item.key());
          const mini::Tensor* const p = theirs.find(item.key());
          REQUIRE(p != nullptr);
          if (step == 0) CHECK(apart(item.value(), *p) < 1e-6);
          CHECK(apart(item.value().grad(), p->grad()) < 2e-4);
        }
        fast_step.step();
        plain_step.step();
      }
    }
  }

  TEST_CASE(
      "a token of probability 0 costs nothing if it is no target, and a query that may look nowhere has no "
      "gradient") {
    const double never = -std::numeric_limits<double>::infinity();
    CHECK(
        mini::nn::functional::cross_entropy(mini::tensor({{0.0, never}}), mini::tensor({0})).item<float>() ==
        0);
    const mini::Tensor mask = mini::tensor({{true, false}, {false, false}});
    mini::Tensor x[3];
    for (mini::Tensor& t : x) t = mini::randn({2, 4}).requires_grad_();
    const mini::Tensor y = mini::nn::functional::scaled_dot_product_attention(x[0], x[1], x[2], mask);
    CHECK(mini::equal(y[1], mini::zeros({4})));
    CHECK(mini::equal(y[0].detach(), x[2][0].detach()));
    (y * mini::randn({2, 4})).sum().backward();
    for (const mini::Tensor& t : x) CHECK_FALSE(t.grad().isnan().any().item<bool>());
    CHECK(mini::equal(x[0].grad()[1], mini::zeros({4})));
  }

  TEST_CASE("a state with another name or other sizes is refused, and nothing is loaded") {
    const mini::nn::Linear linear(2, 3);
    const mini::Tensor before = linear->weight.detach().clone();
    mini::nn::Named state;
    state.insert("weight", mini::ones({3, 2}));
    state.insert("bias", mini::ones({1}));
    CHECK_THROWS_WITH_AS(linear->load_state_dict(state),
                         "Error(s) in loading state_dict: size mismatch for bias: copying [1] into [3].",
                         mini::Error);
    state = linear->state_dict();
    state.insert("more", before);
    CHECK_THROWS_WITH_AS(linear->load_state_dict(state),
                         "Error(s) in loading state_dict: Unexpected key(s) in state_dict: \"more\".",
                         mini::Error);
    CHECK(mini::equal(linear->weight.detach(), before));
  }

  TEST_CASE("a target that is no class is refused") {
    for (const int64_t target : {-1, 3})
      CHECK_THROWS_AS(mini::nn::functional::cross_entropy(mini::zeros({1, 3}), mini::tensor({target})),
                      mini::Error);
  }
}
