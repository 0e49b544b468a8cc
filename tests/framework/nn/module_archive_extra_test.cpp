// What modules do in archives beyond LibTorch's: they reject other sizes, convert types, and leave out the same entries as
// state_dict.
#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <string>

#include "etude/io/safetensors.h"
#include "etude/io/serialize.h"
#include "etude/nn/module.h"
#include "etude/nn/utils.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("modules in archives, beyond LibTorch") {
  namespace {

  struct Leaf : nn::Module {
    explicit Leaf(int64_t n, ScalarType dtype = kFloat) {
      weight = register_parameter("weight", etude::ones({n, 2}, dtype));
      scratch = register_buffer("scratch", etude::zeros({1}), /*persistent=*/false);
    }
    Tensor weight, scratch;
  };

  struct Pair : nn::Module {
    explicit Pair(int64_t n) : leaf(std::make_shared<Leaf>(n)) {
      register_module("leaf", leaf);
      register_module("plain", std::make_shared<nn::Module>("plain"));
    }
    std::shared_ptr<Leaf> leaf;
  };

  }  // namespace

  TEST_CASE("the tensors of the file are those of state_dict") {
    const TemporaryFolder folder;
    const auto pair = std::make_shared<Pair>(3);
    etude::save(pair, folder / "x");
    const auto tensors = load_safetensors(folder / "x");
    CHECK(tensors.keys() == pair->state_dict().keys());
    CHECK(tensors.keys() == std::vector<std::string>{"leaf.weight"});
  }

  TEST_CASE("a state dict of Python's is loaded, in which modules without state do not stand") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"leaf.weight", etude::full({3, 2}, 5.0)}});
    auto pair = std::make_shared<Pair>(3);
    etude::load(pair, folder / "x");
    CHECK(pair->leaf->weight.equal(etude::full({3, 2}, 5.0)));
  }

  TEST_CASE("other sizes are refused, other types are converted") {
    const TemporaryFolder folder;
    etude::save(std::make_shared<Leaf>(3, kDouble), folder / "x");
    auto other = std::make_shared<Leaf>(4), same_size = std::make_shared<Leaf>(3);
    CHECK(refusal_text([&] { etude::load(other, folder / "x"); }) ==
          "size mismatch for weight: copying a param with shape torch.Size([3, 2]) from checkpoint, the "
          "shape in current "
          "model is torch.Size([4, 2]).");
    CHECK(refusal_lines([&] { etude::load(other, folder / "x"); }).find("received " + (folder / "x")) !=
          std::string::npos);
    save_safetensors(folder / "y", {{"leaf.weight", etude::ones({3, 2})}});
    auto pair = std::make_shared<Pair>(4);
    CHECK(refusal_text([&] { etude::load(pair, folder / "y"); }).find("size mismatch for leaf.weight: ") ==
          0);
    CHECK(other->weight.equal(etude::ones({4, 2})));
    same_size->weight.detach().zero_();
    etude::load(same_size, folder / "x");
    CHECK(same_size->weight.equal(etude::ones({3, 2})));
    CHECK(same_size->weight.scalar_type() == kFloat);
  }

  TEST_CASE("a state can be checked before it is loaded") {
    Leaf leaf(3);
    CHECK(leaf.check_state_dict({{"weight", etude::zeros({3, 2})}}).missing_keys.empty());
    CHECK(leaf.weight.equal(etude::ones({3, 2})));
    for (const OrderedDict<std::string, Tensor>& wrong :
         {OrderedDict<std::string, Tensor>(),
          OrderedDict<std::string, Tensor>({{"weight", etude::zeros({2, 2})}}),
          OrderedDict<std::string, Tensor>(
              {{"weight", etude::zeros({3, 2})}, {"more", etude::zeros({1})}})}) {
      const std::string checked = refusal_lines([&] { leaf.check_state_dict(wrong); });
      CHECK(leaf.weight.equal(etude::ones({3, 2})));
      CHECK(checked != "");
      Leaf loaded(3);
      CHECK(refusal_lines([&] { loaded.load_state_dict(wrong); }) == checked);
    }
    CHECK(leaf.check_state_dict({{"more", etude::zeros({1})}}, /*strict=*/false).unexpected_keys ==
          std::vector<std::string>{"more"});
  }

  TEST_CASE("a file of a wrapped model is refused with its path, its names and the cure, which helps") {
    const TemporaryFolder folder;
    const std::string path = folder / "x";
    const Tensor saved = etude::full({3, 2}, 5.0);
    auto pair = std::make_shared<Pair>(3);
    save_safetensors(path, {{"module.leaf.weight", saved}});
    CHECK(
        refusal_lines([&] { etude::load(pair, path); }) ==
        "No such serialized submodule: 'leaf'\nreceived " + path +
            ", which has \"module.leaf.weight\"\nhint: \"module.leaf\" is there, as DataParallel writes it: "
            "archive.read(\"module\", nested) gives the archive that has it");
    serialize::InputArchive archive, nested;
    archive.load_from(path);
    archive.read("module", nested);
    pair->load(nested);
    CHECK(pair->leaf->weight.equal(saved));

    auto leaf = std::make_shared<Leaf>(3);
    save_safetensors(path, {{"model._orig_mod.weight", saved}, {"optimizer.state.0", saved}},
                     {{"epoch", "3"}});
    CHECK(refusal_lines([&] { etude::load(leaf, path); }) ==
          "No such serialized tensor 'weight'\nreceived " + path +
              ", which has \"epoch\", \"model\", \"optimizer\"\nhint: \"model._orig_mod.weight\" is there: "
              "archive.read(\"model._orig_mod\", nested) gives the archive that has it");
    archive.load_from(path);
    archive.read("model._orig_mod", nested);
    leaf->load(nested);
    CHECK(leaf->weight.equal(saved));
  }

  TEST_CASE("a state dict of a wrapped model is refused with the cure, which helps") {
    OrderedDict<std::string, Tensor> state = {{"module.leaf.weight", etude::full({3, 2}, 5.0)}};
    Pair pair(3);
    const std::string missing =
        "Error(s) in loading state_dict for Pair:\n\tMissing key(s) in state_dict: \"leaf.weight\". ";
    CHECK(refusal_lines([&] { pair.load_state_dict(state); }) ==
          missing +
              "\n\tUnexpected key(s) in state_dict: \"module.leaf.weight\". \nhint: \"module.leaf.weight\" "
              "is there, as "
              "DataParallel writes it: nn::utils::consume_prefix_in_state_dict_if_present(state_dict, "
              "\"module.\") "
              "takes the prefix away");
    CHECK(refusal_lines([&] { pair.load_state_dict(OrderedDict<std::string, Tensor>()); }) == missing);
    CHECK(pair.load_state_dict(state, /*strict=*/false).missing_keys.size() == 1);
    nn::utils::consume_prefix_in_state_dict_if_present(state, "module.");
    pair.load_state_dict(state);
    CHECK(pair.leaf->weight.equal(etude::full({3, 2}, 5.0)));
  }
}
