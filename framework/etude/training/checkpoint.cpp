#include "etude/training/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "etude/autograd/detail/in_place.h"
#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/io/detail/file.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"
#include "etude/optim/ema.h"
#include "etude/optim/named_values.h"
#include "etude/optim/optimizer.h"
#include "etude/optim/schedulers/lr_scheduler.h"
#include "etude/optim/schedulers/reduce_lr_on_plateau.h"

namespace etude {

namespace {

using serialize::InputArchive;
using serialize::OutputArchive;
using Commit = std::function<void()>;

constexpr char kDefaultGenerator[] = "default_generator";

Tensor read_tensor(InputArchive& archive, const std::string& name) {
  Tensor t;
  archive.read(name, t);
  return t;
}

// Optimizers and schedulers.
template <typename Saved>
auto write_part(OutputArchive& archive, const std::string& name, const Saved& saved)
    -> decltype(saved.save(archive)) {
  OutputArchive nested;
  saved.save(nested);
  archive.write(name, nested);
}

void write_part(OutputArchive& archive, const std::string& name, const nn::Module& module) {
  OutputArchive nested;
  for (const auto& item : module.state_dict()) nested.write(item.key(), *item);
  archive.write(name, nested);
}

Commit read_part(InputArchive& archive, const std::string& name, nn::Module& module) {
  InputArchive nested;
  archive.read(name, nested);
  OrderedDict<std::string, Tensor> state;
  for (const std::string& key : nested.tensor_names()) state.insert(key, read_tensor(nested, key));
  module.check_state_dict(state);
  return [&module, state] { module.load_state_dict(state); };
}

// Loads into copies of the optimizer's groups first, to check that loading works.
Commit read_part(InputArchive& archive, const std::string& name, optim::Optimizer& optimizer) {
  struct Copy {
    explicit Copy(optim::Optimizer& of) : optimizer(of), groups(of.param_groups()) { exchange(); }
    ~Copy() { exchange(); }
    void exchange() {
      std::swap(groups, optimizer.param_groups());
      std::swap(state, optimizer.state());
    }
    optim::Optimizer& optimizer;
    std::vector<optim::OptimizerParamGroup> groups;
    optim::Optimizer::State state;
  };
  const auto nested = std::make_shared<InputArchive>();
  archive.read(name, *nested);
  {
    const Copy copy(optimizer);
    optimizer.load(*nested);
  }
  return [&optimizer, nested] { optimizer.load(*nested); };
}

template <typename Scheduler>
auto read_part(InputArchive& archive, const std::string& name, Scheduler& scheduler)
    -> decltype(scheduler.name_values(std::declval<optim::NamedValues&>()), Commit()) {
  InputArchive nested;
  archive.read(name, nested);
  const auto values = std::make_shared<optim::NamedValues>(nested);
  scheduler.name_values(*values);
  return [values] { values->commit(); };
}

Commit read_part(InputArchive& archive, const std::string& name, Generator generator) {
  const Tensor state = read_tensor(archive, name);
  Generator().set_state(state);  // throws if the state is invalid
  return [generator, state]() mutable { generator.set_state(state); };
}

Commit copy_into(const Tensor& t, const Tensor& saved, const std::string& name) {
  ETUDE_CHECK(saved.sizes() == t.sizes() && saved.scalar_type() == t.scalar_type(), "size mismatch for ",
              name, ": the tensor is torch.Size(", t.sizes(), ") of ", toString(t.scalar_type()),
              ", the saved one torch.Size(", saved.sizes(), ") of ", toString(saved.scalar_type()));
  return [t, saved] {
    const NoGradGuard no_grad;
    t.copy_(saved);
  };
}

void write_part(OutputArchive& archive, const std::string& name, const Tensor& t) {
  if (t.defined()) archive.write(name, t);
  else archive.write(name, IValue());
}

Commit read_part(InputArchive& archive, const std::string& name, Tensor& t) {
  IValue value;
  archive.read(name, value);
  if (!value.isTensor()) {
    ETUDE_CHECK(value.isNone() && !t.defined(), "No such serialized tensor '", name, "'");
    return [] {};
  }
  const Tensor saved = value.toTensor();
  if (!t.defined()) return [&t, saved] { t = saved.clone(); };
  Commit copy = copy_into(t, saved, name);
  autograd::detail::check_in_place(t, /*records=*/false);
  return copy;
}

void write_part(OutputArchive& archive, const std::string& name, const optim::EMA& averages) {
  ETUDE_CHECK(!averages.is_applied(),
              "EMA: the averages are applied\nhint: restore() the weights before saving");
  OutputArchive nested;
  for (size_t i = 0; i < averages.averages().size(); ++i)
    nested.write(std::to_string(i), averages.averages()[i]);
  archive.write(name, nested);
}

Commit read_part(InputArchive& archive, const std::string& name, optim::EMA& averages) {
  ETUDE_CHECK(!averages.is_applied(),
              "EMA: the averages are applied\nhint: restore() the weights before loading");
  InputArchive nested;
  archive.read(name, nested);
  const std::vector<Tensor>& current = averages.averages();
  ETUDE_CHECK(nested.keys().size() == current.size(), "EMA: has ", current.size(), " averages, and ",
              nested.keys().size(), " were saved");
  std::vector<Commit> copies;
  for (size_t i = 0; i < current.size(); ++i)
    copies.push_back(copy_into(current[i], read_tensor(nested, std::to_string(i)), str(name, '.', i)));
  return [copies] {
    for (const Commit& copy : copies) copy();
  };
}

// Numbers and strings.
template <typename T>
auto write_part(OutputArchive& archive, const std::string& name, const T& value)
    -> decltype(archive.write(name, IValue(value))) {
  archive.write(name, IValue(value));
}

template <typename T>
auto read_part(InputArchive& archive, const std::string& name, T& value)
    -> decltype(IValue(value), Commit()) {
  IValue saved;
  archive.read(name, saved);
  return [&value, read = saved.to<T>()] { value = read; };
}

}  // namespace

Checkpoint& Checkpoint::add(Item item) {
  const std::string& name = item.name;
  ETUDE_CHECK(!name.empty() && name.find('.') == std::string::npos,
              "the name of a part of a checkpoint must not be empty nor contain a dot\nreceived '", name,
              "'");
  const bool taken =
      name == kDefaultGenerator ||
      std::any_of(items_.begin(), items_.end(), [&name](const Item& other) { return other.name == name; });
  ETUDE_CHECK(!taken, "the checkpoint has a part '", name, "' already");
  items_.push_back(std::move(item));
  return *this;
}

template <typename Part>
Checkpoint& Checkpoint::add_part(const std::string& name, Part& part) {
  return add({name, [name, &part](OutputArchive& archive) { write_part(archive, name, part); },
              [name, &part](InputArchive& archive) { return read_part(archive, name, part); }});
}

Checkpoint::Item Checkpoint::item_of(const std::string& name, const Generator& generator) {
  return {name, [name, generator](OutputArchive& archive) { archive.write(name, generator.get_state()); },
          [name, generator](InputArchive& archive) { return read_part(archive, name, generator); }};
}

using optim::EMA;
using optim::LRScheduler;
using optim::Optimizer;
using optim::ReduceLROnPlateau;

Checkpoint& Checkpoint::add(const std::string& name, nn::Module& module) { return add_part(name, module); }
Checkpoint& Checkpoint::add(const std::string& name, Optimizer& optimizer) {
  return add_part(name, optimizer);
}
Checkpoint& Checkpoint::add(const std::string& name, LRScheduler& scheduler) {
  return add_part(name, scheduler);
}
Checkpoint& Checkpoint::add(const std::string& name, ReduceLROnPlateau& scheduler) {
  return add_part(name, scheduler);
}
Checkpoint& Checkpoint::add(const std::string& name, EMA& averages) { return add_part(name, averages); }
Checkpoint& Checkpoint::add(const std::string& name, Tensor& tensor) { return add_part(name, tensor); }
Checkpoint& Checkpoint::add(const std::string& name, int64_t& number) { return add_part(name, number); }
Checkpoint& Checkpoint::add(const std::string& name, double& number) { return add_part(name, number); }
Checkpoint& Checkpoint::add(const std::string& name, std::string& text) { return add_part(name, text); }

Checkpoint& Checkpoint::add(const std::string& name, Generator generator) {
  return add(item_of(name, generator));
}

// The items, and the current default generator.
std::vector<Checkpoint::Item> Checkpoint::items() const {
  std::vector<Item> all = items_;
  all.push_back(item_of(kDefaultGenerator, default_generator()));
  return all;
}

void Checkpoint::save(const std::string& path) const {
  OutputArchive archive;
  for (const Item& item : items()) item.save(archive);
  // Given a path, the archive would choose another format for some names.
  detail::FileWriter file(path);
  archive.save_to([&file](const void* data, size_t bytes) {
    file.write(data, bytes);
    return bytes;
  });
  file.commit();
}

void Checkpoint::load(const std::string& path) {
  InputArchive archive;
  archive.load_from(path);
  const std::vector<std::string> keys = archive.keys();
  std::set<std::string> missing, unexpected(keys.begin(), keys.end());
  const std::vector<Item> parts = items();
  for (const Item& item : parts)
    if (!unexpected.erase(item.name)) missing.insert(item.name);
  ETUDE_CHECK(missing.empty() && unexpected.empty(), "Error(s) in loading checkpoint ", path, ":",
              missing.empty() ? "" : "\n\tMissing part(s): \"" + Join("\", \"", missing) + "\"",
              unexpected.empty() ? "" : "\n\tUnexpected part(s): \"" + Join("\", \"", unexpected) + "\"",
              "\nhint: add() what it was saved with, under the same names");
  std::vector<Commit> commits;
  for (const Item& item : parts) {
    try {
      commits.push_back(item.load(archive));
    } catch (const Error& error) {
      throw Error(str(error.msg(), "\nin '", item.name, "' of the checkpoint ", path));
    }
  }
  for (const Commit& commit : commits) commit();
}

bool Checkpoint::exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace etude
