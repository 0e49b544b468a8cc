#pragma once

#include <vector>

#include "etude/data/transforms/lambda.h"

namespace etude::data::transforms {

/// Maps a batch of examples to one example (torch::data::transforms::Collation).
template <typename T, typename BatchType = std::vector<T>>
using Collation = BatchTransform<BatchType, T>;

/// Maps a batch of examples to one example by a function (torch::data::transforms::Collate).
template <typename T, typename BatchType = std::vector<T>>
using Collate = BatchLambda<BatchType, T>;

}  // namespace etude::data::transforms
