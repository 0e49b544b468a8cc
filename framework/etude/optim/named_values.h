#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/tensor.h"
#include "etude/io/archives.h"

namespace etude {

class IValue;

namespace optim {

/// What an optimizer or a schedule saves, one list for both ways: `values("step", step_)`. It writes each value to an archive,
/// or reads all of them before commit() puts them in their places, so that an error changes nothing.
class ETUDE_API NamedValues {
 public:
  explicit NamedValues(serialize::OutputArchive& archive) : output_(&archive) {}
  explicit NamedValues(serialize::InputArchive& archive) : input_(&archive) {}
  /// Lists the values alone.
  explicit NamedValues(std::vector<IValue>& list) : list_(&list) {}

  void operator()(const std::string& name, double& value);
  void operator()(const std::string& name, bool& value);
  /// Counts, from 0 to 2^53.
  void operator()(const std::string& name, int64_t& value);
  void operator()(const std::string& name, unsigned& value);
  void operator()(const std::string& name, std::tuple<double, double>& value);
  /// Lists of another length are refused.
  void operator()(const std::string& name, std::vector<double>& value);
  /// Undefined tensors and numbers that are not there are left out.
  void operator()(const std::string& name, Tensor& value);
  void operator()(const std::string& name, optional<double>& value);

  bool is_reading() const { return input_ != nullptr; }
  /// Refuses an archive with names that were not asked for.
  void check_no_others() const;
  /// Puts what was read in its places.
  void commit();

 private:
  void put(const std::string& name, const IValue& value);
  IValue read(const std::string& name);
  template <typename T, typename Convert>
  void pass(const std::string& name, T& value, const Convert& convert);

  serialize::OutputArchive* output_ = nullptr;
  serialize::InputArchive* input_ = nullptr;
  std::vector<IValue>* list_ = nullptr;
  std::vector<std::string> names_;
  std::vector<std::function<void()>> places_;
};

/// Writes what a schedule, options or a state list.
template <typename Named>
void save_values(serialize::OutputArchive& archive, const Named& named) {
  NamedValues values(archive);
  const_cast<Named&>(named).name_values(values);
}
/// Reads it; an error changes nothing.
template <typename Named>
void load_values(serialize::InputArchive& archive, Named& named) {
  NamedValues values(archive);
  named.name_values(values);
  values.commit();
}

}  // namespace optim
}  // namespace etude
