#pragma once

namespace etude {

/// Whether .pt files can be read and written, which Etude does with libzip if it is there.
constexpr bool has_pt_files() {
#if defined(etude) || __has_include(<zip.h>)
  return true;
#else
  return false;
#endif
}

}  // namespace etude
