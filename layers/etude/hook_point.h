#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// As long as it lives, what hook points on this thread offer is told to it, in place of an earlier one. While `hears` runs
/// nobody is told, so that it may compute with the same model.
class ETUDE_API HookListener {
 public:
  /// `wants` says which activations `hears` is told; what that gives takes their place, unless it is undefined.
  HookListener(std::function<bool(const std::string& name)> wants,
               std::function<Tensor(const Tensor& activation, const std::string& name)> hears);
  ~HookListener();
  HookListener(const HookListener&) = delete;
  HookListener& operator=(const HookListener&) = delete;

 private:
  friend class HookPath;
  friend ETUDE_API Tensor hook_point(const char* name, Tensor activation);
  friend ETUDE_API bool hook_wanted(const char* name);

  std::function<bool(const std::string&)> wants_;
  std::function<Tensor(const Tensor&, const std::string&)> hears_;
  std::string path_;
  HookListener* before_;
};

/// As long as it lives, names of hook points begin with "part.", or "part.index.", after what other paths say.
class ETUDE_API HookPath {
 public:
  explicit HookPath(const char* part, optional<size_t> index = nullopt);
  ~HookPath();
  HookPath(const HookPath&) = delete;
  HookPath& operator=(const HookPath&) = delete;

 private:
  HookListener* listener_;
  size_t length_ = 0;
};

/// Offers an activation to the listener of this thread and gives what to go on with: another of its sizes and type, or
/// the same.
ETUDE_API Tensor hook_point(const char* name, Tensor activation);
/// Whether the listener wants what is made for it alone.
ETUDE_API bool hook_wanted(const char* name);
/// Whether there is a listener.
ETUDE_API bool hooks_are_heard();

namespace detail {
/// While it exists, layers offer what is inside of them to the listener of this thread, too. Otherwise a listener hears only what
/// a model's own code offers.
class ETUDE_API InnerPoints {
 public:
  InnerPoints();
  ~InnerPoints();
  InnerPoints(const InnerPoints&) = delete;
  InnerPoints& operator=(const InnerPoints&) = delete;
};
/// Whether there is a listener that hears what is inside of layers.
ETUDE_API bool inner_points_are_heard();
/// hook_point() inside of a layer.
ETUDE_API Tensor inner_point(const char* name, Tensor activation);
/// Whether the listener wants any of these inner points. It is asked for all, so that one who collects names hears all.
ETUDE_API bool any_inner_point_wanted(std::initializer_list<const char*> names);
}  // namespace detail

}  // namespace etude::nn
