#include "etude/core/tensor.h"

#include <new>

#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"

namespace etude {

namespace detail {

void refuse_undefined() {
  throw Error("Expected a proper Tensor but got None (or an undefined Tensor in C++)");
}

std::byte* TensorImpl::bytes() const { return storage->data + offset * elementSize(dtype); }

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

Tensor make_tensor(IntArrayRef sizes, ScalarType dtype) {
  const int64_t width = elementSize(dtype);
  int64_t bytes = 0;
  const int64_t numel = count_elements(sizes);
  ETUDE_CHECK(!__builtin_mul_overflow(numel, width, &bytes),
              "Storage size calculation overflowed with sizes=", sizes);
  auto* t = new (small_allocate(sizeof(TensorImpl))) TensorImpl;
  Tensor result = Tensor::adopt(t);
  t->references.store(1, std::memory_order_relaxed);
  t->sizes = Shape(sizes);
  t->strides = contiguous_strides(sizes);
  t->numel = numel;
  t->dtype = dtype;
  t->storage = allocate(bytes);
  return result;
}

Tensor make_view(const Ref<Storage>& storage, const Shape& sizes, const Shape& strides, int64_t offset,
                 ScalarType dtype) {
  auto* t = new (small_allocate(sizeof(TensorImpl))) TensorImpl;
  Tensor result = Tensor::adopt(t);
  t->references.store(1, std::memory_order_relaxed);
  t->sizes = sizes;
  t->strides = strides;
  t->offset = offset;
  t->dtype = dtype;
  t->storage = storage;
  t->refresh();
  return result;
}

Tensor alias(const Tensor& t) {
  const TensorImpl& from = impl(t);
  Tensor result = make_view(from.storage, from.sizes, from.strides, from.offset, from.dtype);
  impl(result).wrapped_number = from.wrapped_number;
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

Tensor& Tensor::operator=(const Tensor& other) & noexcept {
  Tensor copy(other);
  std::swap(impl_, copy.impl_);
  return *this;
}

// Writes to what a temporary tensor sees: copies of elements, not of handles. NOLINTBEGIN
Tensor& Tensor::operator=(const Tensor& other) && { return copy_(other); }
Tensor& Tensor::operator=(Tensor&& other) && { return copy_(other); }
Tensor& Tensor::operator=(const Scalar& v) && { return fill_(v); }
// NOLINTEND

void Tensor::reset() { *this = Tensor(); }
int64_t Tensor::use_count() const { return impl_ ? impl_->references.load() : 0; }
int64_t Tensor::dim() const { return impl(*this).sizes.size(); }
IntArrayRef Tensor::sizes() const { return impl(*this).sizes; }
IntArrayRef Tensor::strides() const { return impl(*this).strides; }

int64_t Tensor::size(int64_t d) const {
  const Shape& s = impl(*this).sizes;
  ETUDE_CHECK_INDEX(!s.empty(), "Dimension specified as ", d, " but tensor has no dimensions");
  return s[wrap_dim(d, s.size())];
}

int64_t Tensor::stride(int64_t d) const {
  const Shape& s = impl(*this).strides;
  ETUDE_CHECK_INDEX(!s.empty(), "Dimension specified as ", d, " but tensor has no dimensions");
  return s[wrap_dim(d, s.size())];
}

int64_t Tensor::numel() const { return impl(*this).numel; }
int64_t Tensor::element_size() const { return elementSize(impl(*this).dtype); }
int64_t Tensor::nbytes() const { return numel() * element_size(); }
int64_t Tensor::storage_offset() const { return impl(*this).offset; }
ScalarType Tensor::scalar_type() const { return impl(*this).dtype; }
TensorOptions Tensor::options() const { return TensorOptions(impl(*this).dtype); }
bool Tensor::is_contiguous() const { return impl(*this).contiguous; }
bool Tensor::is_alias_of(const Tensor& other) const { return impl(*this).storage == impl(other).storage; }
uint32_t Tensor::_version() const { return impl(*this).storage->version; }
void* Tensor::data_ptr() const { return impl(*this).bytes(); }

template <typename T>
T* Tensor::data_ptr() const {
  const detail::TensorImpl& t = impl(*this);
  ETUDE_CHECK(t.dtype == CppTypeToScalarType<T>::value, "expected scalar type ",
              toString(CppTypeToScalarType<T>::value), " but found ", toString(t.dtype),
              "\nhint: data_ptr<T>() reads the memory as it is; convert with .to(...) first");
  return t.data<T>();
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
ETUDE_INSTANTIATE(bool)
ETUDE_INSTANTIATE(uint8_t)
ETUDE_INSTANTIATE(int)
ETUDE_INSTANTIATE(long)
ETUDE_INSTANTIATE(long long)
ETUDE_INSTANTIATE(float)
ETUDE_INSTANTIATE(double)
#undef ETUDE_INSTANTIATE

}  // namespace etude
