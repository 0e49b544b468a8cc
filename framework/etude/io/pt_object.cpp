#include "etude/io/detail/pt_object.h"

#include <algorithm>
#include <utility>

#include "etude/core/error.h"

namespace etude::detail {
namespace {

PtFormat registered_pt_format;

}  // namespace

const PtAttribute* PtObject::find(const std::string& name) const {
  for (const PtAttribute& a : attributes)
    if (a.name == name) return &a;
  return nullptr;
}

bool is_zip(const MappedFile& file) { return file.text().substr(0, 4) == "PK\x03\x04"; }

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
