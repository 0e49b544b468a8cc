#pragma once

#include "etude/explain/detail/event.h"

namespace etude::detail {

/// Fills in what an op does for its result, by its name and forms alone, where that is known: a product and a sum are two
/// operations, a function of an element is one, and each tensor is read or written once. Also whether it copies.
void count_work(Event& op);

}  // namespace etude::detail
