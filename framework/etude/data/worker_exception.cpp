#include "etude/data/worker_exception.h"

#include <utility>

namespace etude::data {

WorkerException::WorkerException(std::exception_ptr original)
    : message("Caught exception in DataLoader worker thread.") {
  original_exception = std::move(original);
  try {
    std::rethrow_exception(original_exception);
  } catch (const std::exception& e) {
    message += std::string(" Original message: ") + e.what();
  } catch (...) {  // has no message
  }
}

WorkerException::~WorkerException() = default;

}  // namespace etude::data
