#pragma once

#include <mpi.h>

#include "etude/core/error.h"

namespace etude::distributed::detail {

/// Throws MPI's own error text unless `code` is MPI_SUCCESS.
inline void check_mpi(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(str("MPI error: ", static_cast<const char*>(text)));
}

}  // namespace etude::distributed::detail
