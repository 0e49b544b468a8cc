// What most ops include, compiled once.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "etude/core/detail/vectorised.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/ops.h"
