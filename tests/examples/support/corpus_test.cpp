#include "support/corpus.h"

#include <doctest/doctest.h>

#include <string>

#include "support/temporary_folder.h"

namespace {

TEST_SUITE("corpus") {
  TEST_CASE("the project's text is that of its pages, headers and tutorials, the same each time") {
    const std::string text = examples::project_text();
    CHECK(text.size() > 150000);
    CHECK(text.find(etude::read_bytes(ETUDE_SOURCE_DIR "/README.md")) == 0);
    for (const char* file : {"/layers/etude/gpt.h", "/docs/numerics.md", "/tutorials/01_loops.cpp"}) {
      CAPTURE(file);
      CHECK(text.find(etude::read_bytes(std::string(ETUDE_SOURCE_DIR) + file)) != std::string::npos);
    }
    CHECK(examples::project_text() == text);
  }
}

}  // namespace
