#include "support/example.h"

/// The first element in memory, to be read.
///
/// - Shapes: any
/// - Errors: `expected scalar type Float but found Long` where T is not the type of the elements.
/// - PyTorch: `torch.Tensor.data_ptr`
EXAMPLE(etude::Tensor::const_data_ptr) { print(etude::tensor({1, 2, 3}).const_data_ptr<int64_t>()[2]); }

/// The first element in memory, to be written to.
///
/// - Shapes: any
/// - Errors: `expected scalar type Float but found Long` where T is not the type of the elements.
/// - PyTorch: `torch.Tensor.data_ptr`
EXAMPLE(etude::Tensor::mutable_data_ptr) {
  const Tensor x = etude::tensor({1, 2, 3});
  x.mutable_data_ptr<int64_t>()[2] = 30;
  print(x);
}

/// The tensor itself. Pinned memory is what a GPU can copy from, and there is none.
///
/// - Shapes: any
/// - Errors: none of its own
/// - PyTorch: `torch.Tensor.pin_memory`, which without a GPU is refused
EXAMPLE(etude::Tensor::pin_memory) {
  const Tensor x = etude::zeros({2});
  print(x.pin_memory().is_same(x));
}
