// Etude's own kernels beside those of oneDNN: the same numbers, on as many threads. Each case is there three times: as "own", as
// "onednn", and as "library", which runs what the library chooses; its label is that kernel, in the words of explain().
//   bench_onednn [Google Benchmark's options]
//   bench_onednn --version
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/etude.h"

namespace {

using etude::Tensor;
namespace F = etude::nn::functional;

using Call = std::function<Tensor()>;
using Sizes = std::vector<int64_t>;
using Desc = dnnl::memory::desc;
using Type = dnnl::memory::data_type;
using Arguments = std::unordered_map<int, dnnl::memory>;

/// The calls of Etude and of oneDNN, by what part of the largest number they may differ, and the factor by which oneDNN's
/// numbers are multiplied before they are compared.
struct Pair {
  Call etude, onednn;
  double tolerance;
  double scale = 1;
};

const dnnl::engine& processor() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

template <typename P, typename... Args>
P primitive(const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return P(typename P::primitive_desc(processor(), args...));
#else
  return P(typename P::primitive_desc({args...}, processor()));
#endif
}

/// Rows one after the other.
Desc dense(Type type, const Sizes& sizes) {
  return {sizes, type, sizes.size() == 1 ? dnnl::memory::format_tag::a : dnnl::memory::format_tag::ab};
}

template <typename T>
dnnl::memory memory_of(const Tensor& t, Type type) {
  return {dense(type, t.sizes().vec()), processor(), const_cast<T*>(t.data_ptr<T>())};
}

dnnl::memory floats(const Tensor& t) { return memory_of<float>(t, Type::f32); }

/// Runs it and gives y, where it writes its result. `kept` are tensors whose memory it reads.
Call call_of(const dnnl::primitive& p, const Arguments& arguments, const Tensor& y,
             std::vector<Tensor> kept) {
  return [=, stream = dnnl::stream(processor()), kept = std::move(kept)]() mutable {
    p.execute(stream, arguments);
    stream.wait();
    return y;
  };
}

template <typename T>
Call matmul_of(const Tensor& a, const Tensor& b, const Tensor& y, Type type, const dnnl::memory& result) {
  const dnnl::memory x = memory_of<T>(a, type), w = memory_of<T>(b, type);
  return call_of(primitive<dnnl::matmul>(x.get_desc(), w.get_desc(), result.get_desc()),
                 {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, result}}, y, {a, b});
}

Pair product(const Sizes& s) {
  const Tensor a = etude::randn({s[0], s[1]}), b = etude::randn({s[1], s[2]}), y = etude::zeros({s[0], s[2]});
  return {[=] { return a.mm(b); }, matmul_of<float>(a, b, y, Type::f32, floats(y)), 1e-5};
}

Pair product_of_bfloat16(const Sizes& s) {
  const Tensor a = etude::randn({s[0], s[1]}).to(etude::kBFloat16),
               b = etude::randn({s[1], s[2]}).to(etude::kBFloat16),
               y = etude::zeros({s[0], s[2]}, etude::kBFloat16);
  return {[=] { return a.mm(b); },
          matmul_of<etude::BFloat16>(a, b, y, Type::bf16, memory_of<etude::BFloat16>(y, Type::bf16)), 1e-2};
}

/// The numbers as int8, and their common scale.
std::pair<Tensor, double> as_int8(const Tensor& t) {
  const double scale = t.abs().max().item<double>() / 127;
  return {(t / scale).round().to(etude::kChar), scale};
}

/// Etude multiplies floats by int8 weights with a scale for each 32; oneDNN multiplies int8 by int8.
Pair product_of_int8(const Sizes& s) {
  const Tensor x = etude::rand({s[0], s[1]}) - 0.5, w = etude::rand({s[2], s[1]}) - 0.5;
  const etude::QuantizedWeight quantized = etude::quantize_per_group(w);
  const auto [a, a_scale] = as_int8(x);
  const auto [b, b_scale] = as_int8(w.t().contiguous());
  const Tensor y = etude::zeros({s[0], s[2]});
  return {[=] { return etude::quantized_linear(x, quantized); },
          matmul_of<int8_t>(a, b, y, Type::s8, floats(y)), 3e-2, a_scale * b_scale};
}

Pair softmax(const Sizes& s) {
  const Tensor x = etude::randn(s), y = etude::zeros(s);
  const dnnl::memory from = floats(x), to = floats(y);
#if DNNL_VERSION_MAJOR >= 3
  const auto p =
      primitive<dnnl::softmax_forward>(dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate,
                                       from.get_desc(), to.get_desc(), 1);
#else
  const auto p = primitive<dnnl::softmax_forward>(dnnl::prop_kind::forward_inference, from.get_desc(), 1);
#endif
  return {[=] { return etude::softmax(x, 1); },
          call_of(p, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}, y, {x}), 1e-5};
}

