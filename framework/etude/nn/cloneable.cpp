#include "etude/nn/cloneable.h"

#include <algorithm>

#include "etude/core/error.h"

namespace etude::nn::detail {

namespace {
thread_local Clone* innermost_clone = nullptr;
thread_local Clone* innermost_reset = nullptr;
}  // namespace

Clone::Clone() : around_(innermost_clone), whole_(around_ ? around_->whole_ : this) {
  innermost_clone = this;
}
Clone::~Clone() { innermost_clone = around_; }

Tensor Clone::copy_of(const Tensor& original) {
  Tensor& copy = whole_->copies_[original.unsafeGetTensorImpl()];
  if (!copy.defined() && original.defined())
    copy = original.detach().clone().set_requires_grad(original.requires_grad());
  return copy;
}

Tensor Clone::registered(const Module& copy, const std::string& name, Tensor fresh) {
  Clone* clone = innermost_reset;
  if (!clone || clone->copy_ != &copy || !fresh.defined()) return fresh;
  const Tensor* original = clone->original_->parameters_.find(name);
  if (!original || !original->defined()) return fresh;
  Clone& whole = *clone->whole_;
  Tensor& shared = whole.copies_[original->unsafeGetTensorImpl()];
  if (!shared.defined()) {  // reset() may register one tensor twice where the original holds two tensors
    std::vector<const void*>& used = whole.used_;
    const bool is_new = std::find(used.begin(), used.end(), fresh.unsafeGetTensorImpl()) == used.end();
    shared = is_new ? fresh : fresh.detach().clone();
    if (is_new) used.push_back(fresh.unsafeGetTensorImpl());
  } else if (!shared.is_same(fresh)) {
    clone->dropped_.emplace_back(name, std::move(fresh));
  }
  return shared;
}

void Clone::reset(const Module& copy, const Module& original, FunctionRef<void()> function) {
  {
    struct Scope {
      ~Scope() {
        innermost_clone = clone;
        innermost_reset = reset;
      }
      Clone *clone, *reset;
    };
    copy_ = &copy;
    original_ = &original;
    const Scope scope{std::exchange(innermost_clone, nullptr), std::exchange(innermost_reset, this)};
    function();
  }
  for (const auto& [name, tensor] : dropped_)
    ETUDE_CHECK(tensor.use_count() == 1, "clone() cannot share the parameter '", name, "' of ",
                copy.class_name(),
                "\nthe original shares it, and reset() keeps another tensor than it has registered"
                "\nhint: keep what register_parameter returns: member = register_parameter(\"",
                name, "\", ...)");
  dropped_.clear();
}

}  // namespace etude::nn::detail
