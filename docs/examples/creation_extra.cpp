#include "support/example.h"

/// LibTorch's functions of complex tensors, for programs that were written for it: there are none here, and each says what to do
/// without.
EXAMPLE(etude::polar, etude::view_as_real, etude::view_as_complex) {
  const Tensor ones = etude::ones({2});
  print(examples::message_of([&] { etude::polar(ones, ones); }));
  print(examples::message_of([&] { etude::view_as_real(ones); }));
  print(examples::message_of([&] { etude::view_as_complex(ones); }));
}
