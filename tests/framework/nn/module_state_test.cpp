#include <doctest/doctest.h>

#include <string>

#include "etude/activation.h"
#include "etude/linear.h"
#include "etude/sequential.h"
#include "layers/golden.h"

using namespace etude;
using State = OrderedDict<std::string, Tensor>;
using Strings = std::vector<std::string>;

namespace {

// The class of the same name in golden/layers/make.py.
struct NetImpl : nn::Module {
  NetImpl() {
    register_buffer("counts", zeros({2}, kLong));
    fc = register_module("fc", nn::Linear(2, 3));
    scale = register_parameter("scale", ones({}));
    register_buffer("cache", zeros({4}), /*persistent=*/false);
    register_module("layers", nn::Sequential(nn::Linear(nn::LinearOptions(3, 3).bias(false)), nn::ReLU(),
                                             nn::Linear(3, 1)));
    register_buffer("mean", zeros({3}));
  }
  nn::Linear fc = nullptr;
  Tensor scale;
};
ETUDE_MODULE(Net);

// A state with the given names and the module's sizes, apart from the changes of the case.
State state_of(const std::string& name, const Recorded& row) {
  const State full = Net()->state_dict();
  State state;
  for (const auto& entry : row.at("keys")) {
    const auto key = entry.get<std::string>();
    Tensor value = full.contains(key) ? full[key] : ones({1});
    if (name == "sizes" && key == "fc.weight") value = ones({3, 5});
    if (name == "sizes" && key == "scale") value = ones({2, 2});
    if (name == "all" && key == "fc.bias") value = ones({4});
    if (name == "number" && key == "scale") value = full_like(ones({1}), 3.0);
    state.insert(key, value);
  }
  return state;
}

}  // namespace

TEST_SUITE("state_dict") {
  TEST_CASE("has Python's names, order and sizes, without buffers that are not persistent") {
    const Recorded& expected = golden::layers().at("state");
    Net net;
    const State state = net->state_dict();
    CHECK(state.keys() == expected.at("names").get<Strings>());
    for (size_t i = 0; i < state.size(); ++i)
      CHECK(state[i]->sizes() == expected.at("sizes")[i].get<std::vector<int64_t>>());
    CHECK(net->named_parameters().keys() == expected.at("parameters").get<Strings>());
    CHECK(net->named_buffers().keys() == expected.at("buffers").get<Strings>());
    CHECK(golden::text(net) == expected.at("text").get<std::string>());
  }

  TEST_CASE("its tensors are detached and share the module's memory") {
    Net net;
    const State state = net->state_dict();
    CHECK_FALSE(state["scale"].requires_grad());
    state["scale"].fill_(7);
    CHECK(net->scale.item<float>() == 7);
    CHECK(net->scale.requires_grad());
  }
}

TEST_SUITE("load_state_dict") {
  TEST_CASE("copies the values of another module, into the same tensors") {
    Net from, to;
    const Tensor weight = to->fc->weight;
    CHECK_FALSE(weight.equal(from->fc->weight));
    const nn::IncompatibleKeys keys = to->load_state_dict(from->state_dict());
    CHECK(keys.missing_keys.empty());
    CHECK(keys.unexpected_keys.empty());
    CHECK(golden::text(keys) == "<All keys matched successfully>");
    CHECK(weight.equal(from->fc->weight));
    CHECK_FALSE(weight.is_alias_of(from->fc->weight));
    CHECK(weight.requires_grad());
    CHECK(weight.is_leaf());
  }

  TEST_CASE("converts the values to the type of the module") {
    for (const auto& [stored, held] : std::vector<std::pair<ScalarType, ScalarType>>{
             {kFloat, kDouble}, {kHalf, kFloat}, {kFloat, kHalf}, {kBFloat16, kHalf}}) {
      Net from, to;
      from->to(stored);
      to->to(held);
      to->load_state_dict(from->state_dict());
      CHECK((to->fc->weight.scalar_type() == held));
      CHECK(to->fc->weight.equal(from->fc->weight.to(held)));
    }
  }

  TEST_CASE("reports what does not fit exactly as Python, and has then loaded what Python has") {
    for (const auto& [name, row] : golden::layers().at("state").at("cases").items()) {
      CAPTURE(name);
      Net net;
      const State state = state_of(name, row);
      CHECK(golden::error_of([&] { net->load_state_dict(state); }) == row.at("error").get<std::string>());
      CHECK(net->scale.item<float>() == row.at("scale").get<float>());
      if (row.contains("relaxed"))
        CHECK(golden::text(Net()->load_state_dict(state, /*strict=*/false)) ==
              row.at("relaxed").get<std::string>());
    }
  }

  TEST_CASE("what fits is copied even if the rest is reported") {
    Net from, to;
    State state = from->state_dict();
    state.erase("mean");
    CHECK_THROWS_AS(to->load_state_dict(state), Error);
    CHECK(to->fc->weight.equal(from->fc->weight));
  }

  TEST_CASE("names the class of the module on which it was called") {
    const State state = {{"weight", ones({3, 5})}, {"gain", ones({1})}};
    CHECK(golden::error_of([&] { nn::Linear(4, 3)->load_state_dict(state); }) ==
          golden::layers().at("state").at("linear").get<std::string>());
  }

  TEST_CASE("sizes that differ are reported also if names need not match") {
    const State state = {{"weight", ones({3, 5})}};
    CHECK_THROWS_WITH(
        nn::Linear(4, 3)->load_state_dict(state, /*strict=*/false),
        "Error(s) in loading state_dict for Linear:\n\tsize mismatch for weight: copying a param with shape "
        "torch.Size([3, 5]) from checkpoint, the shape in current model is torch.Size([3, 4]).");
  }

  TEST_CASE("an undefined tensor is no value") {
    State state = nn::Linear(1, 1)->state_dict();
    state["bias"] = Tensor();
    CHECK_THROWS_WITH(nn::Linear(1, 1)->load_state_dict(state),
                      "Error(s) in loading state_dict for Linear:\n\tWhile copying the parameter named "
                      "\"bias\", expected torch.Tensor or "
                      "Tensor-like object from checkpoint but received <class 'NoneType'>");
  }

  TEST_CASE("a tensor that cannot be written is reported with the reason") {
    nn::Module module;
    module.register_buffer("wide", zeros({1}).expand({3}));
    CHECK_THROWS_WITH(
        module.load_state_dict(State{{"wide", ones({3})}}),
        doctest::Contains(
            "While copying the parameter named \"wide\", whose dimensions in the model are torch.Size([3]) "
            "and "
            "whose dimensions in the checkpoint are torch.Size([3]), an exception occurred : "));
  }
}
