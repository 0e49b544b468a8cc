#include "etude/distributed/mpi/detail/collectives.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "etude/core/detail/dispatch.h"
#include "etude/distributed/detail/tree_sum.h"

namespace etude::distributed::detail {
namespace {

constexpr int64_t kPiece = int64_t{1} << 22;  // most bytes per MPI call: they stay in the cache
constexpr int64_t kBlock = 4096;              // elements that are added while in the cache

template <typename F>
void dispatch_sum(ScalarType t, F&& f) {
  if (isReducedFloatingType(t)) etude::detail::dispatch_reduced(t, f);
  else etude::detail::dispatch_floating("allreduce", t, f);
}

// Whether to sum in our own order: where the order matters, and for 16-bit floats, which MPI does not know.
bool sums_in_tree(const Operation& o) {
  const ScalarType t = o.outputs[0].scalar_type();
  return (o.op == ReduceOp::SUM || o.op == ReduceOp::AVG) &&
         (isReducedFloatingType(t) || (o.deterministic && isFloatingType(t)));
}

void multiply(char* data, int64_t count, ScalarType type, int size) {
  dispatch_sum(type, [&](auto zero) {
    using T = decltype(zero);
    using Factor = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const Factor factor = Factor(1) / static_cast<Factor>(size);
    T* values = reinterpret_cast<T*>(data);
    for (int64_t i = 0; i < count; ++i) values[i] = values[i] * factor;
  });
}

// Writes the sum of `size` parts of `count` elements to `sum`. The parts lie one after another and are overwritten.
void add_parts(char* parts, int size, int64_t count, ScalarType type, char* sum) {
  if (count == 0) return;
  dispatch_sum(type, [&](auto zero) {
    using T = decltype(zero);
    T* values = reinterpret_cast<T*>(parts);
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t n = std::min(kBlock, count - begin);
      tree_sum(
          size, [](int64_t) {},
          [&](int64_t a, int64_t b) {
            T* to = values + a * count + begin;
            const T* from = values + b * count + begin;
            for (int64_t i = 0; i < n; ++i) to[i] = to[i] + from[i];
          });
    }
  });
  std::memcpy(sum, parts, static_cast<size_t>(count * elementSize(type)));
}

MPI_Datatype type_of(ScalarType t) {
  return t == kFloat    ? MPI_FLOAT
         : t == kDouble ? MPI_DOUBLE
         : t == kLong   ? MPI_INT64_T
         : t == kInt    ? MPI_INT32_T
         : t == kChar   ? MPI_INT8_T
                        : MPI_UINT8_T;  // uint8, and bool as the bytes 0 and 1
}

MPI_Op op_of(ReduceOp op, ScalarType t) {
  if (t == kBool && op == ReduceOp::SUM) return MPI_MAX;
  const MPI_Op ops[] = {MPI_SUM, MPI_SUM /* AVG */, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR};
  return ops[op.op_];
}

char* bytes_of(const Tensor& t) { return static_cast<char*>(t.data_ptr()); }

void enlarge(std::vector<char>& memory, int64_t bytes) {
  if (memory.size() < static_cast<size_t>(bytes)) memory.resize(static_cast<size_t>(bytes));
}

/// Calls f(begin, count) for pieces of n elements, none larger than `most` bytes.
template <typename F>
void in_pieces(int64_t n, int64_t element, int64_t most, F&& f) {
  const int64_t step = std::max<int64_t>(1, most / element);
  for (int64_t begin = 0; begin < n; begin += step) f(begin, std::min(step, n - begin));
}

}  // namespace

void Collectives::use(MPI_Comm comm, int rank, int size) {
  comm_ = comm;
  rank_ = rank;
  size_ = size;
  for (auto* numbers : {&slices_, &slice_starts_, &mine_, &mine_starts_}) numbers->resize(size_);
}

void Collectives::run(const Operation& o, Wait wait) {
  if (o.kind == Operation::broadcast) broadcast(o, wait);
  else if (o.kind == Operation::allreduce) allreduce(o, wait);
  else if (o.kind == Operation::allgather) allgather(o, wait);
  else if (o.kind == Operation::reduce_scatter) reduce_scatter(o, wait);
}

template <typename F, typename... Args>
void Collectives::call(Wait wait, F mpi_function, Args... args) {
  MPI_Request request;
  check_mpi(mpi_function(args..., comm_, &request));
  wait(request);
}

