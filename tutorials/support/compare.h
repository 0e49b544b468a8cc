#pragma once

#include <functional>
#include <string>
#include <utility>

namespace tutorials {

/// How what a cell printed is compared with what was recorded for it: byte by byte unless the
/// cell says otherwise.
class Compare {
 public:
  /// Returns what is wrong with `printed`, or nothing if it agrees with `recorded`.
  using Function =
      std::function<std::string(const std::string& printed, const std::string& recorded)>;

  static Compare bytes();
  /// Numbers may differ by `ulp` neighbouring float32 values; everything between them is equal
  /// byte by byte.
  static Compare within_ulp(int ulp);
  /// Numbers may differ by `tolerance`; everything between them is equal byte by byte. For what a
  /// long computation ends with, into which the rounding of every step goes.
  static Compare within(double tolerance);
  /// For a cell that prints other numbers at every run: everything but numbers and blanks is
  /// equal.
  static Compare layout();
  static Compare by(Function function);

  /// How texts agree that are not equal in bytes, such as "within 2 ulp".
  const std::string& name() const { return name_; }
  /// Empty if they agree, otherwise a description of the first difference, in a few lines.
  std::string difference(const std::string& printed, const std::string& recorded) const {
    return function_(printed, recorded);
  }

 private:
  Compare(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  std::string name_;
  Function function_;
};

/// The text with `#` for every number and one blank for any run of blanks and line breaks, since
/// a tensor's line breaks depend on the width of its numbers.
std::string layout_of(const std::string& text);

/// How many float32 values lie between the two, counting one of the ends; huge if one of them is
/// not a number.
long long float32_distance(float a, float b);

}  // namespace tutorials