Pair layer_norm(const Sizes& s) {
  const Tensor x = etude::randn(s), y = etude::zeros(s), weight = etude::randn({s[1]}),
               bias = etude::randn({s[1]});
  const dnnl::memory from = floats(x), to = floats(y);
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
  const auto p = primitive<dnnl::layer_normalization_forward>(dnnl::prop_kind::forward_inference,
                                                              from.get_desc(), to.get_desc(), 1e-5f, flags);
#else
  const auto p = primitive<dnnl::layer_normalization_forward>(dnnl::prop_kind::forward_inference,
                                                              from.get_desc(), 1e-5f, flags);
#endif
  return {[=] { return etude::layer_norm(x, {s[1]}, weight, bias); },
          call_of(p,
                  {{DNNL_ARG_SRC, from},
                   {DNNL_ARG_SCALE, floats(weight)},
                   {DNNL_ARG_SHIFT, floats(bias)},
                   {DNNL_ARG_DST, to}},
                  y, {x, weight, bias}),
          1e-5};
}

Pair gelu(const Sizes& s, const std::string& form) {
  const Tensor x = etude::randn(s), y = etude::zeros(s);
  const dnnl::memory from = floats(x), to = floats(y);
  const auto algorithm =
      form == "tanh" ? dnnl::algorithm::eltwise_gelu_tanh : dnnl::algorithm::eltwise_gelu_erf;
#if DNNL_VERSION_MAJOR >= 3
  const auto p = primitive<dnnl::eltwise_forward>(dnnl::prop_kind::forward_inference, algorithm,
                                                  from.get_desc(), to.get_desc(), 0.0f, 0.0f);
#else
  const auto p = primitive<dnnl::eltwise_forward>(dnnl::prop_kind::forward_inference, algorithm,
                                                  from.get_desc(), 0.0f, 0.0f);
#endif
  return {[=] { return etude::gelu(x, form); },
          call_of(p, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}, y, {x}), 1e-4};
}

/// The sizes are images, channels, height = width, and output channels; windows are 3 x 3. The library calls oneDNN, because
/// it converts the layouts.
Pair convolution(const Sizes& s) {
  const Tensor x = etude::randn({s[0], s[1], s[2], s[2]}), w = etude::randn({s[3], s[1], 3, 3});
  const Call call = [=] { return F::conv2d(x, w); };
  return {call,
          [=] {
            const etude::onednn::EnabledGuard with(true);
            return call();
          },
          1e-5};
}

/// The kernel that explain() names.
std::string chosen(const Call& call) {
  std::ostringstream out;
  etude::explain(out);
  call();
  etude::explain(false);
  const std::string lines = out.str();
  std::smatch found;
  return std::regex_search(lines, found, std::regex("  (plain|oneDNN \\S+)  ")) ? found[1].str() : "";
}

void check(const std::string& name, const Pair& pair) {
  const Tensor own = pair.etude().to(etude::kDouble), theirs = pair.onednn().to(etude::kDouble) * pair.scale;
  const double apart = (own - theirs).abs().max().item<double>(), largest = own.abs().max().item<double>();
  if (apart <= pair.tolerance * largest) return;
  std::fprintf(stderr, "%s: the results are %g apart, and the largest number is %g\n", name.c_str(), apart,
               largest);
  std::exit(1);
}

/// The tensors of a case are made when the first of its three sides runs, from one seed.
void add_case(const std::string& name, const std::function<Pair()>& make) {
  const auto made = std::make_shared<Pair>();
  for (const std::string side : {"own", "onednn", "library"})
    benchmark::RegisterBenchmark((name + "/" + side).c_str(), [=](benchmark::State& state) {
      const etude::NoGradGuard no_grad;
      const etude::onednn::EnabledGuard enabled(side == "library");
      if (!made->etude) {
        etude::manual_seed(0);
        *made = make();
        check(name, *made);
      }
      const Call& call = side == "onednn" ? made->onednn : made->etude;
      for (auto _ : state) benchmark::DoNotOptimize(call());
      if (side == "library") state.SetLabel(chosen(call));
    })->UseRealTime();
}

void add_cases(const std::string& kind, const std::vector<Sizes>& all,
               const std::function<Pair(const Sizes&)>& make) {
  for (const Sizes& sizes : all) {
    std::string name = kind + "/";
    for (size_t i = 0; i < sizes.size(); ++i) name += (i ? "x" : "") + std::to_string(sizes[i]);
    add_case(name, [=] { return make(sizes); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::printf("%s\n", etude::onednn::version());
    return 0;
  }
  const std::vector<Sizes> products = {{4, 4, 4},      {16, 16, 16},     {64, 64, 64},   {128, 128, 128},
                                       {1, 768, 2304}, {256, 768, 2304}, {512, 512, 512}};
  add_cases("product", products, product);
  add_cases("product_of_bfloat16", products, product_of_bfloat16);
  add_cases("product_of_int8", {{1, 768, 2304}, {8, 768, 2304}, {256, 768, 2304}}, product_of_int8);
  add_cases("softmax", {{3072, 64}, {36864, 256}, {256, 50257}}, softmax);
  add_cases("layer_norm", {{256, 768}, {4096, 768}}, layer_norm);
  for (const std::string form : {"tanh", "none"})
    add_cases(form == "tanh" ? "gelu_tanh" : "gelu_erf", {{256, 3072}, {2048, 3072}},
              [form](const Sizes& s) { return gelu(s, form); });
  add_cases("convolution", {{8, 3, 32, 16}, {8, 64, 28, 64}}, convolution);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
