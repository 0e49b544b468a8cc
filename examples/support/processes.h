#pragma once

#include <etude/distributed/process_group.h>

#include <memory>

namespace examples {

/// The group of the processes that mpirun has started, or of this one alone. An operation that the others do not join within so many seconds fails. Throws a
/// UsageError if they are several, and the program was built without MPI.
std::shared_ptr<etude::distributed::ProcessGroup> join_processes(double timeout);

}  // namespace examples
