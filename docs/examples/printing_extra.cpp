#include "support/example.h"

/// # Printing
///
/// Tensors and numbers as Python prints them.

/// - Errors: none of its own
/// - PyTorch: `print`
EXAMPLE(etude::print) {
  print("loss", 0.1, true, etude::tensor({1.0, 2.0}), etude::kFloat);
  print();
  print(etude::ones({2, 3}).sizes(), 1e-05, 100.0);
}

/// - Shapes: x [*]
/// - Errors: none of its own
/// - PyTorch: `repr`, `repr` of a `torch.nn.Parameter`
EXAMPLE(etude::repr, etude::parameter_repr) {
  const std::string text = etude::repr(etude::tensor({{1.0, 0.5}}));
  print(text, text.size());
  print(etude::parameter_repr(etude::tensor({1.0}, etude::requires_grad(true))));
}

/// How many digits, how many elements before the middle is left out, and how long a line; for the whole program.
///
/// - Errors: `unknown print profile 'tiny'` where Python has no profile of that name
/// - Errors: `edgeitems must not be negative`, `Format specifier missing precision` where the precision is negative
/// - PyTorch: `torch.set_printoptions`
EXAMPLE(etude::set_printoptions, etude::get_printoptions, etude::PrintOptions) {
  const Tensor x = etude::arange(20.0) / 3;
  etude::PrintOptions options;
  options.precision = 2;
  options.threshold = 10;
  etude::set_printoptions(options);
  print(x, etude::get_printoptions().precision);
  etude::set_printoptions("short");
  print(x[1]);
  etude::set_printoptions(etude::PrintOptions());
  print(x[1]);
}

/// - Errors: none of its own
/// - PyTorch: `str` of a float
EXAMPLE(etude::python_float) {
  print(etude::python_float(0.1), etude::python_float(2), etude::python_float(1e-5));
}

/// - Shapes: x [*]
/// - Errors: none of its own
/// - PyTorch: `str(x.tolist())`
EXAMPLE(etude::tolist) {
  print(etude::tolist(etude::tensor({{1.5, 2.0}, {0.1, 4.0}})));
  print(etude::tolist(etude::tensor({{true}, {false}})));
}

/// - Shapes: x [], or [*] with an empty spec
/// - Errors: `unsupported format string passed to Tensor.__format__` where x has dims and the spec is not empty
/// - PyTorch: `format`
EXAMPLE(etude::format) {
  const Tensor loss = etude::tensor(2.34567);
  print(etude::format(loss, ".2f"), etude::format(loss, "8.3f"), etude::format(loss, ".1e"));
  print(etude::format(etude::ones({2}), ""));
  print(examples::message_of([] { etude::format(etude::ones({2}), ".2f"); }));
}
