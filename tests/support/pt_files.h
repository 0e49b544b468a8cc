#pragma once

namespace etude {

/// Whether .pt files can be read and written. Etude needs libzip for that.
constexpr bool has_pt_files() {
#if defined(etude) || __has_include(<zip.h>)
  return true;
#else
  return false;
#endif
}

}  // namespace etude
