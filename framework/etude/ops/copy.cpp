// Copies between tensors, layouts and types, and fills.
//
//   clone(x) = x   dx = dy
//   copy_(x)       dx = dy, and the overwritten values get gradient zero
//   fill_(v)       dv = sum of dy, and the overwritten values get gradient zero

#include <cstring>

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// Contiguous memory of one type is copied in blocks; everything else element by element.
void copy_values(const Tensor& to, const Tensor& from) {
  const TensorImpl &t = impl(to), &f = impl(from);
  if (t.dtype == f.dtype && t.contiguous && f.contiguous && t.sizes == f.sizes) {
    const int64_t width = elementSize(t.dtype);
    parallel_for(0, t.numel, kGrain, [&](int64_t begin, int64_t end) {
      std::memmove(t.bytes() + begin * width, f.bytes() + begin * width,
                   static_cast<size_t>((end - begin) * width));
    });
    return;
  }
  convert(to, from);
}

Tensor copied(const Tensor& self, ScalarType dtype, bool keep_order) {
  const TensorImpl& x = impl(self);
  Tensor y = keep_order ? output_for({}, x.sizes, dtype, {&x}) : make_tensor(x.sizes, dtype);
  copy_values(y, self);
  return y;
}

Tensor cloned(const Tensor& self, bool keep_order) {
  return recorded("CloneBackward0", {self}, copied(self, self.scalar_type(), keep_order),
                  [](const Tensor& dy) { return dy; });
}

void check_broadcast(const Tensor& self, const Tensor& source) {
  const Shape sizes = broadcast_sizes(self.sizes(), source.sizes());
  ETUDE_CHECK(sizes == impl(self).sizes, "output with shape ", self.sizes(),
              " doesn't match the broadcast shape ", sizes.ref(),
              "\nhint: the source of a copy is broadcast to its target, never the other way round");
}

template <typename Value>
Tensor& fill_with(const Tensor& self, const char* name, const Value& value, const Tensor& tensor_value) {
  check_fits(value, self.scalar_type());
  auto write = [&value](const Tensor& to) {
    dispatch(impl(to).dtype, [&](auto zero) { fill_into(to, value.template to<decltype(zero)>()); });
  };
  return in_place(
      self, {tensor_value},
      [&](const Tensor& before) {
        const Tensor y = make_tensor(self.sizes(), self.scalar_type());
        write(y);
        return record(name, {before, tensor_value}, y,
                      [on_value = needs_grad(tensor_value)](const Tensor& dy) {
                        return Gradients{zeros_like(dy), on_value ? dy.sum() : Tensor()};
                      });
      },
      [&] { write(self); });
}

// Converts from or to a narrow type. Conversions to all other types go through a wide one.
template <typename Narrow, typename Wide>
void convert_narrow(const Tensor& to, const Tensor& from) {
  constexpr ScalarType wide = CppTypeToScalarType<Wide>::value;
  if (impl(to).dtype == wide) map_into<Wide, Narrow>([](Narrow v) { return static_cast<Wide>(v); }, to, from);
  else if (impl(from).dtype == wide)
    map_into<Narrow, Wide>([](Wide v) { return static_cast<Narrow>(v); }, to, from);
  else convert(to, as_type(from, wide));
}

}  // namespace

void detail::convert(const Tensor& to, const Tensor& from) {
  const TensorImpl &t = impl(to), &f = impl(from);
  if (t.dtype == f.dtype)
    return move_rows(t.sizes, t.bytes(), t.strides, f.bytes(), broadcast_strides(f, t.sizes),
                     elementSize(t.dtype));
  if (t.dtype == kChar || f.dtype == kChar)  // int32 wraps around in the same way
    return convert_narrow<int8_t, int32_t>(to, from);
  for (const ScalarType narrow : {t.dtype, f.dtype})
    if (isReducedFloatingType(narrow))
      return dispatch_reduced(narrow, [&](auto zero) { convert_narrow<decltype(zero), float>(to, from); });
  constexpr EveryType every_type{"copy_"};
  every_type(f.dtype, [&](auto source) {
    every_type(t.dtype, [&](auto target) {
      using S = decltype(source);
      using T = decltype(target);
      if constexpr (!std::is_same_v<S, T>) map_into<T, S>([](S v) { return static_cast<T>(v); }, to, from);
    });
  });
}

