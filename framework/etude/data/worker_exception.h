#pragma once

#include <exception>
#include <string>
#include <utility>

#include "etude/core/export.h"

namespace etude::data {

/// An exception of a DataLoader's thread, thrown where the batch was asked for (torch::data::WorkerException).
struct ETUDE_API WorkerException : public std::exception {
  explicit WorkerException(std::exception_ptr original)
      : message("Caught exception in DataLoader worker thread.") {
    original_exception = std::move(original);
    try {
      std::rethrow_exception(original_exception);
    } catch (const std::exception& e) {
      message += std::string(" Original message: ") + e.what();
    } catch (...) {  // has no message
    }
  }
  const char* what() const noexcept override { return message.c_str(); }

  std::exception_ptr original_exception;
  std::string message;
};

}  // namespace etude::data
