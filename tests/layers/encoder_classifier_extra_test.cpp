#include "etude/encoder_classifier.h"

#include <doctest/doctest.h>

#include "layers/models_golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("EncoderClassifier") {
  namespace {

  EncoderClassifierOptions small() {
    return EncoderClassifierOptions(11, 3)
        .d_model(8)
        .heads(2)
        .dim_feedforward(12)
        .layers(2)
        .dropout(0)
        .padding_idx(0);
  }

  EncoderClassifierOptions modern() {
    return small().norm_first(true).activation(kGELU).pooling(Pooling::First);
  }

  }  // namespace

  TEST_CASE("a padding_idx below zero counts from the end") {
    manual_seed(0);
    EncoderClassifier model(small().padding_idx(10)), same_one(small().padding_idx(-1));
    same_one->load_state_dict(model->state_dict());
    const Tensor ids = etude::tensor({{1, 2, 10}, {3, 10, 10}}, kLong);
    CHECK(equal(same_one(ids), model(ids)));
  }

  TEST_CASE("has the logits and gradients of PyTorch's layers") {
    for (const bool first : {false, true}) {
      EncoderClassifier model(first ? modern() : small());
      const auto& recorded = golden::models().at(first ? "classifier_of_first" : "classifier_of_mean");
      golden::fill(*model, recorded);
      const Tensor y = model(golden::ids("src"));
      CHECK(golden::close(y, recorded.at("logits"), 1e-6));
      (y * golden::ramp(y.sizes()).to(kDouble)).sum().backward();
      golden::check_gradients(*model, recorded, 1e-5);
    }
  }

  TEST_CASE("padding changes nothing") {
    EncoderClassifier model(small());
    const NoGradGuard no_grad;
    const Tensor src = golden::ids("src");
    CHECK(allclose(model(src)[1], model(src.slice(0, 1, 2).slice(1, 0, 2))[0], 1e-4, 1e-6));
    EncoderClassifier unpadded(small().padding_idx(nullopt));
    unpadded->load_state_dict(model->state_dict());
    CHECK(allclose(model(src)[0], unpadded(src)[0], 1e-4, 1e-6));
    CHECK_FALSE(allclose(model(src)[1], unpadded(src)[1]));
  }

  TEST_CASE("a gradient reaches every parameter, in train mode with dropout") {
    manual_seed(2);
    EncoderClassifier model(small().dropout(0.1).positions(LearnedPositions(4, 8).ptr()));
    model(golden::ids("src")).logsumexp(-1).sum().backward();
    for (const auto& p : model->named_parameters()) {
      CAPTURE(p.key());
      CHECK(p->grad().abs().sum().item<double>() > 0);
    }
  }

  TEST_CASE("clones, saves and loads itself, and draws its weights anew") {
    EncoderClassifier model(modern()), other(modern());
    const NoGradGuard no_grad;
    const Tensor src = golden::ids("src"), y = model(src);
    other->load_state_dict(model->state_dict());
    CHECK(equal(other(src), y));
    CHECK(equal(std::dynamic_pointer_cast<EncoderClassifierImpl>(model->clone())->forward(src), y));
    other->reset_parameters();
    CHECK_FALSE(equal(other(src), y));
    CHECK_FALSE(equal(other->encoder->layers[0]->named_parameters()["linear1.weight"],
                      other->encoder->layers[1]->named_parameters()["linear1.weight"]));
  }

  TEST_CASE("computes a batch of nothing, and refuses what does not fit") {
    EncoderClassifier model(small());
    CHECK(model(zeros({0, 4}, kLong)).sizes() == IntArrayRef({0, 3}));
    CHECK(refusal([&] { model(zeros({4}, kLong)); }) ==
          "Error: EncoderClassifier: expected ids of sizes [batch, sequence] with at least one token, but "
          "got [4]");
    CHECK(refusal([&] {
            model(zeros({2, 0}, kLong));
          }) ==
          "Error: EncoderClassifier: expected ids of sizes [batch, sequence] with at least one token, but "
          "got [2, "
          "0]");
    CHECK(refusal([&] {
            model(zeros({2, 3}, kLong));
          }) == "Error: EncoderClassifier: a sequence is nothing but padding");
  }
}
