// Exchanges files with PyTorch: the same weights, the same logits, and one stream of random numbers. Without a python3
// that has torch, the case says so and checks nothing, and CTest counts it as skipped.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "etude/etude.h"
#include "support/pt_files.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("files between Etude and PyTorch") {
  namespace {

  // The class of the same name in python_round_trip.py.
  struct Classifier : nn::Module {
    nn::TransformerEncoder encoder{nn::TransformerEncoderOptions(
        nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(24).dropout(0.1), 2)};
    nn::Linear head{16, 5};
    Classifier() {
      register_module("encoder", encoder);
      register_module("head", head);
      eval();
    }
    Tensor forward(const Tensor& x) { return head(encoder(x)); }
  };

  nn::GPT small_gpt() {
    nn::GPT gpt(nn::GPTOptions(11).context(8).d_model(16).layers(2).heads(4));
    gpt->eval();
    return gpt;
  }

  /// A python3 that has torch; empty if there is none.
  std::string python_with_torch() {
    for (const std::string python : {"python3", "/usr/bin/python3"})
      if (std::system((python + " -c 'import torch' >/dev/null 2>&1").c_str()) == 0) return python;
    return "";
  }

  void check_same(const OrderedDict<std::string, Tensor>& a, const OrderedDict<std::string, Tensor>& b) {
    CHECK(a.size() == b.size());
    for (const auto& item : a) {
      CAPTURE(item.key());
      REQUIRE(b.contains(item.key()));
      CHECK(b[item.key()].scalar_type() == item->scalar_type());
      CHECK(b[item.key()].equal(*item));
    }
  }

  }  // namespace

  TEST_CASE("weights, logits and random numbers are the same on both sides") {
    const std::string python = python_with_torch();
    if (python.empty()) {
      MESSAGE("left out: no python3 has torch");
      return;
    }
    const NoGradGuard no_grad;
    const TemporaryFolder folder;
    manual_seed(17);
    auto classifier = std::make_shared<Classifier>();
    nn::GPT gpt = small_gpt();
    save(classifier, folder / "written_classifier");
    save(gpt, folder / "written_gpt");
    const OrderedDict<std::string, Tensor> types = {{"f64", etude::randn({2, 3}, kDouble).t()},
                                                    {"f32", etude::randn({3})},
                                                    {"f16", etude::randn({3}).to(kHalf)},
                                                    {"i64", etude::arange(4)},
                                                    {"i32", etude::arange(4).to(kInt)},
                                                    {"u8", etude::arange(4).to(kByte)},
                                                    {"bool", etude::arange(4) > 1},
                                                    {"empty", etude::zeros({0, 2})},
                                                    {"number", etude::ones({})}};
    save_safetensors(folder / "written_types", types);
    if (has_pt_files()) {
      save_pt(folder / "written.pt", classifier->state_dict());
      save(classifier, folder / "written_module.pt");
      save_pt(folder / "written_types.pt", types);
    }
    Generator& generator = default_generator();
    generator.manual_seed(5);
    etude::randn({3});
    save_safetensors(folder / "written_generator", {{"state", generator.get_state()}});

    const std::string script = std::string(ETUDE_SOURCE_DIR) + "/tests/layers/python_round_trip.py";
    REQUIRE(std::system((python + " '" + script + "' '" + folder.path() + "'").c_str()) == 0);

    const auto written = [&](const char* name) { return load_safetensors(folder / name); };
    CHECK(written("answered_generator")["uniform"].equal(etude::rand({5})));
    CHECK(written("answered_generator")["normal"].equal(etude::randn({3})));
    CHECK(written("answered_generator")["state"].equal(generator.get_state()));
    generator.set_state(written("generator")["state"]);
    CHECK(generator.get_state().equal(written("generator")["state"]));
    CHECK(written("generator")["normal"].equal(etude::randn({5})));
    CHECK(written("generator")["uniform"].equal(etude::rand({700})));

    check_same(classifier->state_dict(), written("answered_classifier"));
    check_same(gpt->state_dict(), written("answered_gpt"));
    check_same(types, written("answered_types"));
    if (has_pt_files()) {
      check_same(classifier->state_dict(), load_pt(folder / "answered_module.pt"));
      check_same(types, load_pt(folder / "answered_types.pt"));
      auto loaded = std::make_shared<Classifier>();
      serialize::InputArchive archive, model;
      archive.load_from(folder / "answered.pt");
      archive.read("model", model);
      loaded->load(model);
      check_same(classifier->state_dict(), loaded->state_dict());
    }
    const Tensor x = written("classifier_values")["x"], ids = written("gpt_values")["x"];
    CHECK(etude::allclose(classifier->forward(x), written("answered_classifier_values")["y"], 1e-5, 1e-5));
    CHECK(etude::allclose(gpt->forward(ids), written("answered_gpt_values")["y"], 1e-5, 1e-5));

    const Tensor before = classifier->forward(x);
    load(classifier, folder / "classifier");
    load(gpt, folder / "gpt");
    CHECK_FALSE(etude::allclose(classifier->forward(x), before, 1e-3, 1e-3));
    CHECK(etude::allclose(classifier->forward(x), written("classifier_values")["y"], 1e-5, 1e-5));
    CHECK(etude::allclose(gpt->forward(ids), written("gpt_values")["y"], 1e-4, 1e-4));
  }
}
