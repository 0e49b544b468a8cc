#include "etude/core/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"
#include "etude/core/tensor_accessor.h"

namespace etude {

namespace detail {

void refuse_undefined() {
  throw Error("Expected a proper Tensor but got None (or an undefined Tensor in C++)");
}

// A tensor without elements may have any offset.
std::byte* TensorImpl::bytes() const {
  return numel == 0 ? storage->data : storage->data + offset * row_of(dtype).bytes;
}

void TensorImpl::refresh() {
  numel = count_elements(sizes);
  contiguous = true;
  int64_t expected = 1;
  for (int64_t d = sizes.size() - 1; d >= 0 && contiguous && numel > 0; --d) {
    if (sizes[d] == 1) continue;
    contiguous = strides[d] == expected;
    expected *= sizes[d];
  }
}

namespace {

Tensor make_handle(Ref<Storage> storage, const Shape& sizes, const Shape& strides, int64_t offset,
                   ScalarType dtype) {
  auto* t =
      new (small_allocate(sizeof(TensorImpl))) TensorImpl(std::move(storage), sizes, strides, offset, dtype);
  t->references.store(1, std::memory_order_relaxed);
  return Tensor(t);
}

// Bytes of an element. Throws for a type that no tensor can hold.
int64_t width_of(ScalarType dtype) {
  const int64_t bytes = row_of(dtype).bytes;
  if (bytes == 0) refuse_dtype(nullptr, dtype);
  return bytes;
}

[[noreturn]] void refuse_span(const Shape& sizes, const Shape& strides, int64_t offset) {
  throw Error(str("Storage size calculation overflowed with sizes=", sizes.ref(), " and strides=",
                  strides.ref(), "\nhint: storage offset ", offset, "; no machine has so much memory"));
}

[[noreturn]] void refuse_negative(const Shape& strides, int64_t offset) {
  ETUDE_CHECK(offset >= 0, "Tensor: invalid storage offset ", offset);
  throw Error(
      str("as_strided: Negative strides are not supported at the moment, got strides: ", strides.ref()));
}

[[noreturn]] void refuse_view(const Storage& storage, const Shape& sizes, const Shape& strides,
                              int64_t offset, int64_t width) {
  throw Error(str("setStorage: sizes ", sizes.ref(), ", strides ", strides.ref(), ", storage offset ", offset,
                  ", and itemsize ", width, " requiring a storage size of ",
                  span(sizes, strides, offset) * width, " are out of bounds for storage of size ",
                  storage.bytes));
}

}  // namespace

int64_t span(const Shape& sizes, const Shape& strides, int64_t offset) {
  int64_t size = 1, step = 0;
  bool empty = false, negative = false, overflow = false;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    empty |= sizes[d] == 0;
    negative |= sizes[d] < 0;
    overflow |= __builtin_mul_overflow(std::max<int64_t>(sizes[d], 1) - 1, strides[d], &step);
    overflow |= __builtin_add_overflow(size, step, &size);
  }
  overflow |= __builtin_add_overflow(size, offset, &size);
  // No element is wider than 8 bytes.
  if (negative || (!empty && (overflow || size >= int64_t{1} << 60))) refuse_span(sizes, strides, offset);
  return empty ? 0 : size;
}

Tensor make_tensor(const Shape& sizes, ScalarType dtype) {
  Shape strides = sizes;
  int64_t numel = 1, bytes = 0;
  bool overflow = false, empty = false;
  for (int64_t *s = strides.end(), *first = strides.begin(); s != first;) {
    const int64_t size = std::exchange(*--s, numel);
    empty |= size == 0;
    overflow |= size < 0 || __builtin_mul_overflow(numel, std::max<int64_t>(size, 1), &numel);
  }
  overflow |= __builtin_mul_overflow(numel, width_of(dtype), &bytes);
  ETUDE_CHECK(!overflow, "Storage size calculation overflowed with sizes=", sizes.ref());
  Tensor t = make_handle(allocate(empty ? 0 : bytes), sizes, strides, 0, dtype);
  impl(t).numel = empty ? 0 : numel;
  return t;
}

// Zero has zero bytes in every type.
Tensor make_zeros(const Shape& sizes, ScalarType dtype) {
  Tensor t = make_tensor(sizes, dtype);
  std::byte* const to = impl(t).storage->data;
  parallel_for(0, impl(t).storage->bytes, kGrain * 4, [to](int64_t begin, int64_t end) {
    std::memset(to + begin, 0, static_cast<size_t>(end - begin));
  });
  return t;
}

Tensor make_view(const Ref<Storage>& storage, const Shape& sizes, const Shape& strides, int64_t offset,
                 ScalarType dtype) {
  const bool has_negative = std::any_of(strides.begin(), strides.end(), [](int64_t s) { return s < 0; });
  if (offset < 0 || has_negative) refuse_negative(strides, offset);
  const int64_t width = width_of(dtype), needed = span(sizes, strides, offset) * width;
  if (needed > storage->bytes) refuse_view(*storage, sizes, strides, offset, width);
  Tensor t = make_handle(storage, sizes, strides, offset, dtype);
  impl(t).refresh();
  return t;
}

Tensor alias(const Tensor& t) {
  const TensorImpl& from = impl(t);
  Tensor result = make_handle(from.storage, from.sizes, from.strides, from.offset, from.dtype);
  TensorImpl& to = impl(result);
  to.numel = from.numel;
  to.contiguous = from.contiguous;
  to.wrapped_number = from.wrapped_number;
  return result;
}

void destroy(TensorImpl* t) {
  t->~TensorImpl();
  small_free(t, sizeof(TensorImpl));
}

}  // namespace detail

