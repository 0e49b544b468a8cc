#pragma once

#include <exception>
#include <string>

#include "etude/core/export.h"

namespace etude::data {

/// What a thread of a DataLoader has thrown, thrown again where the batch was asked for
/// (torch::data::WorkerException).
struct ETUDE_API WorkerException : public std::exception {
  explicit WorkerException(std::exception_ptr original);
  ~WorkerException() override;
  const char* what() const noexcept override { return message.c_str(); }

  std::exception_ptr original_exception;
  std::string message;
};

}  // namespace etude::data
