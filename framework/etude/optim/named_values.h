#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/tensor.h"
#include "etude/io/archives.h"

namespace etude {

class IValue;

namespace optim {

/// The values that an optimizer or a scheduler saves, listed once for writing and reading: `values("step", step_)`.
/// Writes each value to an archive, or reads all before commit() stores them, so that an error changes nothing.
class ETUDE_API NamedValues {
 public:
  explicit NamedValues(serialize::OutputArchive& archive) : output_(&archive) {}
  explicit NamedValues(serialize::InputArchive& archive) : input_(&archive) {}
  /// Only collects the values in a list.
  explicit NamedValues(std::vector<IValue>& list) : list_(&list) {}

  void operator()(const std::string& name, double& value);
  void operator()(const std::string& name, bool& value);
  /// Counts, from 0 to 2^53.
  void operator()(const std::string& name, int64_t& value);
  void operator()(const std::string& name, unsigned& value);
  void operator()(const std::string& name, std::tuple<double, double>& value);
  /// Throws if the saved list has another length.
  void operator()(const std::string& name, std::vector<double>& value);
  /// Undefined tensors and absent numbers are omitted.
  void operator()(const std::string& name, Tensor& value);
  void operator()(const std::string& name, optional<double>& value);

  bool is_reading() const { return input_ != nullptr; }
  /// Throws if the archive has names that were not asked for.
  void check_no_others() const;
  /// Stores the values that were read.
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

namespace detail {
/// Takes the first name from the text of calls: "step(), sum()".
ETUDE_API std::string next_name(std::string_view& calls);
template <typename... T>
void name_all(NamedValues& values, std::string_view calls, T&... each) {
  (values(next_name(calls), each), ...);
}
}  // namespace detail

/// Defines name_values(), which lists what these calls return, by the names of the functions.
#define ETUDE_NAMED_VALUES(...)                                 \
 public:                                                        \
  void name_values(NamedValues& values) override {              \
    optim::detail::name_all(values, #__VA_ARGS__, __VA_ARGS__); \
  }

/// Writes the values that a scheduler, options or a state lists.
template <typename Named>
void save_values(serialize::OutputArchive& archive, const Named& named) {
  NamedValues values(archive);
  const_cast<Named&>(named).name_values(values);
}
/// Reads these values; an error changes nothing.
template <typename Named>
void load_values(serialize::InputArchive& archive, Named& named) {
  NamedValues values(archive);
  named.name_values(values);
  values.commit();
}

}  // namespace optim
}  // namespace etude
