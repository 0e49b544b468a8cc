#pragma once

#include <cstdint>

namespace etude::distributed::detail {

/// The order in which n parts, of processes or of a batch, are added wherever the sum must not depend on who
/// holds which part: a balanced binary tree, ((0 + 1) + (2 + 3)) + ... Blocks of equal sizes are added first;
/// if n is not a power of two, the remaining blocks, one for each binary digit of n, are added from the
/// right: 7 parts give ((0 + 1) + (2 + 3)) + ((4 + 5) + 6).
///
/// Calls next(i), which provides part i, and add(a, b), which adds part b to part a and releases b, as early
/// as possible: at most log2(n) + 1 parts exist at any time. The sum is in part 0.
template <typename Next, typename Add>
void tree_sum(int64_t n, Next&& next, Add&& add) {
  for (int64_t i = 0; i < n; ++i) {
    next(i);
    for (int64_t size = 1; i & size; size *= 2) add(i + 1 - 2 * size, i + 1 - size);
  }
  for (int64_t block = n & (n - 1); block > 0; block &= block - 1) add(block & (block - 1), block);
}

}  // namespace etude::distributed::detail
