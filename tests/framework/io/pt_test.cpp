// .pt files from save and load, and files that LibTorch wrote: tests/golden/io/make_pt.cpp.
#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/pt_examples.h"
#include "support/pt_files.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE(".pt files" * doctest::skip(!has_pt_files())) {
  namespace {

  const std::string golden = std::string(ETUDE_GOLDEN_DIR) + "/io/";

  void check_equal_nets(const PtNet& a, const PtNet& b) {
    const auto p = a.parameters(), q = b.parameters();
    REQUIRE(p.size() == q.size());
    for (size_t i = 0; i < p.size(); ++i) CHECK(p[i].equal(q[i]));
    CHECK(a.table.equal(b.table));
  }

  void step(optim::Optimizer& optimizer) {
    for (auto& group : optimizer.param_groups())
      for (auto& p : group.params()) p.mutable_grad() = etude::ones_like(p);
    optimizer.step();
  }

  template <typename Optimizer>
  void check_optimizer(const std::vector<Tensor>& of_saved, const std::vector<Tensor>& of_loaded,
                       Optimizer& saved, Optimizer& loaded) {
    const TemporaryFolder folder;
    step(saved);
    step(saved);
    save(saved, folder / "x.pt");
    load(loaded, folder / "x.pt");
    CHECK(loaded.state().size() == of_saved.size());
    const NoGradGuard no_grad;
    for (size_t i = 0; i < of_saved.size(); ++i) of_loaded[i].copy_(of_saved[i]);
    step(saved);
    step(loaded);
    for (size_t i = 0; i < of_saved.size(); ++i) CHECK(of_loaded[i].equal(of_saved[i]));
  }

  }  // namespace

  TEST_CASE("a module that LibTorch or Etude saved is loaded") {
    for (const char* name : {"libtorch_module.pt", "etude_module.pt"}) {
      auto net = std::make_shared<PtNet>();
      for (Tensor& p : net->parameters()) p.data().fill_(-1);
      net->table.zero_();
      load(net, golden + name);
      check_equal_nets(*net, PtNet());
    }
  }

  TEST_CASE("tensors that LibTorch saved are loaded") {
    Tensor t;
    load(t, golden + "libtorch_tensor.pt");
    CHECK(t.equal(etude::arange(6, kDouble).view({2, 3}).t()));
    CHECK(t.strides().vec() == std::vector<int64_t>{1, 3});
    std::vector<Tensor> list;
    load(list, golden + "libtorch_vector.pt");
    REQUIRE(list.size() == 2);
    CHECK(list[0].equal(etude::ones({2})));
    CHECK(list[1].equal(etude::arange(3)));
  }

  TEST_CASE("tensors that Etude saved are loaded") {
    std::vector<Tensor> list;
    load(list, golden + "etude_vector.pt");
    REQUIRE(list.size() == 5);
    CHECK(list[1].equal(etude::arange(6).view({2, 3}).t()));
    CHECK(list[2].equal(etude::arange(3, 6)));
    CHECK(list[3].sizes().vec() == std::vector<int64_t>{0, 2});
    CHECK(list[4].scalar_type() == kBFloat16);
  }

  namespace {

  void check_that_adam_goes_on(const std::string& file) {
    PtAdam expected;
    Tensor p = expected.p.detach().clone().requires_grad_(), q = expected.q.detach().clone().requires_grad_();
    optim::Adam adam({p}, optim::AdamOptions(0.25).betas({0.5, 0.75}));
    adam.add_param_group(optim::OptimizerParamGroup({q}));
    load(adam, file);
    CHECK(adam.state().size() == 2);
    step(adam);
    step(expected.adam);
    CHECK(p.equal(expected.p));
    CHECK(q.equal(expected.q));
  }

  }  // namespace

  TEST_CASE("an optimizer that LibTorch 1.13 saved goes on") {
    check_that_adam_goes_on(golden + "libtorch_adam.pt");
  }
  TEST_CASE("an optimizer that Etude saved goes on") { check_that_adam_goes_on(golden + "etude_adam.pt"); }

  TEST_CASE("values in an archive that LibTorch saved are read") {
    serialize::InputArchive archive;
    archive.load_from(golden + "libtorch_archive.pt");
    const auto value = [&archive](const char* key) {
      IValue v;
      archive.read(key, v);
      return v;
    };
    CHECK(value("int").toInt() == -3);
    CHECK(value("double").toDouble() == 0.5);
    CHECK(value("text").toStringRef() == "a \"b\"");
    CHECK(value("none").isNone());
    CHECK(value("yes").toBool());
    CHECK(value("ints").toIntVector() == std::vector<int64_t>{1, 2});
    CHECK(value("doubles").toDoubleVector() == std::vector<double>{0.5});
    CHECK(value("bools").to<std::vector<bool>>() == std::vector<bool>{true, false});
    CHECK(value("texts").to<std::vector<std::string>>() == std::vector<std::string>{"a", "b"});
    REQUIRE(value("tensors").toTensorVector().size() == 1);
    CHECK(value("tensors").toTensorVector()[0].equal(etude::ones({1})));
  }

  TEST_CASE("a module is saved and loaded, whatever the file is called then") {
    const TemporaryFolder folder;
    auto net = std::make_shared<PtNet>(), other = std::make_shared<PtNet>(),
         third = std::make_shared<PtNet>();
    net->table.fill_(7);
    save(net, folder / "x.pt");
    CHECK(folder.count() == 1);
    load(other, folder / "x.pt");
    check_equal_nets(*net, *other);
    write_bytes(folder / "y", read_bytes(folder / "x.pt"));
    load(third, folder / "y");
    check_equal_nets(*net, *third);
    std::stringstream stream(read_bytes(folder / "x.pt"));
    third->table.zero_();
    load(third, stream);
    check_equal_nets(*net, *third);
  }

  TEST_CASE("tensors of every type, of any strides and of no elements come back") {
    const TemporaryFolder folder;
    const Tensor counted = etude::arange(24).view({2, 3, 4});
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kLong, kInt, kByte, kChar, kBool}) {
      const Tensor t = counted.to(dtype);
      const std::vector<Tensor> saved = {t,
                                         t.transpose(0, 2).slice(1, 0, 3, 2),
                                         t[0][1].expand({3, 4}),
                                         t[1][1][1],
                                         t.slice(1, 0, 0),
                                         t.slice(0, 1),
                                         etude::zeros({0}, dtype),
                                         t.to(kFloat)};
      std::vector<Tensor> loaded;
      save(saved, folder / "x.pth");
      load(loaded, folder / "x.pth");
      REQUIRE(loaded.size() == saved.size());
      for (size_t i = 0; i < saved.size(); ++i) {
        CHECK(loaded[i].scalar_type() == saved[i].scalar_type());
        CHECK(loaded[i].sizes() == saved[i].sizes());
        CHECK(loaded[i].equal(saved[i]));
      }
      CHECK(loaded[1].strides() == saved[1].strides());
    }
  }

  TEST_CASE("optimizers go on after a .pt file") {
    const auto weights = [] {
      return std::vector<Tensor>{etude::ones({2, 3}).requires_grad_(), etude::zeros({4}).requires_grad_()};
    };
    const auto a = weights(), b = weights();
    SUBCASE("Adam") {
      optim::Adam x(a, optim::AdamOptions(0.1).amsgrad(true)), y(b, optim::AdamOptions(0.1).amsgrad(true));
      check_optimizer(a, b, x, y);
    }
    SUBCASE("AdamW") {
      optim::AdamW x(a, optim::AdamWOptions(0.1)), y(b, optim::AdamWOptions(0.1));
      check_optimizer(a, b, x, y);
    }
    SUBCASE("SGD") {
      optim::SGD x(a, optim::SGDOptions(0.1).momentum(0.9)), y(b, optim::SGDOptions(0.1).momentum(0.9));
      check_optimizer(a, b, x, y);
    }
    SUBCASE("RMSprop") {
      optim::RMSprop x(a, optim::RMSpropOptions(0.1).momentum(0.9).centered(true)),
          y(b, optim::RMSpropOptions(0.1).momentum(0.9).centered(true));
      check_optimizer(a, b, x, y);
    }
    SUBCASE("Adagrad") {
      optim::Adagrad x(a, optim::AdagradOptions(0.1)), y(b, optim::AdagradOptions(0.1));
      check_optimizer(a, b, x, y);
    }
  }

  TEST_CASE("values come back from pickles, also from one of Python") {
    const auto again = [](const IValue& v) { return pickle_load(pickle_save(v)); };
    CHECK(again(IValue(3)).toInt() == 3);
    CHECK(again(IValue(-5000000000)).toInt() == -5000000000);
    CHECK(again(IValue(0.5)).toDouble() == 0.5);
    CHECK(again(IValue(true)).toBool());
    CHECK(again(IValue("text")).toStringRef() == "text");
    CHECK(again(IValue()).isNone());
    CHECK(again(IValue(std::vector<int64_t>{1, 300})).toIntVector() == std::vector<int64_t>{1, 300});
    CHECK(again(IValue(std::vector<double>{0.5, 1})).toDoubleVector() == std::vector<double>{0.5, 1});
    CHECK(again(IValue(std::vector<Tensor>{etude::ones({2})})).toTensorVector()[0].equal(etude::ones({2})));
    const Tensor t = etude::arange(6).view({2, 3}).t();
    CHECK(again(IValue(t)).toTensor().equal(t));
    const std::string bytes = read_bytes(std::string(ETUDE_GOLDEN_DIR) + "/io/python_tensor.pt");
    CHECK(pickle_load({bytes.begin(), bytes.end()}).toTensor().equal(t.to(kFloat)));
  }

  TEST_CASE("a file that is cut is refused") {
    const TemporaryFolder folder;
    const std::string whole = read_bytes(golden + "libtorch_tensor.pt");
    write_bytes(folder / "x.pt", whole.substr(0, whole.size() - 30));
    Tensor t;
    CHECK_THROWS_AS(load(t, folder / "x.pt"), Refusal);
  }
}
