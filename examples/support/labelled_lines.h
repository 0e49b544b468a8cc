#pragma once

#include <string>
#include <vector>

namespace examples {

/// Distinct lines of one kind, without the white space around them.
struct LabelledLines {
  std::string label;
  std::vector<std::string> lines;
};

/// English, C++ and Python lines from the project's own files. Throws FileError with a hint if they are missing.
std::vector<LabelledLines> project_lines();

/// The lines of files, given as "label=path". Throws UsageError, or FileError.
std::vector<LabelledLines> lines_of_files(const std::vector<std::string>& labelled_paths);

/// Classifies by counts of characters: the label with the largest product of P(character | label), with equal
/// probabilities of the labels (naive Bayes, one added to each count).
class CharacterCounts {
 public:
  explicit CharacterCounts(const std::vector<LabelledLines>& training);
  /// The index of the label.
  size_t operator()(const std::string& line) const;

 private:
  std::vector<std::vector<double>> log_probabilities_;  // by label and byte
};

}  // namespace examples
