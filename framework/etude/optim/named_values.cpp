#include "etude/optim/named_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "etude/core/error.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/ops/ops.h"

namespace etude::optim {

namespace {

double to_double(const IValue& v) { return v.isInt() ? static_cast<double>(v.toInt()) : v.toDouble(); }

std::vector<double> to_doubles(const std::string& name, const IValue& v, size_t count) {
  std::vector<double> list;
  if (v.isIntList())
    for (const int64_t n : v.toIntVector()) list.push_back(static_cast<double>(n));
  else list = v.toDoubleVector();
  ETUDE_CHECK_VALUE(list.size() == count, "expected ", count, " values for ", name, ", got ", list.size());
  return list;
}

int64_t to_count(const std::string& name, const IValue& v, int64_t most) {
  // Python stores some counts, such as step, as float tensors.
  if (v.isTensor()) {
    const double number = v.toTensor().item<double>();
    ETUDE_CHECK_VALUE(0 <= number && number <= static_cast<double>(most) && number == std::floor(number),
                      "expected a count for ", name, ", got ", number);
    return static_cast<int64_t>(number);
  }
  const int64_t count = v.toInt();
  ETUDE_CHECK_VALUE(0 <= count && count <= most, "expected a count for ", name, ", got ", count);
  return count;
}

}  // namespace

std::string detail::next_name(std::string_view& calls) {
  std::string name(calls.substr(0, calls.find('(')));
  calls.remove_prefix(std::min(calls.size(), name.size() + std::strlen("(), ")));
  return name;
}

void NamedValues::put(const std::string& name, const IValue& value) {
  if (list_) list_->push_back(value);
  else if (!value.isNone()) output_->write(name, value);
}

IValue NamedValues::read(const std::string& name) {
  names_.push_back(name);
  IValue saved;
  input_->read(name, saved);
  return saved;
}

template <typename T, typename Convert>
void NamedValues::pass(const std::string& name, T& value, const Convert& convert) {
  if (!input_) return put(name, IValue(value));
  places_.push_back([&value, converted = convert(read(name))] { value = converted; });
}

void NamedValues::operator()(const std::string& name, double& value) { pass(name, value, to_double); }

void NamedValues::operator()(const std::string& name, bool& value) {
  pass(name, value, [](const IValue& v) { return v.toBool(); });
}

void NamedValues::operator()(const std::string& name, int64_t& value) {
  pass(name, value, [&name](const IValue& v) { return to_count(name, v, int64_t{1} << 53); });
}

void NamedValues::operator()(const std::string& name, unsigned& value) {
  pass(name, value, [&name](const IValue& v) {
    return static_cast<unsigned>(to_count(name, v, std::numeric_limits<int32_t>::max()));
  });
}

void NamedValues::operator()(const std::string& name, std::tuple<double, double>& value) {
  if (!input_) return put(name, std::vector<double>{std::get<0>(value), std::get<1>(value)});
  const std::vector<double> both = to_doubles(name, read(name), 2);
  places_.push_back([&value, both] { value = {both[0], both[1]}; });
}

void NamedValues::operator()(const std::string& name, std::vector<double>& value) {
  pass(name, value, [&](const IValue& v) { return to_doubles(name, v, value.size()); });
}

void NamedValues::operator()(const std::string& name, Tensor& value) {
  if (!input_) return put(name, value.defined() ? IValue(value) : IValue());
  names_.push_back(name);
  Tensor saved;
  // A copy, so that the tensor does not keep the file open.
  if (input_->try_read(name, saved, /*is_buffer=*/true)) saved = saved.clone();
  places_.push_back([&value, saved] { value = saved; });
}

void NamedValues::operator()(const std::string& name, optional<double>& value) {
  if (!input_) return put(name, IValue(value));
  names_.push_back(name);
  IValue saved;
  optional<double> number;
  if (input_->try_read(name, saved)) number = to_double(saved);
  places_.push_back([&value, number] { value = number; });
}

void NamedValues::check_no_others() const {
  for (const std::string& key : input_->keys())
    ETUDE_CHECK(std::find(names_.begin(), names_.end(), key) != names_.end(),
                "the archive has a field with the unknown name '", key, "'");
}

void NamedValues::commit() {
  for (const auto& put : places_) put();
  places_.clear();
}

}  // namespace etude::optim
