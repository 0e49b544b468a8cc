#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "etude/core/export.h"
#include "etude/core/tensors_in.h"

// Who hears of every op, every node of a backward and every module, on the thread where it runs: what etude/explain shows.

namespace etude::detail::trace {

/// Where an op runs: the path of the innermost module, `h.0.attn`, empty for that of a model itself, and all that is known of
/// it, "h.0.attn (CausalSelfAttention) of GPT". Places live as long as the program.
struct Place {
  std::string path, text;
};
/// Of this thread; null outside of modules, and where nobody listens.
ETUDE_API const Place* place();
ETUDE_API const Place* exchange_place(const Place* place);

/// For a scope this thread is somewhere else.
class PlaceGuard {
 public:
  explicit PlaceGuard(const Place* place) : before_(exchange_place(place)) {}
  PlaceGuard(const PlaceGuard&) = delete;
  PlaceGuard& operator=(const PlaceGuard&) = delete;
  ~PlaceGuard() { exchange_place(before_); }

 private:
  const Place* before_;
};

enum class Kind : uint8_t { kOp, kNode, kModule };

/// What begins: an op by its name, a node by its label, with the node that it is, or a module. What began last ends first.
struct Begun {
  Kind kind;
  const char* name;
  const void* subject = nullptr;  // the GraphNode or the Module
};

class ETUDE_API Observer {
 public:
  virtual void begins(const Begun& what, std::initializer_list<TensorsIn> given) = 0;
  /// May throw.
  virtual void ends(std::initializer_list<TensorsIn> results) = 0;
  /// An exception ended it.
  virtual void fails() noexcept = 0;

 protected:
  ~Observer() = default;
};

/// From now on the observer hears of all threads; it lives as long as the program. Calls are counted.
ETUDE_API void start_listening(Observer& observer);
ETUDE_API void stop_listening();
/// The one that listens, or null.
ETUDE_API Observer* observer();

/// Asks the environment, ETUDE_EXPLAIN and ETUDE_NAN_TRAP, who is to listen. In explain/, called by the first op.
ETUDE_API void listen_as_the_environment_says();

/// Which of a library's kernels did the work of an op, for who listens: "oneDNN", "jit:avx2".
ETUDE_API void note_kernel(std::string_view library, std::string_view kernel);
/// Takes what was noted on this thread since the last call.
ETUDE_API std::string take_kernel();

/// From here to its end something runs of which an observer hears, if there is one.
class ETUDE_API Observed {
 public:
  Observed(const Begun& what, std::initializer_list<TensorsIn> given);
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;
  ~Observed();
  void ends(std::initializer_list<TensorsIn> results);

 private:
  Observer* observer_;
};

}  // namespace etude::detail::trace
