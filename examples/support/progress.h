#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace examples {

/// What progress is written on.
struct Display {
  bool redraws = false;  // a terminal: one line is written again and again
  bool colours = false;
  std::function<int()> width = [] { return 80; };  // in columns, asked at every redraw
};

/// stderr as it is; colours on terminals only, unless NO_COLOR is set.
Display display_of_stderr();

/// How far a training run is, on stderr: on a terminal one line with a bar, in a file or a pipe about twenty
/// lines, and one every ten seconds where that is more. Speed and time are those after the first step, which makes
/// what later ones use again.
class Progress {
 public:
  using Clock = std::function<double()>;  // in seconds

  /// A run of `steps` steps, of which `done` were done by an earlier one. `unit` is what is counted per
  /// second: "tokens".
  Progress(int64_t steps, int64_t done, std::string unit);
  Progress(int64_t steps, int64_t done, std::string unit, std::ostream& out, Display display, Clock clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Leaves the last line where it is.
  ~Progress();

  /// Before the first step, so that something is seen while it takes its time.
  void begin();
  /// After step number `step`, counted from 1, which took in `items` tokens or examples.
  void step(int64_t step, double loss, int64_t items);
  /// A line of its own, which stays.
  void say(const std::string& line);

 private:
  void redraw(bool is_last);
  void write(const std::string& text);
  std::string bar(int width) const;

  int64_t steps_, done_, first_, items_ = 0;  // items since the first step
  std::string unit_;
  std::ostream& out_;
  Display display_;
  Clock clock_;
  double start_, after_first_ = 0, drawn_ = -1, loss_ = 0;
  bool on_line_ = false;  // something is written on the line that is redrawn
};

/// 950, 34.2k, 1.5M.
std::string short_number(double number);
/// 0:07, 12:30, 1:02:03.
std::string minutes_and_seconds(double seconds);

}  // namespace examples
