#include "support/processes.h"

#include <chrono>

#include "support/command_line.h"

#ifdef ETUDE_MPI
#include <etude/distributed/mpi/process_group_mpi.h>
#endif

namespace examples {
std::shared_ptr<etude::distributed::ProcessGroup> join_processes(double timeout) {
  if (launch().size == 1) return etude::distributed::ProcessGroup::single();
#ifdef ETUDE_MPI
  etude::distributed::ProcessGroupMPI::Options options;
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout * 1e3));
  return etude::distributed::ProcessGroupMPI::createProcessGroupMPI(options);
#else
  (void)timeout;
  throw UsageError("this program was built without MPI, and mpirun has started it " +
                   std::to_string(launch().size) +
                   " times\nhint: build it with cmake -DETUDE_MPI=ON, or let examples/run --processes " +
                   std::to_string(launch().size) + " do it");
#endif
}

}  // namespace examples
