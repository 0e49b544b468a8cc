#pragma once

namespace live {

/// A lesson of the module: its name and the main function of its program.
struct Lesson {
  using Main = int(int argc, char** argv);
  Lesson(const char* name, Main* main);
};

}  // namespace live
