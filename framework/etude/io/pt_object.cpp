#include "etude/io/detail/pt_object.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "etude/core/error.h"

namespace etude::detail {
namespace {

PtFormat registered_pt_format;

bool begins_with(const MappedFile& file, const char* bytes, size_t count) {
  return file.size() >= count && std::memcmp(file.data(), bytes, count) == 0;
}
// Before 1.6: several pickles, the first of which is a magic number.
bool is_pickles(const MappedFile& file) { return begins_with(file, "\x80\x02\x8a\x0al\xfc\x9c", 7); }
// Before 0.1.10: a tar archive.
bool is_tar(const MappedFile& file) {
  constexpr size_t place = 257;
  return file.size() > place + 5 && std::memcmp(file.data() + place, "ustar", 5) == 0;
}

}  // namespace

const PtAttribute* PtObject::find(const std::string& name) const {
  for (const PtAttribute& a : attributes)
    if (a.name == name) return &a;
  return nullptr;
}

bool is_zip(const MappedFile& file) { return begins_with(file, "PK\x03\x04", 4); }
bool is_pt_file(const MappedFile& file) { return is_zip(file) || is_pickles(file) || is_tar(file); }

bool is_pt_name(const std::string& path) {
  const std::string suffix = path.substr(std::min(path.rfind('.'), path.size()));
  return suffix == ".pt" || suffix == ".pth";
}

PtFormat exchange_pt_format(const PtFormat& format) { return std::exchange(registered_pt_format, format); }

const PtFormat& pt_format(const std::string& path) {
  ETUDE_CHECK(
      registered_pt_format.read, path,
      ": files of torch.save and torch::save are read and written by a header of their own\nhint: #include "
      "<etude/io/pt.h>, as <etude/framework.h> does");
  return registered_pt_format;
}

}  // namespace etude::detail
