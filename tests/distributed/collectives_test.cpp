#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "distributed/processes.h"

namespace {

using namespace etude::distributed;
using etude::ScalarType, etude::Tensor, etude::processes;
using Sizes = std::vector<int64_t>;

const std::vector<ScalarType> kEveryType = {etude::kFloat, etude::kDouble, etude::kLong, etude::kInt,
                                            etude::kByte,  etude::kBool,   etude::kHalf, etude::kBFloat16};
const std::vector<Sizes> kSizes = {{}, {2, 0, 3}, {3}, {5, 70}};

// Small integers, which every type holds: element i of the tensor of one process.
int64_t value(int64_t i, int rank, ScalarType t) {
  const int64_t v = (3 * i + 5 * rank + i * rank) % 7;
  return t == etude::kBool ? v % 2 : v;
}

// The elements that f(i) gives, as a tensor of the type.
Tensor made(const Sizes& sizes, ScalarType t, const std::function<double(int64_t)>& f) {
  Tensor all = etude::empty(sizes, etude::kDouble);
  for (int64_t i = 0; i < all.numel(); ++i) all.data_ptr<double>()[i] = f(i);
  return all.to(t);
}

Tensor of_rank(int rank, const Sizes& sizes, ScalarType t) {
  return made(sizes, t, [&](int64_t i) { return static_cast<double>(value(i, rank, t)); });
}

// The reduction of element i over all processes, one process after the other.
double reduced(int64_t i, ReduceOp op, ScalarType t) {
  const int size = processes().getSize();
  int64_t all = value(i, 0, t);
  for (int rank = 1; rank < size; ++rank) {
    const int64_t v = value(i, rank, t);
    switch (op) {
      case ReduceOp::PRODUCT:
        all *= v;
        break;
      case ReduceOp::MIN:
        all = std::min(all, v);
        break;
      case ReduceOp::MAX:
        all = std::max(all, v);
        break;
      case ReduceOp::BAND:
        all &= v;
        break;
      case ReduceOp::BOR:
        all |= v;
        break;
      case ReduceOp::BXOR:
        all ^= v;
        break;
      default:
        all += v;
    }
  }
  if (t == etude::kBool) return all != 0;
  return op == ReduceOp::AVG ? static_cast<double>(all) / size : static_cast<double>(all);
}

// The reductions that there are for a type.
std::vector<ReduceOp> reductions(ScalarType t) {
  if (etude::isReducedFloatingType(t)) return {ReduceOp::SUM, ReduceOp::AVG};
  if (etude::isFloatingType(t))
    return {ReduceOp::SUM, ReduceOp::AVG, ReduceOp::PRODUCT, ReduceOp::MIN, ReduceOp::MAX};
  return {ReduceOp::SUM,  ReduceOp::PRODUCT, ReduceOp::MIN, ReduceOp::MAX,
          ReduceOp::BAND, ReduceOp::BOR,     ReduceOp::BXOR};
}

// Whether they are the same; an average is rounded once more than the expected one.
bool same(const Tensor& got, const Tensor& expected, ReduceOp op = ReduceOp::SUM) {
  if (got.scalar_type() != expected.scalar_type() || got.sizes() != expected.sizes()) return false;
  if (op != ReduceOp::AVG) return etude::equal(got, expected);
  const double tolerance = etude::isReducedFloatingType(got.scalar_type()) ? 1e-2 : 1e-6;
  return etude::allclose(got.to(etude::kDouble), expected.to(etude::kDouble), tolerance, 0);
}

// Calls f for every type, size and reduction, summed in a tree and not.
void for_every_reduction(const std::function<void(ScalarType, const Sizes&, ReduceOp, bool)>& f) {
  for (const ScalarType t : kEveryType)
    for (const Sizes& sizes : kSizes)
      for (const ReduceOp op : reductions(t))
        for (const bool deterministic : {true, false}) f(t, sizes, op, deterministic);
}

TEST_CASE("allreduce gives every process the reduction over all of them") {
  ProcessGroup& group = processes();
  for_every_reduction([&](ScalarType t, const Sizes& sizes, ReduceOp op, bool deterministic) {
    CAPTURE(etude::toString(t));
    CAPTURE(int{op.op_});
    std::vector<Tensor> tensors = {of_rank(group.getRank(), sizes, t)};
    AllreduceOptions options;
    options.reduceOp = op;
    options.deterministic = deterministic;
    CHECK(group.allreduce(tensors, options)->wait());
    CHECK(same(tensors[0], made(sizes, t, [&](int64_t i) { return reduced(i, op, t); }), op));
  });
}

TEST_CASE("reduce_scatter gives every process the reduction of what all have for it") {
  ProcessGroup& group = processes();
  const int size = group.getSize();
  for_every_reduction([&](ScalarType t, const Sizes& sizes, ReduceOp op, bool deterministic) {
    CAPTURE(etude::toString(t));
    CAPTURE(int{op.op_});
    // Process r has for process s the elements from 11 s on.
    const auto part = [&](int s) {
      return made(sizes, t,
                  [&](int64_t i) { return static_cast<double>(value(i + 11 * s, group.getRank(), t)); });
    };
    std::vector<std::vector<Tensor>> inputs(1);
    for (int s = 0; s < size; ++s) inputs[0].push_back(part(s));
    std::vector<Tensor> outputs = {etude::zeros(sizes, t)};
    ReduceScatterOptions options;
    options.reduceOp = op;
    options.deterministic = deterministic;
    CHECK(group.reduce_scatter(outputs, inputs, options)->wait());
    CHECK(same(outputs[0],
               made(sizes, t, [&](int64_t i) { return reduced(i + 11 * group.getRank(), op, t); }), op));
    for (int s = 0; s < size; ++s) CHECK(same(inputs[0][s], part(s)));
  });
}

TEST_CASE("broadcast gives every process the tensor of the root") {
  ProcessGroup& group = processes();
  for (const ScalarType t : kEveryType)
    for (const Sizes& sizes : kSizes)
      for (int root = 0; root < group.getSize(); ++root) {
        std::vector<Tensor> tensors = {of_rank(group.getRank(), sizes, t)};
        BroadcastOptions options;
        options.rootRank = root;
        CHECK(group.broadcast(tensors, options)->wait());
        CHECK(same(tensors[0], of_rank(root, sizes, t)));
      }
}

TEST_CASE("allgather gives every process the tensors of all") {
  ProcessGroup& group = processes();
  for (const ScalarType t : kEveryType)
    for (const Sizes& sizes : kSizes) {
      std::vector<Tensor> inputs = {of_rank(group.getRank(), sizes, t)};
      std::vector<std::vector<Tensor>> outputs(1);
      for (int r = 0; r < group.getSize(); ++r) outputs[0].push_back(etude::zeros(sizes, t));
      CHECK(group.allgather(outputs, inputs)->wait());
      for (int r = 0; r < group.getSize(); ++r) CHECK(same(outputs[0][r], of_rank(r, sizes, t)));
    }
}

// Several pieces of 4 MB, and no multiple of anything.
const Sizes kLarge = {2'600'001};

Tensor large(int64_t first) {
  return etude::arange(first, first + kLarge[0]).remainder(1021).to(etude::kFloat);
}

TEST_CASE("large tensors are reduced, gathered and sent whole") {
  ProcessGroup& group = processes();
  const int rank = group.getRank(), size = group.getSize();
  Tensor sum = etude::zeros(kLarge);
  for (int r = 0; r < size; ++r) sum += large(r);
  for (const bool deterministic : {true, false}) {
    std::vector<Tensor> tensors = {large(rank)};
    AllreduceOptions options;
    options.deterministic = deterministic;
    group.allreduce(tensors, options)->wait();
    CHECK(same(tensors[0], sum));

    std::vector<std::vector<Tensor>> inputs = {std::vector<Tensor>(size, large(rank))};
    std::vector<Tensor> outputs = {etude::zeros(kLarge)};
    ReduceScatterOptions scatter;
    scatter.deterministic = deterministic;
    group.reduce_scatter(outputs, inputs, scatter)->wait();
    CHECK(same(outputs[0], sum));
  }

  std::vector<Tensor> sent = {large(rank)};
  BroadcastOptions from_last;
  from_last.rootRank = size - 1;
  group.broadcast(sent, from_last)->wait();
  CHECK(same(sent[0], large(size - 1)));

  std::vector<Tensor> inputs = {large(rank)};
  std::vector<std::vector<Tensor>> outputs(1);
  for (int r = 0; r < size; ++r) outputs[0].push_back(etude::zeros(kLarge));
  group.allgather(outputs, inputs)->wait();
  for (int r = 0; r < size; ++r) CHECK(same(outputs[0][r], large(r)));
}

// The sum of parts [first, first + n) in a balanced tree, from the root down: the left half has as many parts as the largest
// power of two below n.
Tensor tree(const std::vector<Tensor>& parts, int first, int n) {
  if (n == 1) return parts[first];
  int left = 1;
  while (2 * left < n) left *= 2;
  return tree(parts, first, left) + tree(parts, first + left, n - left);
}

TEST_CASE("floats are summed in the order of a balanced tree, to the bit and in every process") {
  ProcessGroup& group = processes();
  const int size = group.getSize();
  for (const ScalarType t : {etude::kFloat, etude::kDouble, etude::kHalf, etude::kBFloat16}) {
    std::vector<Tensor> parts;
    for (int r = 0; r < size; ++r) {
      etude::manual_seed(r);
      parts.push_back((etude::randn({10'007}, etude::kDouble) * 1000).to(t));
    }
    Tensor in_a_row = parts[0];
    for (int r = 1; r < size; ++r) in_a_row = in_a_row + parts[r];
    const Tensor expected = tree(parts, 0, size);
    if (size >= 4) CHECK_FALSE(etude::equal(expected, in_a_row));

    std::vector<Tensor> tensors = {parts[group.getRank()].clone()};
    group.allreduce(tensors)->wait();
    CHECK(etude::equal(tensors[0], expected));

    std::vector<Tensor> outputs = {etude::zeros({10'007}, t)};
    std::vector<std::vector<Tensor>> inputs = {std::vector<Tensor>(size, parts[group.getRank()])};
    group.reduce_scatter(outputs, inputs)->wait();
    CHECK(etude::equal(outputs[0], expected));
  }
}

TEST_CASE("operations are done in the order in which they were asked for, while the program goes on") {
  ProcessGroup& group = processes();
  const int size = group.getSize();
  constexpr int kCount = 30;
  std::vector<std::vector<Tensor>> tensors;
  std::vector<std::shared_ptr<Work>> works;
  Tensor chain = etude::full({1000}, 1.0);
  for (int i = 0; i < kCount; ++i) {
    tensors.push_back({etude::full({1 + 500 * i}, i + group.getRank())});
    works.push_back(group.allreduce(tensors.back()));
    std::vector<Tensor> same_tensor = {chain};  // multiplied by the number of processes each time
    if (i < 5) works.push_back(group.allreduce(same_tensor));
  }
  for (auto work = works.rbegin(); work != works.rend(); ++work) {
    CHECK((*work)->wait());
    CHECK((*work)->isCompleted());
    CHECK((*work)->isSuccess());
    CHECK((*work)->exception() == nullptr);
  }
  for (int i = 0; i < kCount; ++i)
    CHECK(same(tensors[i][0], etude::full({1 + 500 * i}, size * i + size * (size - 1) / 2)));
  CHECK(same(chain, etude::full({1000}, std::pow(size, 5))));
  CHECK(works.back()->result()[0].is_same(tensors.back()[0]));
}

// The path of a file that is not there yet. The first process names it for all.
std::filesystem::path shared_file(const std::string& name) {
  std::vector<Tensor> pid = {etude::full({}, static_cast<int64_t>(getpid()), etude::kLong)};
  processes().broadcast(pid)->wait();
  return std::filesystem::temp_directory_path() /
         ("etude_" + name + "_" + std::to_string(pid[0].item<int64_t>()));
}

TEST_CASE("nobody leaves a barrier before all have come to it") {
  ProcessGroup& group = processes();
  const std::filesystem::path came = shared_file("barrier");
  if (group.getRank() == group.getSize() - 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::ofstream(came).put('.');  // late, before it comes itself
  }
  group.barrier()->wait();
  CHECK(std::filesystem::exists(came));
  group.barrier()->wait();  // all have looked
  if (group.getRank() == 0) std::filesystem::remove(came);
}

TEST_CASE("a wait with a limit of its own ends, and the operation goes on") {
  ProcessGroup& group = processes();
  std::vector<Tensor> tensors = {etude::ones({3})};
  const std::filesystem::path waited = shared_file("wait");  // the others come when it is there
  while (group.getRank() > 0 && !std::filesystem::exists(waited))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto work = group.allreduce(tensors);
  if (group.getRank() == 0 && group.getSize() > 1) {
    CHECK_THROWS_WITH_AS(work->wait(std::chrono::milliseconds(20)), "Operation timed out!", etude::Error);
    CHECK_FALSE(work->isSuccess());
    std::ofstream(waited).put('.');
  }
  CHECK(work->wait());
  CHECK(same(tensors[0], etude::full({3}, group.getSize(), etude::kFloat)));
  if (group.getRank() == 0) std::filesystem::remove(waited);
}

TEST_CASE("a negative timeout is refused when it is given, and the group goes on") {
  constexpr const char* kRefusal =
      "a timeout must not be negative\nreceived -5 ms\nhint: kNoTimeout, 0 ms, waits without a limit";
  AllreduceOptions options;
  options.timeout = std::chrono::milliseconds(-5);
  std::vector<Tensor> tensors = {etude::ones({2})};
  CHECK_THROWS_WITH_AS(processes().allreduce(tensors, options), kRefusal, etude::Error);
  ProcessGroupMPI::Options group;
  group.timeout = std::chrono::milliseconds(-5);
  CHECK_THROWS_WITH_AS(ProcessGroupMPI::createProcessGroupMPI(group), kRefusal, etude::Error);
  processes().allreduce(tensors)->wait();
  CHECK(tensors[0][0].item<int>() == processes().getSize());
}

TEST_CASE("an operation has a time limit of its own, or none") {
  ProcessGroup& group = processes();
  for (const auto timeout : {kNoTimeout, std::chrono::milliseconds(20'000)}) {
    std::vector<Tensor> tensors = {etude::ones({3})};
    AllreduceOptions options;
    options.timeout = timeout;
    CHECK(group.allreduce(tensors, options)->wait());
  }
}

TEST_CASE("a refused argument is refused in this process alone, and the group stays as it is") {
  ProcessGroup& group = processes();
  CHECK(group.getBackendName() == "mpi");
  std::vector<Tensor> columns = {etude::ones({3, 3}).t()}, two = {etude::ones({3}), etude::ones({3})};
  CHECK_THROWS_AS(group.allreduce(two), etude::Error);
  CHECK_THROWS_AS(group.broadcast(columns), etude::Error);
  std::vector<Tensor> tensors = {etude::ones({3})};
  BroadcastOptions nobody;
  nobody.rootRank = group.getSize();
  CHECK_THROWS_AS(group.broadcast(tensors, nobody), etude::Error);
  group.allreduce(tensors)->wait();
  CHECK(same(tensors[0], etude::full({3}, group.getSize(), etude::kFloat)));
}

TEST_CASE("a second group has the same processes") {
  const auto group = ProcessGroupMPI::createProcessGroupMPI();
  CHECK(group->getRank() == processes().getRank());
  CHECK(group->getSize() == processes().getSize());
  std::vector<Tensor> tensors = {etude::ones({3})};
  group->allreduce(tensors)->wait();
  CHECK(same(tensors[0], etude::full({3}, group->getSize(), etude::kFloat)));
}

}  // namespace