void Collectives::broadcast(const Operation& o, Wait wait) {
  char* data = bytes_of(o.outputs[0]);
  in_pieces(o.outputs[0].nbytes(), 1, kPiece, [&](int64_t begin, int64_t count) {
    call(wait, MPI_Ibcast, data + begin, static_cast<int>(count), MPI_BYTE, o.root);
  });
}

void Collectives::allreduce(const Operation& o, Wait wait) {
  const Tensor& t = o.outputs[0];
  const ScalarType type = t.scalar_type();
  in_pieces(t.numel(), t.element_size(), kPiece, [&](int64_t begin, int64_t count) {
    char* data = bytes_of(t) + begin * t.element_size();
    if (sums_in_tree(o)) return allreduce_in_tree(data, count, o, wait);
    call(wait, MPI_Iallreduce, MPI_IN_PLACE, data, static_cast<int>(count), type_of(type), op_of(o.op, type));
    if (o.op == ReduceOp::AVG) multiply(data, count, type, size_);
  });
}

// Every process sums one slice of all tensors and sends it to all others.
void Collectives::allreduce_in_tree(char* data, int64_t count, const Operation& o, Wait wait) {
  const ScalarType type = o.outputs[0].scalar_type();
  const int64_t bytes = elementSize(type);
  const auto start_of = [&](int64_t slice) { return count * slice / size_; };
  const int64_t mine = start_of(rank_ + 1) - start_of(rank_);
  for (int r = 0; r < size_; ++r) {
    slice_starts_[r] = static_cast<int>(bytes * start_of(r));
    slices_[r] = static_cast<int>(bytes * (start_of(r + 1) - start_of(r)));
    mine_starts_[r] = static_cast<int>(bytes * mine * r);
    mine_[r] = static_cast<int>(bytes * mine);
  }
  enlarge(receive_, bytes * mine * size_);
  call(wait, MPI_Ialltoallv, data, slices_.data(), slice_starts_.data(), MPI_BYTE, receive_.data(),
       mine_.data(), mine_starts_.data(), MPI_BYTE);
  char* sum = data + bytes * start_of(rank_);
  add_parts(receive_.data(), size_, mine, type, sum);
  if (o.op == ReduceOp::AVG) multiply(sum, mine, type, size_);
  call(wait, MPI_Iallgatherv, MPI_IN_PLACE, 0, MPI_BYTE, data, slices_.data(), slice_starts_.data(),
       MPI_BYTE);
}

void Collectives::allgather(const Operation& o, Wait wait) {
  const char* input = bytes_of(o.inputs[0]);
  in_pieces(o.inputs[0].nbytes(), 1, kPiece / size_, [&](int64_t begin, int64_t count) {
    enlarge(receive_, count * size_);
    const int bytes = static_cast<int>(count);
    call(wait, MPI_Iallgather, input + begin, bytes, MPI_BYTE, receive_.data(), bytes, MPI_BYTE);
    for (int r = 0; r < size_; ++r)
      std::memcpy(bytes_of(o.outputs[r]) + begin, receive_.data() + r * count, static_cast<size_t>(count));
  });
}

void Collectives::reduce_scatter(const Operation& o, Wait wait) {
  const Tensor& t = o.outputs[0];
  const ScalarType type = t.scalar_type();
  const int64_t element = t.element_size();
  in_pieces(t.numel(), element, kPiece / size_, [&](int64_t begin, int64_t count) {
    const int64_t bytes = count * element;
    enlarge(send_, bytes * size_);
    for (int r = 0; r < size_; ++r)
      std::memcpy(send_.data() + r * bytes, bytes_of(o.inputs[r]) + begin * element,
                  static_cast<size_t>(bytes));
    char* out = bytes_of(t) + begin * element;
    if (sums_in_tree(o)) {
      enlarge(receive_, bytes * size_);
      call(wait, MPI_Ialltoall, send_.data(), static_cast<int>(bytes), MPI_BYTE, receive_.data(),
           static_cast<int>(bytes), MPI_BYTE);
      add_parts(receive_.data(), size_, count, type, out);
    } else {
      call(wait, MPI_Ireduce_scatter_block, send_.data(), out, static_cast<int>(count), type_of(type),
           op_of(o.op, type));
    }
    if (o.op == ReduceOp::AVG) multiply(out, count, type, size_);
  });
}

}  // namespace etude::distributed::detail
