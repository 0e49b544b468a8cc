// Checks gradients against central differences. One backward per weighting of the outputs finds a fault; the
// Jacobian is computed only to describe it.

#include "etude/autograd/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "etude/autograd/autograd.h"
#include "etude/autograd/detail/gradcheck.h"
#include "etude/core/detail/tensor_impl.h"

namespace etude::autograd {
namespace {

using detail::GradcheckOptions;
using Values = std::vector<double>;

// Calls f with the offset of each element, in row-major order.
template <typename F>
void for_each_offset(IntArrayRef sizes, IntArrayRef strides, const F& f, size_t d = 0, int64_t offset = 0) {
  if (d == sizes.size()) return f(offset);
  for (int64_t i = 0; i < sizes[d]; ++i) for_each_offset(sizes, strides, f, d + 1, offset + i * strides[d]);
}

// The elements in row-major order, read through the strides without any op.
Values values_of(const Tensor& t) {
  Values values;
  const double* const data = t.data_ptr<double>();
  for_each_offset(t.sizes(), t.strides(), [&](int64_t offset) { values.push_back(data[offset]); });
  return values;
}

Tensor contiguous_tensor(IntArrayRef sizes, const Values& values) {
  Tensor t = etude::detail::make_tensor(sizes, kDouble);
  std::copy(values.begin(), values.end(), t.data_ptr<double>());
  return t;
}

// The same values with the first dim innermost and a gap of one element between neighbours.
Tensor scattered_tensor(IntArrayRef sizes, const Values& values) {
  const auto dims = static_cast<int64_t>(sizes.size());
  Shape strides = Shape::filled(dims, 0);
  int64_t stride = 2;
  for (int64_t d = 0; d < dims; ++d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[static_cast<size_t>(d)], 1);
  }
  const Tensor memory = etude::detail::make_tensor({stride + 1}, kDouble);
  memory.fill_(std::numeric_limits<double>::quiet_NaN());
  return memory.as_strided(sizes, strides, 1).copy_(contiguous_tensor(sizes, values));
}

std::vector<Tensor> copies_of(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> copies;
  copies.reserve(tensors.size());
  for (const Tensor& t : tensors) copies.push_back(t.defined() ? t.detach().clone() : t);
  return copies;
}

// Copies of the inputs, and the indices of the differentiated ones.
struct CheckedInputs {
  std::vector<Tensor> tensors;
  std::vector<size_t> wanted;

  explicit CheckedInputs(const std::vector<Tensor>& given) : tensors(copies_of(given)) {
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].defined() && given[i].requires_grad()) wanted.push_back(i);
  }
  // Leaves with the same values; the differentiated ones require grad.
  std::vector<Tensor> leaves() const {
    std::vector<Tensor> result = copies_of(tensors);
    for (size_t i : wanted) result[i].set_requires_grad(true);
    return result;
  }
};

// The floating-point outputs of f. Others have no gradient.
std::vector<Tensor> floating(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> result;
  for (const Tensor& t : outputs)
    if (t.defined() && t.is_floating_point()) result.push_back(t);
  return result;
}

std::vector<Values> evaluate(const TensorsFunction& f, const std::vector<Tensor>& inputs) {
  const NoGradGuard no_grad;
  std::vector<Values> result;
  for (const Tensor& t : floating(f(copies_of(inputs)))) result.push_back(values_of(t));
  return result;
}

// differences[i][j][k][e]: the derivative of element e of output k by element j of the i-th wanted input.
using Differences = std::vector<std::vector<std::vector<Values>>>;

Differences central_differences(const TensorsFunction& f, const CheckedInputs& inputs, double step) {
  Differences result;
  for (size_t index : inputs.wanted) {
    std::vector<Tensor> at = inputs.tensors;
    const Tensor original = at[index];
    const Values x = values_of(original);
    auto& of_input = result.emplace_back();
    const auto outputs_at = [&](size_t j, double value) {
      Values moved = x;
      moved[j] = value;
      at[index] = contiguous_tensor(original.sizes(), moved);
      return evaluate(f, at);
    };
    for (size_t j = 0; j < x.size(); ++j) {
      const double above = x[j] + step, below = x[j] - step;
      std::vector<Values> d = outputs_at(j, above);
      const std::vector<Values> minus = outputs_at(j, below);
      for (size_t k = 0; k < d.size(); ++k)
        for (size_t e = 0; e < d[k].size(); ++e) d[k][e] = (d[k][e] - minus[k][e]) / (above - below);
      of_input.push_back(std::move(d));
    }
  }
  return result;
}

