#pragma once

#include <string>
#include <vector>

namespace examples {

/// Lines of one kind, each once, with what is around them cut off.
struct LabelledLines {
  std::string label;
  std::vector<std::string> lines;
};

/// English, C++ and Python out of the project's own files. Throws FileError with a hint where they are not there.
std::vector<LabelledLines> project_lines();

/// The lines of files, given as "label=path". Throws UsageError, or FileError.
std::vector<LabelledLines> lines_of_files(const std::vector<std::string>& labelled_paths);

/// Counts of characters as a classifier: the label with the largest P(label) times the product of P(character |
/// label), each label as probable as the others (naive Bayes, one added to each count).
class CharacterCounts {
 public:
  explicit CharacterCounts(const std::vector<LabelledLines>& training);
  /// The index of the label.
  size_t operator()(const std::string& line) const;

 private:
  std::vector<std::vector<double>> log_probabilities_;  // by label and byte
};

}  // namespace examples
