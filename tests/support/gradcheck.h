#pragma once

#include <set>
#include <string>
#include <vector>

#include "etude/core/tensor.h"
#include "support/any_function.h"

namespace etude {

using TensorFunction = AnyFunction<Tensor(const autograd::variable_list&)>;
using TensorsFunction = AnyFunction<autograd::variable_list(const autograd::variable_list&)>;

/// The step of finite differences, and the tolerances of |gradient - difference| <= atol + rtol * |difference|.
struct GradcheckOptions {
  double step = 1e-6;
  double atol = 1e-6;
  double rtol = 1e-5;
};

/// The framework's checker with tighter tolerances. It notes the names of the nodes that it meets, and writes
/// disagreements into the test's report.
bool gradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options = {});
bool gradcheck(const TensorsFunction& f, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options = {});

/// The same for second derivatives, with respect to the inputs and to the gradients of the outputs.
bool gradgradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options = {});
bool gradgradcheck(const TensorsFunction& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options = {});

/// The fault that gradcheck or gradgradcheck finds; empty if there is none.
std::string gradcheck_fault(const TensorsFunction& f, const std::vector<Tensor>& inputs,
                            const GradcheckOptions& options = {});
std::string gradgradcheck_fault(const TensorsFunction& f, const std::vector<Tensor>& inputs,
                                const GradcheckOptions& options = {});

/// The names of all graph nodes that gradcheck has met in this process. At exit they are written, one per
/// line, to the file named by the environment variable ETUDE_GRADCHECKED.
std::set<std::string>& gradchecked_nodes();

/// Adds the names of all nodes that t depends on.
void note_nodes(const Tensor& t, std::set<std::string>& names);

}  // namespace etude
