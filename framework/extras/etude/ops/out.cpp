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
  ETUDE_CHECK(type != OutType::Matching, "Expected the dtype for input and out to match, but got ",
              name(from), " for input's dtype and ", name(to), " for out's dtype.", hint);
  ETUDE_CHECK(type != OutType::Joined || can_cast(from, to),
              "torch.cat(): input types can't be cast to the desired output type ", name(to), hint);
  ETUDE_CHECK(can_cast(from, to), "result type ", name(from), " can't be cast to the desired output type ",
              name(to), hint);
}

}  // namespace

Tensor& detail::write_out(const char* op, OutType type, Tensor& out,
                          std::initializer_list<TensorsIn> arguments, FunctionRef<Tensor()> compute) {
  bool records = recording({out});
  for (const TensorsIn& argument : arguments) records |= recording(argument.tensors);
  ETUDE_CHECK(!records, op,
              "(): functions with out=... arguments don't support automatic differentiation, but one of the "
              "arguments requires grad.\nhint: ",
              op, "() has a gradient; or use a NoGradGuard");
  const NoGradGuard no_grad;
  const Tensor y = compute();
  check_out_type(type, y.scalar_type(), out.scalar_type());
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
