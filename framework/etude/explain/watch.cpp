// A listener that makes events of what begins and ends on each thread.

#include "etude/explain/detail/watch.h"

#include <chrono>
#include <memory>
#include <mutex>

#include "etude/autograd/detail/node.h"

namespace etude::detail {
namespace {

using listen::Kind;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::mutex mutex;
bool listens = false;

std::shared_ptr<const Watching>& current() {
  static auto* const with = new std::shared_ptr<const Watching>(std::make_shared<Watching>());
  return *with;
}

std::shared_ptr<const Watching> what_is_watched() {
  const std::lock_guard<std::mutex> lock(mutex);
  return current();
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
  const std::string noted = listen::take_kernel();
  if (noted.empty() || event.kernel.find(noted) != std::string::npos) return;
  event.kernel += (event.kernel.empty() ? "" : ", ") + noted;
}

// What has begun and not ended.
class Running final : public listen::Heard {
 public:
  Running(const listen::Event& what, std::initializer_list<TensorsIn> given) : outer_(of_thread().innermost) {
    OfThread& t = of_thread();
    const int64_t start = now();
    const Spending spending{t, start};
    if (is_outermost()) listen::take_kernel();  // drops a kernel that nobody took
    else take_kernel(outer_->event_);
    static_cast<listen::Event&>(event_) = what;
    event_.place = listen::place();
    if (what.kind == Kind::kModule) {
      if (t.collector) t.collector->module_begins(what.subject, event_.place);
    } else {
      add_all(event_.given, given);
      if (what_is_watched()->looks_at_given) add_all(event_.given_numbers, given);
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
    add_all(event_.results, results);
    if (event_.kind == Kind::kModule) {
      if (t.collector) t.collector->module_ends(event_);
      return;
    }
    event_.way = way_of(event_);
    event_.grad_fn = event_.kind == Kind::kOp ? grad_fn_of(results) : "";
    take_kernel(event_);
    count_work(event_);
    const auto watched = what_is_watched();
    if (watched->looks_at_results) add_all(event_.result_numbers, results);
    if (watched->check) watched->check(event_, around());
    if (!is_outermost()) return outer_->take(std::move(event_));
    if (t.collector) t.collector->op(event_);
    if (watched->show) watched->show(event_);
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
    if (!inner.kernel.empty() && event_.kernel.find(inner.kernel) == std::string::npos)
      event_.kernel += (event_.kernel.empty() ? "" : ", ") + inner.kernel;
    event_.inside.push_back(std::move(inner));
  }

  Event event_;
  int64_t begin_ = 0, spent_ = 0;
  Running* const outer_;
};

class Watch final : public listen::Listener {
 public:
  constexpr Watch() : Listener(Order::kWatch, {Kind::kOp, Kind::kNode, Kind::kModule}) {}
  std::unique_ptr<listen::Heard> begins(const listen::Event& what,
                                        std::initializer_list<TensorsIn> given) override {
    return std::make_unique<Running>(what, given);
  }
} the_watch;

}  // namespace

void watch(Watching with) {
  const std::lock_guard<std::mutex> lock(mutex);
  const bool needed = with.check || with.show;
  current() = std::make_shared<Watching>(std::move(with));
  if (needed && !listens) the_watch.start();
  if (!needed && listens) the_watch.stop();
  listens = needed;
}

Watching watching() { return *what_is_watched(); }

Collector::Collector() : before_(std::exchange(of_thread().collector, this)) { the_watch.start(); }
Collector::~Collector() {
  the_watch.stop();
  of_thread().collector = before_;
}

}  // namespace etude::detail
