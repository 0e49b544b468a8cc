#include "support/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tutorials {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& doing, const fs::path& path, const std::string& why) {
  throw FileError("cannot " + doing + " " + path.string() + ": " + why);
}

std::string last_error() { return errno != 0 ? std::strerror(errno) : "unknown error"; }

}  // namespace

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail("read", path, "it is a folder");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("read", path, last_error());
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) fail("read", path, last_error());
  return bytes;
}

void write_file(const fs::path& path, const std::string& bytes) {
  fs::path temporary = path;
  temporary += ".tmp" + std::to_string(::getpid());
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  if (!out) {
    const std::string why = last_error();
    fs::remove(temporary, error);
    fail("write", path, why);
  }
  fs::rename(temporary, path, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove(temporary, error);
  fail("write", path, why);
}

fs::path source_file(const std::string& relative) {
  // This file is <root>/tutorials/support/files.cpp.
  const fs::path root = fs::path(__FILE__).parent_path().parent_path().parent_path();
  std::error_code ignored;
  const fs::path compiled_in = root / relative;
  return fs::exists(compiled_in, ignored) ? compiled_in : fs::path(relative);
}

}  // namespace tutorials
