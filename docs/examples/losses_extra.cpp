#include "support/example.h"

/// - Shapes: x [..., in], weight [classes, in], target int64 [...], bias [classes] -> [], or with kNone [...]
/// - Units: nats
/// - Errors: those of cross_entropy and linear
/// - PyTorch: `torch.nn.functional.linear_cross_entropy` of a version after 1.13
EXAMPLE(etude::linear_cross_entropy, etude::nn::functional::linear_cross_entropy) {
  const Tensor x = etude::tensor({{1.0, 0.0}}), weight = etude::tensor({{0.0, 9.0}, {0.0, 9.0}}),
               target = etude::tensor({0});
  print(F::linear_cross_entropy(x, weight, target));
  print(etude::linear_cross_entropy(x, weight, target));
}

/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::nn::functional::ReductionType) {
  const auto losses = [](F::ReductionType reduction) {
    return F::mse_loss(etude::tensor({1.0, 4.0}), etude::tensor({1.0, 2.0}),
                       F::MSELossFuncOptions().reduction(reduction));
  };
  print(losses(etude::kMean), losses(etude::kNone));
}
