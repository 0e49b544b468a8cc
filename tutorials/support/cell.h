#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/compare.h"

namespace tutorials {

/// One step of a tutorial, with what it printed.
struct Cell {
  std::string id;
  std::string title;
  Compare compare = Compare::bytes();
  std::string printed;
  std::vector<std::pair<std::string, std::string>> figures = {};  // file name, SVG
  std::string failure = {};                                       // what stopped an exercise
  bool own = false;  // it hangs on what the reader changed
};

}  // namespace tutorials
