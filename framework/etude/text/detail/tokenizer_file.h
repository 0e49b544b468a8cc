#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "etude/core/error.h"

namespace etude::text::detail {

// Files of tokenizers: {"etude_tokenizer": <kind>, "version": 1, ...}.

/// Reads a tokenizer file: an object with the entries "etude_tokenizer", a text, and "version", which is 1.
/// Checks nothing else. Throws Error with the path.
nlohmann::json read_tokenizer_file(const std::string& path);

/// The same for a file that must be of this kind.
nlohmann::json read_tokenizer_file(const std::string& path, const std::string& kind);

/// Writes such a file with additional entries.
void write_tokenizer_file(const std::string& path, const std::string& kind, nlohmann::json entries);

/// An entry. Throws unless it exists and has the type that `is` tests, for example &json::is_string.
const nlohmann::json& entry(const std::string& path, const nlohmann::json& file, const char* name,
                            bool (nlohmann::json::*is)() const noexcept);

}  // namespace etude::text::detail
