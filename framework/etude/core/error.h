#pragma once

#include <exception>
#include <initializer_list>
#include <sstream>
#include <string>
#include <type_traits>

#include "etude/core/array_ref.h"
#include "etude/core/export.h"

namespace etude {

namespace detail {
struct ErrorPlace;
}

/// The exception that every failed check throws. The first line is PyTorch's message; later lines say what was
/// received and give a hint.
class ETUDE_API Error : public std::exception {
 public:
  explicit Error(std::string message);
  ~Error() override;
  const char* what() const noexcept override { return message_.c_str(); }
  const char* what_without_backtrace() const noexcept { return message_.c_str(); }
  const std::string& msg() const { return message_; }

 private:
  friend struct detail::ErrorPlace;
  std::string message_;
  bool names_place_ = false;
};

/// An index, a dim or an id outside its range (Python's IndexError).
class ETUDE_API IndexError : public Error {
 public:
  using Error::Error;
  ~IndexError() override;
};

/// An argument of the right type with an impossible value (Python's ValueError).
class ETUDE_API ValueError : public Error {
 public:
  using Error::Error;
  ~ValueError() override;
};

/// An argument of an unsupported type (Python's TypeError).
class ETUDE_API TypeError : public Error {
 public:
  using Error::Error;
  ~TypeError() override;
};

/// Something that an op or a class does not support: a dtype, a feature of PyTorch, a method (Python's NotImplementedError).
class ETUDE_API NotImplementedError : public Error {
 public:
  using Error::Error;
  ~NotImplementedError() override;
};

namespace detail {

/// Appends the module in which an error arose as its last line: "in h.0.attn (CausalSelfAttention) of GPT".
struct ETUDE_API ErrorPlace {
  static bool is_named(const Error& error) { return error.names_place_; }
  static void name(Error& error, const std::string& place);
};

template <typename T>
void append(std::ostream& out, const T& part) {
  out << part;
}
/// Writes sizes as `[2, 3]`, as messages do.
ETUDE_API void append(std::ostream& out, const IntArrayRef& sizes);

/// A part of a message with its type erased: a pointer to it and a function that writes it. So joined() is compiled
/// once, not once for every message.
class Part {
 public:
  Part(const char* text)
      : value_(text), write_([](std::ostream& out, const void* v) { out << static_cast<const char*>(v); }) {}
  template <typename T>
  Part(const T& value)
      : value_(&value),
        write_([](std::ostream& out, const void* v) { append(out, *static_cast<const T*>(v)); }) {}
  void write(std::ostream& out) const { write_(out, value_); }

 private:
  const void* value_;
  void (*write_)(std::ostream& out, const void* value);
};

ETUDE_API std::string joined(std::initializer_list<Part> parts);

}  // namespace detail

/// The concatenated parts (c10::str).
template <typename... Parts>
std::string str(const Parts&... parts) {
  return detail::joined({parts...});
}

namespace guts {

/// The text of a value: by std::to_string for numbers, by operator<< for everything else (c10::guts::to_string).
template <typename T>
std::string to_string(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    std::ostringstream out;
    out << value;
    return out.str();
  }
}

}  // namespace guts

/// The elements with the delimiter between them (c10::Join).
template <typename Container>
std::string Join(const std::string& delimiter, const Container& elements) {
  std::ostringstream out;
  const char* between = "";
  for (const auto& element : elements) {
    out << between << element;
    between = delimiter.c_str();
  }
  return out.str();
}

#define ETUDE_CHECK_WITH(ErrorType, condition, ...)                            \
  do {                                                                         \
    if (!(condition)) throw ErrorType(::etude::detail::joined({__VA_ARGS__})); \
  } while (false)

/// Throws Error with the parts as its text unless the condition holds.
#define ETUDE_CHECK(condition, ...) ETUDE_CHECK_WITH(::etude::Error, condition, __VA_ARGS__)
#define ETUDE_CHECK_INDEX(condition, ...) ETUDE_CHECK_WITH(::etude::IndexError, condition, __VA_ARGS__)
#define ETUDE_CHECK_VALUE(condition, ...) ETUDE_CHECK_WITH(::etude::ValueError, condition, __VA_ARGS__)
#define ETUDE_CHECK_TYPE(condition, ...) ETUDE_CHECK_WITH(::etude::TypeError, condition, __VA_ARGS__)

}  // namespace etude
