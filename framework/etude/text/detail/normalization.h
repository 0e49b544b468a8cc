#pragma once

#include <string>
#include <string_view>

namespace etude::detail {

/// The normalization form C, in which a letter and its accents are one character where there is one. It knows
/// the characters of Unicode 9, as the package tokenizers does.
std::string normalization_form_c(std::string_view text);

}  // namespace etude::detail
