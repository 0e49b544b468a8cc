#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <string>

#include "etude/io/serialize.h"
#include "etude/nn/module.h"
#include "etude/nn/module_holder.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using serialize::InputArchive;
using serialize::OutputArchive;

TEST_SUITE("modules in archives") {
  namespace {

  struct LeafImpl : nn::Module {
    explicit LeafImpl(double value = 0) {
      weight = register_parameter("weight", etude::full({2}, value));
      count = register_buffer("count", etude::full({}, static_cast<int64_t>(value), kLong));
      none = register_parameter("none", Tensor());
    }
    Tensor weight, count, none;
  };
  ETUDE_MODULE(Leaf);

  struct Skipped : nn::Module {
    Skipped() { register_parameter("weight", etude::ones({1})); }
    bool is_serializable() const override { return false; }
  };

  struct Tree : nn::Module {
    explicit Tree(double value)
        : left(std::make_shared<LeafImpl>(value)), right(std::make_shared<LeafImpl>(-value)) {
      own = register_parameter("own", etude::full({1, 2}, value));
      register_module("left", left);
      register_module("right", right);
      register_module("skipped", std::make_shared<Skipped>());
      register_module("plain", std::make_shared<nn::Module>("plain"));
    }
    std::shared_ptr<LeafImpl> left, right;
    Tensor own;
  };

  /// A module that also saves a number.
  struct Counting : nn::Module {
    int64_t steps = 0;
    void save(OutputArchive& archive) const override {
      nn::Module::save(archive);
      archive.write("steps", IValue(steps));
    }
    void load(InputArchive& archive) override {
      nn::Module::load(archive);
      IValue v;
      archive.read("steps", v);
      steps = v.toInt();
    }
  };

  template <typename Value>
  std::string bytes_of(const Value& value) {
    std::ostringstream stream;
    etude::save(value, stream);
    return stream.str();
  }

  template <typename Value>
  void load_bytes(Value& value, const std::string& bytes) {
    std::istringstream stream(bytes);
    etude::load(value, stream);
  }

  }  // namespace

  TEST_CASE("parameters, buffers and submodules are loaded into a module of the same kind") {
    auto saved = std::make_shared<Tree>(3), loaded = std::make_shared<Tree>(0);
    const Tensor weight = loaded->left->weight;
    load_bytes(loaded, bytes_of(saved));
    CHECK(loaded->own.equal(saved->own));
    CHECK(loaded->left->weight.equal(saved->left->weight));
    CHECK(loaded->left->count.item<int64_t>() == 3);
    CHECK(loaded->right->weight.equal(saved->right->weight));
    CHECK(loaded->left->weight.is_same(weight));
    CHECK(loaded->left->weight.requires_grad());
  }

  TEST_CASE("a holder is saved and loaded as its module is") {
    Leaf saved(4), loaded(0);
    load_bytes(loaded, bytes_of(saved));
    CHECK(loaded->weight.equal(saved->weight));
    std::shared_ptr<LeafImpl> pointer = std::make_shared<LeafImpl>(0);
    load_bytes(pointer, bytes_of(saved));
    CHECK(pointer->weight.equal(saved->weight));
  }

  TEST_CASE("names are those of the module, one archive for each submodule") {
    const std::string bytes = bytes_of(std::make_shared<Tree>(3));
    InputArchive archive, left, none;
    archive.load_from(bytes.data(), bytes.size());
    Tensor t;
    archive.read("own", t);
    CHECK(t.equal(etude::full({1, 2}, 3.0)));
    archive.read("left", left);
    CHECK(left.try_read("weight", t));
    CHECK(left.try_read("count", t, /*is_buffer=*/true));
    CHECK_FALSE(left.try_read("none", t));
    CHECK_FALSE(archive.try_read("skipped", none));
    CHECK(archive.try_read("plain", none));
  }

  TEST_CASE("what is missing is named with its place") {
    struct Wrapped : nn::Module {
      explicit Wrapped(std::shared_ptr<nn::Module> inner) { register_module("inner", std::move(inner)); }
    };
    struct Other : nn::Module {
      Other() { register_buffer("weigth", etude::ones({2})); }
    };
    const std::string bytes = bytes_of(std::make_shared<Wrapped>(std::make_shared<LeafImpl>(3)));
    auto other = std::make_shared<Wrapped>(std::make_shared<Other>());
    CHECK(refusal_text([&] { load_bytes(other, bytes); }) == "No such serialized tensor 'inner.weigth'");
    auto deeper = std::make_shared<Wrapped>(std::make_shared<Wrapped>(std::make_shared<LeafImpl>(3)));
    CHECK(refusal_text([&] { load_bytes(deeper, bytes); }) == "No such serialized submodule: 'inner.inner'");
  }

  TEST_CASE("a module may save more, wherever it stands") {
    struct Two : nn::Module {
      Two() : counting(std::make_shared<Counting>()) { register_module("counting", counting); }
      std::shared_ptr<Counting> counting;
    };
    auto saved = std::make_shared<Two>(), loaded = std::make_shared<Two>();
    saved->counting->steps = 7;
    load_bytes(loaded, bytes_of(saved));
    CHECK(loaded->counting->steps == 7);
  }

  TEST_CASE("no module is refused") {
    const std::shared_ptr<LeafImpl> none;
    std::ostringstream stream;
    CHECK(refusal_text([&] { etude::save(none, stream); }) == "Cannot serialize empty module");
    std::shared_ptr<LeafImpl> into;
    const std::string bytes = bytes_of(std::make_shared<LeafImpl>(1));
    CHECK(refusal_text([&] { load_bytes(into, bytes); }) == "Cannot deserialize empty module");
    Leaf empty = nullptr;
    CHECK(refusal_text([&] { etude::save(empty, stream); }) == "Accessing empty ModuleHolder");
    CHECK(refusal_text([&] { load_bytes(empty, bytes); }) == "Accessing empty ModuleHolder");
  }

  TEST_CASE("a list of tensors is appended to another") {
    const std::vector<Tensor> saved = {etude::ones({2}), etude::zeros({1, 3}), etude::arange(12)};
    std::vector<Tensor> loaded = {etude::ones({1})};
    load_bytes(loaded, bytes_of(saved));
    REQUIRE(loaded.size() == 4);
    for (size_t i = 0; i < 3; ++i) CHECK(same(loaded[i + 1], saved[i]));
  }

  TEST_CASE("a tensor is saved alone") {
    const Tensor saved = etude::arange(6).view({2, 3}).t();
    Tensor loaded;
    load_bytes(loaded, bytes_of(saved));
    CHECK(same(loaded, saved));
  }
}
