// Autograd: the derivative of a function
#include <etude/etude.h>

#include "parameter.h"

using etude::print;

int main() {
  const double at = parameter("x", 2.0, -10.0, 10.0);
  const etude::Tensor x = etude::full({}, at, etude::kDouble).requires_grad_();
  const etude::Tensor y = x.pow(3) + etude::sin(x);
  print(y);

  // y' = 3 x^2 + cos(x)
  y.backward();
  print(x.grad());
  print(3 * x.detach().pow(2) + etude::cos(x.detach()));

  // Where is f(x) = x^2 - 2 zero? Newton's method asks for the slope.
  etude::Tensor root = etude::full({}, 1.0, etude::kDouble).requires_grad_();
  for (int64_t step = 0; step < 5; ++step) {
    const etude::Tensor f = root * root - 2;
    const etude::Tensor slope = etude::autograd::grad({f}, {root})[0];
    root = (root - f / slope).detach().requires_grad_();
    print(root.item<double>());
  }
  return 0;
}
