// Optimizers in archives beyond LibTorch: Python's names, loaded options, and errors that change nothing.
#include "etude/optim/serialize.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "etude/io/safetensors.h"
#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "etude/training/checkpoint.h"
#include "framework/optim/every_optimizer.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using every::leaf;
using every::options_of;

TEST_SUITE("optimizers in archives, beyond LibTorch") {
  namespace {

  std::vector<Tensor> two_leaves() {
    return {leaf(etude::ones({3}), etude::full({3}, 0.5)),
            leaf(etude::ones({2, 2}), etude::full({2, 2}, 0.25))};
  }

  template <typename O>
  O stepped(const std::vector<Tensor>& params) {
    O optimizer(params, options_of<O>());
    optimizer.step();
    return optimizer;
  }

  struct Unnamed : optim::Optimizer {
    explicit Unnamed(const std::vector<Tensor>& params)
        : Optimizer(params, std::make_unique<optim::SGDOptions>(1)) {}
    Tensor step(LossClosure = nullptr) override { return {}; }
  };

  }  // namespace

  TEST_CASE("names and numbers are those of Python's state_dict") {
    const TemporaryFolder folder;
    optim::Adam adam(two_leaves(), optim::AdamOptions(0.1).betas({0.8, 0.99}).amsgrad(true));
    adam.step();
    adam.param_groups()[0].set_initial_lr(0.2);
    etude::save(adam, folder / "x");
    const auto tensors = load_safetensors(folder / "x");
    CHECK(tensors.size() == 6);
    for (const char* name : {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"})
      CHECK(tensors[std::string("state.1.") + name].sizes() == IntArrayRef({2, 2}));
    CHECK(safetensors_metadata(folder / "x") ==
          std::unordered_map<std::string, std::string>{{"param_groups.0.lr", "0.1"},
                                                       {"param_groups.0.betas", "[0.8,0.99]"},
                                                       {"param_groups.0.eps", "1e-08"},
                                                       {"param_groups.0.weight_decay", "0.0"},
                                                       {"param_groups.0.amsgrad", "true"},
                                                       {"param_groups.0.initial_lr", "0.2"},
                                                       {"param_groups.0.params", "[0,1]"},
                                                       {"state.0.step", "1"},
                                                       {"state.1.step", "1"}});
  }

  TEST_CASE_TEMPLATE("options of every group are loaded, as in Python", O, EVERY_OPTIMIZER) {
    const TemporaryFolder folder;
    const std::vector<Tensor> a = two_leaves();
    std::vector<optim::OptimizerParamGroup> groups = {std::vector<Tensor>{a[0]}, std::vector<Tensor>{a[1]}};
    O saved(groups, options_of<O>(0.125)), loaded(groups, options_of<O>(0.5));
    saved.param_groups()[1].options().set_lr(1.0 / 3);
    saved.param_groups()[1].set_initial_lr(0.7);
    etude::save(saved, folder / "x");
    etude::load(loaded, folder / "x");
    using Options = decltype(options_of<O>());
    for (size_t g = 0; g < 2; ++g)
      CHECK(static_cast<const Options&>(loaded.param_groups()[g].options()) ==
            static_cast<const Options&>(saved.param_groups()[g].options()));
    CHECK(loaded.param_groups()[1].options().get_lr() == 1.0 / 3);
    CHECK(loaded.param_groups()[1].initial_lr() == 0.7);
    CHECK_FALSE(loaded.param_groups()[0].initial_lr());
    CHECK(loaded.defaults().get_lr() == 0.5);
  }

  TEST_CASE_TEMPLATE("groups and options stay where they are", O, EVERY_OPTIMIZER) {
    const TemporaryFolder folder;
    O optimizer(two_leaves(), options_of<O>(0.25));
    Checkpoint checkpoint;
    checkpoint.add("optimizer", optimizer);
    checkpoint.save(folder / "checkpoint");
    etude::save(optimizer, folder / "x");
    const optim::OptimizerParamGroup* const group = &optimizer.param_groups()[0];
    optim::OptimizerOptions* const options = &optimizer.param_groups()[0].options();
    const auto check = [&] {
      CHECK(&optimizer.param_groups()[0] == group);
      REQUIRE(&optimizer.param_groups()[0].options() == options);
      CHECK(options->get_lr() == 0.25);
      options->set_lr(3);
    };
    check();
    etude::load(optimizer, folder / "x");
    check();
    checkpoint.load(folder / "checkpoint");
    check();
  }

  TEST_CASE_TEMPLATE("what is remembered is replaced, and the file is not held", O, EVERY_OPTIMIZER) {
    const TemporaryFolder folder;
    const std::vector<Tensor> a = two_leaves();
    O fresh(a, options_of<O>()), used = stepped<O>(a);
    const size_t at_first = fresh.state().size();
    etude::save(fresh, folder / "fresh");
    etude::load(used, folder / "fresh");
    CHECK(used.state().size() == at_first);
  }

  TEST_CASE_TEMPLATE("an error changes nothing", O, EVERY_OPTIMIZER) {
    const TemporaryFolder folder;
    const std::vector<Tensor> a = two_leaves();
    O saved = stepped<O>(a);
    etude::save(saved, folder / "x");
    const auto tensors = load_safetensors(folder / "x");
    const auto texts = safetensors_metadata(folder / "x");
    O optimizer = stepped<O>(a);
    etude::save(optimizer, folder / "before");
    const auto check_refused = [&] {
      CHECK(refusal([&] { etude::load(optimizer, folder / "bad"); }) != "");
      etude::save(optimizer, folder / "after");
      CHECK(read_bytes(folder / "after") == read_bytes(folder / "before"));
    };
    for (const auto& item : tensors) {
      CAPTURE(item.key());
      OrderedDict<std::string, Tensor> wrong = tensors;
      wrong[item.key()] = etude::ones({7});
      save_safetensors(folder / "bad", wrong, texts);
      check_refused();
    }
    for (const auto& [key, text] : texts) {
      CAPTURE(key);
      for (const char* value : {"\"a\"", "-1", "[1,2,3]"}) {
        if (std::string(value) == "-1" && text.find_first_not_of("0123456789") != std::string::npos) continue;
        auto wrong = texts;
        wrong[key] = value;
        save_safetensors(folder / "bad", tensors, wrong);
        check_refused();
      }
    }
  }

  TEST_CASE("a state of another size names the parameter") {
    const TemporaryFolder folder;
    optim::SGD saved = stepped<optim::SGD>(two_leaves());
    etude::save(saved, folder / "x");
    const std::vector<Tensor> others = {leaf(etude::ones({3}), etude::ones({3})),
                                        leaf(etude::ones({4}), etude::ones({4}))};
    optim::SGD other(others, options_of<optim::SGD>());
    CHECK(refusal_text([&] { etude::load(other, folder / "x"); }) ==
          "size mismatch for momentum_buffer of parameter 1: copying a state with shape torch.Size([2, 2]) "
          "from "
          "checkpoint, the shape of the parameter is torch.Size([4]).");
  }

  TEST_CASE("an optimizer that does not say what it remembers is not saved") {
    Unnamed optimizer(two_leaves());
    std::ostringstream stream;
    CHECK(refusal_text([&] { etude::save(optimizer, stream); }) ==
          "make_state() has not been implemented for this etude::optim::Optimizer");
    CHECK(stream.str().empty());
  }
}
