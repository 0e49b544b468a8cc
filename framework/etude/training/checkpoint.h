#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/generator.h"
#include "etude/core/tensor.h"
#include "etude/io/archives.h"

namespace etude {

namespace nn {
class Module;
}
namespace optim {
class EMA;
class LRScheduler;
class Optimizer;
class ReduceLROnPlateau;
}  // namespace optim

/// Everything that a training run needs to go on, as if it had never stopped: bit for bit the same weights, losses and
/// random numbers. What is added is referred to, not copied: save() writes it, load() fills it in. The file is a
/// safetensors file in which the weights of a module that was added as "model" are called model.wte.weight and so on.
class ETUDE_API Checkpoint {
 public:
  /// Adds something under a name of its own, which has no dots.
  Checkpoint& add(const std::string& name, nn::Module& module);
  Checkpoint& add(const std::string& name, optim::Optimizer& optimizer);
  Checkpoint& add(const std::string& name, optim::LRScheduler& scheduler);
  Checkpoint& add(const std::string& name, optim::ReduceLROnPlateau& scheduler);
  Checkpoint& add(const std::string& name, optim::EMA& averages);
  /// The default generator is part of every checkpoint.
  Checkpoint& add(const std::string& name, Generator generator);
  /// An undefined tensor becomes the saved one, another one takes its values and has to have its sizes and its type.
  Checkpoint& add(const std::string& name, Tensor& tensor);
  Checkpoint& add(const std::string& name, int64_t& number);
  Checkpoint& add(const std::string& name, double& number);
  Checkpoint& add(const std::string& name, std::string& text);

  /// Writes a file, which appears under its name when it is whole and on the disk: there is always the old one or the new.
  void save(const std::string& path) const;
  /// Reads a file that has what was added, and no more. Whatever is wrong with it, nothing has changed then.
  void load(const std::string& path);
  /// Whether there is a file of this name.
  static bool exists(const std::string& path);

 private:
  /// Reads and checks an item, and returns what puts it in its place, which cannot fail.
  using Load = std::function<std::function<void()>(serialize::InputArchive&)>;
  struct Item {
    std::string name;
    std::function<void(serialize::OutputArchive&)> save;
    Load load;
  };

  Checkpoint& add(const std::string& name, std::function<void(serialize::OutputArchive&)> save, Load load);
  template <typename Part>
  Checkpoint& add_part(const std::string& name, Part& part);
  std::vector<Item> items() const;

  std::vector<Item> items_;
};

}  // namespace etude
