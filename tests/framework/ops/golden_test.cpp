// Every op against PyTorch: values, types, sizes, names of the graph's nodes and gradients
// (tests/golden/ops).
#include <doctest/doctest.h>

#include <set>

#include "etude/autograd/autograd.h"
#include "etude/onednn/backend.h"
#include "etude/ops/ops.h"
#include "support/golden_ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"

using namespace etude;

TEST_SUITE("golden ops") {
  namespace {

  // Ops of the golden data that Etude does not have yet.
  const std::set<std::string> kNotYet = {
#ifdef etude
      "decoder_layer",
      "encoder_layer",
      "encoder_layer_mask",
#endif
  };

#ifdef etude
  // Where LibTorch differs from its own Python: the overloads of ops with a number have other names, integers
  // do not divide a number, there is one learning rate schedule, empty ids have no second gradient, attention
  // is made of other ops and takes bool masks for numbers.
  const std::set<std::string> kOtherNames = {"add_scalar",  "mul_scalar",  "rsub_scalar", "div_scalar",
                                             "rdiv_scalar", "rpow_scalar", "norm",        "mha",
                                             "mha_cross",   "mha_mask",    "mha_pad"};
  const std::set<std::string> kPython = {"rdiv_scalar/int64/float32",       "rdiv_scalar/int64/float64",
                                         "lr_schedule/exponential/float64", "lr_schedule/linear/float64",
                                         "mha_mask/causal bool/float32",    "mha_mask/causal bool/float64"};
  const std::set<std::string> kNoSecondGradient = {"embedding/no ids/float64"};
#else
  const std::set<std::string> kOtherNames, kPython, kNoSecondGradient;
#endif

  std::vector<Tensor> run(const GoldenCase& c) {
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (const GoldenCase::Input& i : c.inputs) tensors.emplace_back(i.name, i.value());
    return golden_ops().at(c.op)(GoldenCall(c.attributes, tensors));
  }

  void check_values(const GoldenCase& c, const std::vector<Tensor>& found) {
    REQUIRE(found.size() == c.outputs.size());
    for (size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      CHECK(found[i].sizes() == c.outputs[i].value.sizes());
      CHECK(dtype_name(found[i].scalar_type()) == std::string(dtype_name(c.outputs[i].value.scalar_type())));
      CHECK(golden_distance(found[i], c.outputs[i].value) <= c.tolerance);
      if (!kOtherNames.count(c.op) && !c.outputs[i].renamed)
        CHECK(node_name(found[i]) == c.outputs[i].grad_fn);
    }
  }

  void check_gradients(const GoldenCase& c, const std::vector<Tensor>& found) {
    std::vector<Tensor> roots, gradients;
    for (size_t i = 0; i < found.size(); ++i) {
      if (!c.outputs[i].gradient.defined()) continue;
      roots.push_back(found[i]);
      gradients.push_back(c.outputs[i].gradient);
    }
    if (roots.empty()) return;
    autograd::backward(roots, gradients);
    for (const GoldenCase::Input& i : c.inputs) {
      CAPTURE(i.name);
      const auto expected = c.gradients.find(i.name);
      if (expected == c.gradients.end()) CHECK_FALSE(i.stored.grad().defined());
      else CHECK(golden_distance(i.stored.grad(), expected->second) <= c.gradient_tolerance);
    }
  }

  int run_all(bool with_onednn) {
    const onednn::EnabledGuard guard(with_onednn);
    int count = 0;
    for (const GoldenCase& c : golden_cases()) {
      if (!golden_ops().count(c.op) || kPython.count(c.id)) continue;
      CAPTURE(c.id);
      ++count;
      try {
        const std::vector<Tensor> found = run(c);
        check_values(c, found);
        check_gradients(c, found);
      } catch (const std::exception& e) {
        const std::string text = e.what();
        FAIL_CHECK("throws: " << text);
      }
    }
    return count;
  }

  // Excludes cases in which finite differences are useless: infinities, difference quotients across two branches,
  // and padding rows with a gradient that is zero by definition.
  bool is_smooth(const GoldenCase& c) {
    static const std::set<std::string> others = {
        "amax/ties",        "clamp/at the bounds", "embedding/negative padding_idx",
        "log_softmax/-inf", "logsumexp/big",       "masked_fill/-inf",
        "max/ties",         "max_all/ties",        "mean/dim of size 0",
        "min_all/ties",     "sigmoid/edges",       "softmax/big",
        "sort/ties True",   "sort/ties False"};
    return !others.count(c.id.substr(0, c.id.rfind('/')));
  }

  // The size of the finite-difference matrix.
  int64_t work(const GoldenCase& c) {
    int64_t in = 0, out = 0;
    for (const GoldenCase::Input& i : c.inputs) in += i.stored.requires_grad() ? i.stored.numel() : 0;
    for (const GoldenCase::Output& o : c.outputs) out += o.value.numel();
    return in * out;
  }

  }  // namespace

  TEST_CASE("every op of the golden data is compared, or listed as one that does not exist yet") {
    const Recorded index = golden_json("ops/index.json");
    for (const auto& entry : index.at("ops").items()) {
      const std::string& op = entry.first;
      CAPTURE(op);
      CHECK(golden_ops().count(op) + kNotYet.count(op) == 1);
    }
    for (const std::string& op : kNotYet) CHECK_MESSAGE(index.at("ops").contains(op), op);
    for (const auto& entry : golden_ops()) {
      const std::string& op = entry.first;
      CHECK_MESSAGE(index.at("ops").contains(op), op);
    }
  }

  TEST_CASE("values, types, grad_fn names and gradients are PyTorch's, through oneDNN where it is used") {
    const int count = run_all(true);
    MESSAGE(count << " cases of " << golden_ops().size() << " ops");
    CHECK(count > 600);
  }

  TEST_CASE("values, types, grad_fn names and gradients are PyTorch's with the plain kernels alone") {
    run_all(false);
  }

  namespace {

  // Compares the renamed nodes of norms and attention, or the others, and counts them.
  int compare_renamed(bool of_python) {
    int count = 0;
    for (const GoldenCase& c : golden_cases()) {
      if (!golden_ops().count(c.op) || (c.op == "norm" || c.op.rfind("mha", 0) == 0) != of_python) continue;
      CAPTURE(c.id);
      for (size_t i = 0; i < c.outputs.size(); ++i) {
        if (!c.outputs[i].renamed) continue;
        CHECK(node_name(run(c)[i]) == c.outputs[i].grad_fn);
        ++count;
      }
    }
    return count;
  }

  }  // namespace

  TEST_CASE("nodes that PyTorch 2 renamed have the newer names") { CHECK(compare_renamed(false) == 18); }
  TEST_CASE("norms and averaged heads have the nodes that Python gives them") {
    CHECK(compare_renamed(true) == 14);
  }

  TEST_CASE("gradients of the float64 cases agree with finite differences, and theirs too") {
    int count = 0;
    for (const GoldenCase& c : golden_cases()) {
      if (c.dtype != kDouble || c.gradients.empty() || !golden_ops().count(c.op) || !is_smooth(c)) continue;
      CAPTURE(c.id);
      const TensorsFunction f = [&c](const std::vector<Tensor>& in) {
        GoldenCase with = c;
        for (size_t i = 0; i < in.size(); ++i) with.inputs[i].stored = in[i];
        return run(with);
      };
      std::vector<Tensor> inputs;
      for (const GoldenCase::Input& i : c.inputs) inputs.push_back(i.stored);
      CHECK(gradcheck(f, inputs));
      if (work(c) < 2500 && !kNoSecondGradient.count(c.id)) CHECK(gradgradcheck(f, inputs));
      ++count;
    }
    MESSAGE(count << " cases");
    CHECK(count > 200);
  }
}
