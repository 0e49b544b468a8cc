#include "support/page.h"

#include <utility>

#include "tutorials/support/files.h"
#include "tutorials/support/svg_canvas.h"

namespace examples {
namespace {

using tutorials::escaped;

const char* const kStyle = R"(:root{color-scheme:light dark}
body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:16px/1.55 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;background:#ffffff;color:#1d2228}
h1{font-size:1.7rem;line-height:1.25}
h2{font-size:1.25rem;margin-top:2.2rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .9rem;border-bottom:1px solid #dde1e7;text-align:right}
th:first-child,td:first-child{text-align:left}
.wide{overflow-x:auto;margin:1rem 0}
svg{max-width:100%;height:auto}
@media (prefers-color-scheme:dark){body{background:#14181f;color:#e2e6eb}th,td{border-color:#323943}}
)";

std::string row_of(const std::string& tag, const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += "<" + tag + ">" + escaped(cell) + "</" + tag + ">";
  return row + "</tr>\n";
}

}  // namespace

Page::Page(std::string title) : title_(std::move(title)) {}

void Page::heading(const std::string& text) { body_ += "<h2>" + escaped(text) + "</h2>\n"; }

void Page::paragraph(const std::string& text) { body_ += "<p>" + escaped(text) + "</p>\n"; }

void Page::table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  body_ += "<div class=\"wide\"><table>\n" + row_of("th", header);
  for (const auto& row : rows) body_ += row_of("td", row);
  body_ += "</table></div>\n";
}

void Page::picture(const std::filesystem::path& svg) {
  body_ += "<div class=\"wide\">" + tutorials::read_file(svg) + "</div>\n";
}

std::string Page::html() const {
  const std::string title = escaped(title_);
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width\">\n<title>" +
         title + "</title>\n<style>\n" + kStyle + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n" +
         body_ + "</body>\n</html>\n";
}

void Page::save(const std::filesystem::path& path) const { tutorials::write_file(path, html()); }

}  // namespace examples
