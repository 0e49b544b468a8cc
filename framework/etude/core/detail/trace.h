#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "etude/core/detail/observer.h"
#include "etude/core/export.h"
#include "etude/core/function_ref.h"
#include "etude/core/tensors_in.h"

// A trace of what each thread does, and when, in Chrome's trace format. With nobody who listens it costs an op a load and a
// branch.

namespace etude::detail::trace {

/// One for a trace, and two for each call of start_listening.
extern ETUDE_API std::atomic<unsigned> listeners;
inline bool is_heard() { return __builtin_expect(listeners.load(std::memory_order_relaxed) != 0, false); }
/// Whether there is a trace.
inline bool is_on() { return __builtin_expect((listeners.load(std::memory_order_relaxed) & 1) != 0, false); }

constexpr std::size_t kMostBytes = std::size_t{1} << 27;

/// Begins a trace. A thread whose events have taken most_bytes of memory drops others. Throws Error while there is one already.
ETUDE_API void start(std::size_t most_bytes = kMostBytes);

/// Ends it and hands its text to `write`, piece by piece. Returns how many events were dropped.
ETUDE_API int64_t stop(FunctionRef<void(std::string_view)> write);

/// What the process is called in traces to come, and its number there: of several, its rank.
ETUDE_API void set_process(int64_t pid, std::string name);

/// What the row of this thread is called.
ETUDE_API void name_thread(std::string name);

/// An event: what this thread does until the end of the scope, among which `category` helps to find it.
class ETUDE_API Scope {
 public:
  Scope(const char* category, std::string_view name) {
    if (is_on()) begin(category, name);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {
    if (!text_.empty()) end();
  }
  /// Shows the sizes of all these tensors as `key`.
  void add_sizes(const char* key, std::initializer_list<TensorsIn> tensors);

 private:
  void begin(const char* category, std::string_view name);
  void end() noexcept;
  std::string text_;  // of the event; empty if none was begun
  int64_t start_ = 0;
  bool has_sizes_ = false;
};

/// Whether an op has been called that is not yet in the trace.
ETUDE_API bool is_new_op();
/// The op that is called next has its event.
ETUDE_API void skip_next_op();

/// An op that is heard: every one passes here, with what it is given and what it returns.
template <typename Result>
Result op(const char* name, std::initializer_list<TensorsIn> arguments, FunctionRef<Result()> call) {
  Scope scope("cpu_op", name);
  scope.add_sizes("Input Dims", arguments);
  Observed observed({Kind::kOp, name}, arguments);
  skip_next_op();
  Result result = call();
  observed.ends({result});
  scope.add_sizes("Output Dims", {result});
  return result;
}

}  // namespace etude::detail::trace

/// The first line of what is heard of as `title`. Then the function calls itself, `call`, with all of its arguments.
#define ETUDE_TRACED(title, call, ...)                                           \
  if (::etude::detail::trace::is_heard() && ::etude::detail::trace::is_new_op()) \
  return ::etude::detail::trace::op<decltype(call)>(title, {__VA_ARGS__},        \
                                                    [&]() -> decltype(call) { return call; })

/// The first line of an op: its name and its arguments.
#define ETUDE_OP(name, ...) ETUDE_TRACED("aten::" #name, ::etude::name(__VA_ARGS__), __VA_ARGS__)
/// The same for one that PyTorch has not.
#define ETUDE_OWN_OP(name, ...) ETUDE_TRACED("etude::" #name, ::etude::name(__VA_ARGS__), __VA_ARGS__)
/// The first line of an op that is a method of Tensor.
#define ETUDE_METHOD_OP(name, ...) ETUDE_TRACED("aten::" #name, this->name(__VA_ARGS__), *this, __VA_ARGS__)
