// docs_examples FOLDER: runs all examples and writes what those of a file print to FOLDER/<file>.txt, each under a line
// `== names`.
#include <filesystem>
#include <fstream>
#include <map>

#include "support/example.h"

namespace examples {

std::vector<Example>& all() {
  static std::vector<Example> list;
  return list;
}

namespace {

/// What an example prints to std::cout.
std::string output_of(const Example& example) {
  std::ostringstream captured;
  std::streambuf* const outside = std::cout.rdbuf(captured.rdbuf());
  try {
    example.run();
  } catch (...) {
    std::cout.rdbuf(outside);
    throw;
  }
  std::cout.rdbuf(outside);
  return captured.str();
}

int run(const std::filesystem::path& folder) {
  std::map<std::string, std::string> pages;
  for (const Example& example : all()) {
    try {
      pages[std::filesystem::path(example.file).stem().string()] +=
          std::string("== ") + example.names + '\n' + output_of(example);
    } catch (const std::exception& error) {
      std::cerr << example.file << ": " << example.names << ": " << error.what() << '\n';
      return 1;
    }
  }
  for (const auto& [name, text] : pages) {
    std::ofstream file(folder / (name + ".txt"), std::ios::binary);
    file << text;
    if (!file.flush()) {
      std::cerr << "cannot write to " << folder << '\n';
      return 3;
    }
  }
  return 0;
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: docs_examples FOLDER\n";
    return 2;
  }
  return examples::run(argv[1]);
}
