// Features of Python that LibTorch lacks: seeded weights, state names, bool masks, batch first, no batch; empty
// batches.
#include <doctest/doctest.h>

#include "etude/multihead_attention.h"
#include "layers/transformer_golden.h"
#include "support/refusal.h"

using namespace etude;
using nn::MultiheadAttention;
using nn::MultiheadAttentionOptions;

TEST_SUITE("MultiheadAttention beyond LibTorch") {
  namespace {

  struct Collected : WarningHandler {
    void process(const SourceLocation&, const std::string& msg, bool) override { texts.push_back(msg); }
    std::vector<std::string> texts;
  };

  }  // namespace

  TEST_CASE("starts with PyTorch's weights for a seed, in the order of its state dict") {
    for (const auto& [name, row] : golden::transformer().at("attention").items()) {
      CAPTURE(name);
      manual_seed(3);
      MultiheadAttention attention(golden::attention_options(row.at("spec")));
      const auto state = attention->state_dict();
      REQUIRE(state.size() == row.at("state").size());
      for (size_t i = 0; i < state.size(); ++i) {
        CHECK(state[i].key() == row.at("state")[i][0].get<std::string>());
        CHECK(same(state[i].value(), golden::single(row.at("state")[i][1])));
      }
    }
  }

  TEST_CASE("has PyTorch's outputs and gradients for every kind of mask and layout, dropout drawn as there") {
    for (const auto& [name, row] : golden::transformer().at("attention").items()) {
      CAPTURE(name);
      const auto given = row.at("spec").value("options", golden::Recorded::object());
      MultiheadAttention attention(
          golden::attention_options(row.at("spec")).batch_first(given.value("batch_first", false)));
      golden::check_attention(row, attention);
      CHECK(rand({1}).item<float>() == row.at("next").get<float>());
    }
  }

  TEST_CASE("a batch of nothing and a sequence of nothing give nothing") {
    MultiheadAttention attention(8, 2);
    const auto [y, weights] = attention(zeros({3, 0, 8}), zeros({3, 0, 8}), zeros({3, 0, 8}));
    CHECK((y.sizes() == IntArrayRef({3, 0, 8}) && weights.sizes() == IntArrayRef({0, 3, 3})));
    CHECK(std::get<0>(attention(zeros({0, 2, 8}), zeros({3, 2, 8}), zeros({3, 2, 8}))).sizes() ==
          IntArrayRef({0, 2, 8}));
  }

  TEST_CASE("in eval mode nothing is dropped") {
    MultiheadAttention attention(MultiheadAttentionOptions(8, 2).dropout(0.9));
    attention->eval();
    const Tensor x = golden::ramp({3, 2, 8}), y = std::get<0>(attention(x, x, x));
    CHECK(same(y, std::get<0>(attention(x, x, x))));
    attention->train();
    CHECK_FALSE(same(y, std::get<0>(attention(x, x, x))));
  }

  TEST_CASE("masks of bytes count as bools, with PyTorch's warning") {
    MultiheadAttention attention(8, 2);
    const Tensor x = golden::ramp({3, 2, 8}), later = ones({3, 3}, kBool).triu(1),
                 padding = etude::tensor({{0, 0, 1}, {0, 0, 0}}).to(kBool);
    Collected warnings;
    const WarningUtils::WarningHandlerGuard guard(&warnings);
    const Tensor y = std::get<0>(attention(x, x, x, padding, true, later));
    CHECK(warnings.texts.empty());
    CHECK(same(std::get<0>(attention(x, x, x, padding.to(kByte), true, later.to(kByte))), y));
    CHECK(warnings.texts ==
          std::vector<std::string>{
              "Byte tensor for attn_mask in nn.MultiheadAttention is deprecated. Use bool tensor instead.",
              "Byte tensor for key_padding_mask in nn.MultiheadAttention is deprecated. Use bool tensor "
              "instead."});
  }

  TEST_CASE("keys and values can be made before, and both layouts give the same bits without oneDNN") {
    const onednn::EnabledGuard plain(false);
    const NoGradGuard no_grad;
    MultiheadAttention first(MultiheadAttentionOptions(12, 2)),
        batch_first(MultiheadAttentionOptions(12, 2).batch_first(true));
    batch_first->load_state_dict(first->state_dict());
    const Tensor x = golden::ramp({5, 3, 12}), memory = golden::ramp({4, 3, 12}) * 2,
                 padding = golden::ramp({3, 4}) > 0.2;
    const auto [y, weights] = first(x, memory, memory, padding, true, Tensor(), false);
    const auto kv = first->keys_and_values(memory, memory);
    CHECK(kv.first.sizes() == IntArrayRef({3, 2, 4, 6}));
    CHECK(same(std::get<0>(first->attend(x, kv, padding)), y));
    CHECK(same(std::get<1>(first->attend(x, kv, padding)), weights));
    CHECK_FALSE(std::get<1>(first->attend(x, kv, padding, /*need_weights=*/false)).defined());
    const Tensor turned = x.transpose(0, 1).contiguous(), turned_memory = memory.transpose(0, 1).contiguous();
    CHECK(same(std::get<0>(batch_first(turned, turned_memory, turned_memory, padding)), y.transpose(0, 1)));
    const auto turned_kv = batch_first->keys_and_values(turned_memory, turned_memory);
    CHECK(same(std::get<0>(batch_first->attend(turned, turned_kv, padding)), y.transpose(0, 1)));
  }

  TEST_CASE("refuses inputs that do not fit, and says what came") {
    MultiheadAttention attention(8, 2);
    const Tensor x = zeros({3, 2, 8});
    const Tensor none;
    CHECK(refusal([&] { attention(zeros({8}), x, x); }) ==
          "Error: query should be unbatched 2D or batched 3D tensor but received 1-D query tensor");
    CHECK(refusal([&] {
            attention(x, zeros({3, 8}), x);
          }) ==
          "Error: For batched (3-D) `query`, expected `key` and `value` to be 3-D but found 2-D and 3-D "
          "tensors respectively");
    CHECK(refusal([&] {
            attention(zeros({3, 2, 6}), x, x);
          }) == "Error: was expecting embedding dimension of 8, but got 6");
    CHECK(refusal([&] {
            attention(x, x, zeros({4, 2, 8}));
          }) == "Error: key shape torch.Size([3, 2, 8]) does not match value shape torch.Size([4, 2, 8])");
    CHECK(refusal([&] {
            attention(x, zeros({3, 1, 8}), zeros({3, 1, 8}));
          }) == "Error: query and key should have equal batch size, but got 2 and 1");
    CHECK(refusal([&] {
            attention(x, x, x, zeros({2, 3}, kBool), true, zeros({3, 4}));
          }) == "Error: The shape of the 2D attn_mask is torch.Size([3, 4]), but should be (3, 3).");
    CHECK(refusal([&] {
            attention(x, x, x, none, true, zeros({2, 3, 3}));
          }) == "Error: The shape of the 3D attn_mask is torch.Size([2, 3, 3]), but should be (4, 3, 3).");
    CHECK(refusal([&] {
            attention(x, x, x, none, true, zeros({3, 3}, kLong));
          }) == "Error: Only float, byte, and bool types are supported for attn_mask, not torch.int64");
    CHECK(refusal([&] {
            attention(x, x, x, zeros({3, 3}, kBool));
          }) == "Error: Expected key_padded_mask.shape[0] to be 2, but got 3");
    CHECK(refusal([&] { attention(x, x, x, zeros({3}, kBool)); }) ==
          "Error: For batched (3-D) `query`, expected `key_padding_mask` to be `None` or 2-D but found 1-D "
          "tensor instead");
  }
}
