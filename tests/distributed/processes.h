#pragma once

#include <cstdint>
#include <vector>

#include "etude/distributed/mpi/process_group_mpi.h"
#include "etude/etude.h"

namespace etude {

/// The group of all processes that mpirun has started this program in.
inline distributed::ProcessGroup& processes() {
  static const auto group = [] {
    distributed::ProcessGroupMPI::Options options;
    options.timeout = std::chrono::seconds(60);
    return distributed::ProcessGroupMPI::createProcessGroupMPI(options);
  }();
  return *group;
}

}  // namespace etude
