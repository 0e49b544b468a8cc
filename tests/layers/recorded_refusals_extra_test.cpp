// The errors of modules and layers, with Python's whole messages from tests/golden/ops/errors.json.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "etude/dropout.h"
#include "etude/linear.h"
#include "etude/multihead_attention.h"
#include "etude/sequential.h"
#include "support/any_function.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("recorded refusals") {
  TEST_CASE("modules and layers refuse with PyTorch's sentence") {
    const auto attend = [](IntArrayRef query, IntArrayRef key, IntArrayRef value, const Tensor& padding = {},
                           const Tensor& mask = {}) {
      MultiheadAttention(8, 2)(zeros(query), zeros(key), zeros(value), padding, true, mask);
    };
    const Tensor two = zeros({2}), four = zeros({2, 2});
    const std::map<std::string, AnyFunction<void()>> refusals = {
        {"dropout p negative", [] { Dropout(-0.1); }},
        {"dropout p above 1", [] { Dropout(1.5); }},
        {"load_state_dict missing",
         [&] {
           Linear(2, 2)->load_state_dict({{"weight", four}});
         }},
        {"load_state_dict unexpected",
         [&] {
           Linear(LinearOptions(2, 2).bias(false))->load_state_dict({{"weight", four}, {"bias", two}});
         }},
        {"load_state_dict several",
         [] {
           Sequential(Linear(2, 2))->load_state_dict({{"0.weight", zeros({3, 2})}, {"x", zeros({1})}});
         }},
        {"mha heads", [] { MultiheadAttention(10, 3); }},
        {"mha key value",
         [&] {
           attend({3, 1, 8}, {4, 1, 8}, {5, 1, 8});
         }},
        {"mha mask shape",
         [&] {
           attend({3, 1, 8}, {3, 1, 8}, {3, 1, 8}, {}, zeros({2, 2}));
         }},
        {"mha pad shape",
         [&] {
           attend({3, 2, 8}, {3, 2, 8}, {3, 2, 8}, zeros({3, 2}, kBool));
         }},
        {"mha 1d", [&] { attend({8}, {8}, {8}); }},
    };
    size_t count = 0;
    for (const auto& recorded : golden_json("ops/errors.json")) {
      const std::string id = recorded.at("id").get<std::string>().substr(6);
      CAPTURE(id);
      const auto found = refusals.find(id);
      if (found == refusals.end()) continue;
      ++count;
      const std::string expected = recorded.at("message"), text = refusal_lines(found->second);
      CHECK(text.substr(0, expected.size()) == expected);  // then the received value follows
    }
    CHECK(count == refusals.size());
  }
}
