#pragma once

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

// Parameters that a reader of the page "Try it" may change. A copied program has the reader's values instead of the calls.

/// The reader's value, or null: the environment variable parameter_NAME.
inline const char* reader_set(const std::string& name) { return std::getenv(("parameter_" + name).c_str()); }

template <typename T>
T within(const std::string& name, T value, T least, T most) {
  if (value >= least && value <= most) return value;
  throw std::invalid_argument(name + " is not within its limits");
}

inline int64_t parameter(const std::string& name, int initial, int least, int most) {
  const char* set = reader_set(name);  // perhaps 1e3, which fields of whole numbers allow
  return set ? static_cast<int64_t>(within<double>(name, std::stod(set), least, most)) : initial;
}

inline double parameter(const std::string& name, double initial, double least, double most) {
  const char* set = reader_set(name);
  return set ? within(name, std::stod(set), least, most) : initial;
}

inline std::string parameter(const std::string& name, const char* initial) {
  const char* set = reader_set(name);
  return set ? set : initial;
}
