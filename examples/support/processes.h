#pragma once

#include <etude/distributed/process_group.h>

#include <memory>

namespace examples {

/// The group of the processes that mpirun has started, or of this process alone. An operation fails if the others do not
/// join it within `timeout` seconds. Throws a UsageError for several processes if the program was built without MPI.
std::shared_ptr<etude::distributed::ProcessGroup> join_processes(double timeout);

}  // namespace examples
