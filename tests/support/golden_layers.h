#pragma once

#include <map>
#include <string>

#include "support/golden_ops.h"

namespace etude {

/// The layers of golden/ops/index.json, in the form of golden_ops().
std::map<std::string, GoldenOp> golden_layers();

}  // namespace etude
