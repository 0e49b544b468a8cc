#pragma once

#include <doctest/doctest.h>

/// Where the last assertion of this thread begins. A report of an exception names it.
struct Place {
  const char* file;
  int line;
};
inline thread_local Place last_assertion{};

// doctest writes each assertion as a block with a catch of its own, which takes the compiler longer than one call. An exception ends the
// test case, as one from any other line does.
#undef DOCTEST_ASSERT_IMPLEMENT_1
#define DOCTEST_ASSERT_IMPLEMENT_1(assert_type, ...)                                                      \
  DOCTEST_CLANG_SUPPRESS_WARNING_WITH_PUSH("-Woverloaded-shift-op-parentheses")                           \
  (last_assertion = {__FILE__, __LINE__},                                                                 \
   doctest::detail::decomp_assert(doctest::assertType::assert_type, __FILE__, __LINE__, #__VA_ARGS__,     \
                                  doctest::detail::ExpressionDecomposer(doctest::assertType::assert_type) \
                                      << __VA_ARGS__)) DOCTEST_CLANG_SUPPRESS_WARNING_POP
#undef DOCTEST_ASSERT_IMPLEMENT_2
#define DOCTEST_ASSERT_IMPLEMENT_2 DOCTEST_ASSERT_IMPLEMENT_1
