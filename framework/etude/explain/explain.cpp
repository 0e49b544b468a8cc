#include "etude/explain/explain.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include "etude/core/error.h"
#include "etude/explain/detail/watch.h"

namespace etude {
namespace {

using namespace detail;
using listen::Kind;

// --- Lines ---

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string time_text(int64_t nanoseconds) {
  const auto t = static_cast<double>(nanoseconds);
  return t < 1e6   ? formatted("%.3g us", t / 1e3)
         : t < 1e9 ? formatted("%.3g ms", t / 1e6)
                   : formatted("%.3g s", t / 1e9);
}

// "12.3 kFLOP (4 %)": the share of what the machine could do in that time.
std::string work_text(double work, const char* unit, double per_second, int64_t nanoseconds) {
  const auto time = static_cast<double>(std::max<int64_t>(nanoseconds, 1));
  return with_prefix(work, unit) + formatted(" (%.2g %%)", 1e11 * work / per_second / time);
}

std::string line_of(const Event& event, const std::string& indent) {
  std::string line = padded(indent + std::string(event.name), 24);
  const auto append = [&](const std::string& part) {
    if (!part.empty()) line += "  " + part;
  };
  line = padded(line + "  " + text_of(event.given) + " -> " + text_of(event.results), 72);
  append(time_text(event.nanoseconds));
  append(event.way);
  const bool computes = std::string_view(event.way) != "view" && std::string_view(event.way) != "same";
  append(computes && event.kind == Kind::kOp && event.kernel.empty() ? "plain" : event.kernel);
  append(event.grad_fn);
  if (!event.result_numbers.empty()) append(text_of(event.result_numbers[0]));
  if (event.flop.value_or(0) > 0)
    append(work_text(*event.flop, "FLOP", machine().flop_per_second, event.nanoseconds));
  if (event.bytes.value_or(0) > 0)
    append(work_text(*event.bytes, "B", machine().bytes_per_second, event.nanoseconds));
  if (event.place) append("in " + event.place->text);
  return line + "\n";
}

std::string lines_of(const Event& event, bool inside, const std::string& indent = "") {
  std::string lines = line_of(event, indent);
  if (inside)
    for (const Event& op : event.inside) lines += lines_of(op, inside, indent + "  ");
  return lines;
}

// --- The trap ---

bool is_odd(const Statistics& numbers) { return numbers.nans > 0 || (watching.also_inf && numbers.infs > 0); }

bool is_given_odd(const Event& event) {
  return event.number_is_nan || (watching.also_inf && event.number_is_inf) ||
         std::any_of(event.given_numbers.begin(), event.given_numbers.end(), is_odd) ||
         std::any_of(event.inside.begin(), event.inside.end(), is_given_odd);
}

// Whether it computed from existing values: not for uninitialised memory, nor for a view.
bool computes(const Event& event) {
  const std::string_view way = event.way;
  const bool has_tensors = std::any_of(event.given.begin(), event.given.end(),
                                       [](const TensorForm& form) { return form.dtype.has_value(); });
  return has_tensors && way != "view" && way != "same" && event.name != "aten::empty_like" &&
         event.name != "aten::resize_";
}

std::string first_line(const Event& event, const char* what, size_t result) {
  if (event.kind == Kind::kNode)  // as in anomaly mode
    return str("Function '", event.name, "' returned ", what, " values in its ", result, "th output.");
  return str(event.name, " returned ", what, " while what it was given holds none");
}

// --- Settings ---

// Locked while settings change and while a line is written, so that no thread writes to a stream that was replaced.
// Recursive, because a stream may turn its own writer off.
using Lock = std::lock_guard<std::recursive_mutex>;
std::recursive_mutex& mutex() {
  static auto* const m = new std::recursive_mutex;
  return *m;
}

// Called under the lock.
void watch_if_needed() {
  static bool watches = false;
  const bool is_needed = watching.out || watching.traps;
  if (is_needed && !watches) start_watch();
  if (!is_needed && watches) stop_watch();
  watches = is_needed;
}

}  // namespace

void detail::write_lines(const Event& event) {
  const std::string lines = lines_of(event, watching.inside);
  const Lock lock(mutex());
  if (watching.out) *watching.out << lines << std::flush;
}

void detail::trap(const Event& event, const std::vector<const Event*>& around) {
  const std::vector<Statistics>& numbers = event.result_numbers;
  const auto odd = std::find_if(numbers.begin(), numbers.end(), is_odd);
  if (odd == numbers.end() || !computes(event) || is_given_odd(event)) return;
  const auto at = static_cast<size_t>(odd - numbers.begin());
  std::string text = first_line(event, odd->nans > 0 ? "nan" : "inf", at);
  const auto add = [&](const std::string& what, const TensorForm& form, const Statistics& n) {
    std::optional<ScalarType> none;
    if (form.dtype) text += "\n" + what + ": " + text_of(form, none) + ", " + text_of(n);
  };
  for (size_t i = 0; i < event.given.size(); ++i)
    add(str("given ", i), event.given[i], event.given_numbers[i]);
  add("returned", event.results[at], *odd);
  bool is_backward = event.kind == Kind::kNode;
  for (const Event* outer : around) {
    text += str("\ninside of ", outer->kind == Kind::kNode ? "the backward " : "", outer->name);
    is_backward |= outer->kind == Kind::kNode;
  }
  if (is_backward && event.place) text += "\nthe forward of the op was";
  Error error(text);
  if (event.place) ErrorPlace::name(error, event.place->text);
  throw error;
}

void explain(bool on, bool inside) {
  if (on) return explain(std::cerr, inside);
  const Lock lock(mutex());
  watching.out = nullptr;
  watch_if_needed();
}

void explain(std::ostream& out, bool inside) {
  const Lock lock(mutex());
  watching.out = &out;
  watching.inside = inside;
  watch_if_needed();
}

void trap_nan(bool on, bool also_inf) {
  const Lock lock(mutex());
  watching.traps = on;
  watching.also_inf = also_inf;
  watch_if_needed();
}

void detail::listen::ask_environment() {
  const auto value_of = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::string(value ? value : "");
  };
  const std::string lines = value_of("ETUDE_EXPLAIN"), trap = value_of("ETUDE_NAN_TRAP");
  static const std::ios_base::Init streams;  // std::cerr may not be initialised yet
  if (!lines.empty() && lines != "0") explain(true, lines == "2");
  if (!trap.empty() && trap != "0") trap_nan(true, trap == "inf");
}

}  // namespace etude
