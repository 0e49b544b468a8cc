#pragma once

#include <string>

#include "etude/core/ivalue.h"

namespace etude::detail {

// Values of archives as JSON: 3, 0.5, true, "text", null, [1, 2]. Where this does not say all, there is the type too:
// {"Double": "nan"}, {"IntList": []}. Numbers read back as the same bits, but for the bits of a nan.

/// The text of a value that is neither a tensor nor a list of them; throws Error for a text that is no UTF-8.
std::string value_to_json(const IValue& value);
/// The value of a text; one that is no such JSON is a text itself.
IValue value_from_json(const std::string& text);

/// The texts that stand for an archive with nothing in it, and for a list of tensors, which stand beside it.
std::string empty_archive_json();
std::string tensor_list_json(size_t count);
/// How many tensors such a list has; -1 for another text.
int64_t tensor_list_size(const std::string& text);

}  // namespace etude::detail
