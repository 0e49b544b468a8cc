#include "support/page.h"

#include <doctest/doctest.h>

#include <string>

#include "support/has.h"
#include "support/temporary_folder.h"
#include "tutorials/support/files.h"

namespace {

using etude::has;

TEST_SUITE("page") {
  TEST_CASE("holds texts, tables and pictures in their order, in one file") {
    const etude::TemporaryFolder folder;
    etude::write_bytes(folder / "a.svg", "<svg>circle</svg>");
    examples::Page page("Heads & tails");
    page.heading("1 < 2");
    page.paragraph("text");
    page.table({"name", "loss"}, {{"a <b>", "1.5"}, {"c", "2"}});
    page.picture(folder / "a.svg");
    page.save(folder / "page.html");
    const std::string html = etude::read_bytes(folder / "page.html");
    CHECK(html == page.html());
    CHECK(has(html, "<title>Heads &amp; tails</title>"));
    CHECK(has(
        html,
        "<h2>1 &lt; 2</h2>\n<p>text</p>\n<div class=\"wide\"><table>\n<tr><th>name</th><th>loss</th></tr>\n"
        "<tr><td>a &lt;b&gt;</td><td>1.5</td></tr>\n<tr><td>c</td><td>2</td></tr>\n</table></div>\n"
        "<div class=\"wide\"><svg>circle</svg></div>\n</body>"));
    for (const char* elsewhere : {"http", "src=", "<script", "<link"}) CHECK_FALSE(has(html, elsewhere));
  }

  TEST_CASE("a picture that is not there is a problem with a file") {
    examples::Page page("Nothing");
    CHECK_THROWS_AS(page.picture("/no/such.svg"), tutorials::FileError);
  }
}

}  // namespace
