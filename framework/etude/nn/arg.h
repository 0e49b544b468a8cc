#pragma once

#include <utility>

/// One option of an Options struct: the member `name_`, a setter that returns the options, so that calls
/// chain, and a getter (TORCH_ARG). What follows it is private, as the member is; write a default behind it:
/// `ETUDE_ARG(bool, bias) = true;`.
#define ETUDE_ARG(T, name)                                 \
 public:                                                   \
  auto name(const T& new_##name)->decltype(*this) {        \
    this->name##_ = new_##name;                            \
    return *this;                                          \
  }                                                        \
  auto name(T&& new_##name)->decltype(*this) {             \
    this->name##_ = std::move(new_##name);                 \
    return *this;                                          \
  }                                                        \
  const T& name() const noexcept { return this->name##_; } \
  T& name() noexcept { return this->name##_; }             \
                                                           \
 private:                                                  \
  T name##_
