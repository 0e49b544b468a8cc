// The bytes of files that LibTorch has read in pt_test.cpp.
#include <doctest/doctest.h>

#include <string>

#include "etude/io/detail/zip.h"
#include "support/pt_examples.h"
#include "support/pt_files.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("writing .pt files" * doctest::skip(!has_pt_files())) {
  TEST_CASE("what is saved is what LibTorch has read") {
    const TemporaryFolder folder;
    save_pt_examples(folder / "etude_");
    for (const std::string name : {"etude_module.pt", "etude_adam.pt", "etude_vector.pt"}) {
      detail::ZipReader now(detail::MappedFile::open(folder / name)),
          then(detail::MappedFile::open(ETUDE_GOLDEN_DIR "/io/" + name));
      for (const char* file :
           {"data.pkl", "data/0", "data/1", "code/__torch__.py", "constants.pkl", "version"}) {
        const auto a = now.read(file), b = then.read(file);
        CHECK(std::string(reinterpret_cast<const char*>(a->data()), a->size()) ==
              std::string(reinterpret_cast<const char*>(b->data()), b->size()));
      }
    }
  }
}
