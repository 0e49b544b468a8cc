#pragma once

namespace etude::detail {

/// Sets the value that `get` returns for a scope, and then restores the previous one.
template <auto get, auto set>
class Restoring {
 public:
  explicit Restoring(decltype(get()) value) : before_(get()) { set(value); }
  ~Restoring() { set(before_); }
  Restoring(const Restoring&) = delete;
  Restoring& operator=(const Restoring&) = delete;

 private:
  decltype(get()) before_;
};

}  // namespace etude::detail
