#include "support/gradcheck.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <unordered_set>

#include "etude/autograd/autograd.h"
#include "etude/autograd/detail/gradcheck.h"
#include "etude/autograd/detail/node.h"
#include "etude/ops/ops.h"

namespace etude {
namespace {

struct WriteAtExit {
  ~WriteAtExit() {
    const char* path = std::getenv("ETUDE_GRADCHECKED");
    if (!path) return;
    std::ofstream out(path);
    for (const std::string& name : gradchecked_nodes()) out << name << '\n';
  }
};

// f, but the nodes of its outputs are noted.
TensorsFunction noting(const TensorsFunction& f) {
  return [f](const std::vector<Tensor>& in) {
    std::vector<Tensor> outputs = f(in);
    for (const Tensor& t : outputs)
      if (t.defined()) note_nodes(t, gradchecked_nodes());
    return outputs;
  };
}

TensorsFunction as_list(const TensorFunction& f) {
  return [f](const std::vector<Tensor>& in) { return std::vector<Tensor>{f(in)}; };
}

// The inputs. If none requires a gradient, all of float64 do.
std::vector<Tensor> with_wanted(const std::vector<Tensor>& inputs) {
  if (std::any_of(inputs.begin(), inputs.end(),
                  [](const Tensor& t) { return t.defined() && t.requires_grad(); }))
    return inputs;
  std::vector<Tensor> result;
  for (const Tensor& t : inputs)
    result.push_back(t.defined() && t.scalar_type() == kDouble ? t.detach().set_requires_grad(true) : t);
  return result;
}

// Backward may run a kernel when nothing is recorded, and ops when it is. Both must give the same gradient.
std::string compare_backwards(const TensorsFunction& f, const autograd::detail::Problem& p, size_t count) {
  std::vector<Tensor> copies, leaves, roots, seeds;
  for (const Tensor& t : p.inputs)
    copies.push_back(t.defined() ? t.detach().clone().set_requires_grad(t.requires_grad()) : t);
  const std::vector<Tensor> recorded = p.function(copies);
  copies.resize(count);
  for (const Tensor& t : copies)
    if (t.defined() && t.requires_grad()) leaves.push_back(t);
  size_t next = count;
  for (const Tensor& y : f(copies)) {
    if (!y.defined() || !y.is_floating_point()) continue;
    const Tensor seed = p.inputs.at(next++).detach();
    if (!y.requires_grad()) continue;
    roots.push_back(y);
    seeds.push_back(seed);
  }
  if (roots.empty()) return {};
  const std::vector<Tensor> plain = autograd::grad(roots, leaves, seeds, nullopt, false, true);
  for (size_t i = 0; i < plain.size(); ++i)
    if (plain[i].defined() && !allclose(plain[i], recorded.at(i), 1e-9, 1e-12, true))
      return "gradient " + std::to_string(i) + " differs between recording and not recording";
  return {};
}

bool report(const char* what, const std::string& fault) {
  if (fault.empty()) return true;
  const std::string text = std::string(what) + ": " + fault;
  MESSAGE(text);
  return false;
}

}  // namespace

std::set<std::string>& gradchecked_nodes() {
  static std::set<std::string>* names = new std::set<std::string>;
  static const WriteAtExit write;
  return *names;
}

void note_nodes(const Tensor& t, std::set<std::string>& names) {
  std::unordered_set<const autograd::detail::GraphNode*> seen;
  std::vector<const autograd::detail::GraphNode*> stack;
  auto push = [&](const autograd::detail::GraphEdge& e) {
    if (e.node && seen.insert(e.node.get()).second) stack.push_back(e.node.get());
  };
  push(autograd::detail::edge_of(t));
  while (!stack.empty()) {
    const autograd::detail::GraphNode* node = stack.back();
    stack.pop_back();
    names.insert(node->label);
    for (const autograd::detail::GraphEdge& e : node->inputs) push(e);
  }
}

std::string gradcheck_fault(const TensorsFunction& f, const std::vector<Tensor>& given,
                            const GradcheckOptions& options) {
  const std::vector<Tensor> inputs = with_wanted(given);
  bool any = false;
  for (const Tensor& t : inputs) {
    if (!t.defined() || !t.requires_grad()) continue;
    if (t.scalar_type() != kDouble) return "an input that is not of type torch.float64 requires grad";
    any = true;
  }
  if (!any) return "no input of type torch.float64 to differentiate";
  return autograd::detail::find_fault(noting(f), inputs, {options.step, options.atol, options.rtol});
}

std::string gradgradcheck_fault(const TensorsFunction& f, const std::vector<Tensor>& inputs,
                                const GradcheckOptions& options) {
  const autograd::detail::Problem p = autograd::detail::problem_of_gradients(f, with_wanted(inputs));
  const std::string fault = compare_backwards(f, p, inputs.size());
  if (!fault.empty()) return fault;
  return gradcheck_fault(p.function, p.inputs, options);
}

bool gradcheck(const TensorsFunction& f, const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  return report("gradcheck", gradcheck_fault(f, inputs, options));
}
bool gradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  return gradcheck(as_list(f), inputs, options);
}
bool gradgradcheck(const TensorsFunction& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options) {
  return report("gradgradcheck", gradgradcheck_fault(f, inputs, options));
}
bool gradgradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options) {
  return gradgradcheck(as_list(f), inputs, options);
}

}  // namespace etude
