#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/error.h"

namespace etude::optim {

/// One number for all groups of an optimizer, or one for each.
class PerGroup {
 public:
  PerGroup(double one) : numbers_{one} {}
  PerGroup(std::initializer_list<double> each) : numbers_(each), each_(true) {}
  PerGroup(std::vector<double> each) : numbers_(std::move(each)), each_(true) {}

  /// The number of each group. Throws for a list of another length, which the error calls `name`.
  std::vector<double> of(size_t groups, const std::string& name) const {
    const size_t expected = each_ ? groups : 1;
    ETUDE_CHECK_VALUE(numbers_.size() == expected, "expected ", expected, " ", name, ", got ",
                      numbers_.size());
    return each_ ? numbers_ : std::vector<double>(groups, numbers_[0]);
  }

 private:
  std::vector<double> numbers_;
  bool each_ = false;
};

}  // namespace etude::optim
