#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

#include "etude/core/shape.h"
#include "etude/core/tensor.h"

namespace etude::detail {

/// Base of reference-counted objects: tensors, storages and graph nodes.
struct RefCounted {
  mutable std::atomic<uint32_t> references{0};
};

/// A reference-counted pointer of one word. When the last reference goes, it calls the overload of `destroy(T*)`.
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* p) : p_(p) {
    if (p) p->references.fetch_add(1, std::memory_order_relaxed);
  }
  Ref(const Ref& other) : p_(other.p_) {
    if (p_) p_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && p_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(p_);
  }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }
  friend bool operator!=(const Ref& a, const Ref& b) { return a.p_ != b.p_; }

  /// Takes over a reference that detach() gave up.
  static Ref adopt(T* p) {
    Ref ref;
    ref.p_ = p;
    return ref;
  }
  /// Gives up the reference without decrementing the count.
  T* detach() { return std::exchange(p_, nullptr); }
  /// Whether this is the only reference.
  bool unique() const { return p_ && p_->references.load(std::memory_order_acquire) == 1; }

 private:
  T* p_ = nullptr;
};

/// Whether this thread is in InferenceMode. The flag is in core because every allocation reads it.
ETUDE_API bool& inference_mode();

/// A block of memory that all views of the same data share. Header and data are one allocation, the data 64-byte aligned.
struct Storage : RefCounted {
  Storage(void* data_, int64_t bytes_, int64_t block_)
      : data(static_cast<std::byte*>(data_)), bytes(bytes_), block(block_) {}
  std::byte* data;
  int64_t bytes;                      // of data, as requested
  int64_t block;                      // bytes of the allocation, header included; 0 for borrowed memory
  std::atomic<uint32_t> version{0};   // counts writes in place
  bool inference = inference_mode();  // made in InferenceMode
};

/// New storage from the pool; its memory is not initialised.
ETUDE_API Ref<Storage> allocate(int64_t bytes);
/// Storage over memory that the caller owns. Calls deleter(data) when the last reference goes.
ETUDE_API Ref<Storage> borrow(void* data, int64_t bytes, std::function<void(void*)> deleter = {});
ETUDE_API void destroy(Storage* storage);

/// Small blocks of fixed size for tensor handles and graph nodes, kept per thread.
ETUDE_API void* small_allocate(std::size_t bytes);
ETUDE_API void small_free(void* p, std::size_t bytes);

/// Autograd's part of a tensor; defined in autograd/detail/node.h.
struct AutogradMeta;
/// Called through a pointer so that core does not depend on autograd.
ETUDE_API void destroy_meta(AutogradMeta* meta);

struct TensorImpl : RefCounted {
  Ref<Storage> storage;
  Shape sizes, strides;  // strides count elements, 0 where expanded
  int64_t offset = 0;    // in elements
  int64_t numel = 1;
  ScalarType dtype = kFloat;
  bool contiguous = true;
  bool wrapped_number = false;  // made from a C++ number: yields to tensors in type promotion
  bool requires_grad = false;
  AutogradMeta* meta = nullptr;  // grad, node, view and hooks; most tensors have none

  TensorImpl(Ref<Storage> storage_, const Shape& sizes_, const Shape& strides_, int64_t offset_,
             ScalarType dtype_)
      : storage(std::move(storage_)), sizes(sizes_), strides(strides_), offset(offset_), dtype(dtype_) {}
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;
  ~TensorImpl() {
    if (meta) destroy_meta(meta);
  }

  std::byte* bytes() const;
  /// The offset of index i along dim d. It may wrap around where an extreme stride is used by no element.
  int64_t offset_of(int64_t d, int64_t i) const {
    return static_cast<int64_t>(static_cast<uint64_t>(offset) +
                                static_cast<uint64_t>(i) * static_cast<uint64_t>(strides[d]));
  }
  template <typename T>
  T* data() const {
    return reinterpret_cast<T*>(storage->data) + offset;
  }
  /// Computes numel and contiguous from sizes and strides.
  void refresh();
};

/// The number of elements that a storage must have for a tensor of these sizes, strides and offset; 0 for a tensor without
/// elements. Throws "Storage size calculation overflowed with sizes=[9223372036854775807] and strides=[1]".
ETUDE_API int64_t span(const Shape& sizes, const Shape& strides, int64_t offset);

/// A new contiguous tensor with storage of its own.
ETUDE_API Tensor make_tensor(const Shape& sizes, ScalarType dtype);
/// The same, with all elements zero.
Tensor make_zeros(const Shape& sizes, ScalarType dtype);
/// A new tensor over given storage. Throws if it would reach beyond the storage, so callers need not check.
ETUDE_API Tensor make_view(const Ref<Storage>& storage, const Shape& sizes, const Shape& strides,
                           int64_t offset, ScalarType dtype);
/// A tensor over the same data that belongs to no graph.
ETUDE_API Tensor alias(const Tensor& t);
ETUDE_API void destroy(TensorImpl* impl);

[[noreturn]] ETUDE_API void refuse_undefined();

/// The impl behind a tensor; throws if there is none.
inline TensorImpl& impl(const Tensor& t) {
  if (!t.impl_) refuse_undefined();
  return *t.impl_;
}

/// Whether t itself, not a tensor of the same values, is in the list.
inline bool holds(TensorList list, const Tensor& t) {
  return std::any_of(list.begin(), list.end(), [&t](const Tensor& other) { return other.is_same(t); });
}

/// The number of in-place writes to the memory of t; also valid for inference tensors.
inline uint32_t version_of(const Tensor& t) {
  return impl(t).storage->version.load(std::memory_order_relaxed);
}

}  // namespace etude::detail