// The gradients of the inputs, from the outputs that require one and have a seed.
std::vector<Tensor> gradients_from(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds,
                                   const std::vector<Tensor>& inputs, bool create_graph) {
  std::vector<Tensor> roots, given;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].requires_grad()) continue;
    ETUDE_CHECK(k < seeds.size(), "got ", outputs.size(), " outputs and ", seeds.size(),
                " gradients of outputs");
    if (!seeds[k].defined()) continue;
    roots.push_back(outputs[k]);
    given.push_back(seeds[k]);
  }
  if (roots.empty()) return std::vector<Tensor>(inputs.size());
  return autograd::grad(roots, inputs, given, nullopt, create_graph, true);
}

// Weights without a symmetry through which the errors of an op could cancel.
double weight(size_t output, size_t element) {
  return 0.4 + std::cos(1.7 * static_cast<double>(element) + 0.9 * static_cast<double>(output) + 0.3);
}

enum class SeedLayout { Contiguous, Scattered, Expanded };

constexpr const char* kDescriptions[] = {"an unevenly weighted output",
                                         "an unevenly weighted output, its gradient not contiguous",
                                         "the sum of the output, its gradient expanded from one number"};

// Compares the gradients of one weighting of the outputs; `only` is the output that has a gradient, or -1 for all.
std::string compare(const TensorsFunction& f, const CheckedInputs& inputs, const Differences& differences,
                    SeedLayout layout, int only, const GradcheckOptions& options) {
  const std::vector<Tensor> leaves = inputs.leaves();
  const std::vector<Tensor> outputs = floating(f(leaves));
  std::vector<Tensor> seeds, wanted;  // a seed for each output that is used
  std::vector<Values> weights;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const bool used = only < 0 || static_cast<size_t>(only) == k;
    Values w(static_cast<size_t>(outputs[k].numel()), 0.0);
    for (size_t e = 0; e < w.size() && used; ++e) w[e] = layout == SeedLayout::Expanded ? 1.0 : weight(k, e);
    weights.push_back(w);
    const IntArrayRef sizes = outputs[k].sizes();
    seeds.push_back(!used                              ? Tensor()
                    : layout == SeedLayout::Contiguous ? contiguous_tensor(sizes, w)
                    : layout == SeedLayout::Scattered  ? scattered_tensor(sizes, w)
                                                       : contiguous_tensor({}, {1.0}).expand(sizes));
  }
  for (size_t i : inputs.wanted) wanted.push_back(leaves[i]);
  const std::vector<Tensor> gradients = gradients_from(outputs, seeds, wanted, false);

  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor& g = gradients[i];
    const size_t n = static_cast<size_t>(wanted[i].numel());
    if (g.defined() && (g.sizes() != wanted[i].sizes() || g.scalar_type() != kDouble))
      return str("the gradient of input ", inputs.wanted[i], " has sizes ", g.sizes(), " and type ",
                 dtype_name(g.scalar_type()), " instead of ", wanted[i].sizes(), " and torch.float64");
    const Values found = g.defined() ? values_of(g) : Values(n, 0.0);
    for (size_t j = 0; j < n; ++j) {
      double expected = 0, scale = 0;
      for (size_t k = 0; k < weights.size(); ++k)
        for (size_t e = 0; e < weights[k].size(); ++e) {
          if (weights[k][e] == 0) continue;
          expected += weights[k][e] * differences[i][j][k][e];
          scale += std::fabs(weights[k][e] * differences[i][j][k][e]);
        }
      if (std::fabs(found[j] - expected) <= options.atol + options.rtol * scale) continue;
      std::ostringstream text;
      text.precision(12);
      text << "the gradient of input " << inputs.wanted[i] << " at element " << j << " is " << found[j]
           << (g.defined() ? "" : " (missing)") << ", finite differences give " << expected << ", for "
           << kDescriptions[static_cast<size_t>(layout)];
      if (only >= 0) text << ", of output " << only << " alone";
      return text.str();
    }
  }
  for (size_t k = 0; k < seeds.size(); ++k)
    if (seeds[k].defined() && values_of(seeds[k]) != weights[k])
      return str("backward writes into the gradient that it is given, of output ", k);
  return {};
}

