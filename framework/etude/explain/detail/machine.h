#pragma once

namespace etude::detail {

/// The peak rates of the threads that ops use, measured at the first call in some hundredths of a second.
struct Machine {
  double flop_per_second, bytes_per_second;
};
const Machine& machine();

}  // namespace etude::detail
