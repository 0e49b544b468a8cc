#pragma once

#include <string>

#include "etude/core/export.h"
#include "etude/core/options.h"

namespace etude {

/// A temporary file that is removed with this object (c10::TempFile).
struct ETUDE_API TempFile {
  TempFile() = default;
  /// Takes ownership of an open file.
  TempFile(std::string path, int descriptor) : fd(descriptor), name(std::move(path)) {}
  TempFile(const TempFile&) = delete;
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(const TempFile&) = delete;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  int fd = -1;  ///< Open for reading and writing; -1 if there is no file.
  std::string name;
};

/// Creates an empty file whose path begins with the name prefix, in the folder that TMPDIR, TMP, TEMP or
/// TEMPDIR names, or else in /tmp. Returns nullopt on failure (c10::try_make_tempfile).
ETUDE_API optional<TempFile> try_make_tempfile(const std::string& name_prefix = "etude-file-");

/// What try_make_tempfile creates; throws Error with the reason and the path on failure (c10::make_tempfile).
ETUDE_API TempFile make_tempfile(const std::string& name_prefix = "etude-file-");

}  // namespace etude
