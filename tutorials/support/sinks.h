#pragma once

#include <exception>
#include <iosfwd>
#include <memory>

#include "support/cell.h"
#include "support/options.h"

namespace tutorials {

/// Thrown where the reader leaves a lesson: its program ends with code 0.
struct Left : std::exception {};

/// What becomes of the cells: printed, written to files or compared with files.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void take(const Cell& cell) = 0;
  /// After the last cell; the program's exit code.
  virtual int finish() { return 0; }
};

/// The sink that the options ask for. It writes to `out`, reads what the reader presses from `in` and reports
/// wrong usage to `err`. Throws FileError if its directory cannot be used.
std::unique_ptr<Sink> make_sink(const Options& options, std::istream& in, std::ostream& out,
                                std::ostream& err);

}  // namespace tutorials
