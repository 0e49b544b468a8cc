#pragma once

#include <string>

#include "etude/core/ivalue.h"

namespace etude::detail {

// Values of archives as JSON: 3, 0.5, true, "text", null, [1, 2]. Where this leaves the type open, it is
// named: {"Double": "nan"}, {"IntList": []}. Numbers read back bit for bit, except the bits of a nan.

/// The text of a value that is neither a tensor nor a list of tensors. Throws Error for a string that is not UTF-8.
std::string value_to_json(const IValue& value);
/// The value of a text. A text that is not such JSON is itself the value.
IValue value_from_json(const std::string& text);

/// The texts for an empty archive and for a list of tensors; the tensors are stored beside the text.
std::string empty_archive_json();
std::string tensor_list_json(size_t count);
/// The number of tensors in such a list; -1 for any other text.
int64_t tensor_list_size(const std::string& text);

}  // namespace etude::detail
