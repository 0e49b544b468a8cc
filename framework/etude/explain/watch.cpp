// A listener that turns the ops, nodes and modules that begin and end on each thread into events.

#include "etude/explain/detail/watch.h"

#include <chrono>
#include <memory>

#include "etude/autograd/detail/node.h"

namespace etude::detail {
namespace {

using listen::Kind;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Running;
struct OfThread {
  Running* innermost = nullptr;
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

template <typename T>
void add_all(std::vector<T>& list, T (*of)(const Tensor&), std::initializer_list<TensorsIn> tensors) {
  for (const TensorsIn& some : tensors)
    for (const Tensor& t : some.tensors) list.push_back(of(t));
}

// How the result came to be: "" for new memory.
const char* way_of(const Event& event) {
  if (event.kind != Kind::kOp || event.results.empty() || !event.results[0].tensor) return "";
  const TensorForm& result = event.results[0];
  for (const TensorForm& form : event.given)
    if (form.tensor == result.tensor) return event.name.back() == '_' ? "in place" : "same";
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

void add_kernel(Event& event, const std::string& kernel) {
  if (kernel.empty() || event.kernel.find(kernel) != std::string::npos) return;
  event.kernel += (event.kernel.empty() ? "" : ", ") + kernel;
}

// An op, a node or a module that has begun and not ended.
class Running final : public listen::Heard {
 public:
  Running(const listen::Event& what, std::initializer_list<TensorsIn> given) : outer_(of_thread().innermost) {
    OfThread& t = of_thread();
    const int64_t start = now();
    const Spending spending{t, start};
    if (is_outermost()) listen::take_kernel();  // drops a kernel that nobody took
    else add_kernel(outer_->event_, listen::take_kernel());
    static_cast<listen::Event&>(event_) = what;
    event_.place = listen::place();
    if (what.kind == Kind::kModule) {
      if (t.collector) t.collector->module_begins(what.subject, event_.place);
    } else {
      add_all(event_.given, form_of, given);
      if (watching.traps) add_all(event_.given_numbers, numbers_of, given);
      for (const TensorsIn& some : given) {
        event_.number_is_nan |= some.holds_nan;
        event_.number_is_inf |= some.holds_inf;
      }
    }
    t.innermost = this;
    begin_ = now();
    spent_ = t.spent + begin_ - start;
  }
  ~Running() override { leave(); }

  void ends(std::initializer_list<TensorsIn> results) override {
    OfThread& t = of_thread();
    const int64_t end = now();
    const Spending spending{t, end};
    leave();
    event_.nanoseconds = end - begin_ - (t.spent - spent_);
    add_all(event_.results, form_of, results);
    if (event_.kind == Kind::kModule) {
      if (t.collector) t.collector->module_ends(event_);
      return;
    }
    event_.way = way_of(event_);
    event_.grad_fn = event_.kind == Kind::kOp ? grad_fn_of(results) : "";
    add_kernel(event_, listen::take_kernel());
    count_work(event_);
    const bool traps = watching.traps && event_.given_numbers.size() == event_.given.size();
    if (traps || watching.out) add_all(event_.result_numbers, numbers_of, results);
    if (traps) trap(event_, around());
    if (!is_outermost()) return outer_->take(std::move(event_));
    if (t.collector) t.collector->op(event_);
    if (watching.out) write_lines(event_);
  }

 private:
  bool is_outermost() const { return !outer_ || outer_->event_.kind == Kind::kModule; }
  void leave() const {
    if (of_thread().innermost == this) of_thread().innermost = outer_;
  }
  // The ops and nodes that contain it, the innermost first.
  std::vector<const Event*> around() const {
    std::vector<const Event*> list;
    for (const Running* r = outer_; r && r->event_.kind != Kind::kModule; r = r->outer_)
      list.push_back(&r->event_);
    return list;
  }
  void take(Event&& inner) {
    add_kernel(event_, inner.kernel);
    event_.inside.push_back(std::move(inner));
  }

  Event event_;
  int64_t begin_ = 0, spent_ = 0;
  Running* const outer_;
};

std::unique_ptr<listen::Heard> begins(const listen::Event& what, std::initializer_list<TensorsIn> given) {
  const bool is_watched = what.kind == Kind::kOp || what.kind == Kind::kNode || what.kind == Kind::kModule;
  return is_watched ? std::make_unique<Running>(what, given) : nullptr;
}

}  // namespace

Watching watching;

void start_watch() { listen::start(listen::Listener::kWatch, begins); }
void stop_watch() { listen::stop(listen::Listener::kWatch); }

Collector::Collector() : before_(std::exchange(of_thread().collector, this)) { start_watch(); }
Collector::~Collector() {
  stop_watch();
  of_thread().collector = before_;
}

}  // namespace etude::detail
