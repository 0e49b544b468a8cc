// Results written to an existing tensor. They are computed first, so that out may be an argument or overlap one.

#include "etude/ops/out.h"
#include "etude/core/warning.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

void check_out_type(OutType type, ScalarType from, ScalarType to) {
  if (from == to) return;
  const auto name = [&](ScalarType t) { return type == OutType::Same ? row_of(t).cpp_name : toString(t); };
  const char* const hint = "\nhint: an out of another dtype is needed; or call the op and convert its result";
  ETUDE_CHECK(type != OutType::Same, "Expected out tensor to have dtype ", name(from), ", but got ", name(to),
              " instead", hint);
  ETUDE_CHECK(type != OutType::Found, "Found dtype ", name(to), " but expected ", name(from), hint);
  ETUDE_CHECK(type != OutType::Extreme, "expected scalar_type ", name(from), " but found ", name(to), hint);
  ETUDE_CHECK(type != OutType::Place, "torch.searchsorted(): output tensor's dtype is wrong, it can only be ",
              "Int(int32) or Long(int64) depending on whether out_int32 flag is True, but we got output "
              "tensor's dtype ",
              name(to), " and out_int32 flag is ", from == kInt ? "True" : "False", hint);
  ETUDE_CHECK(type != OutType::Matching, "Expected the dtype for input and out to match, but got ",
              name(from), " for input's dtype and ", name(to), " for out's dtype.", hint);
  ETUDE_CHECK(type != OutType::Joined || can_cast(from, to),
              "torch.cat(): input types can't be cast to the desired output type ", name(to), hint);
  ETUDE_CHECK(can_cast(from, to), "result type ", name(from), " can't be cast to the desired output type ",
              name(to), hint);
}

void check_unrecorded(const char* op, std::initializer_list<TensorsIn> tensors) {
  bool records = false;
  for (const TensorsIn& some : tensors) records |= recording(some.tensors);
  ETUDE_CHECK(!records, op,
              "(): functions with out=... arguments don't support automatic differentiation, but one of the "
              "arguments requires grad.\nhint: ",
              op, "() has a gradient; or use a NoGradGuard");
}

Tensor& write(Tensor& out, const Tensor& y) {
  if (out.sizes() != y.sizes()) {
    if (out.numel() > 0)
      ETUDE_WARN("An output with one or more elements was resized since it had shape ", str(out.sizes()),
                 ", which does not match the required output shape ", str(y.sizes()),
                 ". This behavior is deprecated, and in a future PyTorch release outputs will not be resized "
                 "unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, "
                 "inplace, to zero elements with t.resize_(0).");
    out.resize_(y.sizes());
  }
  return out.copy_(y);
}

}  // namespace

Tensor& detail::write_out(const char* op, OutType type, Tensor& out,
                          std::initializer_list<TensorsIn> arguments, FunctionRef<Tensor()> compute) {
  check_unrecorded(op, {out});
  if (type != OutType::Place) check_unrecorded(op, arguments);
  const NoGradGuard no_grad;
  const Tensor y = compute();
  check_out_type(type, y.scalar_type(), out.scalar_type());
  return write(out, y);
}

std::tuple<Tensor&, Tensor&> detail::write_outs(const char* op, OutType type, Tensor& values, Tensor& indices,
                                                const Tensor& self,
                                                FunctionRef<std::tuple<Tensor, Tensor>()> compute) {
  check_unrecorded(op, {values, indices, self});
  const ScalarType from = self.scalar_type(), to = values.scalar_type(), place = indices.scalar_type();
  if (type == OutType::Middle) {
    ETUDE_CHECK(place == kLong, "Expected tensor for argument #1 'indices' to have scalar type Long; ",
                "but got CPU", toString(place), "Type instead (while checking arguments for median)");
    ETUDE_CHECK(to == from, "Expected tensor for 'values' to have the same type as tensor for argument ",
                "#2 'self'; but type CPU", toString(to), "Type does not equal CPU", toString(from),
                "Type (while checking arguments for median)");
  }
  check_out_type(type, from, to);
  check_out_type(type, kLong, place);
  const NoGradGuard no_grad;
  const auto [y, at] = compute();
  return {write(values, y), write(indices, at)};
}

Tensor& detail::resized_out(Tensor& out, IntArrayRef sizes) {
  check_in_place(out, recording({out}));
  if (out.sizes() != sizes) out.resize_(sizes);
  return out;
}

Tensor& detail::range_out(Tensor& out, const Tensor& range) {
  check_in_place(out, recording({out}));
  if (out.numel() == range.numel()) return out.copy_(range.view(out.sizes()));
  if (out.numel() > 0)
    ETUDE_WARN("The number of elements in the out tensor of shape ", str(out.sizes()), " is ", out.numel(),
               " which does not match the computed number of elements ", range.numel(),
               ". Note that this may occur as a result of rounding error. The out tensor will be resized to "
               "a tensor of shape (",
               range.numel(), ",).");
  return out.resize_(range.sizes()).copy_(range);
}

Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  ETUDE_OP(linear_out, out, input, weight, bias);
  return write_out("linear", OutType::Same, out, {input, weight, bias},
                   [&] { return linear(input, weight, bias); });
}

}  // namespace etude
