#include <doctest/doctest.h>

#include <vector>

#include "etude/distributed/process_group.h"
#include "etude/framework.h"
#include "support/refusal.h"

namespace {

using etude::Tensor, etude::refusal_lines, etude::refusal_text;

TEST_SUITE("arguments of groups of processes") {
  using namespace etude::distributed;

  std::string allreduce_refusal(std::vector<Tensor> tensors, ReduceOp op = ReduceOp::SUM) {
    AllreduceOptions options;
    options.reduceOp = op;
    return refusal_text([&] { ProcessGroup::single()->allreduce(tensors, options); });
  }

  TEST_CASE("lists of other than one tensor, gaps in memory and nothing are refused") {
    const Tensor t = etude::ones({2, 3});
    const std::string many = "MPI process group does not support multi-GPU collectives";
    CHECK(allreduce_refusal({}) == many);
    CHECK(allreduce_refusal({t, t}) == many);
    CHECK(allreduce_refusal({t.t()}) == "input tensor has to be contiguous");
    CHECK(allreduce_refusal({Tensor()}) == "input tensor has to be dense");
    CHECK(allreduce_refusal({t}) == "");
    std::vector<Tensor> columns = {t.t()};
    CHECK(refusal_lines([&] { ProcessGroup::single()->broadcast(columns); }) ==
          "input tensor has to be contiguous\nThe sizes are [3, 2], the strides [1, 3].\nhint: pass "
          "t.contiguous()");
  }

  TEST_CASE("a reduction that a type does not have is refused by name") {
    const Tensor floats = etude::ones({2}), integers = etude::ones({2}, etude::kLong);
    CHECK(allreduce_refusal({floats}, ReduceOp::BAND) == "Cannot use ReduceOp.BAND with non-integral dtype");
    CHECK(allreduce_refusal({floats}, ReduceOp::BOR) == "Cannot use ReduceOp.BOR with non-integral dtype");
    CHECK(allreduce_refusal({floats}, ReduceOp::BXOR) == "Cannot use ReduceOp.BXOR with non-integral dtype");
    CHECK(allreduce_refusal({integers}, ReduceOp::AVG) == "Cannot use ReduceOp.AVG with integral dtype");
    CHECK(allreduce_refusal({floats.to(etude::kHalf)}, ReduceOp::MIN) == "Cannot use ReduceOp.MIN with Half");
    CHECK(allreduce_refusal({floats.to(etude::kBFloat16)}, ReduceOp::PRODUCT) ==
          "Cannot use ReduceOp.PRODUCT with BFloat16");
    CHECK(allreduce_refusal({floats}, static_cast<ReduceOp::RedOpType>(8)) == "Unhandled ReduceOp");
    CHECK(allreduce_refusal({integers}, ReduceOp::BXOR) == "");
    CHECK(allreduce_refusal({floats.to(etude::kHalf)}, ReduceOp::AVG) == "");
  }

  TEST_CASE("a root that is no process is refused") {
    const auto refused = [](int64_t rank, int64_t tensor) {
      BroadcastOptions options;
      options.rootRank = rank;
      options.rootTensor = tensor;
      std::vector<Tensor> tensors = {etude::ones({2})};
      return refusal_text([&] { ProcessGroup::single()->broadcast(tensors, options); });
    };
    CHECK(refused(1, 0) == "invalid root rank: 1");
    CHECK(refused(-1, 0) == "invalid root rank: -1");
    CHECK(refused(0, 1) == "invalid root tensor: 1");
    CHECK(refused(0, 0) == "");
  }

  TEST_CASE("allgather and reduce_scatter take a tensor for every process, alike in size and type") {
    const Tensor t = etude::ones({2});
    using Lists = std::vector<std::vector<Tensor>>;
    const auto gather = [&](Lists lists) {
      std::vector<Tensor> one = {t};
      return refusal_text([&] { ProcessGroup::single()->allgather(lists, one); });
    };
    const auto scatter = [&](Lists lists) {
      std::vector<Tensor> one = {t};
      return refusal_text([&] { ProcessGroup::single()->reduce_scatter(one, lists); });
    };
    CHECK(gather({}) == "MPI process group only supports a single tensor op");
    CHECK(scatter({{t}, {t}}) == "MPI process group only supports a single tensor op");
    CHECK(gather({{t, t}}) == "All gather: number of output tensors should equal to the world size");
    CHECK(scatter({{}}) == "Reduce scatter: number of input tensors should equal to the world size");
    CHECK(gather({{etude::ones({3})}}) == "Tensors are not equal in size or data type");
    CHECK(scatter({{etude::ones({2}, etude::kDouble)}}) == "Tensors are not equal in size or data type");
    CHECK(gather({{etude::ones({4}).slice(0, 0, 4, 2)}}) == "input tensor has to be contiguous");
    CHECK(gather({{t}}) == "");
    CHECK(scatter({{t}}) == "");
  }
}

}  // namespace
