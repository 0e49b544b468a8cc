// What PyTorch changed on purpose between 1.13.1 and 2.14.1: tests/golden/changed.json has the answers of 2.14.1, which are Etude's.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/golden.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using etude::indexing::None;
using etude::indexing::Slice;

TEST_SUITE("what PyTorch 2 changed") {
  namespace {

  const std::map<std::string, ScalarType> kTypeOf = {
      {"float32", kFloat}, {"float64", kDouble}, {"float16", kHalf}, {"bfloat16", kBFloat16},
      {"int64", kLong},    {"int32", kInt},      {"uint8", kByte}};

  Recorded changed(const std::string& part) { return golden_json("changed.json").at(part); }
  ScalarType type_of(const Recorded& row) { return kTypeOf.at(row.get<std::string>()); }

  // Whether a tensor has the recorded elements, of which null is nan.
  bool has_elements(const Tensor& t, const Recorded& elements) {
    const Tensor flat = t.detach().to(kDouble).flatten().contiguous();
    const double* const found = flat.data_ptr<double>();
    if (static_cast<size_t>(flat.numel()) != elements.size()) return false;
    for (size_t i = 0; i < elements.size(); ++i)
      if (elements[i].is_null() ? !std::isnan(found[i]) : found[i] != elements[i].get<double>()) return false;
    return true;
  }

  // An optional leaf.
  Tensor leaf_of(const Recorded& number) {
    if (number.is_null()) return {};
    const double v = number.is_string() ? std::numeric_limits<double>::quiet_NaN() : number.get<double>();
    return etude::full({}, v).requires_grad_();
  }
  optional<Scalar> number_of(const Recorded& number) {
    if (number.is_null()) return nullopt;
    return Scalar(number.is_string() ? std::numeric_limits<double>::quiet_NaN() : number.get<double>());
  }
  optional<Tensor> bound_of(const Tensor& t) { return t.defined() ? optional<Tensor>(t) : nullopt; }

  }  // namespace

  TEST_CASE("dropout draws in the order of memory") {
    const Recorded kept = changed("dropout");
    const auto check = [&](const char* name, const Tensor& x) {
      CAPTURE(name);
      manual_seed(3);
      CHECK(has_elements(etude::dropout(x, 0.5, true).ne(0), kept.at(name)));
    };
    check("transposed", etude::ones({3, 4}).t());
    check("permuted", etude::ones({2, 3, 4}).permute({2, 0, 1}));
    check("sliced", etude::ones({4, 6}).index({Slice(), Slice(None, None, 2)}));
    check("expanded", etude::ones({4, 1}).expand({4, 3}));
    Tensor x = etude::ones({3, 4}).t();
    manual_seed(3);
    etude::dropout_(x, 0.5, true);
    CHECK(has_elements(x.ne(0), kept.at("in place")));
  }

  TEST_CASE("integers of a large range take 64 bits each") {
    for (const Recorded& row : changed("random_")) {
      CAPTURE(row.dump());
      manual_seed(3);
      const Tensor t = etude::empty({5}, type_of(row[0]));
      CHECK(has_elements(t.random_(row[1].get<int64_t>(), row[2].get<int64_t>()), row[3]));
    }
  }

  TEST_CASE("uniform and normal numbers of 16 bits are those of float32") {
    for (const Recorded& row : changed("fills")) {
      const std::string op = row[1], target = row[3];
      if (op == "trunc_normal_") continue;  // LibTorch has none
      CAPTURE(row[0].dump() + op + target);
      const Tensor base = etude::empty({4, 5}, type_of(row[0])),
                   t = target == "transposed" ? base.t()
                                              : etude::empty({std::stoll(target)}, type_of(row[0]));
      manual_seed(3);
      const double a = row[2][0].get<double>(), b = row[2][1].get<double>();
      CHECK(has_elements(op == "uniform_" ? t.uniform_(a, b) : t.normal_(a, b), row[4]));
      CHECK(etude::rand({1}).item<double>() == row[5].get<double>());
    }
  }

  TEST_CASE("no uniform number is the end of its range") {
    const Recorded most = changed("uniform_ at the end");
    manual_seed(3);
    CHECK(etude::empty({100}, kHalf).uniform_(1, 1.0009765625).max().item<double>() == most[0].get<double>());
    manual_seed(3);
    CHECK(etude::empty({100}, kBFloat16).uniform_(1, 1.0009765625).max().item<double>() ==
          most[1].get<double>());
  }

  TEST_CASE("a number at a bound of clamp has no gradient, or shares it with a tensor") {
    for (const Recorded& row : changed("clamp").at("tensors")) {
      CAPTURE(row.dump());
      const std::vector<Tensor> leaves = {leaf_of(row[0][0]), leaf_of(row[0][1]), leaf_of(row[0][2])};
      clamp(leaves[0], bound_of(leaves[1]), bound_of(leaves[2])).backward();
      for (size_t i = 0; i < leaves.size(); ++i)
        if (leaves[i].defined()) CHECK(leaves[i].grad().item<double>() == row[1][i].get<double>());
    }
    for (const Recorded& row : changed("clamp").at("numbers")) {
      CAPTURE(row.dump());
      const Tensor x = leaf_of(row[0][0]);
      clamp(x, number_of(row[0][1]), number_of(row[0][2])).backward();
      CHECK(x.grad().item<double>() == row[1].get<double>());
    }
  }

  TEST_CASE("a range of integers is as long as the one of floats, before fractions are cut off") {
    for (const Recorded& row : changed("arange")) {
      CAPTURE(row.dump());
      CHECK(has_elements(
          etude::arange(row[1].get<double>(), row[2].get<double>(), row[3].get<double>(), type_of(row[0])),
          row[4]));
    }
    CHECK(refusal([] { etude::arange(5, 0, 1); }) ==
          "Error: upper bound and lower bound inconsistent with step sign");
  }

  TEST_CASE("floats of 16 bits have linspace, multinomial and the norms of embeddings") {
    for (const Recorded& row : changed("halves")) {
      const ScalarType type = type_of(row.at("dtype"));
      const std::vector<int64_t> lengths = {0, 1, 2, 7, 40};
      for (size_t i = 0; i < lengths.size(); ++i)
        CHECK(has_elements(etude::linspace(-1.3, 5.7, lengths[i], type), row.at("linspace")[i]));
      manual_seed(3);
      const Tensor p = etude::rand({9}, type);
      CHECK(has_elements(etude::multinomial(p, 4), row.at("multinomial")[0]));
      CHECK(has_elements(etude::multinomial(p, 7, true), row.at("multinomial")[1]));
      Tensor w = (etude::arange(21).to(type) / 4 - 2).view({3, 7});
      etude::embedding_renorm_(w, etude::tensor({0, 2}), 1.3, 2);
      etude::embedding_renorm_(w, etude::tensor({1}), 1.3, 1);
      CHECK(has_elements(w, row.at("renorm")));
    }
  }

  TEST_CASE("a bool to the power of a bool is a bool") {
    const Recorded rows = changed("pow"), refused = rows.at("refused");
    const Tensor bools = etude::tensor({true, false}), three = etude::tensor({3});
    CHECK((bools.pow(true).scalar_type() == kBool && has_elements(bools.pow(true), rows.at("true"))));
    CHECK((bools.pow(false).scalar_type() == kBool && has_elements(bools.pow(false), rows.at("false"))));
    CHECK(refusal_text([&] { bools.clone().pow_(2); }) == refused.at("bool by int64").get<std::string>());
    CHECK(refusal_text([&] { three.clone().pow_(0.5); }) == refused.at("int64 by float").get<std::string>());
  }

  TEST_CASE("masks are bools") {
    const Tensor x = etude::zeros({3});
    for (const char* type : {"uint8", "int64", "float32"}) {
      const Tensor mask = etude::tensor({1, 0, 1}).to(kTypeOf.at(type));
      const Recorded sentence = changed("masks").at(type);
      CHECK(refusal_text([&] { x.masked_fill(mask, 5); }) == sentence.at("masked_fill").get<std::string>());
      CHECK(refusal_text([&] { x.clone().masked_fill_(mask, 5); }) ==
            sentence.at("masked_fill_").get<std::string>());
      CHECK(refusal_text([&] { x.masked_select(mask); }) == sentence.at("masked_select").get<std::string>());
    }
  }

  TEST_CASE("indices of int32 are taken") {
    const Recorded recorded = changed("int32 indices");
    const Tensor ids = etude::tensor({1, -1}, kInt), rows = etude::tensor({{2, 0}, {1, 1}}, kInt);
    const auto check = [&](const char* name, const AnyFunction<Tensor(const Tensor&)>& op) {
      CAPTURE(name);
      const Tensor x = etude::arange(6, kFloat).view({2, 3}).requires_grad_(), y = op(x);
      (y * etude::arange(1, 1 + y.numel(), kFloat).view(y.sizes())).sum().backward();
      CHECK((has_elements(y, recorded.at(name)[0]) && has_elements(x.grad(), recorded.at(name)[1])));
    };
    check("index", [&](const Tensor& x) { return x.index({ids}); });
    check("column", [&](const Tensor& x) { return x.index({Slice(), ids}); });
    check("put", [&](const Tensor& x) { return x.clone().index_put_({ids}, 9); });
    check("gather", [&](const Tensor& x) { return x.gather(1, rows); });
    check("scatter", [&](const Tensor& x) { return x.scatter(1, rows, 9); });
    check("scatter_add", [&](const Tensor& x) { return x.scatter_add(1, rows, etude::ones({2, 2})); });
  }

  TEST_CASE("nodes have the names that PyTorch 2 gives them") {
    const auto leaf = [](IntArrayRef sizes) { return etude::ones(sizes).requires_grad_(); };
    const Tensor x = leaf({2, 3}), x3 = leaf({2, 2, 3}), x4 = leaf({2, 2, 2, 3}), w = leaf({4, 3}),
                 b = leaf({4});
    const std::map<std::string, Tensor> tensors = {
        {"linear of 1 dim", linear(x[0], w, b)},
        {"linear of 4 dims", linear(x4, w, b)},
        {"linear of 4 dims, strided", linear(x4.transpose(0, 1), w, b)},
        {"linear without bias", linear(x[0], w)},
        {"power of a number", etude::pow(2, x)},
        {"power of tensors", x.pow(x)},
        {"repeated rows", x.repeat_interleave(2, 0)},
        {"repeated elements", x.repeat_interleave(2)},
        {"rows by a tensor", x.repeat_interleave(etude::tensor({1, 2}), 0)},
        {"prelu", prelu(x, b.slice(0, 0, 1))},
        {"whole slices", x.index({Slice(), Slice()})},
        {"a whole slice", x.index({Slice()})},
        {"a row and a whole slice", x.index({0, Slice()})},
        {"reshape of a transpose", x.t().reshape({6})},
        {"flatten", x3.flatten(1)},
        {"matmul of a row", x[0].matmul(w.t())},
    };
    const Recorded names = changed("nodes");
    CHECK(names.items().size() == tensors.size() + 2);
    for (const auto& [name, t] : tensors) {
      CAPTURE(name);
      CHECK(node_name(t) == names.at(name).get<std::string>());
    }
  }

  TEST_CASE("norms have the nodes that Python gives them") {
    const Tensor x = etude::ones({2, 3}).requires_grad_();
    CHECK(node_name(x.norm()) == changed("nodes").at("norm").get<std::string>());
    CHECK(node_name(x.norm(1, 1)) == changed("nodes").at("norm of rows").get<std::string>());
  }

  TEST_CASE("the mean squared error of two types has gradients of both") {
    const Tensor x = etude::tensor({1.f, 2.f}).requires_grad_(),
                 y = etude::tensor({0.5, 1.}, kDouble).requires_grad_();
    etude::mse_loss(x, y).backward();
    CHECK((x.grad().scalar_type() == kFloat && has_elements(x.grad(), changed("mse_loss")[0])));
    CHECK((y.grad().scalar_type() == kDouble && has_elements(y.grad(), changed("mse_loss")[1])));
  }
}