// Recording must not change what an op computes.
std::string compare_values(const TensorsFunction& f, const CheckedInputs& inputs) {
  const std::vector<Values> plain = evaluate(f, inputs.tensors);
  std::vector<Values> recorded;
  for (const Tensor& t : floating(f(inputs.leaves()))) {
    if (t.scalar_type() != kDouble)
      return str("an output has type ", dtype_name(t.scalar_type()), "; gradcheck needs torch.float64");
    recorded.push_back(values_of(t));
  }
  if (plain.size() != recorded.size())
    return "the number of outputs depends on whether the graph is recorded";
  for (size_t k = 0; k < plain.size(); ++k)
    for (size_t e = 0; e < std::max(plain[k].size(), recorded[k].size()); ++e)
      if (plain[k].size() != recorded[k].size() ||
          (plain[k][e] != recorded[k][e] && !(std::isnan(plain[k][e]) && std::isnan(recorded[k][e]))))
        return str("output ", k, " differs at element ", e, " between recording and not recording");
  return {};
}

// The gradients of f as a function of its inputs and of the gradients of its outputs.
TensorsFunction gradients_of(const TensorsFunction& f, size_t inputs, const std::vector<size_t>& wanted) {
  return [=](const std::vector<Tensor>& all) {
    const bool record = GradMode::is_enabled();
    const EnableGradGuard on;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(inputs);
    std::vector<Tensor> in(all.begin(), middle), targets, result;
    for (size_t i : wanted) {
      if (!in[i].requires_grad()) in[i] = in[i].detach().set_requires_grad(true);
      targets.push_back(in[i]);
    }
    const std::vector<Tensor> gradients = gradients_from(floating(f(in)), {middle, all.end()}, targets, true);
    for (size_t i = 0; i < targets.size(); ++i) {
      const Tensor g = gradients[i].defined() ? gradients[i] : targets[i].detach().clone().zero_();
      result.push_back(record ? g : g.detach());
    }
    return result;
  };
}

// Shape numel(input) x numel(output).
Tensor matrix(const std::vector<Values>& rows, size_t columns) {
  Values all;
  for (const Values& row : rows) all.insert(all.end(), row.begin(), row.end());
  return contiguous_tensor({static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, all);
}

// Python's message for the first output and input with different Jacobians; empty if backward fails in another way.
std::string jacobian_mismatch(const TensorsFunction& f, const variable_list& given,
                              const GradcheckOptions& options) {
  const EnableGradGuard on;
  const CheckedInputs inputs(given);
  const Differences differences = central_differences(f, inputs, options.step);
  const std::vector<Tensor> leaves = inputs.leaves();
  std::vector<Tensor> wanted;
  for (size_t i : inputs.wanted) wanted.push_back(leaves[i]);
  const std::vector<Tensor> outputs = floating(f(leaves));
  if (std::none_of(outputs.begin(), outputs.end(), [](const Tensor& t) { return t.requires_grad(); }))
    return "Numerical gradient for function expected to be zero\n";
  for (size_t k = 0; k < outputs.size(); ++k) {
    const auto columns = static_cast<size_t>(outputs[k].numel());
    std::vector<std::vector<Values>> found(wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i)
      found[i].assign(static_cast<size_t>(wanted[i].numel()), Values(columns, 0.0));
    for (size_t e = 0; e < columns && outputs[k].requires_grad(); ++e) {
      Values one(columns, 0.0);
      one[e] = 1;
      const variable_list g =
          grad({outputs[k]}, wanted, {contiguous_tensor(outputs[k].sizes(), one)}, true, false, true);
      for (size_t i = 0; i < wanted.size(); ++i) {
        const Values v = g[i].defined() ? values_of(g[i]) : Values();
        for (size_t j = 0; j < v.size(); ++j) found[i][j][e] = v[j];
      }
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      std::vector<Values> expected;
      for (const auto& of_element : differences[i]) expected.push_back(of_element[k]);
      const Tensor numerical = matrix(expected, columns), analytical = matrix(found[i], columns);
      if (analytical.allclose(numerical, options.rtol, options.atol)) continue;
      return str("Jacobian mismatch for output ", k, " with respect to input ", i, ",\nnumerical:", numerical,
                 "\nanalytical:", analytical, "\n");
    }
  }
  return {};
}

// Throws unless at least one input requires grad and all such inputs are float64 and do not overlap.
void check_inputs(const variable_list& inputs) {
  bool any = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    if (!t.defined() || !t.requires_grad()) continue;
    any = true;
    ETUDE_CHECK_VALUE(t.scalar_type() == kDouble, "Input #", i,
                      " requires gradient and is not a double precision floating point or complex. This "
                      "check will likely fail if all the inputs are not of double precision floating point "
                      "or complex.");
    for (int64_t d = 0; d < t.dim(); ++d)
      ETUDE_CHECK(t.stride(d) != 0 || t.size(d) <= 1, "The ", i,
                  "th input has a dimension with stride 0. gradcheck only supports inputs that are "
                  "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                  ".contiguous on the input before passing it to gradcheck.");
  }
  ETUDE_CHECK_VALUE(any,
                    "gradcheck expects at least one input tensor to require gradient, but none of the them "
                    "have requires_grad=True.");
}

TensorsFunction as_list(const TensorFunction& f) {
  return [f](const variable_list& in) { return variable_list{f(in)}; };
}

}  // namespace

