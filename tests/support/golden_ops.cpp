#include "support/golden_ops.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "etude/nn/utils.h"
#include "etude/ops/ops.h"
#include "support/golden_layers.h"
#include "support/golden_optim.h"

namespace etude {
namespace {

using indexing::None;
using indexing::Slice;
using Call = GoldenCall;
using List = std::vector<Tensor>;

Scalar number_of(const Recorded& v) {
  if (v.is_number_integer()) return v.get<int64_t>();
  if (v.is_number()) return v.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  if (v == "inf_") return infinity;
  if (v == "-inf_") return -infinity;
  throw std::runtime_error("not a number: " + v.dump());
}

// One result from one, two or three tensors named x, y and z.
GoldenOp unary(Tensor (*f)(const Tensor&)) {
  return [f](const Call& c) { return List{f(c["x"])}; };
}
GoldenOp binary(Tensor (*f)(const Tensor&, const Tensor&)) {
  return [f](const Call& c) { return List{f(c["x"], c["y"])}; };
}
template <typename F>
GoldenOp one(F f) {
  return [f](const Call& c) { return List{f(c)}; };
}

// A reduction over no dim, one dim or several dims.
template <typename Whole, typename Along>
GoldenOp reduction(Whole whole, Along along) {
  return [=](const Call& c) {
    const std::vector<int64_t> dims = c.dims();
    if (!c.has("dim")) return List{whole(c)};
    return List{along(c, dims)};
  };
}

// Values and their indices.
template <typename F>
GoldenOp pair(F f) {
  return [f](const Call& c) {
    const auto [values, indices] = f(c);
    return List{values, indices};
  };
}

template <typename Extreme>
GoldenOp with_indices(Extreme extreme) {
  return pair([=](const Call& c) { return extreme(c["x"], c.integer("dim"), c.flag("keepdim")); });
}

optional<int64_t> maybe_dim(const Call& c) {
  return c.has("dim") ? optional<int64_t>(c.integer("dim")) : nullopt;
}

int64_t reduction_of(const Call& c) {
  static const std::map<std::string, int64_t> kinds = {
      {"none", Reduction::None}, {"mean", Reduction::Mean}, {"sum", Reduction::Sum}};
  return kinds.at(c.text("reduction"));
}

optional<Scalar> bound(const Call& c, const char* name) {
  return c.has(name) ? optional<Scalar>(c.number(name)) : nullopt;
}

Tensor attention(const Call& c, const Tensor& mask) {
  const Tensor q = c["q"], k = c["k"];
  Tensor scores = q.matmul(k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
  if (mask.defined()) scores = scores.masked_fill(~mask, -std::numeric_limits<double>::infinity());
  return softmax(scores, -1).matmul(c["v"]);
}

// [positions, width]
Tensor sinusoids(int64_t positions, int64_t width) {
  const Tensor position = etude::arange(0, positions, kFloat).unsqueeze(1);
  const Tensor frequency =
      exp(etude::arange(0, width, 2, kFloat) * (-std::log(10000.0) / static_cast<double>(width)));
  Tensor table = etude::zeros({positions, width});
  table.index_put_({Slice(), Slice(0, None, 2)}, sin(position * frequency));
  table.index_put_({Slice(), Slice(1, None, 2)}, cos(position * frequency));
  return table;
}

Tensor sinusoids_by_loops(int64_t positions, int64_t width) {
  Tensor table = etude::zeros({positions, width});
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; i < width; i += 2) {
      const double angle =
          static_cast<double>(p) / std::pow(10000.0, static_cast<double>(i) / static_cast<double>(width));
      table[p][i] = std::sin(angle);
      table[p][i + 1] = std::cos(angle);
    }
  return table;
}

using Table = std::map<std::string, GoldenOp>;

Table pointwise_ops() {
  return {
      {"abs", unary(abs)},
      {"ceil", unary(ceil)},
      {"cos", unary(cos)},
      {"erf", unary(erf)},
      {"exp", unary(exp)},
      {"expm1", unary(expm1)},
      {"floor", unary(floor)},
      {"isnan", unary(isnan)},
      {"log", unary(log)},
      {"log1p", unary(log1p)},
      {"neg", unary(neg)},
      {"reciprocal", unary(reciprocal)},
      {"relu", unary(relu)},
      {"round", unary(round)},
      {"rsqrt", unary(rsqrt)},
      {"sigmoid", unary(sigmoid)},
      {"sign", unary(sign)},
      {"sin", unary(sin)},
      {"sqrt", unary(sqrt)},
      {"square", unary(square)},
      {"tanh", unary(tanh)},
      {"silu", unary(silu)},
      {"softplus", one([](const Call& c) { return softplus(c["x"]); })},
      {"leaky_relu", one([](const Call& c) { return leaky_relu(c["x"], c.number("slope")); })},
      {"gelu", one([](const Call& c) { return gelu(c["x"], c.text("approximate")); })},
      {"add", one([](const Call& c) { return add(c["x"], c["y"], c.number("alpha")); })},
      {"sub", one([](const Call& c) { return sub(c["x"], c["y"]); })},
      {"mul", binary(mul)},
      {"div", binary(div)},
      {"fmod", binary(fmod)},
      {"remainder", binary(remainder)},
      {"floor_divide", binary(floor_divide)},
      {"pow", binary(pow)},
      {"maximum", binary(maximum)},
      {"minimum", binary(minimum)},
      {"eq", binary(eq)},
      {"ne", binary(ne)},
      {"lt", binary(lt)},
      {"le", binary(le)},
      {"gt", binary(gt)},
      {"ge", binary(ge)},
      {"logical_and", binary(logical_and)},
      {"add_scalar", one([](const Call& c) { return c["x"] + c.number("c"); })},
      {"mul_scalar", one([](const Call& c) { return c["x"] * c.number("c"); })},
      {"div_scalar", one([](const Call& c) { return c["x"] / c.number("c"); })},
      {"rsub_scalar", one([](const Call& c) { return c.number("c") - c["x"]; })},
      {"rdiv_scalar", one([](const Call& c) { return c.number("c") / c["x"]; })},
      {"pow_scalar", one([](const Call& c) { return pow(c["x"], c.number("c")); })},
      {"rpow_scalar", one([](const Call& c) { return pow(c.number("c"), c["x"]); })},
      {"clamp", one([](const Call& c) { return clamp(c["x"], bound(c, "lo"), bound(c, "hi")); })},
      {"lerp", one([](const Call& c) { return lerp(c["x"], c["y"], c.number("c")); })},
      {"addcmul", one([](const Call& c) { return addcmul(c["x"], c["y"], c["z"], c.number("c")); })},
  };
}

Table reductions() {
  return {
      {"sum", reduction([](const Call& c) { return sum(c["x"]); },
                        [](const Call& c, IntArrayRef d) { return sum(c["x"], d, c.flag("keepdim")); })},
      {"mean", reduction([](const Call& c) { return mean(c["x"]); },
                         [](const Call& c, IntArrayRef d) { return mean(c["x"], d, c.flag("keepdim")); })},
      {"var", one([](const Call& c) {
         return var(c["x"], c.integer("dim"), c.flag("unbiased"), c.flag("keepdim"));
       })},
      {"std", one([](const Call& c) {
         return etude::std(c["x"], c.integer("dim"), c.flag("unbiased"), c.flag("keepdim"));
       })},
      {"prod", one([](const Call& c) { return prod(c["x"]); })},
      {"max_all", one([](const Call& c) { return max(c["x"]); })},
      {"min_all", one([](const Call& c) { return min(c["x"]); })},
      {"max", with_indices([](const Tensor& x, int64_t dim, bool keep) { return max(x, dim, keep); })},
      {"min", with_indices([](const Tensor& x, int64_t dim, bool keep) { return min(x, dim, keep); })},
      {"amax", one([](const Call& c) { return amax(c["x"], c.integer("dim"), c.flag("keepdim")); })},
      {"argmax", one([](const Call& c) { return argmax(c["x"], maybe_dim(c), c.flag("keepdim")); })},
      {"argmin", one([](const Call& c) { return argmin(c["x"], maybe_dim(c), c.flag("keepdim")); })},
      {"all", one([](const Call& c) { return all(c["x"]); })},
      {"any", one([](const Call& c) { return any(c["x"]); })},
      {"cumsum", one([](const Call& c) { return cumsum(c["x"], c.integer("dim")); })},
      {"logsumexp",
       one([](const Call& c) { return logsumexp(c["x"], c.integer("dim"), c.flag("keepdim")); })},
      {"norm", one([](const Call& c) { return norm(c["x"], c.number("p")); })},
      {"argsort", one([](const Call& c) {
         return argsort(c["x"], /*stable=*/true, c.integer("dim"), c.flag("descending"));
       })},
      {"sort", pair([](const Call& c) {
         return sort(c["x"], /*stable=*/true, c.integer("dim"), c.flag("descending"));
       })},
      {"topk",
       pair([](const Call& c) { return topk(c["x"], c.integer("k"), c.integer("dim"), c.flag("largest")); })},
  };
}

Table views_and_joins() {
  return {
      {"reshape", one([](const Call& c) { return c["x"].reshape(c.integers("shape")); })},
      {"view", one([](const Call& c) { return c["x"].view(c.integers("shape")); })},
      {"permute", one([](const Call& c) { return c["x"].permute(c.integers("dims")); })},
      {"transpose", one([](const Call& c) { return c["x"].transpose(c.integer("a"), c.integer("b")); })},
      {"expand", one([](const Call& c) { return c["x"].expand(c.integers("shape")); })},
      {"repeat", one([](const Call& c) { return c["x"].repeat(c.integers("shape")); })},
      {"squeeze",
       one([](const Call& c) { return c.has("dim") ? c["x"].squeeze(c.integer("dim")) : c["x"].squeeze(); })},
      {"unsqueeze", one([](const Call& c) { return c["x"].unsqueeze(c.integer("dim")); })},
      {"flatten", one([](const Call& c) { return flatten(c["x"], c.integer("a"), c.integer("b")); })},
      {"contiguous", one([](const Call& c) { return c["x"].contiguous(); })},
      {"slice", one([](const Call& c) {
         const Slice part(c.integer("start"), c.integer("stop"), c.integer("step"));
         return c.integer("dim") == 0 ? c["x"].index({part}) : c["x"].index({Slice(), part});
       })},
      {"select", one([](const Call& c) { return c["x"].select(c.integer("dim"), c.integer("index")); })},
      {"narrow", one([](const Call& c) {
         return c["x"].narrow(c.integer("dim"), c.integer("start"), c.integer("length"));
       })},
      {"diagonal", one([](const Call& c) { return diagonal(c["x"]); })},
      {"flip", one([](const Call& c) { return c["x"].flip(c.integers("dims")); })},
      {"roll", one([](const Call& c) { return c["x"].roll(c.integer("shifts"), c.integer("dims")); })},
      {"cat", one([](const Call& c) { return cat(c.list("xs"), c.integer("dim")); })},
      {"stack", one([](const Call& c) { return stack(c.list("xs"), c.integer("dim")); })},
      {"split", [](const Call& c) { return split(c["x"], c.integer("size"), c.integer("dim")); }},
      {"chunk", [](const Call& c) { return chunk(c["x"], c.integer("n"), c.integer("dim")); }},
      {"unbind", [](const Call& c) { return unbind(c["x"], c.integer("dim")); }},
      {"arange", one([](const Call& c) {
         const std::vector<Scalar> n = c.numbers("args");
         return n.size() == 1   ? etude::arange(n[0])
                : n.size() == 2 ? etude::arange(n[0], n[1])
                                : etude::arange(n[0], n[1], n[2]);
       })},
      {"linspace", one([](const Call& c) {
         const std::vector<Scalar> n = c.numbers("args");
         return etude::linspace(n[0], n[1], n[2].toLong());
       })},
      {"causal_mask", one([](const Call& c) {
         return triu(etude::full({c.integer("n"), c.integer("n")}, -std::numeric_limits<double>::infinity()),
                     1);
       })},
      {"pe_loop",
       one([](const Call& c) { return sinusoids_by_loops(c.integer("n"), c.integer("d")).unsqueeze(0); })},
      {"pe_vectorised",
       one([](const Call& c) { return sinusoids(c.integer("n"), c.integer("d")).unsqueeze(0); })},
      {"pe_sequence_first",
       one([](const Call& c) { return sinusoids(c.integer("n"), c.integer("d")).unsqueeze(1); })},
  };
}

Table indexing_ops() {
  return {
      {"index", one([](const Call& c) { return c["x"].index({c["idx"]}); })},
      {"index_select", one([](const Call& c) { return c["x"].index_select(c.integer("dim"), c["idx"]); })},
      {"gather", one([](const Call& c) { return c["x"].gather(c.integer("dim"), c["idx"]); })},
      {"scatter", one([](const Call& c) { return c["x"].scatter(c.integer("dim"), c["idx"], c["src"]); })},
      {"scatter_add",
       one([](const Call& c) { return c["x"].scatter_add(c.integer("dim"), c["idx"], c["src"]); })},
      {"index_add",
       one([](const Call& c) { return c["x"].index_add(c.integer("dim"), c["idx"], c["src"]); })},
      {"masked_select", one([](const Call& c) { return c["x"].masked_select(c["mask"]); })},
      {"repeat_interleave",
       one([](const Call& c) { return c["x"].repeat_interleave(c.integer("n"), c.integer("dim")); })},
      {"masked_fill", one([](const Call& c) { return c["x"].masked_fill(c["mask"], c.number("value")); })},
      {"tril", one([](const Call& c) { return tril(c["x"], c.integer("k")); })},
      {"triu", one([](const Call& c) { return triu(c["x"], c.integer("k")); })},
      {"where", one([](const Call& c) { return where(c["cond"], c["x"], c["y"]); })},
      {"one_hot", one([](const Call& c) { return one_hot(c["ids"], c.integer("n")); })},
      {"slice_assign", one([](const Call& c) {
         Tensor t = c["x"].clone();
         t.index_put_({Slice(), Slice(c.integer("start"), None, c.integer("step"))}, c["src"]);
         return t;
       })},
      {"embedding", one([](const Call& c) {
         const int64_t rows = c["w"].size(0),
                       padding = c.has("padding_idx") ? c.integer("padding_idx") + rows : -1;
         return embedding(c["w"], c["ids"], padding < 0 ? padding : padding % rows);
       })},
  };
}

Table products_and_losses() {
  return {
      {"matmul", binary(matmul)},
      {"mm", binary(mm)},
      {"bmm", binary(bmm)},
      {"mv", binary(mv)},
      {"dot", binary(dot)},
      {"outer", binary(outer)},
      {"addmm", one([](const Call& c) { return addmm(c["b"], c["x"], c["y"]); })},
      {"linear", one([](const Call& c) { return linear(c["x"], c["w"], c["b"]); })},
      {"linear_nobias", one([](const Call& c) { return linear(c["x"], c["w"]); })},
      {"softmax", one([](const Call& c) { return softmax(c["x"], c.integer("dim")); })},
      {"log_softmax", one([](const Call& c) { return log_softmax(c["x"], c.integer("dim")); })},
      {"sdpa", one([](const Call& c) {
         const int64_t n = c["q"].size(-2), m = c["k"].size(-2);
         return attention(c, c.flag("causal") ? etude::ones({n, m}, kBool).tril() : Tensor());
       })},
      {"sdpa_mask", one([](const Call& c) { return attention(c, c["mask"]); })},
      {"cross_entropy", one([](const Call& c) {
         return cross_entropy_loss(c["x"], c["t"], {}, reduction_of(c), c.integer("ignore_index"),
                                   c.number("label_smoothing").toDouble());
       })},
      {"cross_entropy_weight", one([](const Call& c) {
         return cross_entropy_loss(c["x"], c["t"], c["w"], reduction_of(c), c.integer("ignore_index"),
                                   c.number("label_smoothing").toDouble());
       })},
      {"cross_entropy_prob", one([](const Call& c) {
         return cross_entropy_loss(c["x"], c["t"], {}, reduction_of(c), -100,
                                   c.number("label_smoothing").toDouble());
       })},
      {"nll_loss", one([](const Call& c) {
         return nll_loss(c["x"], c["t"], {}, reduction_of(c), c.integer("ignore_index"));
       })},
      {"layer_norm", one([](const Call& c) {
         return layer_norm(c["x"], c.integers("shape"), c["w"], c["b"], c.number("eps").toDouble());
       })},
      {"layer_norm_plain", one([](const Call& c) {
         return layer_norm(c["x"], c.integers("shape"), {}, {}, c.number("eps").toDouble());
       })},
      {"l1_loss", one([](const Call& c) { return l1_loss(c["x"], c["t"], reduction_of(c)); })},
      {"bce_with_logits",
       one([](const Call& c) { return binary_cross_entropy_with_logits(c["x"], c["t"]); })},
      {"kl_div",
       one([](const Call& c) { return kl_div(c["x"], c["t"], reduction_of(c), c.flag("log_target")); })},
      {"mse_loss", one([](const Call& c) { return mse_loss(c["x"], c["t"], reduction_of(c)); })},
      {"dropout_seeded", one([](const Call& c) {
         manual_seed(static_cast<uint64_t>(c.integer("seed")));
         return dropout(c["x"], c.number("p").toDouble(), true);
       })},
      {"clip_grad_norm",
       [](const Call& c) {
         List parameters;
         for (const Tensor& g : c.list("gs")) {
           parameters.push_back(etude::zeros_like(g).requires_grad_());
           parameters.back().mutable_grad() = g.clone();
         }
         const double total = nn::utils::clip_grad_norm_(parameters, c.number("max_norm").toDouble(),
                                                         c.number("norm_type").toDouble());
         List result{etude::scalar_tensor(total, c["gs.0"].scalar_type())};
         for (const Tensor& p : parameters) result.push_back(p.grad());
         return result;
       }},
      {"optimizer", one(golden_optimizer)},
      {"lr_schedule", one(golden_schedule)},
  };
}

}  // namespace

const Tensor& GoldenCall::operator[](const std::string& name) const {
  for (const auto& [n, t] : tensors_)
    if (n == name) return t;
  throw std::runtime_error("no tensor named " + name);
}

std::vector<Tensor> GoldenCall::list(const std::string& name) const {
  std::vector<Tensor> result;
  for (const auto& [n, t] : tensors_)
    if (n.compare(0, name.size() + 1, name + ".") == 0) result.push_back(t);
  return result;
}

Scalar GoldenCall::number(const std::string& name) const { return number_of(attributes_.at(name)); }

std::vector<Scalar> GoldenCall::numbers(const std::string& name) const {
  std::vector<Scalar> result;
  for (const auto& v : attributes_.at(name)) result.push_back(number_of(v));
  return result;
}

std::vector<int64_t> GoldenCall::dims(const std::string& name) const {
  if (!has(name)) return {};
  if (attributes_.at(name).is_array()) return integers(name);
  return {integer(name)};
}

const std::map<std::string, GoldenOp>& golden_ops() {
  static const Table table = [] {
    Table all;
    for (const Table& part : {pointwise_ops(), reductions(), views_and_joins(), indexing_ops(),
                              products_and_losses(), golden_layers()})
      all.insert(part.begin(), part.end());
    return all;
  }();
  return table;
}

}  // namespace etude
