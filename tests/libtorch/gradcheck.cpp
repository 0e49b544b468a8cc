// Central differences for LibTorch, which has gradcheck only in Python.
#include "support/gradcheck.h"

#include <doctest/doctest.h>

#include <cmath>

namespace torch {
namespace {

using Tensors = autograd::variable_list;

bool counts(const Tensor& t) { return t.defined() && t.scalar_type() == kDouble; }

// Copies of the inputs, and which of them are differentiated: those of float64 that require grad, or all of
// float64 if none does.
Tensors leaves(const Tensors& inputs, std::vector<size_t>& places) {
  bool any = false;
  for (const Tensor& t : inputs) any = any || (counts(t) && t.requires_grad());
  Tensors result;
  places.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    result.push_back(inputs[i].defined() ? inputs[i].detach().clone(MemoryFormat::Contiguous) : Tensor());
    if (!counts(inputs[i]) || (any && !inputs[i].requires_grad())) continue;
    result[i].set_requires_grad(true);
    places.push_back(i);
  }
  return result;
}

Tensors picked(const Tensors& from, const std::vector<size_t>& places) {
  Tensors result;
  for (const size_t i : places) result.push_back(from[i]);
  return result;
}

// The gradients of the outputs for which `dy` is defined, with respect to the inputs; zeros where there is none.
Tensors gradients(const Tensors& outputs, const Tensors& dy, const Tensors& inputs, bool create_graph) {
  Tensors roots, seeds, result(inputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!counts(outputs[i]) || !outputs[i].requires_grad() || !dy[i].defined()) continue;
    roots.push_back(outputs[i]);
    seeds.push_back(dy[i]);
  }
  if (!roots.empty()) result = autograd::grad(roots, inputs, seeds, true, create_graph, true);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!result[i].defined()) result[i] = torch::zeros_like(inputs[i]);
  return result;
}

// Numbers of which no two are alike, in the sizes of t.
Tensor uneven(const Tensor& t) {
  return counts(t) ? torch::arange(1, t.numel() + 1, kDouble).mul(0.7).sin().add(1.2).view(t.sizes()) : t;
}

// The weighted sum of the changes. Differences are taken first, so that large outputs do not drown small changes.
double weighted_change(const Tensors& from, const Tensors& to, const Tensors& weights) {
  double sum = 0;
  for (size_t i = 0; i < to.size(); ++i)
    if (counts(to[i]) && weights[i].defined())
      sum += ((to[i].detach() - from[i].detach()) * weights[i]).sum().item<double>();
  return sum;
}

std::string fault_with(const TensorsFunction& f, const Tensors& inputs, const Tensors& weights,
                       const GradcheckOptions& options) {
  std::vector<size_t> places;
  const Tensors leaf = leaves(inputs, places);
  const Tensors found = gradients(f(leaf), weights, picked(leaf, places), false);
  for (size_t k = 0; k < places.size(); ++k) {
    const Tensor gradient = found[k].clone(MemoryFormat::Contiguous);
    auto moved = [&](int64_t element, double step) {
      const Tensors copy = leaves(inputs, places);
      copy[places[k]].detach().view(-1)[element] += step;
      return f(copy);
    };
    for (int64_t i = 0; i < gradient.numel(); ++i) {
      const double is = gradient.data_ptr<double>()[i];
      const double difference =
          weighted_change(moved(i, -options.step), moved(i, options.step), weights) / (2 * options.step);
      if (!(std::fabs(is - difference) <= options.atol + options.rtol * std::fabs(difference)))
        return c10::str("the gradient of input ", places[k], " at element ", i, " is ", is,
                        ", finite differences give ", difference);
    }
  }
  return {};
}

TensorsFunction as_list(const TensorFunction& f) {
  return [f](const Tensors& in) { return Tensors{f(in)}; };
}

bool report(const std::string& fault) {
  CHECK(fault == "");
  return fault.empty();
}

}  // namespace

std::string gradcheck_fault(const TensorsFunction& f, const Tensors& inputs,
                            const GradcheckOptions& options) {
  std::vector<size_t> places;
  const Tensors outputs = f(leaves(inputs, places));
  if (places.empty()) return "there is nothing to differentiate";
  Tensors weights;
  for (const Tensor& y : outputs) weights.push_back(uneven(y));
  std::string fault = fault_with(f, inputs, weights, options);
  for (size_t i = 0; i < outputs.size() && outputs.size() > 1 && fault.empty(); ++i) {
    Tensors alone(outputs.size());
    alone[i] = weights[i];
    fault = fault_with(f, inputs, alone, options);
  }
  return fault;
}

std::string gradgradcheck_fault(const TensorsFunction& f, const Tensors& inputs,
                                const GradcheckOptions& options) {
  std::vector<size_t> places;
  Tensors all = leaves(inputs, places);
  const size_t count = all.size();
  for (const Tensor& y : f(all)) all.push_back(uneven(y.detach()).requires_grad_(counts(y)));
  const TensorsFunction of_gradients = [&f, places, count](const Tensors& in) {
    const auto middle = in.begin() + static_cast<std::ptrdiff_t>(count);
    const Tensors x(in.begin(), middle), dy(middle, in.end());
    return gradients(f(x), dy, picked(x, places), true);
  };
  return gradcheck_fault(of_gradients, all, options);
}

bool gradcheck(const TensorsFunction& f, const Tensors& inputs, const GradcheckOptions& options) {
  return report(gradcheck_fault(f, inputs, options));
}
bool gradcheck(const TensorFunction& f, const Tensors& inputs, const GradcheckOptions& options) {
  return gradcheck(as_list(f), inputs, options);
}
bool gradgradcheck(const TensorsFunction& f, const Tensors& inputs, const GradcheckOptions& options) {
  return report(gradgradcheck_fault(f, inputs, options));
}
bool gradgradcheck(const TensorFunction& f, const Tensors& inputs, const GradcheckOptions& options) {
  return gradgradcheck(as_list(f), inputs, options);
}

}  // namespace torch
