// The errors for PyTorch's files in a build without libzip. The source is compiled here under other names, since the
// library under test may have libzip.
#include <doctest/doctest.h>

#include <string>

#define ZipReader ZipReaderThatIsAbsent
#define ZipEntry ZipEntryThatIsAbsent
#define write_zip write_zip_that_is_absent
#include "etude/io/zip_disabled.cpp"
#undef ZipReader
#undef ZipEntry
#undef write_zip

#include "support/refusal.h"

TEST_SUITE("libzip, absent") {
  TEST_CASE(".pt files are refused, and what to install is said") {
    const std::string sentence =
        ": PyTorch's files are archives of zip, and this library was built without libzip\nhint: install "
        "libzip-dev (Debian, Ubuntu) and build it again";
    const std::string golden = ETUDE_GOLDEN_DIR "/io/python_tensor.pt";
    CHECK(etude::refusal_lines([&] {
            etude::detail::ZipReaderThatIsAbsent(etude::detail::MappedFile::open(golden));
          }) == golden + sentence);
    CHECK(etude::refusal_lines([&] {
            etude::detail::write_zip_that_is_absent("x.pt", {}, [](const void*, size_t) {});
          }) == "x.pt" + sentence);
  }
}
