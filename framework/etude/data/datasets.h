#pragma once

#include "etude/data/datasets/base.h"
#include "etude/data/datasets/map.h"
#include "etude/data/datasets/shared.h"
#include "etude/data/datasets/stateful.h"
#include "etude/data/datasets/tensor.h"

namespace etude::data {
using datasets::BatchDataset;
using datasets::Dataset;
}  // namespace etude::data
