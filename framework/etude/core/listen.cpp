#include "etude/core/detail/listen.h"

#include <utility>

#include "etude/core/record_function.h"

namespace etude {
namespace detail::listen {

std::atomic<int> listening{0};

namespace {

struct Entry {
  std::atomic<Begins*> begins{nullptr};
  std::atomic<int> starts{0};
} entries[kListeners];
Entry& entry_of(Listener listener) { return entries[static_cast<std::size_t>(listener)]; }

thread_local const Place* here = nullptr;
thread_local std::string noted;             // kernels since take_kernel()
thread_local bool op_is_announced = false;  // the op that is called next

// Sets the place of this thread to that of a node or a module, for the time of a scope.
struct Elsewhere final : Heard {
  explicit Elsewhere(const Place* place) : around(std::exchange(here, place)) {}
  ~Elsewhere() override { here = around; }
  const Place* around;
};

[[maybe_unused]] const bool asked = (ask_environment(), true);

}  // namespace

const Place* place() { return here; }

void start(Listener listener, Begins* begins) {
  entry_of(listener).begins = begins;
  ++entry_of(listener).starts;
  ++listening;
}
void stop(Listener listener) {
  --entry_of(listener).starts;
  --listening;
}
bool is_listening(Listener listener) { return entry_of(listener).starts != 0; }

void Scope::begin(const Event& event, std::initializer_list<TensorsIn> given) {
  if (event.kind == Kind::kNode || event.kind == Kind::kModule)
    keep(std::make_unique<Elsewhere>(event.place));
  for (const Entry& entry : entries)
    if (entry.starts != 0) keep(entry.begins.load()(event, given));
  op_is_announced = event.kind == Kind::kOp;
}

void Scope::keep(std::unique_ptr<Heard> heard) {
  if (!heard) return;
  heard->before_ = std::move(heard_);
  heard_ = std::move(heard);
}

void Scope::ends(std::initializer_list<TensorsIn> results) {
  while (heard_) {
    const std::unique_ptr<Heard> last = std::move(heard_);
    heard_ = std::move(last->before_);
    last->ends(results);
  }
}

bool is_new_op() { return !std::exchange(op_is_announced, false); }

void note_kernel(std::string_view library, std::string_view kernel) {
  if (!is_listening(Listener::kWatch) || noted.find(kernel) != std::string::npos) return;
  noted += noted.empty() ? std::string(library) + " " : ", ";
  noted += kernel;
}
std::string take_kernel() { return std::exchange(noted, {}); }

}  // namespace detail::listen

// --- RecordFunction ---

namespace listen = detail::listen;

RecordFunction::RecordFunction(RecordScope scope)
    : scope_(scope), is_active_(listen::is_listening(listen::Listener::kTrace)) {}
RecordFunction::~RecordFunction() = default;

void RecordFunction::before(const std::string& name) {
  using listen::Kind;
  if (!is_active_) return;
  event_ = std::make_unique<listen::Scope>(
      listen::Event{scope_ == RecordScope::USER_SCOPE ? Kind::kUserScope : Kind::kFunction, name});
}

void RecordFunction::end() { event_.reset(); }

}  // namespace etude
