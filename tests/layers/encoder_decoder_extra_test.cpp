#include "etude/encoder_decoder.h"

#include <doctest/doctest.h>

#include <cmath>

#include "etude/generate.h"
#include "layers/models_golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

namespace {

constexpr int64_t kPadding = 0;

EncoderDecoderOptions small(EncoderDecoderOptions o) {
  return o.d_model(8).heads(2).dim_feedforward(12).encoder_layers(2).decoder_layers(2).dropout(0).padding_idx(
      kPadding);
}

EncoderDecoderOptions paper() { return small(EncoderDecoderOptions(11)); }

EncoderDecoderOptions modern() {
  return small(EncoderDecoderOptions(11, 12))
      .norm_first(true)
      .activation(kGELU)
      .tied_head(false)
      .positions(LearnedPositions(6, 8).ptr());
}

EncoderDecoder recorded_model(const EncoderDecoderOptions& options, const char* name) {
  EncoderDecoder model(options);
  golden::fill(*model, golden::models().at(name));
  return model;
}

}  // namespace

TEST_SUITE("EncoderDecoder") {
  TEST_CASE("a padding_idx below zero counts from the end") {
    manual_seed(0);
    EncoderDecoder model(paper().padding_idx(10)), same_one(paper().padding_idx(-1));
    same_one->load_state_dict(model->state_dict());
    const Tensor src = etude::tensor({{1, 2, 10}, {3, 10, 10}}, kLong),
                 tgt = etude::tensor({{1, 4, 5}, {1, 10, 10}}, kLong);
    CHECK(equal(same_one->loss(src, tgt), model->loss(src, tgt)));
  }

  TEST_CASE("hooks of the decoder's layers are heard with a cache, too") {
    manual_seed(0);
    EncoderDecoder model(paper());
    const Tensor src = etude::tensor({{1, 2, 3}}, kLong);
    model->decoder->layers->ptr(0)->register_forward_hook(
        [](Module&, const std::vector<Tensor>&, const std::vector<Tensor>& y) { return -3 * y[0]; });
    CHECK(equal(generate(model, src, 1, GenerateOptions(5)),
                generate(model, src, 1, GenerateOptions(5).use_cache(false))));
  }

  TEST_CASE("the paper's form has the logits, loss and gradients of PyTorch's layers") {
    EncoderDecoder model = recorded_model(paper(), "encoder_decoder");
    const auto& recorded = golden::models().at("encoder_decoder");
    CHECK(golden::close(model(golden::ids("src"), golden::ids("tgt")), recorded.at("logits"), 1e-6));
    const Tensor loss = model->loss(golden::ids("src"), golden::ids("tgt"));
    CHECK(golden::close(loss, recorded.at("loss"), 1e-6));
    loss.backward();
    golden::check_gradients(*model, recorded, 1e-5);
  }

  TEST_CASE("the modern form has the logits, loss and gradients of PyTorch's layers") {
    EncoderDecoder model = recorded_model(modern(), "modern_encoder_decoder");
    const auto& recorded = golden::models().at("modern_encoder_decoder");
    CHECK(golden::close(model(golden::ids("src"), golden::ids("tgt")), recorded.at("logits"), 1e-9));
    const Tensor loss = model->loss(golden::ids("src"), golden::ids("tgt"));
    CHECK(golden::close(loss, recorded.at("loss"), 1e-9));
    loss.backward();
    golden::check_gradients(*model, recorded, 1e-9);
  }

  TEST_CASE("labels are smoothed in train mode alone") {
    EncoderDecoder model = recorded_model(paper(), "encoder_decoder"),
                   plain = recorded_model(paper().label_smoothing(0), "encoder_decoder");
    const Tensor src = golden::ids("src"), tgt = golden::ids("tgt");
    CHECK_FALSE(allclose(model->loss(src, tgt), plain->loss(src, tgt)));
    model->eval();
    CHECK(equal(model->loss(src, tgt), plain->loss(src, tgt)));
  }

  TEST_CASE("its loss is the same for many sentences, whose logits are not there at once") {
    for (const EncoderDecoderOptions& o : {paper(), modern()}) {
      EncoderDecoder model(o);
      const auto many = [](const char* name) { return golden::ids(name).repeat({60, 1}); };
      const auto gradients = [&](const Tensor& src, const Tensor& tgt) {
        model->zero_grad();
        const Tensor loss = model->loss(src, tgt);
        loss.backward();
        std::vector<Tensor> all{loss.detach()};
        for (const Tensor& p : model->parameters()) all.push_back(p.grad().clone());
        return all;
      };
      const auto few = gradients(golden::ids("src"), golden::ids("tgt")),
                 all = gradients(many("src"), many("tgt"));
      for (size_t i = 0; i < few.size(); ++i) CHECK(allclose(all[i], few[i], 1e-4, 1e-6));
    }
  }

  TEST_CASE("nobody looks at padding or at what comes later") {
    EncoderDecoder model = recorded_model(paper(), "encoder_decoder");
    const NoGradGuard no_grad;
    const Tensor src = golden::ids("src"), tgt = golden::ids("tgt"), y = model(src, tgt);
    CHECK(allclose(model(src.slice(0, 1, 2).slice(1, 0, 2), tgt.slice(0, 1, 2))[0], y[1], 1e-10, 1e-10));
    Tensor other = tgt.clone();
    other.index_put_({0, 3}, 9);
    const Tensor z = model(src, other);
    CHECK(allclose(y[0].slice(0, 0, 3), z[0].slice(0, 0, 3), 1e-12, 1e-12));
    CHECK_FALSE(allclose(y[0].slice(0, 3), z[0].slice(0, 3)));
  }

  TEST_CASE("a target that grows step by step has the logits of the whole one, however it is cut") {
    for (const bool is_modern : {false, true}) {
      CAPTURE(is_modern);
      EncoderDecoder model = is_modern ? recorded_model(modern(), "modern_encoder_decoder")
                                       : recorded_model(paper(), "encoder_decoder");
      model->eval();
      const NoGradGuard no_grad;
      const Tensor src = golden::ids("src"), tgt = golden::ids("tgt"), whole = model(src, tgt);
      for (const std::vector<int64_t>& cut :
           std::vector<std::vector<int64_t>>{{1, 1, 1, 1, 1}, {3, 2}, {5}}) {
        DecoderState state = model->start(model->encode(src), src, 5);
        std::vector<Tensor> parts;
        int64_t at = 0;
        for (const int64_t n : cut) {
          parts.push_back(model->decode(tgt.narrow(1, at, n), state));
          at += n;
        }
        CHECK(allclose(cat(parts, 1), whole, 1e-10, 1e-10));
      }
    }
  }

  TEST_CASE("without oneDNN a target that grows step by step has the logits of the whole one, bit by bit") {
    const onednn::EnabledGuard plain(false);
    const NoGradGuard no_grad;
    const Tensor src = etude::tensor({{3, 4, 5, 6, 7, 8}, {9, 2, 7, 0, 0, 0}, {5, 3, 8, 1, 2, 0}}, kLong),
                 tgt = (arange(3 * 21).view({3, 21}) * 7).remainder(10) + 1;
    for (const bool norm_first : {false, true})
      for (const ScalarType dtype : {kFloat, kDouble}) {
        CAPTURE(norm_first);
        manual_seed(4);
        EncoderDecoder model(small(EncoderDecoderOptions(11)).d_model(12).norm_first(norm_first));
        model->to(dtype);
        model->eval();
        const Tensor memory = model->encode(src), whole = model->decode(tgt, memory, src);
        DecoderState state = model->start(memory, src, 21);
        for (const auto& [from, count] :
             std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 1}, {2, 17}, {19, 2}})
          CHECK(same(model->decode(tgt.narrow(1, from, count), state), whole.narrow(1, from, count)));
      }
  }

  TEST_CASE("shows what each head looks at") {
    EncoderDecoder model(paper().dropout(0.5));
    const Tensor src = golden::ids("src"), tgt = golden::ids("tgt");
    const std::vector<Tensor> weights = model->cross_attention(src, tgt);
    CHECK(model->is_training());
    REQUIRE(weights.size() == 2);
    for (const Tensor& w : weights) {
      CHECK(w.sizes() == IntArrayRef({3, 2, 5, 4}));
      CHECK(allclose(w.sum(-1), ones({3, 2, 5})));
      CHECK(w[1].slice(-1, 2).abs().max().item<double>() == 0);  // padding
    }
    CHECK(equal(model->cross_attention(src, tgt)[1], weights[1]));
  }

  TEST_CASE("the first layer's heads look where PyTorch's attention says") {
    EncoderDecoder model(small(EncoderDecoderOptions(11)).decoder_layers(1).norm_first(true));
    const Tensor src = golden::ids("src"), tgt = golden::ids("tgt");
    const Tensor found = model->cross_attention(src, tgt)[0];
    const NoGradGuard no_grad;
    model->eval();
    auto& layer = model->decoder->layers->at<TransformerDecoderLayerImpl>(0);
    const Tensor x = model->tgt_embedding(tgt), later = ones({5, 5}, kBool).triu(1), n = layer.norm1(x);
    const Tensor after = x + std::get<0>(layer.self_attn(n, n, n, Tensor(), false, later));
    const Tensor memory = model->encode(src);
    const Tensor expected = std::get<1>(layer.multihead_attn(
        layer.norm2(after), memory, memory, src == kPadding, true, Tensor(), /*average_attn_weights=*/false));
    CHECK(allclose(found, expected, 1e-5, 1e-6));
  }

  TEST_CASE("embeddings are shared or separate, and are the output layer or not") {
    const auto names = [](const EncoderDecoderOptions& o) {
      std::vector<std::string> found;
      for (const std::string& name : EncoderDecoder(o)->named_parameters().keys())
        if (name.find("coder.") == std::string::npos) found.push_back(name);
      return found;
    };
    using Names = std::vector<std::string>;
    CHECK(names(paper()) == Names{"embedding.tokens.weight"});
    CHECK(names(small(EncoderDecoderOptions(11, 12))) ==
          Names{"src_embedding.tokens.weight", "tgt_embedding.tokens.weight"});
    CHECK(names(modern()) == Names{"src_embedding.tokens.weight", "src_embedding.positions.weight",
                                   "tgt_embedding.tokens.weight", "tgt_embedding.positions.weight",
                                   "head.weight", "head.bias"});
    CHECK(names(paper().tied_head(false)) == Names{"embedding.tokens.weight", "head.weight", "head.bias"});
    CHECK(refusal([] { EncoderDecoder(small(EncoderDecoderOptions(11, 12)).shared_embedding(true)); }) ==
          "Error: EncoderDecoder: a shared embedding needs one vocabulary, but the source has 11 tokens and "
          "the "
          "target 12");
  }

  TEST_CASE("starts with layers that differ, and clones, saves and loads itself") {
    for (const EncoderDecoderOptions& o : {paper(), modern()}) {
      EncoderDecoder model(o), other(o);
      const Tensor src = golden::ids("src"), tgt = golden::ids("tgt");
      const NoGradGuard no_grad;
      const auto p = model->named_parameters();
      CHECK_FALSE(equal(p["encoder.layers.0.linear1.weight"], p["encoder.layers.1.linear1.weight"]));
      const Tensor y = model(src, tgt);
      other->load_state_dict(model->state_dict());
      CHECK(equal(other(src, tgt), y));
      const auto copy = std::dynamic_pointer_cast<EncoderDecoderImpl>(model->clone());
      CHECK(equal(copy->forward(src, tgt), y));
      copy->tgt_embedding->tokens->weight.zero_();
      CHECK(equal(model(src, tgt), y));
      model->reset_parameters();
      CHECK_FALSE(equal(model(src, tgt), y));
    }
  }

  TEST_CASE("a gradient reaches every parameter, in train mode with dropout") {
    for (const EncoderDecoderOptions& o : {paper().dropout(0.1), modern().dropout(0.1)}) {
      manual_seed(1);
      EncoderDecoder model(o);
      model->loss(golden::ids("src"), golden::ids("tgt")).backward();
      for (const auto& p : model->named_parameters()) {
        CAPTURE(p.key());
        CHECK(p->grad().abs().sum().item<double>() > 0);
      }
    }
  }

  TEST_CASE("its gradient is that of differences") {
    EncoderDecoder model = recorded_model(modern(), "modern_encoder_decoder");
    Tensor weight = model->decoder->layers->at<TransformerDecoderLayerImpl>(0).linear1->weight;
    const auto f = [&](const Tensor&) { return model->loss(golden::ids("src"), golden::ids("tgt")); };
    const Tensor loss = f(weight);
    loss.backward();
    const Tensor grad = weight.grad().clone();
    const NoGradGuard no_grad;
    for (const int64_t i : {0, 17, 50}) {
      Tensor element = weight.view(-1)[i];
      element.add_(1e-6);
      const double above = f(weight).item<double>();
      element.sub_(2e-6);
      const double below = f(weight).item<double>();
      element.add_(1e-6);
      CHECK(grad.view(-1)[i].item<double>() == doctest::Approx((above - below) / 2e-6).epsilon(1e-5));
    }
  }

  TEST_CASE("computes one token, and a batch of nothing") {
    EncoderDecoder model(paper());
    const Tensor one = etude::tensor({{3}}, kLong), none = zeros({0, 4}, kLong);
    CHECK(model(one, one).sizes() == IntArrayRef({1, 1, 11}));
    CHECK(model(none, none).sizes() == IntArrayRef({0, 4, 11}));
  }

  TEST_CASE("refuses what does not fit, and says so") {
    EncoderDecoder model(paper());
    const Tensor src = golden::ids("src"), tgt = golden::ids("tgt");
    CHECK(refusal([&] { model(src, tgt[0]); }) ==
          "Error: PositionedEmbedding: expected ids of sizes [batch, sequence], but got [5]");
    CHECK(refusal([&] { model->loss(src, tgt.slice(1, 0, 1)); }) ==
          "Error: EncoderDecoder: expected targets of sizes [batch, target] with at least two tokens, but "
          "got [3, "
          "1]");
    CHECK(refusal([&] {
            model(zeros({3, 2}, kLong), tgt);
          }) == "Error: EncoderDecoder: a source is nothing but padding");
    const NoGradGuard no_grad;
    DecoderState state = model->start(model->encode(src), src, 5);
    CHECK(refusal([&] { model->decode(tgt, state); }) ==
          "Error: EncoderDecoder: a target is continued without dropout");
  }
}

