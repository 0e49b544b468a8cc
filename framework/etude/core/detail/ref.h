#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

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
  explicit Ref(T* p) : p_(p) { retain(); }
  Ref(const Ref& other) : p_(other.p_) { retain(); }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Ref() { release(); }

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
  void retain() {
    if (p_) p_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (p_ && p_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(p_);
  }

  T* p_ = nullptr;
};

}  // namespace etude::detail
