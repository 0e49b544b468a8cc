#pragma once

#include <utility>

/// One option of an Options struct: a private member, a chaining setter and a getter (TORCH_ARG). Members
/// declared after it are private. A default value follows it: `ETUDE_ARG(bool, bias) = true;`.
#define ETUDE_ARG(T, name)                                 \
 public:                                                   \
  auto name(T new_##name)->decltype(*this) {               \
    this->name##_ = std::move(new_##name);                 \
    return *this;                                          \
  }                                                        \
  const T& name() const noexcept { return this->name##_; } \
  T& name() noexcept { return this->name##_; }             \
                                                           \
 private:                                                  \
  T name##_