TEST_SUITE("generate with EncoderDecoder") {
  TEST_CASE("takes the most probable token, one after the other") {
    EncoderDecoder model = recorded_model(paper(), "encoder_decoder");
    const Tensor src = golden::ids("src"), found = generate(model, src, 1, GenerateOptions(6));
    CHECK(model->is_training());
    model->eval();
    const NoGradGuard no_grad;
    Tensor expected = full({3, 1}, 1, kLong);
    for (int i = 0; i < 6; ++i)
      expected = cat({expected, model(src, expected).select(1, -1).argmax(-1, true)}, 1);
    CHECK(equal(found, expected));
  }

  TEST_CASE("with and without a cache the tokens are the same in float32") {
    for (const bool by_onednn : {false, true}) {
      const onednn::EnabledGuard guard(by_onednn);
      manual_seed(5);
      EncoderDecoder model(
          EncoderDecoderOptions(40).d_model(48).heads(4).dim_feedforward(64).encoder_layers(1).decoder_layers(
              2));
      const Tensor src = (arange(4 * 9).view({4, 9}) * 11).remainder(39) + 1;
      const auto o = GenerateOptions(24);
      CHECK(equal(generate(model, src, 1, o), generate(model, src, 1, GenerateOptions(o).use_cache(false))));
    }
  }

  TEST_CASE("with and without a cache the tokens are the same") {
    for (const bool is_modern : {false, true})
      for (const int64_t beams : {1, 3})
        for (const bool sample : {false, true}) {
          if (sample && beams > 1) continue;
          EncoderDecoder model = is_modern ? recorded_model(modern(), "modern_encoder_decoder")
                                           : recorded_model(paper(), "encoder_decoder");
          auto o = GenerateOptions(6).beams(beams).sample(sample).stop_tokens({2});
          manual_seed(3);
          const Tensor with = generate(model, golden::ids("src"), 1, o);
          manual_seed(3);
          CHECK(equal(generate(model, golden::ids("src"), 1, o.use_cache(false)), with));
        }
  }

  TEST_CASE("a batch of nothing has no targets") {
    EncoderDecoder model(paper());
    for (const bool use_cache : {false, true})
      for (const int64_t beams : {1, 3}) {
        const auto o = GenerateOptions(6).beams(beams).use_cache(use_cache);
        CHECK(generate(model, zeros({0, 4}, kLong), 1, o).size(0) == 0);
      }
  }

  TEST_CASE("more beams find what is at least as probable") {
    EncoderDecoder model = recorded_model(paper(), "encoder_decoder");
    const Tensor src = golden::ids("src");
    const auto score = [&](const Tensor& ids) {
      const NoGradGuard no_grad;
      model->eval();
      const Tensor all = etude::log_softmax(model(src, ids.slice(1, 0, -1)), -1);
      return all.gather(-1, ids.slice(1, 1).unsqueeze(-1)).sum({1, 2});
    };
    const Tensor greedy = score(generate(model, src, 1, GenerateOptions(4))),
                 wide = score(generate(model, src, 1, GenerateOptions(4).beams(1331)));
    CHECK((wide >= greedy - 1e-9).all().item<bool>());
  }

  TEST_CASE("refuses a start that is no token and targets that the positions do not reach") {
    EncoderDecoder model(modern());
    CHECK(refusal([&] { generate(model, golden::ids("src"), 12, GenerateOptions(2)); }) ==
          "ValueError: generate: start_token must be one of the 12 tokens of the target, but got 12");
    CHECK(refusal([&] { generate(model, golden::ids("src"), 1, GenerateOptions(7)); }) ==
          "ValueError: generate: max_new_tokens must be at most 6, the longest sequence that the model's "
          "positions "
          "know, but got 7");
  }
}
