#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "etude/io/detail/file.h"

namespace etude::detail {

/// What an error says about a file of another format.
struct ForeignFile {
  std::string_view magic;  // how such a file begins; empty if that is not enough to recognize it
  const char* what;        // "a .npy file"
  const char* hint;        // "load_npy reads it"
};

inline bool begins_with(std::string_view bytes, std::string_view with) { return bytes.rfind(with, 0) == 0; }

/// The format of a file, by its first bytes; null if it is not known.
const ForeignFile* kind_of_foreign_file(std::string_view bytes);

/// Throws `PATH: is a .npy file, and no WANTED` if the format of the file is known and is not `own`, a ForeignFile::what.
void check_not_foreign(const MappedFile& file, const char* wanted, std::string_view own = "");

/// Throws for a name such as x.gguf, which belongs to a format that save() does not write.
void check_saved_name(const std::string& path);

/// `"a", "b" and 7 more`
std::string some_of(const std::vector<std::string>& names, const std::string& quote = "\"");

/// A hint if a missing name is among the names with a prefix, as "weight" in "module.weight"; else empty. It ends with
/// `before`, the prefix without its dot, and `after`, which together say the cure.
std::string prefix_hint(const std::string& missing, const std::vector<std::string>& names, const char* before,
                        const char* after);

}  // namespace etude::detail
