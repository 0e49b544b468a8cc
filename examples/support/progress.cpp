#include "support/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

namespace examples {
namespace {

constexpr double kBetweenRedraws = 0.1, kBetweenLines = 10;  // seconds
constexpr int kLines = 20;                                   // per run, if the line is not redrawn
constexpr int kShortestBar = 8, kLongestBar = 32;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

}  // namespace

Display display_of_stderr() {
  Display display;
  const char* terminal = std::getenv("TERM");
  display.redraws = isatty(STDERR_FILENO) && terminal && std::string(terminal) != "dumb";
  display.colours = display.redraws && !is_set("NO_COLOR");
  display.width = [] {
    winsize size = {};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  };
  return display;
}

std::string short_number(double number) {
  if (number < 999.5) return formatted("%.0f", number);
  if (number < 999950) return formatted("%.1fk", number / 1e3);
  return formatted("%.1fM", number / 1e6);
}

std::string minutes_and_seconds(double seconds) {
  const long long all = std::llround(std::clamp(seconds, 0.0, 1e9));
  const long long hours = all / 3600, minutes = all / 60 % 60;
  return hours > 0 ? formatted("%lld:%02lld:%02lld", hours, minutes, all % 60)
                   : formatted("%lld:%02lld", minutes, all % 60);
}

Progress::Progress(int64_t steps, int64_t done, std::string unit)
    : Progress(steps, done, std::move(unit), std::cerr, display_of_stderr(), seconds_now) {}

Progress::Progress(int64_t steps, int64_t done, std::string unit, std::ostream& out, Display display,
                   Clock clock)
    : steps_(steps),
      done_(done),
      first_(done),
      unit_(std::move(unit)),
      out_(out),
      display_(std::move(display)),
      clock_(std::move(clock)),
      start_(clock_()) {}

Progress::~Progress() {
  if (on_line_) write("\n");
}

void Progress::step(int64_t step, double loss, int64_t items) {
  const bool is_first = done_ == first_, is_last = step >= steps_;
  done_ = step;
  loss_ = loss;
  if (is_first) after_first_ = clock_();
  else items_ += items;
  const int64_t every = std::max<int64_t>(1, steps_ / kLines);
  const double since = clock_() - drawn_;
  const bool is_due =
      is_first || (display_.redraws ? since >= kBetweenRedraws : step % every == 0 || since >= kBetweenLines);
  if (is_due || is_last) redraw(is_last);
}

void Progress::begin() { redraw(false); }

void Progress::say(const std::string& line) {
  write((on_line_ ? "\r\x1b[K" : "") + line + "\n");
  on_line_ = false;
}

// Flushes at once, so that the text of a signal handler appears between lines.
void Progress::write(const std::string& text) { out_ << text << std::flush; }

void Progress::redraw(bool is_last) {
  drawn_ = clock_();
  const auto left = static_cast<double>(steps_ - done_), measured = static_cast<double>(done_ - first_ - 1);
  const double elapsed = drawn_ - after_first_;
  const int digits = static_cast<int>(std::to_string(steps_).size());
  std::vector<std::string> parts = {
      formatted("step %*lld/%lld", digits, static_cast<long long>(done_), static_cast<long long>(steps_))};
  if (done_ > first_) parts.push_back(formatted("loss %.4f", loss_));
  if (measured > 0 && elapsed > 0) {
    parts.push_back(short_number(static_cast<double>(items_) / elapsed) + " " + unit_ + "/s");
    if (!is_last) parts.push_back(minutes_and_seconds(elapsed / measured * left) + " left");
  }
  if (is_last) parts.push_back(minutes_and_seconds(drawn_ - start_) + " in all");
  // The last column stays free, because some terminals wrap to the next line when it is written.
  const size_t room = display_.redraws ? static_cast<size_t>(std::max(display_.width() - 1, 0)) : 1000;
  std::string line = parts[0].substr(0, room);
  size_t used = 1;
  while (used < parts.size() && line.size() + 2 + parts[used].size() <= room) line += "  " + parts[used++];
  if (!display_.redraws) {
    write(line + "\n");
    return;
  }
  const int spare = static_cast<int>(room - line.size()) - 2;
  if (used == parts.size() && spare >= kShortestBar) line += "  " + bar(std::min(spare, kLongestBar));
  write("\r" + line + "\x1b[K");
  on_line_ = true;
}

std::string Progress::bar(int width) const {
  const int inside = width - 2;
  const int full = steps_ > 0 ? static_cast<int>(std::min(done_, steps_) * inside / steps_) : inside;
  const std::string filled(static_cast<size_t>(full), '='), empty(static_cast<size_t>(inside - full), ' ');
  return display_.colours ? "[\x1b[36m" + filled + "\x1b[0m" + empty + "]" : "[" + filled + empty + "]";
}

}  // namespace examples
