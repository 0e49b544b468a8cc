// An event is a line of JSON, written to the memory of its thread when the event ends. The numbers of process and thread are added
// when the trace is written. Other threads take the lock of this memory only at the start and the end of a trace.

#include "etude/core/detail/trace.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "etude/core/detail/listen.h"
#include "etude/core/error.h"

namespace etude::detail::trace {

namespace {

// Times are counted from the beginning of 2026 instead of 1970, because viewers keep them as doubles.
constexpr int64_t kBaseSeconds = 1767225600, kNanoseconds = 1000000000;

template <typename Clock>
int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

// The time of day, so that traces of several processes fit together, but from a clock that never goes back.
int64_t now() {
  using std::chrono::steady_clock, std::chrono::system_clock;
  static const int64_t offset =
      nanoseconds<system_clock>() - nanoseconds<steady_clock>() - kBaseSeconds * kNanoseconds;
  return nanoseconds<steady_clock>() + offset;
}

struct ThreadLog {
  std::mutex mutex;
  int64_t number = 0;
  std::string name, text;
  int64_t dropped = 0;
};

// Everything in a trace except the events, which the threads have. Atomic members are read without the lock.
struct Traces {
  std::mutex mutex;
  std::vector<std::shared_ptr<ThreadLog>> threads;
  int64_t numbered = 0;
  int64_t pid = 0;
  std::string process = "etude";
  std::atomic<int64_t> begin{0};
  std::atomic<std::size_t> most_bytes{kMostBytes};
};

Traces& traces() {
  static Traces* const t = new Traces;  // threads may outlive what is destroyed at the end of a program
  return *t;
}

ThreadLog& this_thread() {
  thread_local const std::shared_ptr<ThreadLog> log = [] {
    auto made = std::make_shared<ThreadLog>();
    Traces& all = traces();
    const std::lock_guard<std::mutex> lock(all.mutex);
    made->number = all.numbered++;
    made->name = "thread " + std::to_string(made->number);
    all.threads.push_back(made);
    return made;
  }();
  return *log;
}

// The name as a JSON string. Plain names, such as those of ops, are written without the library, which is slower.
std::string json_text(std::string_view name) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(name.begin(), name.end(), is_plain)) return '"' + std::string(name) + '"';
  using Json = nlohmann::json;
  return Json(std::string(name)).dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

// Nanoseconds as microseconds.
std::string microseconds(int64_t t) {
  const std::string digits = std::to_string(1000 + t % 1000);
  return std::to_string(t / 1000) + "." + digits.substr(1);
}

// The begin of an event.
std::string in_row(int64_t pid, int64_t thread) {
  return "{\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(thread) + ",";
}

// The event that tells the viewer the name of a process or a thread.
std::string named(const char* what, int64_t pid, int64_t thread, const std::string& name) {
  return in_row(pid, thread) + "\"ph\":\"M\",\"name\":" + json_text(what) +
         ",\"args\":{\"name\":" + json_text(name) + "}}";
}

using listen::Kind;

// The category of each kind of event, which helps to find it.
constexpr const char* kCategories[] = {"cpu_op", "cpu_op",          "module",
                                       "cpu_op", "user_annotation", "communication"};

bool is_on() { return listen::is_listening(listen::Listener::kTrace); }

// An event that has begun.
class Traced final : public listen::Heard {
 public:
  Traced(const listen::Event& event, std::initializer_list<TensorsIn> given)
      : text_("\"ph\":\"X\",\"cat\":" + json_text(kCategories[static_cast<std::size_t>(event.kind)]) +
              ",\"name\":" + json_text(event.name)),
        is_op_(event.kind == Kind::kOp) {
    if (is_op_) text_ += ",\"args\":{\"Input Dims\":" + sizes_of(given);
    start_ = now();
  }
  ~Traced() override {
    const int64_t stop = now();
    ThreadLog& log = this_thread();
    const std::lock_guard<std::mutex> lock(log.mutex);
    if (!is_on() || start_ < traces().begin) return;
    try {
      if (is_op_) text_ += '}';
      text_ += ",\"ts\":" + microseconds(start_) + ",\"dur\":" + microseconds(stop - start_) + "}\n";
      if (log.text.size() + text_.size() > traces().most_bytes) throw std::bad_alloc();
      log.text += text_;
    } catch (const std::bad_alloc&) {
      ++log.dropped;
    }
  }
  void ends(std::initializer_list<TensorsIn> results) override {
    if (is_op_) text_ += ",\"Output Dims\":" + sizes_of(results);
  }

 private:
  static std::string sizes_of(std::initializer_list<TensorsIn> tensors) {
    std::string text = "[";
    for (const TensorsIn& some : tensors)
      for (const Tensor& t : some.tensors) {
        text += text.size() > 1 ? ",[" : "[";
        const IntArrayRef sizes = t.defined() ? t.sizes() : IntArrayRef();
        for (std::size_t d = 0; d < sizes.size(); ++d) text += (d > 0 ? "," : "") + std::to_string(sizes[d]);
        text += ']';
      }
    return text + "]";
  }

  std::string text_;
  bool is_op_;
  int64_t start_ = 0;
};

std::unique_ptr<listen::Heard> begins(const listen::Event& event, std::initializer_list<TensorsIn> given) {
  return std::make_unique<Traced>(event, given);
}

}  // namespace

void start(std::size_t most_bytes) {
  ThreadLog& own = this_thread();
  Traces& all = traces();
  const std::lock_guard<std::mutex> lock(all.mutex);
  ETUDE_CHECK(!is_on(), "Profiler is already enabled\nhint: one trace holds all threads; end it first");
  std::vector<std::shared_ptr<ThreadLog>> alive;
  for (const auto& log : all.threads) {
    if (log.use_count() == 1) continue;
    const std::lock_guard<std::mutex> of_thread(log->mutex);
    log->text.clear();
    log->dropped = 0;
    alive.push_back(log);
  }
  all.threads = std::move(alive);
  if (own.name == "thread " + std::to_string(own.number)) own.name = "main";
  all.most_bytes = most_bytes;
  all.begin = now();
  listen::start(listen::Listener::kTrace, begins);
}

int64_t stop(FunctionRef<void(std::string_view)> write) {
  Traces& all = traces();
  const std::lock_guard<std::mutex> lock(all.mutex);
  listen::stop(listen::Listener::kTrace);
  int64_t dropped = 0;
  std::string names = named("process_name", all.pid, 0, all.process);
  std::vector<std::pair<int64_t, std::string>> texts;
  for (const auto& log : all.threads) {
    const std::lock_guard<std::mutex> of_thread(log->mutex);
    dropped += log->dropped;
    if (log->text.empty()) continue;
    names += ",\n" + named("thread_name", all.pid, log->number, log->name);
    texts.emplace_back(log->number, std::exchange(log->text, {}));
  }
  write("{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":" + std::to_string(kBaseSeconds * kNanoseconds) +
        ",\"droppedEvents\":" + std::to_string(dropped) + ",\"traceEvents\":[\n");
  write(names);
  for (const auto& [number, text] : texts) {
    const std::string before = ",\n" + in_row(all.pid, number);
    for (std::size_t from = 0, to; from < text.size(); from = to + 1) {
      to = text.find('\n', from);
      write(before);
      write(std::string_view(text).substr(from, to - from));
    }
  }
  write("\n]}\n");
  return dropped;
}

void set_process(int64_t pid, std::string name) {
  Traces& all = traces();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.pid = pid;
  all.process = std::move(name);
}

void name_thread(std::string name) {
  ThreadLog& log = this_thread();
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.name = std::move(name);
}

}  // namespace etude::detail::trace
