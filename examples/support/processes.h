#pragma once

#include <etude/distributed/process_group.h>

#include <memory>

namespace examples {

/// What mpirun says of the processes that it has started, of which this is one; a program that was started alone is 0 of 1.
struct Launch {
  int rank = 0, size = 1;
  int on_this_machine = 1;
};

/// Reads the variables that Open MPI, and MPICH, set.
Launch launch();

/// The group of these processes. An operation that the others do not join within so many seconds fails. Throws a
/// UsageError if they are several, and the program was built without MPI.
std::shared_ptr<etude::distributed::ProcessGroup> join_processes(double timeout);

}  // namespace examples
