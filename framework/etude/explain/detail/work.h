#pragma once

#include "etude/explain/detail/event.h"

namespace etude::detail {

/// Fills in the FLOP and bytes of an op from its name and forms, if they are known: a product and a sum are two
/// operations, a function of an element is one, and each tensor is read or written once. Also notes whether it copies.
void count_work(Event& op);

}  // namespace etude::detail
