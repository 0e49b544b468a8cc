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

// How to listen to what runs. An op, a node of a backward, a call of a module and whatever else has a name announces itself by a
// Scope, on the thread where it runs. A listener hears the start of the scope, with what is given, and its end, with the
// results. There are three: the trace (core/trace.cpp), anomaly mode (autograd/anomaly_mode.cpp), and the watch that explain(),
// trap_nan() and summary() share (explain/watch.cpp). With nobody who listens an op pays a load and a branch.
//
// Listeners do not change values; they may throw. What may replace a tensor is a hook, and is called by what it is a hook of.

namespace etude::detail::listen {

/// Where an op runs: the path of the innermost module, `h.0.attn`, empty for that of a model itself, and all that is known of
/// it, "h.0.attn (CausalSelfAttention) of GPT". Places live as long as the program.
struct Place {
  std::string path, text;
};
/// Of this thread; null outside of modules, and where nobody listens.
ETUDE_API const Place* place();

/// Functions and user's scopes are announced by RecordFunction.
enum class Kind : uint8_t { kOp, kNode, kModule, kFunction, kUserScope, kCommunication };

/// What runs. A listener may keep the names of ops, nodes and modules.
struct Event {
  Kind kind;
  std::string_view name;
  const void* subject = nullptr;  // the GraphNode or the Module
  const Place* place = nullptr;   // of a node or a module: where it runs
};

/// What a listener keeps of an event that runs. It is destroyed when the event ends. If ends() was not called before, the event
/// ended by an exception, or has no results to report.
class ETUDE_API Heard {
 public:
  virtual ~Heard() = default;
  /// May throw.
  virtual void ends(std::initializer_list<TensorsIn> /*results*/) {}

 private:
  friend class Scope;
  std::unique_ptr<Heard> before_;  // of the listener before
};
using Begins = std::unique_ptr<Heard>(const Event& event, std::initializer_list<TensorsIn> given);

/// They hear the start of an event in this order, and its end in reverse order.
enum class Listener : uint8_t { kTrace, kWatch, kAnomalyMode };
constexpr std::size_t kListeners = 3;

/// From now on `begins` is called for all events of all threads; it returns null for those that it does not keep. Each start() needs a stop().
ETUDE_API void start(Listener listener, Begins* begins);
ETUDE_API void stop(Listener listener);
ETUDE_API bool is_listening(Listener listener);

extern ETUDE_API std::atomic<int> listening;  // how many
inline bool is_heard() { return __builtin_expect(listening.load(std::memory_order_relaxed) != 0, false); }

/// From here to its end something runs.
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

/// Which of a library's kernels did the work of an op, for who listens: "oneDNN", "jit:avx2".
ETUDE_API void note_kernel(std::string_view library, std::string_view kernel);
/// Takes what was noted on this thread since the last call.
ETUDE_API std::string take_kernel();

/// Listens if the environment says so, by ETUDE_EXPLAIN or ETUDE_NAN_TRAP. In explain/, called when the program starts.
ETUDE_API void ask_environment();

/// Whether the op that is called now has not announced itself yet.
ETUDE_API bool is_new_op();

/// Announces an op, and calls it once more.
template <typename Result>
Result op(const char* name, std::initializer_list<TensorsIn> arguments, FunctionRef<Result()> call) {
  Scope scope({Kind::kOp, name}, arguments);
  Result result = call();
  scope.ends({result});
  return result;
}

}  // namespace etude::detail::listen

/// The first line of what is heard of as `title`. Then the function calls itself, `call`, with all of its arguments.
#define ETUDE_HEARD(title, call, ...)                                              \
  if (::etude::detail::listen::is_heard() && ::etude::detail::listen::is_new_op()) \
  return ::etude::detail::listen::op<decltype(call)>(title, {__VA_ARGS__},         \
                                                     [&]() -> decltype(call) { return call; })

/// The first line of an op: its name and its arguments.
#define ETUDE_OP(name, ...) ETUDE_HEARD("aten::" #name, ::etude::name(__VA_ARGS__), __VA_ARGS__)
/// The same for one that PyTorch does not have.
#define ETUDE_OWN_OP(name, ...) ETUDE_HEARD("etude::" #name, ::etude::name(__VA_ARGS__), __VA_ARGS__)
/// The first line of an op that is a method of Tensor.
#define ETUDE_METHOD_OP(name, ...) ETUDE_HEARD("aten::" #name, this->name(__VA_ARGS__), *this, __VA_ARGS__)
