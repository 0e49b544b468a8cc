// The observer: makes events from what begins and ends on each thread.

#include "etude/explain/detail/watch.h"

#include <chrono>
#include <memory>
#include <mutex>

#include "etude/autograd/detail/node.h"

namespace etude::detail {
namespace {

using trace::Kind;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::mutex mutex;
std::shared_ptr<const Watching> current = std::make_shared<Watching>();
bool listens = false;

std::shared_ptr<const Watching> what_is_watched() {
  const std::lock_guard<std::mutex> lock(mutex);
  return current;
}

struct Running {
  Event event;
  int64_t begin = 0, spent = 0;
};
struct OfThread {
  std::vector<Running> running;
  int64_t spent = 0;  // nanoseconds spent on watching
  Collector* collector = nullptr;
};
OfThread& of_thread() {
  thread_local OfThread t;
  return t;
}

// Adds the time of its scope to the time spent on watching.
struct Spending {
  OfThread& thread;
  int64_t begin;
  ~Spending() { thread.spent += now() - begin; }
};

void add_all(std::vector<TensorForm>& forms, std::initializer_list<TensorsIn> tensors) {
  for (const TensorsIn& some : tensors)
    for (const Tensor& t : some.tensors) forms.push_back(form_of(t));
}
void add_all(std::vector<Statistics>& numbers, std::initializer_list<TensorsIn> tensors) {
  for (const TensorsIn& some : tensors)
    for (const Tensor& t : some.tensors) numbers.push_back(numbers_of(t));
}

// How the result came to be: "" for new memory.
const char* way_of(const Event& event) {
  if (event.kind != Kind::kOp || event.results.empty() || !event.results[0].tensor) return "";
  const TensorForm& result = event.results[0];
  const std::string_view name = event.name;
  for (const TensorForm& form : event.given)
    if (form.tensor == result.tensor) return name.back() == '_' ? "in place" : "same";
  for (const TensorForm& form : event.given)
    if (form.storage && form.storage == result.storage) return "view";
  return "";
}

const char* grad_fn_of(std::initializer_list<TensorsIn> results) {
  for (const TensorsIn& some : results)
    for (const Tensor& t : some.tensors)
      if (t.defined() && impl(t).meta && impl(t).meta->node) return impl(t).meta->node->label;
  return "";
}

void take_kernel(Event& event) {
  const std::string noted = trace::take_kernel();
  if (noted.empty() || event.kernel.find(noted) != std::string::npos) return;
  event.kernel += (event.kernel.empty() ? "" : ", ") + noted;
}

bool is_outermost(const OfThread& t) {
  return t.running.empty() || t.running.back().event.kind == Kind::kModule;
}

class Watch final : public trace::Observer {
 public:
  void begins(const trace::Begun& what, std::initializer_list<TensorsIn> given) override {
    OfThread& t = of_thread();
    const int64_t start = now();
    const Spending spending{t, start};
    if (is_outermost(t)) trace::take_kernel();  // drops a kernel that nobody took
    else take_kernel(t.running.back().event);
    t.running.emplace_back();
    Event& event = t.running.back().event;
    event.kind = what.kind;
    event.name = what.name;
    event.subject = what.subject;
    event.place = trace::place();
    if (what.kind == Kind::kModule) {
      if (t.collector) t.collector->module_begins(what.subject, event.place);
    } else {
      add_all(event.given, given);
      if (what_is_watched()->looks_at_given) add_all(event.given_numbers, given);
      for (const TensorsIn& some : given) {
        event.number_is_nan |= some.holds_nan;
        event.number_is_inf |= some.holds_inf;
      }
    }
    const int64_t end = now();
    t.running.back().begin = end;
    t.running.back().spent = t.spent + end - start;
  }

  void ends(std::initializer_list<TensorsIn> results) override {
    OfThread& t = of_thread();
    const int64_t end = now();
    const Spending spending{t, end};
    Running running = std::move(t.running.back());
    t.running.pop_back();
    Event& event = running.event;
    event.nanoseconds = end - running.begin - (t.spent - running.spent);
    add_all(event.results, results);
    if (event.kind == Kind::kModule) {
      if (t.collector) t.collector->module_ends(event);
      return;
    }
    event.way = way_of(event);
    event.grad_fn = event.kind == Kind::kOp ? grad_fn_of(results) : "";
    take_kernel(event);
    count_work(event);
    const auto watched = what_is_watched();
    if (watched->looks_at_results) add_all(event.result_numbers, results);
    if (watched->check) watched->check(event, around(t));
    pass_on(t, std::move(event), *watched);
  }

  void fails() noexcept override { of_thread().running.pop_back(); }

 private:
  // The ops and nodes that contain the current one, the innermost first.
  static std::vector<const Event*> around(const OfThread& t) {
    std::vector<const Event*> list;
    for (auto r = t.running.rbegin(); r != t.running.rend() && r->event.kind != Kind::kModule; ++r)
      list.push_back(&r->event);
    return list;
  }

  static void pass_on(OfThread& t, Event&& event, const Watching& watched) {
    if (!is_outermost(t)) {
      Event& outer = t.running.back().event;
      if (!event.kernel.empty() && outer.kernel.find(event.kernel) == std::string::npos)
        outer.kernel += (outer.kernel.empty() ? "" : ", ") + event.kernel;
      outer.inside.push_back(std::move(event));
      return;
    }
    if (t.collector) t.collector->op(event);
    if (watched.show) watched.show(event);
  }
};

Watch& the_watch() {
  static Watch* const w = new Watch;
  return *w;
}

}  // namespace

void watch(Watching with) {
  const std::lock_guard<std::mutex> lock(mutex);
  const bool needed = with.check || with.show;
  current = std::make_shared<Watching>(std::move(with));
  if (needed && !listens) trace::start_listening(the_watch());
  if (!needed && listens) trace::stop_listening();
  listens = needed;
}

Watching watching() { return *what_is_watched(); }

Collector::Collector() : before_(std::exchange(of_thread().collector, this)) {
  trace::start_listening(the_watch());
}
Collector::~Collector() {
  trace::stop_listening();
  of_thread().collector = before_;
}

}  // namespace etude::detail
