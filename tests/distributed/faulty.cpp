// A program of several processes. One of them fails as its argument says, while the others want to continue.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>
#include <thread>

#include "etude/distributed/mpi/process_group_mpi.h"
#include "etude/etude.h"

namespace {

using namespace etude::distributed;
using namespace std::chrono_literals;

void all_add(ProcessGroup& group) {
  std::vector<etude::Tensor> tensors = {etude::ones({1000})};
  group.allreduce(tensors)->wait();
}

// What the process that goes wrong does in place of the second operation.
int go_wrong(ProcessGroup& group, const std::string& how) {
  if (how == "killed") std::raise(SIGKILL);
  if (how == "crash") std::raise(SIGSEGV);
  if (how == "stopped") std::raise(SIGSTOP);
  if (how == "hung") std::this_thread::sleep_for(60s);
  if (how == "exception") throw etude::Error("the file is broken\nhint: mend it");
  if (how == "memory") throw std::bad_alloc();
  if (how == "exit") std::exit(0);
  if (how == "_exit") _exit(0);
  std::vector<etude::Tensor> tensors = {etude::ones({1000})}, fewer = {etude::ones({999})};
  std::vector<etude::Tensor> others = {etude::ones({1000}, etude::kDouble)};
  if (how == "broadcast") group.broadcast(tensors)->wait();
  if (how == "sizes") group.allreduce(fewer)->wait();
  if (how == "types") group.allreduce(others)->wait();
  return 0;  // "return"
}

// After a failure everything is refused with its sentence, and the program ends without its group.
int caught(ProcessGroup& group) {
  for (int i = 0; i < 2; ++i) {
    try {
      all_add(group);
    } catch (const etude::Error& e) {
      std::cerr << "caught: " << e.what() << std::endl;
    }
  }
  return 0;
}

volatile std::sig_atomic_t noted = 0;

// Sends SIGTERM to mpi_run, continues until a process has received it, and then takes its time to save.
int interrupted(ProcessGroup& group) {
  AllreduceOptions any;
  any.reduceOp = ReduceOp::MAX;
  all_add(group);
  if (group.getRank() == 0) kill(std::atoi(std::getenv("ETUDE_MPI_RUN_PID")), SIGTERM);
  for (std::vector<etude::Tensor> tensors = {etude::zeros({})}; tensors[0].item<float>() == 0;) {
    std::this_thread::sleep_for(20ms);
    tensors[0].fill_(noted);
    group.allreduce(tensors, any)->wait();
  }
  if (group.getRank() > 0) return 0;
  std::this_thread::sleep_for(1300ms);
  std::cerr << "saved" << std::endl;
  return 0;
}

int initialised() {
  MPI_Init(nullptr, nullptr);
  try {
    ProcessGroupMPI::createProcessGroupMPI();
  } catch (const etude::Error& e) {
    std::cerr << e.what() << std::endl;
  }
  return MPI_Finalize();
}

}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1];
  if (how == "initialised") return initialised();
  ProcessGroupMPI::Options options;
  // Short where something has to wait for its end, and long elsewhere: who waits says another sentence than who
  // reports at once.
  const bool waits = how == "stopped" || how == "stopped at the end" || how == "hung" || how == "caught" ||
                     how == "late at the end";
  options.timeout = waits ? 1500ms : 20s;
  const auto group = ProcessGroupMPI::createProcessGroupMPI(options);
  if (how == "interrupted") {
    std::signal(SIGTERM, [](int) { noted = 1; });
    return interrupted(*group);
  }
  const bool is_wrong = group->getRank() == group->getSize() - 1;
  if (how == "caught") {
    if (is_wrong) std::raise(SIGSTOP);
    return caught(*group);
  }
  return guarded(*group, [&] {
    all_add(*group);
    if (how == "all") throw etude::Error("there is no such file");
    if (how == "code") return is_wrong ? 3 : 0;
    if (how == "stopped at the end") return is_wrong ? std::raise(SIGSTOP) : 0;
    if (how == "late" && is_wrong) std::this_thread::sleep_for(700ms);
    if (how == "late at the end" && group->getRank() == 0) std::this_thread::sleep_for(2s);
    if (is_wrong && how.rfind("late", 0) != 0 && how != "none") return go_wrong(*group, how);
    if (how != "late at the end") all_add(*group);
    return 0;
  });
}
