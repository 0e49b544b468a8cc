#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "etude/core/error.h"

namespace etude::text::detail {

// Files of tokenizers: {"etude_tokenizer": <kind>, "version": 1, ...}.

/// What a file of a tokenizer says: an object with the entries "etude_tokenizer", a text, and "version", which is 1.
/// Nothing else about it has been checked. Throws Error, with the path in it.
nlohmann::json read_tokenizer_file(const std::string& path);

/// The same of a file that has to be of this kind.
nlohmann::json read_tokenizer_file(const std::string& path, const std::string& kind);

/// Writes such a file, with these entries besides.
void write_tokenizer_file(const std::string& path, const std::string& kind, nlohmann::json entries);

/// An entry, which has to be there and of the type that `is` asks for, for instance &json::is_string.
const nlohmann::json& entry(const std::string& path, const nlohmann::json& file, const char* name,
                            bool (nlohmann::json::*is)() const noexcept);

}  // namespace etude::text::detail
