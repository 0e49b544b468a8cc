#pragma once

namespace etude::detail {

/// What the threads that ops have can do at most, as measured at the first call, in some hundredths of a second.
struct Machine {
  double flop_per_second, bytes_per_second;
};
const Machine& machine();

}  // namespace etude::detail