std::string detail::find_fault(const TensorsFunction& f, const std::vector<Tensor>& given,
                               const GradcheckOptions& options) {
  const EnableGradGuard on;
  const CheckedInputs inputs(given);
  std::string fault = compare_values(f, inputs);
  if (!fault.empty()) return fault;
  const Differences differences = central_differences(f, inputs, options.step);
  for (SeedLayout l : {SeedLayout::Contiguous, SeedLayout::Scattered, SeedLayout::Expanded})
    if (fault.empty()) fault = compare(f, inputs, differences, l, -1, options);
  const auto outputs = static_cast<int>(evaluate(f, inputs.tensors).size());
  for (int k = 0; k < outputs && outputs > 1 && fault.empty(); ++k)
    fault = compare(f, inputs, differences, SeedLayout::Contiguous, k, options);
  return fault;
}

detail::Problem detail::problem_of_gradients(const TensorsFunction& f, const variable_list& given,
                                             const variable_list& grad_outputs) {
  const EnableGradGuard on;
  const CheckedInputs inputs(given);
  Problem problem;
  problem.function = gradients_of(f, given.size(), inputs.wanted);
  problem.inputs = inputs.tensors;
  for (size_t i : inputs.wanted) problem.inputs[i].set_requires_grad(true);
  if (!grad_outputs.empty()) {
    for (const Tensor& g : grad_outputs)
      problem.inputs.push_back(g.detach().clone().set_requires_grad(g.requires_grad()));
    return problem;
  }
  const std::vector<Tensor> outputs = floating(f(inputs.tensors));
  for (size_t k = 0; k < outputs.size(); ++k) {
    Values w(static_cast<size_t>(outputs[k].numel()));
    for (size_t e = 0; e < w.size(); ++e) w[e] = weight(k + 3, e + 5);
    problem.inputs.push_back(contiguous_tensor(outputs[k].sizes(), w).set_requires_grad(true));
  }
  return problem;
}

GradcheckError::~GradcheckError() = default;

bool gradcheck(const TensorsFunction& func, const variable_list& inputs, double eps, double atol, double rtol,
               bool raise_exception) {
  check_inputs(inputs);
  const GradcheckOptions options{eps, atol, rtol};
  const std::string fault = detail::find_fault(func, inputs, options);
  if (fault.empty()) return true;
  if (!raise_exception) return false;
  throw GradcheckError(jacobian_mismatch(func, inputs, options) + fault);
}

bool gradcheck(const TensorFunction& func, const variable_list& inputs, double eps, double atol, double rtol,
               bool raise_exception) {
  return gradcheck(as_list(func), inputs, eps, atol, rtol, raise_exception);
}

bool gradgradcheck(const TensorsFunction& func, const variable_list& inputs,
                   const variable_list& grad_outputs, double eps, double atol, double rtol,
                   bool raise_exception) {
  check_inputs(inputs);
  const detail::Problem p = detail::problem_of_gradients(func, inputs, grad_outputs);
  return gradcheck(p.function, p.inputs, eps, atol, rtol, raise_exception);
}

bool gradgradcheck(const TensorFunction& func, const variable_list& inputs, const variable_list& grad_outputs,
                   double eps, double atol, double rtol, bool raise_exception) {
  return gradgradcheck(as_list(func), inputs, grad_outputs, eps, atol, rtol, raise_exception);
}

}  // namespace etude::autograd