Tensor detail::contiguous_copy(const Tensor& t) { return copied(t, impl(t).dtype, false); }

Tensor clone(const Tensor& self) {
  ETUDE_OP(clone, self);
  return cloned(self, true);
}

Tensor Tensor::clone() const { return etude::clone(*this); }

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  ETUDE_METHOD_OP(contiguous, );
  return cloned(*this, false);
}

Tensor Tensor::to(ScalarType t, bool, bool copy) const {
  if (t == scalar_type()) return copy ? clone() : *this;
  ETUDE_METHOD_OP(to, t, false, copy);
  elementSize(t);
  return recorded("ToCopyBackward0", {*this}, copied(*this, t, true),
                  [from = scalar_type()](const Tensor& dy) { return dy.to(from); });
}

Tensor Tensor::to(const TensorOptions& options, bool non_blocking, bool copy) const {
  ETUDE_CHECK(!options.requires_grad(),
              "Operators taking TensorOptions cannot take a TensorOptions with options.requires_grad set as "
              "true. This isn't implemented yet.",
              "\nhint: call requires_grad_() on the result");
  return to(options.has_dtype() ? options.dtype() : scalar_type(), non_blocking, copy);
}
Tensor Tensor::to(Device, ScalarType t, bool non_blocking, bool copy) const {
  return to(t, non_blocking, copy);
}
Tensor Tensor::to(const Tensor& other, bool non_blocking, bool copy) const {
  return to(other.scalar_type(), non_blocking, copy);
}

Tensor& Tensor::copy_(const Tensor& source, bool) const {
  ETUDE_METHOD_OP(copy_, source, false);
  if (is_same(source)) {
    if (recording({*this})) check_history(*this);
    return const_cast<Tensor&>(*this);
  }
  // A tensor of a type without gradients ends the graph.
  const Tensor from = is_floating_point() ? source : source.detach();
  check_broadcast(*this, from);
  return in_place(
      *this, {from},
      [&](const Tensor& before) {
        const Tensor y = make_tensor(sizes(), scalar_type());
        copy_values(y, from);
        return record("CopyBackwards", {before, from}, y, [](const Tensor& dy) {
          return Gradients{zeros_like(dy), dy};
        });
      },
      [&] { copy_values(*this, overlaps(*this, from) ? copied(from, from.scalar_type(), true) : from); });
}

Tensor& Tensor::fill_(const Scalar& value) const {
  ETUDE_METHOD_OP(fill_, value);
  return fill_with(*this, "FillBackward2", value, Tensor());
}

Tensor& Tensor::fill_(const Tensor& value) const {
  ETUDE_METHOD_OP(fill_, value);
  ETUDE_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
              value.dim(), " dimensions.");
  return fill_with(*this, "FillBackward3", value.detach().item(), value);
}

Tensor& Tensor::zero_() const {
  ETUDE_METHOD_OP(zero_, );
  return fill_with(*this, "ZeroBackward0", Scalar(0), Tensor());
}

Tensor& Tensor::resize_(IntArrayRef sizes) const {
  ETUDE_METHOD_OP(resize_, sizes);
  TensorImpl& t = impl(*this);
  ETUDE_CHECK(!t.requires_grad, "cannot resize variables that require grad");
  check_inference(*this);
  const int64_t numel = count_elements(sizes), width = elementSize(t.dtype);
  int64_t end = 0;
  bool overflow = __builtin_add_overflow(t.offset, numel, &end);
  overflow |= __builtin_mul_overflow(end, width, &end);
  ETUDE_CHECK(!overflow, "Storage size calculation overflowed with sizes=", sizes);
  const Shape strides = contiguous_strides(sizes);
  if (numel > 0 && end > t.storage->bytes) {
    ETUDE_CHECK(t.storage->block != 0, "Trying to resize storage that is not resizable");
    const Ref<Storage> larger = allocate(end);
    std::memcpy(larger->data, t.storage->data, static_cast<size_t>(t.storage->bytes));
    larger->version.store(t.storage->version.load());
    larger->inference = t.storage->inference;
    t.storage = larger;
  }
  t.sizes = Shape(sizes);
  t.strides = strides;
  t.refresh();
  autograd::detail::tell_accumulator(t);
  t.storage->version.fetch_add(1, std::memory_order_relaxed);
  return const_cast<Tensor&>(*this);
}

}  // namespace etude
