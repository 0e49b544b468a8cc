#include "support/example.h"

/// Functions of complex tensors, which Etude does not have: each throws an error that says so.
///
/// - Shapes: any
/// - Errors: always; the sentences that the example prints.
/// - PyTorch: `torch.polar`, `torch.view_as_real`, `torch.view_as_complex`
EXAMPLE(etude::polar, etude::view_as_real, etude::view_as_complex) {
  const Tensor ones = etude::ones({2});
  print(examples::message_of([&] { etude::polar(ones, ones); }));
  print(examples::message_of([&] { etude::view_as_real(ones); }));
  print(examples::message_of([&] { etude::view_as_complex(ones); }));
}
