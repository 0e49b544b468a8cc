#include "support/example.h"

/// - Shapes: [...] -> [...]
/// - Errors: `division by zero` where std is 0
/// - PyTorch: `torch.nn.init.trunc_normal_`
EXAMPLE(etude::nn::init::trunc_normal_) {
  etude::manual_seed(0);
  print(nn::init::trunc_normal_(etude::empty({4}), 0, 1, -0.5, 0.5));
}
