#include "etude/threshold.h"

namespace etude::nn {

std::string ThresholdImpl::extra_repr() const {
  return str("threshold=", options.threshold(), ", value=", options.value(),
             options.inplace() ? ", inplace=True" : "");
}

void HardtanhImpl::reset() {
  ETUDE_CHECK(options.max_val() > options.min_val(),
              "max_val must be greater than min_val\nreceived min_val ", options.min_val(), " and max_val ",
              options.max_val());
}
Tensor HardtanhImpl::forward(Tensor input) { return functional::hardtanh(input, options); }
std::string HardtanhImpl::extra_repr() const {
  return "min_val=" + python_float(options.min_val()) + ", max_val=" + python_float(options.max_val()) +
         (options.inplace() ? ", inplace=True" : "");
}

std::string HardshrinkImpl::extra_repr() const { return python_float(options.lambda()); }

std::string SoftshrinkImpl::extra_repr() const { return python_float(options.lambda()); }

}  // namespace etude::nn
