#include "support/example.h"

/// The first element in memory, to be read.
///
/// - Shapes: any
/// - Errors: `expected scalar type Float but found Long` where T is not the type of the elements.
/// - PyTorch: `torch.Tensor.data_ptr`
EXAMPLE(etude::Tensor::const_data_ptr) { print(etude::tensor({1, 2, 3}).const_data_ptr<int64_t>()[2]); }