using detail::impl;

Tensor::Tensor(const Tensor& other) noexcept : impl_(other.impl_) {
  if (impl_) impl_->references.fetch_add(1, std::memory_order_relaxed);
}

Tensor::~Tensor() {
  if (impl_ && impl_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) detail::destroy(impl_);
}

Tensor& Tensor::operator=(const Tensor& other) & noexcept { return *this = Tensor(other); }

// Assigning to a temporary tensor copies elements, not handles. NOLINTBEGIN
Tensor& Tensor::operator=(const Tensor& other) && { return copy_(other); }
Tensor& Tensor::operator=(Tensor&& other) && { return copy_(other); }
Tensor& Tensor::operator=(const Scalar& v) && { return fill_(v); }
// NOLINTEND

void Tensor::reset() { *this = Tensor(); }
int64_t Tensor::use_count() const { return impl_ ? impl_->references.load() : 0; }
int64_t Tensor::dim() const { return impl(*this).sizes.size(); }
IntArrayRef Tensor::sizes() const { return impl(*this).sizes; }
IntArrayRef Tensor::strides() const { return impl(*this).strides; }

static int64_t of_dim(const Shape& s, int64_t d) {
  const int64_t dims = s.size();
  ETUDE_CHECK_INDEX(dims > 0, "Dimension specified as ", d, " but tensor has no dimensions");
  return s[wrap_dim(d, dims)];
}
int64_t Tensor::size(int64_t d) const { return of_dim(impl(*this).sizes, d); }
int64_t Tensor::stride(int64_t d) const { return of_dim(impl(*this).strides, d); }

int64_t Tensor::numel() const { return impl(*this).numel; }
int64_t Tensor::element_size() const { return elementSize(impl(*this).dtype); }
int64_t Tensor::nbytes() const { return numel() * element_size(); }
int64_t Tensor::storage_offset() const { return impl(*this).offset; }
ScalarType Tensor::scalar_type() const { return impl(*this).dtype; }
TensorOptions Tensor::options() const { return TensorOptions(scalar_type()).device(kCPU).layout(kStrided); }
Tensor Tensor::cuda() const {
  throw Error(str("PyTorch is not linked with support for cuda devices\nreceived a tensor of size ", sizes(),
                  "\nhint: Etude runs on the CPU only; remove the call of cuda(), or write to(kCPU)"));
}
bool Tensor::is_contiguous() const { return impl(*this).contiguous; }
bool Tensor::is_alias_of(const Tensor& other) const { return impl(*this).storage == impl(other).storage; }
bool Tensor::is_inference() const { return impl(*this).storage->inference; }
uint32_t Tensor::_version() const {
  ETUDE_CHECK(!is_inference(), "Inference tensors do not track version counter.");
  return detail::version_of(*this);
}
void* Tensor::data_ptr() const { return impl(*this).bytes(); }

template <typename T>
T* Tensor::data_ptr() const {
  const detail::TensorImpl& t = impl(*this);
  ETUDE_CHECK(t.dtype == CppTypeToScalarType<T>::value, "expected scalar type ",
              toString(CppTypeToScalarType<T>::value), " but found ", toString(t.dtype),
              "\nhint: data_ptr<T>() reads the memory as it is; convert with .to(...) first");
  return t.data<T>();
}

void detail::check_accessed_dims(const Tensor& t, size_t dims) {
  ETUDE_CHECK(t.dim() == static_cast<int64_t>(dims), "TensorAccessor expected ", dims,
              " dims but tensor has ", t.dim(), "\nreceived sizes ", t.sizes());
}

Scalar Tensor::item() const {
  const detail::TensorImpl& t = impl(*this);
  ETUDE_CHECK(t.numel == 1, "a Tensor with ", t.numel,
              " elements cannot be converted to Scalar\nreceived sizes ", sizes(),
              "\nhint: index the tensor down to one element first");
  return detail::dispatch(t.dtype, [&](auto zero) { return Scalar(*t.data<decltype(zero)>()); });
}

template <typename T>
T Tensor::item() const {
  return item().to<T>();
}

#define ETUDE_INSTANTIATE(T)                         \
  template ETUDE_API T* Tensor::data_ptr<T>() const; \
  template ETUDE_API T Tensor::item<T>() const;
ETUDE_FOR_NUMBERS(ETUDE_INSTANTIATE)
#undef ETUDE_INSTANTIATE

}  // namespace etude
