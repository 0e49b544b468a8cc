#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "etude/core/error.h"

namespace etude::text::detail {

// Files of tokenizers: {"etude_tokenizer": <kind>, "version": 1, ...}.

/// Reads JSON. Throws Error with the path.
nlohmann::json read_json(const std::string& path);
void write_json(const std::string& path, const nlohmann::json& content);

/// Reads a tokenizer file: an object with the entries "etude_tokenizer", the kind, and "version", which is 1. Any kind
/// will do if `kind` is empty. Checks nothing else. Throws Error with the path.
nlohmann::json read_tokenizer_file(const std::string& path, const std::string& kind = "");
/// Writes such a file with additional entries.
void write_tokenizer_file(const std::string& path, const std::string& kind, nlohmann::json entries);

/// An entry. Throws unless it exists and has the type that `is` tests, for example &json::is_string.
const nlohmann::json& entry(const std::string& path, const nlohmann::json& file, const char* name,
                            bool (nlohmann::json::*is)() const noexcept);

/// The token of an id. Throws IndexError for an id outside the vocabulary.
template <typename Token>
const Token& token_of(const std::vector<Token>& vocabulary, int64_t id) {
  ETUDE_CHECK_INDEX(id >= 0 && id < static_cast<int64_t>(vocabulary.size()), "decode: the id ", id,
                    " is outside of the vocabulary of ", vocabulary.size(), " tokens");
  return vocabulary[static_cast<size_t>(id)];
}

}  // namespace etude::text::detail
