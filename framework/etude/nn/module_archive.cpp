// Modules in archives, as LibTorch has them.

#include <ostream>

#include "etude/autograd/grad_mode.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"

namespace etude::nn {

void Module::save(serialize::OutputArchive& archive) const {
  const Nesting nesting;
  for (const auto& [name, tensor] : own_state()) archive.write(name, tensor, !parameters_.contains(name));
  for (const auto& child : children_) {
    if (!*child || !child->get()->is_serializable()) continue;
    serialize::OutputArchive nested;
    child->get()->save(nested);
    archive.write(child.key(), nested);
  }
}

void Module::load(serialize::InputArchive& archive) {
  const Nesting nesting;
  const NoGradGuard no_grad;
  for (const auto& [name, tensor] : own_state()) {
    Tensor saved;
    archive.read(name, saved, !parameters_.contains(name));
    ETUDE_CHECK(saved.sizes() == tensor.sizes(), "size mismatch for ", name,
                ": copying a param with shape torch.Size(", saved.sizes(),
                ") from checkpoint, the shape in current model is torch.Size(", tensor.sizes(), ").");
    tensor.copy_(saved);
  }
  for (const auto& child : children_) {
    if (!*child || !child->get()->is_serializable()) continue;
    serialize::InputArchive nested;
    if (!archive.try_read(child.key(), nested)) {
      if (child->get()->state_dict().is_empty()) continue;
      archive.read(child.key(), nested);
    }
    child->get()->load(nested);
  }
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const std::shared_ptr<Module>& module) {
  ETUDE_CHECK(module, "Cannot serialize empty module");
  module->save(archive);
  return archive;
}

serialize::InputArchive& operator>>(serialize::InputArchive& archive, const std::shared_ptr<Module>& module) {
  ETUDE_CHECK(module, "Cannot deserialize empty module");
  module->load(archive);
  return archive;
}

}  // namespace etude::nn
