#pragma once

#include <string>
#include <vector>

namespace tutorials {

/// A formula of TeX in letters for a terminal: `\frac{Q K^\top}{\sqrt{d}}` is (Q Kᵀ)/√d. A command
/// that is not known is shown by its name, which is added to `unknown` if that is given.
std::string tex_text(const std::string& tex, std::vector<std::string>* unknown = nullptr);

}  // namespace tutorials
