// The errors of ops, with PyTorch's texts: the first line of each message of tests/golden/ops/errors.json.
#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("refusals") {
  namespace {

  using indexing::None;
  using indexing::Slice;

  Tensor Z(std::vector<int64_t> sizes) { return etude::zeros(sizes); }
  Tensor ids(const etude::detail::TensorLiteral& values) { return etude::tensor(values); }
  Tensor leaf(std::vector<int64_t> sizes) { return etude::zeros(sizes, requires_grad()); }

  using Refusals = std::map<std::string, AnyFunction<void()>>;

  Refusals arithmetic() {
    return {
        {"add shape dim 0",
         [] {
           Z({2, 3, 4}) + Z({3, 3, 4});
         }},
        {"sub bool", [] { ids({true}) - ids({false}); }},
        {"neg bool", [] { -ids({true}); }},
        {"inplace shape",
         [] {
           Z({3}).add_(Z({2, 3}));
         }},
        {"inplace dtype",
         [] {
           ids({1, 2}).add_(0.5);
         }},
        {"inplace div int",
         [] {
           ids({1, 2}).div_(2);
         }},
        {"clamp nothing", [] { clamp(Z({2}), optional<Scalar>()); }},
        {"gelu int", [] { gelu(ids({1})); }},
        {"lerp dtype", [] { lerp(Z({2}), Z({2}).to(kDouble), 0.5); }},
        {"pow int negative", [] { pow(ids({2}), -1); }},
        {"integer division by zero", [] { floor_divide(ids({1}), ids({0})); }},
    };
  }

  Refusals products() {
    auto linear_of = [](const Tensor& x) { return linear(x, Z({3, 4}), Z({3})); };
    return {
        {"matmul shape",
         [] {
           matmul(Z({2, 3}), Z({4, 5}));
         }},
        {"matmul vec mat",
         [] {
           matmul(Z({3}), Z({4, 2}));
         }},
        {"matmul batch inner",
         [] {
           matmul(Z({2, 3, 4}), Z({2, 5, 4}));
         }},
        {"matmul dtype",
         [] {
           matmul(Z({2, 2}), Z({2, 2}).to(kDouble));
         }},
        {"matmul int float",
         [] {
           matmul(Z({2, 2}), ids({1, 2}));
         }},
        {"bmm 2d",
         [] {
           bmm(Z({2, 3}), Z({3, 2}));
         }},
        {"dot shape", [] { dot(Z({3}), Z({4})); }},
        {"mv shape",
         [] {
           mv(Z({2, 3}), Z({4}));
         }},
        {"linear shape",
         [=] {
           linear_of(Z({2, 5}));
         }},
        {"linear 3d shape",
         [=] {
           linear_of(Z({2, 2, 5}));
         }},
        {"linear 1d shape", [=] { linear_of(Z({5})); }},
        {"linear dtype",
         [=] {
           linear_of(Z({2, 4}).to(kDouble));
         }},
        {"linear int",
         [=] {
           linear_of(etude::ones({2, 4}, kLong));
         }},
    };
  }

  Refusals views() {
    return {
        {"view numel",
         [] {
           Z({2, 3}).view({4, 2});
         }},
        {"view -1 does not divide",
         [] {
           Z({2, 3}).view({4, -1});
         }},
        {"view -1 of empty",
         [] {
           Z({0, 3}).view({-1, 0});
         }},
        {"view noncontiguous",
         [] {
           Z({2, 3}).t().view({6});
         }},
        {"view negative",
         [] {
           Z({2, 3}).view({-2, 3});
         }},
        {"reshape numel",
         [] {
           Z({2, 3}).reshape({7});
         }},
        {"permute repeat",
         [] {
           Z({2, 3}).permute({0, 0});
         }},
        {"permute range",
         [] {
           Z({2, 3}).permute({0, 2});
         }},
        {"t of 3d",
         [] {
           Z({2, 3, 4}).t();
         }},
        {"expand size",
         [] {
           Z({2, 3}).expand({2, 4});
         }},
        {"expand fewer dims",
         [] {
           Z({2, 3}).expand({3});
         }},
        {"expand -1 new",
         [] {
           Z({3}).expand({-1, 3});
         }},
        {"squeeze range",
         [] {
           Z({2, 3}).squeeze(2);
         }},
        {"unsqueeze range",
         [] {
           Z({2, 3}).unsqueeze(4);
         }},
        {"flatten order",
         [] {
           flatten(Z({2, 3}), 1, 0);
         }},
        {"select range",
         [] {
           Z({2, 3}).select(0, 2);
         }},
        {"select 0d", [] { Z({}).select(0, 0); }},
        {"narrow range", [] { Z({4}).narrow(0, 3, 2); }},
        {"cat dims",
         [] {
           cat({Z({2, 3}), Z({2})}, 0);
         }},
        {"cat empty list", [] { cat(std::vector<Tensor>{}); }},
        {"cat 0d",
         [] {
           cat({Z({}), Z({})});
         }},
        {"stack shape",
         [] {
           stack({Z({2}), Z({3})});
         }},
        {"stack empty list", [] { stack(std::vector<Tensor>{}); }},
        {"split size 0", [] { split(Z({4}), 0); }},
        {"zeros negative", [] { Z({-1}); }},
        {"arange step 0", [] { etude::arange(0, 5, 0); }},
        {"linspace steps", [] { etude::linspace(0, 1, -1); }},
        {"randperm negative", [] { etude::randperm(-1); }},
    };
  }

  Refusals indexing_errors() {
    return {
        {"index range dim 1",
         [] {
           Z({2, 3}).index({0, -4});
         }},
        {"index too many",
         [] {
           Z({2, 3}).index({0, 0, 0});
         }},
        {"index float tensor",
         [] {
           Z({2, 3}).index({Z({2})});
         }},
        {"slice step 0", [] { Z({4}).index({Slice(None, None, 0)}); }},
        {"slice assign shape",
         [] {
           Z({3, 6}).index_put_({Slice(), Slice(0, None, 2)}, Z({3, 4}));
         }},
        {"slice assign odd columns",
         [] {
           Z({4, 5}).index_put_({Slice(), Slice(1, None, 2)}, Z({4, 3}));
         }},
        {"gather range",
         [] {
           Z({2, 3}).gather(1, ids({{0, 3}}));
         }},
        {"gather dtype",
         [] {
           Z({2, 3}).gather(1, Z({2, 3}));
         }},
        {"index_select range",
         [] {
           Z({2, 3}).index_select(0, ids({2}));
         }},
        {"scatter range",
         [] {
           Z({2, 3}).scatter(1, ids({{0, 5}}), 1.0);
         }},
        {"scatter_add size",
         [] {
           Z({2, 3}).scatter_add(1, etude::zeros({2, 4}, kLong), Z({2, 3}));
         }},
        {"masked_fill shape",
         [] {
           Z({2, 3}).masked_fill(ids({true, false}), 1.0);
         }},
        {"where shape",
         [] {
           where(ids({true, false}), Z({3}), Z({3}));
         }},
        {"where cond dtype", [] { where(Z({2}), Z({2}), Z({2})); }},
        {"tril 1d", [] { tril(Z({3})); }},
        {"embedding float ids",
         [] {
           embedding(Z({4, 3}), Z({2}));
         }},
        {"one_hot small",
         [] {
           one_hot(ids({0, 3}), 3);
         }},
        {"one_hot negative", [] { one_hot(ids({-1}), 3); }},
        {"one_hot float", [] { one_hot(Z({2}), 3); }},
    };
  }

  Refusals reductions_and_losses() {
    return {
        {"sum dim range",
         [] {
           Z({2, 3}).sum(2);
         }},
        {"sum dim repeated",
         [] {
           Z({2, 3}).sum(IntArrayRef({0, 0}));
         }},
        {"mean int",
         [] {
           ids({1, 2}).mean();
         }},
        {"softmax int",
         [] {
           ids({1, 2}).softmax(0);
         }},
        {"sort dim", [] { Z({2}).sort(1); }},
        {"topk dim", [] { Z({3}).topk(1, 1); }},
        {"layer_norm shape",
         [] {
           layer_norm(Z({2, 3}), {4});
         }},
        {"layer_norm weight shape",
         [] {
           layer_norm(Z({2, 3}), {3}, etude::ones({4}));
         }},
        {"softmax dim",
         [] {
           Z({2, 3}).softmax(2);
         }},
        {"max empty", [] { Z({0}).max(); }},
        {"max dim of size 0",
         [] {
           Z({0, 3}).max(0);
         }},
        {"argmax empty", [] { Z({0}).argmax(); }},
        {"cumsum dim", [] { Z({2}).cumsum(1); }},
        {"F.dropout p negative", [] { F::dropout(Z({2}), F::DropoutFuncOptions().p(-0.1)); }},
        {"torch.dropout p above 1", [] { dropout(Z({2}), 1.5, true); }},
        {"cross_entropy smoothing",
         [] {
           cross_entropy_loss(Z({2, 3}), ids({0, 1}), {}, Reduction::Mean, -100, 1.5);
         }},
        {"cross_entropy 3d target",
         [] {
           cross_entropy_loss(Z({2, 3, 4}), ids({{0, 1, 2}, {0, 1, 2}}));
         }},
        {"nll_loss 1d target dims",
         [] {
           nll_loss(Z({2, 3}), ids({{0}, {1}}));
         }},
        {"mse_loss shape",
         [] {
           mse_loss(Z({2, 3}), Z({4}));
         }},
    };
  }

  Refusals gradients() {
    return {
        {"requires_grad int",
         [] {
           etude::tensor({1, 2}, requires_grad());
         }},
        {"in-place on leaf", [] { leaf({2}).add_(1); }},
        {"in-place on leaf item", [] { leaf({2})[0] = 1.0; }},
        {"in-place modified saved",
         [] {
           const Tensor x = leaf({2});
           Tensor y = x.exp();
           y.add_(1);
           y.sum().backward();
         }},
        {"in-place on unbind view",
         [] {
           leaf({2, 2}).clone().unbind(0)[0].add_(1);
         }},
        {"autograd.grad unused", [] { autograd::grad({leaf({1}).sum()}, {leaf({1})}); }},
    };
  }

  Refusals random_draws() {
    return {
        {"uniform range", [] { Z({2}).uniform_(2, 1); }},
        {"normal std tensor",
         [] {
           normal(Z({2}), ids({-1.0, 1.0}));
         }},
        {"bernoulli p", [] { Z({2}).bernoulli_(1.5); }},
        {"bernoulli probs",
         [] {
           bernoulli(ids({0.5, 1.5}));
         }},
        {"multinomial negative",
         [] {
           multinomial(ids({1.0, -1.0}), 1);
         }},
        {"multinomial zero", [] { multinomial(Z({2}), 1); }},
        {"multinomial no samples", [] { multinomial(etude::ones({2}), 0); }},
        {"multinomial 3d",
         [] {
           multinomial(etude::ones({1, 1, 2}), 1);
         }},
        {"xavier 1d", [] { nn::init::xavier_uniform_(Z({3})); }},
        {"optimizer momentum", [] { optim::SGD({leaf({1})}, optim::SGDOptions(0.1).momentum(-0.1)); }},
        {"optimizer lr", [] { optim::SGD({leaf({1})}, -1.0); }},
        {"optimizer betas",
         [] {
           optim::Adam({leaf({1})}, optim::AdamOptions().betas({1.0, 0.9}));
         }},
        {"optimizer nesterov", [] { optim::SGD({leaf({1})}, optim::SGDOptions(0.1).nesterov(true)); }},
    };
  }

  Refusals all_refusals() {
    Refusals all;
    for (const Refusals& part : {arithmetic(), products(), views(), indexing_errors(),
                                 reductions_and_losses(), gradients(), random_draws()})
      all.insert(part.begin(), part.end());
    return all;
  }

  // Errors that only Python has, or that it words differently: C++ has another type, no such argument or no such
  // protocol, and an optimizer may have no parameters yet.
  const std::set<std::string> kPython = {"item two",
                                         "item empty",
                                         "bool of two",
                                         "bool of empty",
                                         "len of 0d",
                                         "iterate 0d",
                                         "numpy of grad",
                                         "deepcopy non-leaf",
                                         "grad wrong shape",
                                         "grad wrong dtype",
                                         "parameter int",
                                         "backward grad shape",
                                         "cross_entropy reduction",
                                         "kl_div reduction",
                                         "optimizer empty",
                                         "optimizer no lr",
                                         "optimizer tensor",
                                         "module attribute",
                                         "register_buffer type",
                                         "assign to parameter",
                                         "module before init",
                                         "encoder activation"};

  // Errors with LibTorch's texts, which differ from Python's, or arguments that LibTorch converts (the last one): compared
  // in the tests of these functions.
  const std::set<std::string> kLibTorch = {"clip nonfinite", "register_buffer dot", "sequential index",
                                           "transformer dims", "dtype mismatch mse"};

  // Errors of modules and layers: compared in tests/layers/recorded_refusals_extra_test.cpp.
  const std::set<std::string> kModules = {"dropout p negative",      "dropout p above 1",
                                          "load_state_dict missing", "load_state_dict unexpected",
                                          "load_state_dict several", "mha heads",
                                          "mha key value",           "mha mask shape",
                                          "mha pad shape",           "mha 1d"};

  std::string id_of(const Recorded& c) { return c.at("id").get<std::string>().substr(6); }

  // The first line, with tensor types named as in the errors here, and a number at the end as C++ writes it: 1 and
  // not 1.0.
  std::string first_line(const std::string& text) {
    const std::string line = std::regex_replace(text.substr(0, text.find('\n')),
                                                std::regex("torch.FloatTensor"), tensor_type("Float"));
    return std::regex_replace(line, std::regex(": (-?\\d+)\\.0$"), ": $1");
  }

  // LibTorch says these otherwise than Python does.
  const std::set<std::string> kInPython = {"autograd.grad unused", "xavier 1d"};

  enum class Sentences { Same, Changed, InPython };

  // Compares the refusals that PyTorch 2 left or changed, or those that are Python's, and counts them.
  int compare(Sentences kind) {
    const Refusals refusals = all_refusals();
    int count = 0;
    for (const auto& c : golden_json("ops/errors.json")) {
      const auto found = refusals.find(id_of(c));
      if (found == refusals.end()) continue;
      const Sentences own = kInPython.count(found->first) ? Sentences::InPython
                            : c.contains("before")        ? Sentences::Changed
                                                          : Sentences::Same;
      if (own != kind) continue;
      CAPTURE(found->first);
      ++count;
      std::string text = refusal(found->second);
      if (text.rfind("ValueError: ", 0) == 0) text = text.substr(5);
      const bool index_error = c.at("type") == "IndexError";
      CHECK(text == (c.at("type").is_null()
                         ? ""
                         : (index_error ? "IndexError: " : "Error: ") + first_line(c.value("message", ""))));
    }
    return count;
  }

  }  // namespace

  TEST_CASE("every recorded refusal is compared, or listed as one that is not") {
    const Refusals refusals = all_refusals();
    size_t count = 0;
    for (const auto& c : golden_json("ops/errors.json")) {
      const std::string id = id_of(c);
      CAPTURE(id);
      CHECK(refusals.count(id) + kPython.count(id) + kLibTorch.count(id) + kModules.count(id) == 1);
      count += refusals.count(id);
    }
    CHECK(count == refusals.size());
  }

  TEST_CASE(
      "the first line of every refusal is PyTorch's sentence, and an index out of range is an IndexError") {
    CHECK(compare(Sentences::Same) > 70);
  }

  TEST_CASE("sentences that PyTorch 2 changed are the newer ones") {
    CHECK(compare(Sentences::Changed) == 19);
  }
  TEST_CASE("sentences of which LibTorch has another are Python's") {
    CHECK(compare(Sentences::InPython) == 2);
  }

  TEST_CASE("a type that an op does not take is a NotImplementedError") {
    CHECK_THROWS_AS(softmax(ids({1, 2}), 0), NotImplementedError);
    CHECK_THROWS_AS(gelu(ids({1})), NotImplementedError);
    CHECK_THROWS_AS(ids({true}) - ids({false}), NotImplementedError);
    CHECK_THROWS_AS(-ids({true}), NotImplementedError);
    CHECK_THROWS_AS(Z({2}).bitwise_and(Z({2})), NotImplementedError);
    CHECK_THROWS_AS(etude::rand({2}, kLong), NotImplementedError);
    CHECK_THROWS_AS(ids({true}).floor(), NotImplementedError);
    CHECK_THROWS_AS(clamp(ids({true}), true), NotImplementedError);
    CHECK_THROWS_AS(relu(ids({true})), NotImplementedError);
  }
}
