#include "support/came.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tutorials {
namespace {

constexpr int64_t most_shown = 64, most_brief = 12;

std::string digits(int count, double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", count, number);
  return text;
}

/// Four digits, without what rounding leaves of a zero, which another machine may leave otherwise.
std::string briefly(double number) { return digits(4, std::abs(number) < 1e-7 ? 0 : number); }

std::string in_brackets(etude::IntArrayRef sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return '[' + text + ']';
}

}  // namespace

Value value_of(double number) { return {digits(12, number), briefly(number)}; }

Value value_of(const etude::Tensor& t) {
  if (!t.defined()) return {"a tensor into which nothing was put", "nothing"};
  const std::string shape = in_brackets(t.sizes());
  const int64_t shown = std::min(t.numel(), most_shown);
  const etude::Tensor row = t.detach().reshape({-1});
  std::string text = "a tensor of shape " + shape + ", " + etude::toString(t.scalar_type());
  if (shown < t.numel()) text += ", which begins with";
  text += ":\n" + etude::repr(shown == t.numel() ? t.detach() : row.slice(0, 0, shown));
  std::string brief = shape;
  const etude::Tensor numbers = row.to(etude::kDouble);
  for (int64_t i = 0; i < std::min(t.numel(), most_brief); ++i)
    brief += ' ' + briefly(numbers[i].item<double>());
  if (t.numel() > most_brief) brief += " sum " + briefly(numbers.sum().item<double>());
  return {text, brief};
}

Value list_of_values(const std::vector<Value>& values) {
  Value list{"{", "{"};
  bool is_long = false;  // with tensors, each on lines of its own
  for (size_t i = 0; i < values.size() && i < most_shown; ++i) {
    is_long |= values[i].shown.find('\n') != std::string::npos;
    list.shown += (i == 0 ? "" : ", ") + values[i].shown;
    list.brief += (i == 0 ? "" : ", ") + values[i].brief;
  }
  if (values.size() > most_shown) list.shown += ", ...";
  list.brief += '}';
  list.shown += '}';
  if (!is_long) return list;
  list.shown = std::to_string(values.size()) + " of them:";
  for (const Value& value : values) list.shown += '\n' + value.shown;
  return list;
}

}  // namespace tutorials
