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

/// All state that a training run needs to continue as if it had never stopped: bit for bit the same weights,
/// losses and random numbers. Added objects are referenced, not copied: save() writes them, load() fills them in.
/// The file is a safetensors file; weights of a module added as "model" are named model.wte.weight and so on.
class ETUDE_API Checkpoint {
 public:
  /// Adds an object under a unique name without dots.
  Checkpoint& add(const std::string& name, nn::Module& module);
  Checkpoint& add(const std::string& name, optim::Optimizer& optimizer);
  Checkpoint& add(const std::string& name, optim::LRScheduler& scheduler);
  Checkpoint& add(const std::string& name, optim::ReduceLROnPlateau& scheduler);
  Checkpoint& add(const std::string& name, optim::EMA& averages);
  /// The default generator is part of every checkpoint.
  Checkpoint& add(const std::string& name, Generator generator);
  /// load() replaces an undefined tensor; a defined one takes the saved values and must have the saved sizes and dtype.
  Checkpoint& add(const std::string& name, Tensor& tensor);
  Checkpoint& add(const std::string& name, int64_t& number);
  Checkpoint& add(const std::string& name, double& number);
  Checkpoint& add(const std::string& name, std::string& text);

  /// Writes the file, which appears under its name only when complete and on disk: there is always the old file or the new.
  void save(const std::string& path) const;
  /// Reads a file that holds exactly the added items. On any error it throws and changes nothing.
  void load(const std::string& path);
  /// Whether a file of this name exists.
  static bool exists(const std::string& path);

 private:
  struct Item {
    std::string name;
    std::function<void(serialize::OutputArchive&)> save;
    /// Reads and checks the item. Returns a function that stores it and cannot fail.
    std::function<std::function<void()>(serialize::InputArchive&)> load;
  };

  static Item item_of(const std::string& name, const Generator& generator);
  Checkpoint& add(Item item);
  template <typename Part>
  Checkpoint& add_part(const std::string& name, Part& part);
  std::vector<Item> items() const;

  std::vector<Item> items_;
};

}  // namespace etude
