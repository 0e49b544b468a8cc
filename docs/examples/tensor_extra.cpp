#include "support/example.h"

/// The first element in memory, to be read.
EXAMPLE(etude::Tensor::const_data_ptr) { print(etude::tensor({1, 2, 3}).const_data_ptr<int64_t>()[2]); }
