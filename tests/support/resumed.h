#pragma once

#include <cstdint>
#include <sstream>
#include <string>

#include "etude/io/serialize.h"

namespace etude {

/// Saves a value and loads it into another value of its class.
template <typename Value>
void reload(const Value& saved, Value& loaded) {
  std::stringstream file;
  save(saved, file);
  load(loaded, file);
}

/// The number that the value saves under `key`.
template <typename Value>
int64_t saved_number(const Value& value, const std::string& key) {
  std::stringstream file;
  save(value, file);
  serialize::InputArchive archive;
  archive.load_from(file);
  Tensor number;
  archive.read(key, number, /*is_buffer=*/true);
  return number.dim() == 0 && number.scalar_type() == kLong ? number.item<int64_t>() : -1;
}

}  // namespace etude
