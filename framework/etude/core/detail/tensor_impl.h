#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "etude/core/shape.h"
#include "etude/core/tensor.h"

namespace etude::detail {

/// Base of what is counted: tensors, storages and graph nodes.
struct RefCounted {
  mutable std::atomic<uint32_t> references{0};
};

/// A counted pointer of one word. `destroy(T*)`, found by overload, frees what nobody names any more.
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
  /// Gives up the reference without counting it down.
  T* detach() { return std::exchange(p_, nullptr); }
  /// Whether nobody else names it.
  bool unique() const { return p_ && p_->references.load(std::memory_order_acquire) == 1; }

 private:
  T* p_ = nullptr;
};

/// A block of memory that all views of the same data share. Header and data are one allocation, the data 64-byte aligned.
struct Storage : RefCounted {
  std::byte* data;
  int64_t bytes;  // asked for
  int64_t block;  // of the allocation, header included; 0 if the memory belongs to somebody else
  std::atomic<uint32_t> version{0};  // counts writes in place
  bool inference = false;            // made in InferenceMode
};

/// Whether this thread is in InferenceMode. The mode is in core because every allocation asks for it.
ETUDE_API bool& inference_mode();

/// New storage from the pool; its memory is not initialised.
ETUDE_API Ref<Storage> allocate(int64_t bytes);
/// Storage over memory that the caller owns; deleter is called with it when nobody uses it any more.
ETUDE_API Ref<Storage> borrow(void* data, int64_t bytes, std::function<void(void*)> deleter = {});
ETUDE_API void destroy(Storage* storage);

/// Small blocks of fixed size for tensor handles and graph nodes, kept per thread.
ETUDE_API void* small_allocate(std::size_t bytes);
ETUDE_API void small_free(void* p, std::size_t bytes);

/// What a tensor in a graph knows beyond its data; defined in autograd/detail/node.h.
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
  bool wrapped_number = false;  // made from a C++ number: gives way to tensors in type promotion
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
  /// The offset of what lies at i along dim d. It wraps around where strides that no element needs are extreme.
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

/// Elements of storage up to the end of what a tensor of these sizes and strides spans; 0 for one without
/// elements. Throws "Storage size calculation overflowed with sizes=[9223372036854775807] and strides=[1]".
ETUDE_API int64_t span(const Shape& sizes, const Shape& strides, int64_t offset);

/// A new handle over a block of its own, contiguous.
ETUDE_API Tensor make_tensor(const Shape& sizes, ScalarType dtype);
/// A new handle over given storage, refused if it would reach beyond it: whoever makes a view need not check.
ETUDE_API Tensor make_view(const Ref<Storage>& storage, const Shape& sizes, const Shape& strides,
                           int64_t offset, ScalarType dtype);
/// A handle over the same data that knows nothing of any graph.
ETUDE_API Tensor alias(const Tensor& t);
ETUDE_API void destroy(TensorImpl* impl);

[[noreturn]] ETUDE_API void refuse_undefined();

/// The impl behind a tensor; throws if there is none.
inline TensorImpl& impl(const Tensor& t) {
  if (!t.impl_) refuse_undefined();
  return *t.impl_;
}

/// How often the memory of t was written in place, also for inference tensors.
inline uint32_t version_of(const Tensor& t) {
  return impl(t).storage->version.load(std::memory_order_relaxed);
}

}  // namespace etude::detail
