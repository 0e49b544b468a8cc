#pragma once

namespace etude::detail {

/// From here on the ops that this thread calls run on it alone: for threads that work beside each other.
void use_one_thread();

}  // namespace etude::detail
