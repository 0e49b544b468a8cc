#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace examples {

/// The display for progress.
struct Display {
  bool redraws = false;  // a terminal: one line is redrawn
  bool colours = false;
  std::function<int()> width = [] { return 80; };  // in columns, asked at every redraw
};

/// The properties of stderr; colours only on terminals, unless NO_COLOR is set.
Display display_of_stderr();

/// The progress of a training run on stderr: on a terminal one line with a bar, in a file or a pipe about twenty
/// lines, or one every ten seconds if that is more. Speed and time exclude the first step, which allocates what
/// later steps reuse.
class Progress {
 public:
  using Clock = std::function<double()>;  // in seconds

  /// A run of `steps` steps; an earlier run has done the first `done`. `unit` is the unit counted per second:
  /// "tokens".
  Progress(int64_t steps, int64_t done, std::string unit);
  Progress(int64_t steps, int64_t done, std::string unit, std::ostream& out, Display display, Clock clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Leaves the last line in place.
  ~Progress();

  /// Call before the first step, to show something while it runs.
  void begin();
  /// Call after step number `step`, counted from 1, which processed `items` tokens or examples.
  void step(int64_t step, double loss, int64_t items);
  /// Writes a separate line, which stays.
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
