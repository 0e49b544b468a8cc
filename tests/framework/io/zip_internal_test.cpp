#include "etude/io/detail/zip.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "support/pt_files.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("archives of zip" * doctest::skip(!has_pt_files())) {
  namespace {

  std::string written() {
    std::string bytes;
    detail::write_zip(
        "x", {{"a", "some text", 9}, {"b/c", "", 0}, {"d", "0123456789", 10}},
        [&bytes](const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); });
    return bytes;
  }
  detail::ZipReader opened(const std::string& bytes) {
    const auto file = detail::MappedFile::in_memory("x", bytes.size());
    std::memcpy(file->data(), bytes.data(), bytes.size());
    return detail::ZipReader(file);
  }
  std::string text_of(detail::ZipReader& archive, const std::string& name) {
    const auto bytes = archive.read(name);
    return bytes->size() == 0 ? "" : std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }

  }  // namespace

  TEST_CASE("files are read by their names in the folder") {
    detail::ZipReader archive = opened(written());
    CHECK(archive.has("b/c"));
    CHECK_FALSE(archive.has("c"));
    CHECK(text_of(archive, "a") == "some text");
    CHECK(text_of(archive, "b/c").empty());
    CHECK(text_of(archive, "d") == "0123456789");
    CHECK(refusal_text([&] { archive.read("c"); }) == "x: has no c");
  }

  TEST_CASE("data begin at multiples of 64, and the same files make the same bytes") {
    const std::string bytes = written();
    CHECK(bytes.find("some text") % 64 == 0);
    CHECK(bytes.find("0123456789") % 64 == 0);
    CHECK(bytes == written());
  }

  TEST_CASE("what is changed or cut, or read more often than it is there, is refused") {
    std::string bytes = written();
    bytes[bytes.find("some text")] = 'S';
    detail::ZipReader archive = opened(bytes);
    CHECK(refusal_text([&] { archive.read("a"); }) == "x: its a is damaged: CRC error");
    CHECK(refusal_text([&] {
            opened(bytes.substr(0, bytes.size() / 2));
          }).find("x: is not a zip archive, or a damaged one") == 0);
    CHECK(refusal_text([&] {
            for (size_t i = 0; i < bytes.size(); ++i) archive.read("d");
          }) == "x: its files are larger than itself");
  }
}
