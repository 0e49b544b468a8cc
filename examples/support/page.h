#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace examples {

/// A web page of text, tables and pictures in one file, in the light or dark colours of the reader's system. The same
/// content gives the same bytes.
class Page {
 public:
  explicit Page(std::string title);

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  /// Rows under a header, all with the same number of cells: the first cell is a name, the others are numbers.
  void table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);
  /// Embeds an SVG file of this program in the page. Throws FileError.
  void picture(const std::filesystem::path& svg);

  /// The whole document.
  std::string html() const;
  /// Throws FileError.
  void save(const std::filesystem::path& path) const;

 private:
  std::string title_, body_;
};

}  // namespace examples
