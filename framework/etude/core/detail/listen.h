#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "etude/core/export.h"
#include "etude/core/function_ref.h"
#include "etude/core/tensors_in.h"

// How to observe what runs. Ops, nodes of a backward, calls of modules and other events announce themselves by a Scope, on the
// thread where they run. A listener hears the start of an event, with the arguments, and its end, with the results. There are
// three listeners: the trace (core/trace.cpp), anomaly mode (autograd/anomaly_mode.cpp), and the watch that explain(), trap_nan()
// and summary() share (explain/watch.cpp). Without a listener an op pays a load and a branch.
//
// Listeners do not change values; they may throw. Only hooks may replace a tensor, and they are called by the tensor, node or
// module that has them.

namespace etude::detail::listen {

/// Where an op runs: the path of the innermost module, `h.0.attn`, which is empty for the model itself, and a text that also names
/// the types, "h.0.attn (CausalSelfAttention) of GPT". Places live as long as the program.
struct Place {
  std::string path, text;
};
/// The place of this thread; null outside of modules, and without a listener.
ETUDE_API const Place* place();

/// RecordFunction announces kFunction and kUserScope.
enum class Kind : uint8_t { kOp, kNode, kModule, kFunction, kUserScope, kCommunication };

/// What runs. The names of ops, nodes and modules stay valid, so that a listener may keep them.
struct Event {
  Kind kind;
  std::string_view name;
  const void* subject = nullptr;  // the GraphNode or the Module
  const Place* place = nullptr;   // of a node or a module: where it runs
};

/// What a listener keeps while an event runs. It is destroyed when the event ends. If ends() was not called before, the event
/// ended by an exception, or has no results to report.
class ETUDE_API Heard {
 public:
  virtual ~Heard() = default;
  /// May throw.
  virtual void ends(std::initializer_list<TensorsIn> /*results*/) {}

 private:
  friend class Scope;
  std::unique_ptr<Heard> before_;  // what the listener before this one keeps
};
using Begins = std::unique_ptr<Heard>(const Event& event, std::initializer_list<TensorsIn> given);

/// They hear the start of an event in this order, and its end in reverse order.
enum class Listener : uint8_t { kTrace, kWatch, kAnomalyMode };
constexpr std::size_t kListeners = 3;

/// Calls `begins` at the start of every event of every thread, until stop(). It returns null for an event that it ignores. Each
/// start() needs a stop().
ETUDE_API void start(Listener listener, Begins* begins);
ETUDE_API void stop(Listener listener);
ETUDE_API bool is_listening(Listener listener);

extern ETUDE_API std::atomic<int> listening;  // the number of start() calls without a stop()
inline bool is_heard() { return __builtin_expect(listening.load(std::memory_order_relaxed) != 0, false); }

/// An event, from the construction of the scope to its destruction.
class ETUDE_API Scope {
 public:
  explicit Scope(const Event& event, std::initializer_list<TensorsIn> given = {}) {
    if (is_heard()) begin(event, given);
  }
  void ends(std::initializer_list<TensorsIn> results);

 private:
  void begin(const Event& event, std::initializer_list<TensorsIn> given);
  void keep(std::unique_ptr<Heard> heard);
  std::unique_ptr<Heard> heard_;  // of the last listener
};

/// Notes, for listeners, which kernel of a library computed an op: "oneDNN", "jit:avx2".
ETUDE_API void note_kernel(std::string_view library, std::string_view kernel);
/// Returns the kernels that were noted on this thread since the last call.
ETUDE_API std::string take_kernel();

/// Starts to listen if ETUDE_EXPLAIN or ETUDE_NAN_TRAP is set. Defined in explain/, and called when the program starts.
ETUDE_API void ask_environment();

/// Whether the op that is called has not yet announced itself.
ETUDE_API bool is_new_op();

/// Announces an op, and calls it again to compute its result.
template <typename Result>
Result op(const char* name, std::initializer_list<TensorsIn> arguments, FunctionRef<Result()> call) {
  Scope scope({Kind::kOp, name}, arguments);
  Result result = call();
  scope.ends({result});
  return result;
}

}  // namespace etude::detail::listen

/// The first line of a function that listeners hear of as `title`. `call` calls the function itself with all of its arguments.
#define ETUDE_HEARD(title, call, ...)                                              \
  if (::etude::detail::listen::is_heard() && ::etude::detail::listen::is_new_op()) \
  return ::etude::detail::listen::op<decltype(call)>(title, {__VA_ARGS__},         \
                                                     [&]() -> decltype(call) { return call; })

/// The first line of an op: its name and its arguments.
#define ETUDE_OP(name, ...) ETUDE_HEARD("aten::" #name, ::etude::name(__VA_ARGS__), __VA_ARGS__)
/// The same for an op that PyTorch does not have.
#define ETUDE_OWN_OP(name, ...) ETUDE_HEARD("etude::" #name, ::etude::name(__VA_ARGS__), __VA_ARGS__)
/// The first line of an op that is a method of Tensor.
#define ETUDE_METHOD_OP(name, ...) ETUDE_HEARD("aten::" #name, this->name(__VA_ARGS__), *this, __VA_ARGS__)
