#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/came.h"
#include "support/compare.h"

namespace tutorials {

/// What an exercise's variable held before the reader's lines, and after them: several values where they run in a loop.
struct Came {
  std::string name;
  std::vector<Value> given = {}, values = {};
};

/// One step of a tutorial, with what it printed.
struct Cell {
  std::string id;
  std::string title;
  Compare compare = Compare::bytes();
  std::string printed;
  std::vector<std::pair<std::string, std::string>> figures = {};  // file name, SVG
  std::string failure = {};                                       // what stopped an exercise
  std::vector<Came> came = {};                                    // of an exercise
  bool own = false;  // it hangs on what the reader changed
};

}  // namespace tutorials
