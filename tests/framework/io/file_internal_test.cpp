// Reading and writing whole files: what a memory map shares, and that a file is replaced entirely or not at all.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "etude/io/detail/file.h"
#include "support/full_disk.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using detail::FileWriter;
using detail::MappedFile;

TEST_SUITE("files") {
  namespace {

  void write_file(const std::string& path, const std::string& bytes) {
    FileWriter file(path);
    file.write(bytes.data(), bytes.size());
    file.commit();
  }

  mode_t mode_of(const std::string& path) {
    struct stat status = {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777;
  }

  /// Root may write everywhere, so a test of permissions runs as user nobody.
  struct WithoutRights {
    bool root = ::geteuid() == 0;
    WithoutRights() {
      if (root) REQUIRE(::seteuid(65534) == 0);
    }
    ~WithoutRights() {
      if (root) REQUIRE(::seteuid(0) == 0);
    }
  };

  }  // namespace

  TEST_CASE("memory can stand for a file") {
    const auto memory = MappedFile::in_memory("name", 5000);
    CHECK(memory->path() == "name");
    CHECK(memory->size() == 5000);
    CHECK(reinterpret_cast<uintptr_t>(memory->data()) % 4096 == 0);
    CHECK(memory->data()[4999] == std::byte{0});
    memory->data()[4999] = std::byte{1};
    CHECK(MappedFile::in_memory("none", 0)->data() == nullptr);
    CHECK(refusal_text([] {
            MappedFile::in_memory("vast", SIZE_MAX / 2);
          }).find("vast: is larger than memory: ") == 0);
  }

  TEST_CASE("a mapped file has its bytes, lives as long as somebody holds it, and outlives its name") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "abc");
    auto file = MappedFile::open(folder / "x");
    const auto second = file;
    file.reset();
    std::filesystem::remove(folder / "x");
    REQUIRE(second->size() == 3);
    CHECK(std::memcmp(second->data(), "abc", 3) == 0);
    CHECK(second->path() == (folder / "x"));
  }

  TEST_CASE("writing to mapped memory changes neither the file nor another map of it") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "abc");
    const auto a = MappedFile::open(folder / "x"), b = MappedFile::open(folder / "x");
    a->data()[0] = std::byte{'X'};
    CHECK(std::memcmp(a->data(), "Xbc", 3) == 0);
    CHECK(std::memcmp(b->data(), "abc", 3) == 0);
    CHECK(read_bytes(folder / "x") == "abc");
  }

  TEST_CASE("an empty file is mapped, and has no bytes") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "");
    CHECK(MappedFile::open(folder / "x")->size() == 0);
  }

  TEST_CASE("what can't be read is refused with its path and the reason") {
    const TemporaryFolder folder;
    CHECK(refusal([&] { MappedFile::open(folder / "none"); }) ==
          "Error: " + (folder / "none") + ": cannot be opened: No such file or directory");
    CHECK(refusal([&] { MappedFile::open(folder.path()); }) ==
          "Error: " + folder.path() + ": is not a regular file");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(refusal([&] { MappedFile::open(folder / "pipe"); }) ==
          "Error: " + (folder / "pipe") + ": is not a regular file");
    write_bytes(folder / "secret", "abc");
    REQUIRE(::chmod((folder / "secret").c_str(), 0) == 0);
    ::chmod(folder.path().c_str(), 0755);
    const WithoutRights nobody;
    CHECK(refusal([&] { MappedFile::open(folder / "secret"); }) ==
          "Error: " + (folder / "secret") + ": cannot be opened: Permission denied");
  }

  TEST_CASE("a written file has its bytes, replaces another, and leaves nothing beside it") {
    const TemporaryFolder folder;
    write_file(folder / "x", "first");
    CHECK(read_bytes(folder / "x") == "first");
    const auto old = MappedFile::open(folder / "x");
    write_file(folder / "x", "second one");
    CHECK(read_bytes(folder / "x") == "second one");
    CHECK(std::memcmp(old->data(), "first", 5) == 0);
    write_file(folder / "x", "");
    CHECK(read_bytes(folder / "x") == "");
    CHECK(folder.count() == 1);
  }

  TEST_CASE("what a killed process left is removed by the next writer, and nothing that somebody writes") {
    const TemporaryFolder folder;
    write_bytes(folder / ".etude_0123456789abcdef", "half");
    for (const char* other : {".etude_0123456789abcde", ".etude_0123456789abcdeg", "etude_0123456789abcdef"})
      write_bytes(folder / other, "of somebody else");
    FileWriter first(folder / "first");
    CHECK(folder.count() == 4);
    first.write("1", 1);
    write_file(folder / "second", "2");
    CHECK(folder.count() == 5);
    first.commit();
    CHECK(read_bytes(folder / "first") == "1");
    CHECK(folder.count() == 5);
  }

  TEST_CASE("a copied file has its bytes, and does not change with it") {
    const TemporaryFolder folder;
    write_bytes(folder / "a", "abc");
    const auto copy = MappedFile::open(folder / "a", FileMemory::Copied);
    std::filesystem::resize_file(folder / "a", 0);
    REQUIRE(copy->size() == 3);
    CHECK(std::memcmp(copy->data(), "abc", 3) == 0);
    CHECK(copy->path() == folder / "a");
    CHECK(MappedFile::open(folder / "a", FileMemory::Copied)->size() == 0);
  }

  TEST_CASE("a path without a folder is in the current one") {
    const TemporaryFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    write_file("x", "abc");
    std::filesystem::current_path(before);
    CHECK(read_bytes(folder / "x") == "abc");
  }

  TEST_CASE("a name of 255 letters is written, and a longer one refused") {
    const TemporaryFolder folder;
    const std::string longest = folder / std::string(255, 'x');
    write_file(longest, "abc");
    CHECK(read_bytes(longest) == "abc");
    CHECK(refusal([&] { write_file(longest + "x", "abc"); }).find("File name too long") != std::string::npos);
    CHECK(folder.count() == 1);
  }

  TEST_CASE("a new file has the permissions that the process gives, a replaced one keeps its own") {
    const TemporaryFolder folder;
    const mode_t before = ::umask(027);
    write_file(folder / "new", "abc");
    CHECK(mode_of(folder / "new") == 0640);
    REQUIRE(::chmod((folder / "new").c_str(), 0604) == 0);
    write_file(folder / "new", "abcd");
    CHECK(mode_of(folder / "new") == 0604);
    ::umask(before);
  }

  TEST_CASE("through a symbolic link the file behind it is replaced") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "other");
    write_bytes(folder / "other/x", "old");
    std::filesystem::create_symlink("other/x", folder / "link");
    write_file(folder / "link", "new");
    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK(read_bytes(folder / "other/x") == "new");
    CHECK(folder.count() == 2);
  }

  TEST_CASE("an exception before the commit leaves the old file and nothing else") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "old");
    auto interrupted = [&] {
      FileWriter file(folder / "x");
      file.write("half of it", 10);
      CHECK(folder.count() == 2);
      throw Error("interrupted");
    };
    CHECK(refusal(interrupted) == "Error: interrupted");
    CHECK(read_bytes(folder / "x") == "old");
    CHECK(folder.count() == 1);
  }

  TEST_CASE("a full disk leaves the old file and nothing else") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "old");
    const std::string text(100000, 'x');
    std::string said;
    {
      const FullDisk disk(65536);
      said = refusal([&] { write_file(folder / "x", text); });
    }
    CHECK(said == "Error: " + (folder / "x") + ": cannot be written: File too large");
    CHECK(read_bytes(folder / "x") == "old");
    CHECK(folder.count() == 1);
  }

  TEST_CASE("a folder without permission leaves the old file, and a file without it stays") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "old");
    std::filesystem::create_directory(folder / "open");
    write_bytes(folder / "open/x", "old");
    ::chmod((folder / "x").c_str(), 0666);
    ::chmod((folder / "open").c_str(), 0777);
    ::chmod((folder / "open/x").c_str(), 0444);
    ::chmod(folder.path().c_str(), 0555);
    {
      const WithoutRights nobody;
      for (const char* name : {"x", "new", "open/x"})
        CHECK(refusal([&] { write_file(folder / name, "new"); }) ==
              "Error: " + (folder / name) + ": cannot be written: Permission denied");
    }
    ::chmod(folder.path().c_str(), 0755);
    CHECK(read_bytes(folder / "x") == "old");
    CHECK(read_bytes(folder / "open/x") == "old");
    CHECK(folder.count() == 2);
  }

  TEST_CASE("what is no place for a file is refused with its path") {
    const TemporaryFolder folder;
    CHECK(refusal([&] { write_file(folder / "none/x", "new"); }) ==
          "Error: " + (folder / "none/x") + ": the folder cannot be opened: No such file or directory");
    CHECK(refusal([&] { write_file(folder.path(), "new"); }) ==
          "Error: " + folder.path() + ": is not a regular file");
    CHECK(refusal([] { write_file("/dev/null", "new"); }) == "Error: /dev/null: is not a regular file");
    CHECK(refusal([&] { write_file(folder / "none/", "new"); }) ==
          "Error: " + (folder / "none/") + ": is not the name of a file");
    CHECK(refusal([] { write_file("", "new"); }) == "Error: : is not the name of a file");
    CHECK(folder.count() == 0);
  }
}
