#pragma once

#include <map>
#include <string>

#include "support/golden_ops.h"

namespace etude {

/// The layers of golden/ops/index.json, as golden_ops() has the ops.
std::map<std::string, GoldenOp> golden_layers();

}  // namespace etude
