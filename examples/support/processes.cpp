#include "support/processes.h"

#include <chrono>
#include <cstdlib>
#include <initializer_list>

#include "support/command_line.h"

#ifdef ETUDE_MPI
#include <etude/distributed/mpi/process_group_mpi.h>
#endif

namespace examples {
namespace {

// The first of the variables that is there, or a number in place of them.
int number_in(std::initializer_list<const char*> variables, int otherwise) {
  for (const char* variable : variables)
    if (const char* text = std::getenv(variable)) return std::atoi(text);
  return otherwise;
}

}  // namespace

Launch launch() {
  Launch launch;
  launch.rank = number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0);
  launch.size = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
  launch.on_this_machine = number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, launch.size);
  return launch;
}

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
