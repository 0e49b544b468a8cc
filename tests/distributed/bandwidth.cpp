// How long an allreduce of float32 takes, summed in the order of a tree and in that of MPI, and how many bytes of a tensor go
// through it in a second. A table, or with --json a list for programs; up to 64 MiB, or as many bytes as are named last.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "distributed/processes.h"

namespace {

using namespace etude::distributed;

// The median of the seconds that one takes.
double seconds(ProcessGroup& group, int64_t bytes, bool deterministic, int repeats) {
  std::vector<etude::Tensor> tensors = {etude::zeros({bytes / 4})};
  AllreduceOptions options;
  options.deterministic = deterministic;
  std::vector<double> times;
  for (int i = 0; i < repeats + 2; ++i) {
    group.barrier()->wait();
    const auto start = std::chrono::steady_clock::now();
    group.allreduce(tensors, options)->wait();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (i >= 2) times.push_back(time.count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[repeats / 2];
}

}  // namespace

int main(int argc, char** argv) {
  ProcessGroup& group = etude::processes();
  const bool json = argc > 1 && std::string(argv[1]) == "--json", first = group.getRank() == 0;
  const int64_t most = argc > 2 ? std::stoll(argv[2]) : int64_t{64} << 20;
  if (first && json) std::printf("[");
  if (first && !json)
    std::printf("%d processes\n%10s %14s %14s %10s %10s\n", group.getSize(), "bytes", "tree, us", "MPI, us",
                "tree, MB/s", "MPI, MB/s");
  for (int64_t bytes = 4; bytes <= most; bytes *= 4) {
    const int repeats = static_cast<int>(std::clamp<int64_t>(most / bytes, 5, 101));
    const double tree = seconds(group, bytes, true, repeats), mpi = seconds(group, bytes, false, repeats);
    if (!first) continue;
    const double size = static_cast<double>(bytes);
    if (json)
      std::printf("%s\n  {\"processes\": %d, \"bytes\": %.0f, \"tree_seconds\": %.3g, \"mpi_seconds\": %.3g}",
                  bytes == 4 ? "" : ",", group.getSize(), size, tree, mpi);
    else
      std::printf("%10.0f %14.1f %14.1f %10.1f %10.1f\n", size, tree * 1e6, mpi * 1e6, size / tree * 1e-6,
                  size / mpi * 1e-6);
    std::fflush(stdout);
  }
  if (first && json) std::printf("\n]\n");
}
