#include "support/corpus.h"

#include <doctest/doctest.h>

#include <string>

#include "support/temporary_folder.h"
#include "tutorials/support/files.h"

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
    CHECK(examples::project_text(ETUDE_SOURCE_DIR) == text);
  }

  TEST_CASE("where the sources are not, the error says what to do") {
    const etude::TemporaryFolder folder;
    for (const bool has_pages : {false, true}) {
      CAPTURE(has_pages);
      for (const char* page : {"README.md", "CONTRIBUTING.md"})
        if (has_pages) etude::write_bytes(folder / page, "A page.");
      std::string message;
      try {
        examples::project_text(folder.path());
      } catch (const tutorials::FileError& error) {
        message = error.what();
      }
      CHECK(message.find(folder.path()) != std::string::npos);
      CHECK(message.find("\nhint: ") != std::string::npos);
      CHECK(message.find("--text") != std::string::npos);
    }
  }
}

}  // namespace
