#include "etude/hook_point.h"

namespace etude::nn {
namespace {

thread_local HookListener* told = nullptr;
thread_local int inner_points = 0;

// While it exists, this thread has no listener.
struct Silence {
  Silence() { told = nullptr; }
  ~Silence() { told = listener; }
  HookListener* listener = told;
};

}  // namespace

HookListener::HookListener(std::function<bool(const std::string&)> wants,
                           std::function<Tensor(const Tensor&, const std::string&)> hears)
    : wants_(std::move(wants)), hears_(std::move(hears)), before_(told) {
  told = this;
}

HookListener::~HookListener() { told = before_; }

HookPath::HookPath(const char* part, optional<size_t> index) : listener_(told) {
  if (!listener_) return;
  length_ = listener_->path_.size();
  listener_->path_ += index ? str(part, ".", *index, ".") : str(part, ".");
}

HookPath::~HookPath() {
  if (listener_) listener_->path_.resize(length_);
}

bool hooks_are_heard() { return told != nullptr; }

bool hook_wanted(const char* name) { return told && told->wants_(told->path_ + name); }

Tensor hook_point(const char* name, Tensor activation) {
  if (!hook_wanted(name)) return activation;
  const HookListener& listener = *told;
  const std::string whole = listener.path_ + name;
  const Silence silence;
  Tensor changed = listener.hears_(activation, whole);
  if (!changed.defined()) return activation;
  ETUDE_CHECK(changed.sizes() == activation.sizes() && changed.scalar_type() == activation.scalar_type(),
              "a hook must return a tensor of the sizes and type that it receives, or nothing\nreceived ",
              changed.sizes(), " of ", dtype_name(changed.scalar_type()), " in place of ", activation.sizes(),
              " of ", dtype_name(activation.scalar_type()), " at ", whole);
  return changed;
}

namespace detail {

InnerPoints::InnerPoints() { ++inner_points; }
InnerPoints::~InnerPoints() { --inner_points; }

bool inner_points_are_heard() { return told && inner_points > 0; }

Tensor inner_point(const char* name, Tensor activation) {
  return inner_points_are_heard() ? hook_point(name, std::move(activation)) : activation;
}

bool any_inner_point_wanted(std::initializer_list<const char*> names) {
  bool any = false;
  if (inner_points_are_heard())
    for (const char* name : names) any = hook_wanted(name) || any;
  return any;
}

}  // namespace detail
}  // namespace etude::nn
