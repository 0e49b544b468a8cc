#include "support/example.h"

/// With a mean or a standard deviation for each element.
///
/// - Shapes: mean [*], std [*] that broadcasts with it -> the broadcast shape
/// - Errors: `normal expects all elements of std >= 0.0`; `normal expects std >= 0.0, but found std -1` where it is a number.
/// - PyTorch: `torch.normal`
EXAMPLE(etude::normal) {
  etude::manual_seed(0);
  const Tensor mean = etude::tensor({0.0, 10.0}), std = etude::tensor({1.0, 0.1});
  print(etude::normal(mean, std));
  print(etude::normal(mean, 0.5));
  print(etude::normal(0.0, std));
  print(examples::message_of([&] { etude::normal(mean, -std); }));
}
