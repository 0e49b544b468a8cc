#pragma once

#include <doctest/doctest.h>
#include <pthread.h>

#include "support/any_function.h"

namespace etude {

/// Runs f on a thread with a stack of the given size: recursion over a long graph would overflow it.
inline void with_stack(size_t bytes, const AnyFunction<void()>& f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  auto start = [](void* p) -> void* {
    (*static_cast<const AnyFunction<void()>*>(p))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, start, const_cast<AnyFunction<void()>*>(&f)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

constexpr size_t kSmallStack = size_t{256} << 10;
/// With a recursion of this depth, even frames of three bytes would overflow this stack.
constexpr int kLongChain = 100000;

}  // namespace etude
