#include "etude/distributed/detail/checks.h"
#include "etude/core/error.h"

namespace etude::distributed {
namespace {

void check_one(const Tensor& t) {
  ETUDE_CHECK(t.defined(), "input tensor has to be dense\nIt is undefined.");
  ETUDE_CHECK(t.is_contiguous(), "input tensor has to be contiguous\nThe sizes are ", t.sizes(),
              ", the strides ", t.strides(), ".\nhint: pass t.contiguous()");
}

void check_single(const std::vector<Tensor>& tensors) {
  ETUDE_CHECK(tensors.size() == 1, "MPI process group does not support multi-GPU collectives\nThe list has ",
              tensors.size(), " tensors in place of one.");
  check_one(tensors[0]);
}

// Checks for a list that holds one list with a tensor for each process; `whose` begins PyTorch's message.
void check_lists(const std::vector<std::vector<Tensor>>& lists, const Tensor& like, const char* whose,
                 int size) {
  ETUDE_CHECK(lists.size() == 1, "MPI process group only supports a single tensor op\nThere are ",
              lists.size(), " lists of tensors in place of one.");
  ETUDE_CHECK(lists[0].size() == static_cast<size_t>(size), whose,
              " tensors should equal to the world size\nThere are ", lists[0].size(), " tensors and ", size,
              " processes.");
  for (const Tensor& t : lists[0]) {
    check_one(t);
    ETUDE_CHECK(t.numel() == like.numel() && t.scalar_type() == like.scalar_type(),
                "Tensors are not equal in size or data type\nOne has ", t.numel(), " elements of type ",
                toString(t.scalar_type()), ", another ", like.numel(), " of type ",
                toString(like.scalar_type()), ".");
  }
}

void check_reduction(ReduceOp op, ScalarType t) {
  const char* name = detail::name_of(op);
  if (op == ReduceOp::BAND || op == ReduceOp::BOR || op == ReduceOp::BXOR)
    ETUDE_CHECK(!isFloatingType(t), "Cannot use ReduceOp.", name, " with non-integral dtype\nThe tensor is ",
                toString(t), ".");
  if (op == ReduceOp::AVG)
    ETUDE_CHECK(isFloatingType(t), "Cannot use ReduceOp.AVG with integral dtype\nThe tensor is ", toString(t),
                ".\nhint: sum and divide");
  ETUDE_CHECK(op == ReduceOp::SUM || op == ReduceOp::AVG || !isReducedFloatingType(t), "Cannot use ReduceOp.",
              name, " with ", toString(t), "\nhint: convert to float32");
}

}  // namespace

void detail::check_allreduce(const std::vector<Tensor>& tensors, const AllreduceOptions& options) {
  check_single(tensors);
  check_reduction(options.reduceOp, tensors[0].scalar_type());
}

void detail::check_broadcast(const std::vector<Tensor>& tensors, const BroadcastOptions& options, int size) {
  check_single(tensors);
  ETUDE_CHECK(options.rootRank >= 0 && options.rootRank < size, "invalid root rank: ", options.rootRank,
              "\nThere are ", size, " processes.");
  ETUDE_CHECK(options.rootTensor == 0, "invalid root tensor: ", options.rootTensor,
              "\nThe list has one tensor.");
}

void detail::check_allgather(const std::vector<std::vector<Tensor>>& outputs,
                             const std::vector<Tensor>& inputs, int size) {
  check_single(inputs);
  check_lists(outputs, inputs[0], "All gather: number of output", size);
}

void detail::check_reduce_scatter(const std::vector<Tensor>& outputs,
                                  const std::vector<std::vector<Tensor>>& inputs,
                                  const ReduceScatterOptions& options, int size) {
  check_single(outputs);
  check_lists(inputs, outputs[0], "Reduce scatter: number of input", size);
  check_reduction(options.reduceOp, outputs[0].scalar_type());
}

const char* detail::name_of(ReduceOp op) {
  constexpr const char* kNames[] = {"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"};
  ETUDE_CHECK(op.op_ <= ReduceOp::BXOR, "Unhandled ReduceOp");
  return kNames[op.op_];
}

}  // namespace etude::distributed
