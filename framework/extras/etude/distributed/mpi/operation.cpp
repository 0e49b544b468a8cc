#include "etude/distributed/mpi/detail/operation.h"

#include "etude/core/error.h"
#include "etude/distributed/detail/checks.h"

namespace etude::distributed::detail {

Announcement::Announcement(const Operation& o)
    : kind(o.kind), op(o.op), deterministic(o.deterministic), root(o.root) {
  if (o.outputs.empty()) return;
  dtype = static_cast<int64_t>(o.outputs[0].scalar_type());
  numel = o.outputs[0].numel();
}

std::string Announcement::text() const {
  const auto operation = static_cast<Operation::Kind>(kind);
  std::string text = name_of(operation);
  if (operation == Operation::leave || operation == Operation::barrier) return text;
  const bool reduces = operation == Operation::allreduce || operation == Operation::reduce_scatter;
  if (reduces) text += str("(", name_of(ReduceOp(static_cast<ReduceOp::RedOpType>(op))), ")");
  text += str(" of ", numel, " ", toString(static_cast<ScalarType>(dtype)));
  if (reduces && !deterministic) text += " in any order";
  if (operation == Operation::broadcast) text += str(" from rank ", root);
  return text;
}

}  // namespace etude::distributed::detail
