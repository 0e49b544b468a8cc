#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// While it exists, hook points on this thread offer their activations to it instead of to an earlier listener. While `hears`
/// runs, hook points are silent, so that it may compute with the same model.
class ETUDE_API HookListener {
 public:
  /// `wants` selects activations by name. `hears` gets each selected one; its result replaces the activation unless undefined.
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

/// While it exists, the names of hook points on this thread have "part." or "part.index." as a prefix, after those of earlier
/// paths.
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

/// Offers an activation to the listener of this thread and returns the listener's replacement, of the same sizes and dtype, or
/// the activation itself.
ETUDE_API Tensor hook_point(const char* name, Tensor activation);
/// Whether the listener wants this activation. Ask before computing one that only a listener needs.
ETUDE_API bool hook_wanted(const char* name);
/// Whether there is a listener.
ETUDE_API bool hooks_are_heard();

namespace detail {
/// While it exists, layers also offer their inner activations to the listener of this thread. Otherwise a listener hears only
/// what a model's own code offers.
class ETUDE_API InnerPoints {
 public:
  InnerPoints();
  ~InnerPoints();
  InnerPoints(const InnerPoints&) = delete;
  InnerPoints& operator=(const InnerPoints&) = delete;
};
/// Whether there is a listener that hears the inner activations of layers.
ETUDE_API bool inner_points_are_heard();
/// hook_point() for an inner activation of a layer.
ETUDE_API Tensor inner_point(const char* name, Tensor activation);
/// Whether the listener wants any of these inner points. It is asked about every name, so that it can collect names.
ETUDE_API bool any_inner_point_wanted(std::initializer_list<const char*> names);
}  // namespace detail

}  // namespace etude::nn
