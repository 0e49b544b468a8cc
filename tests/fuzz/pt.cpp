#include "etude/io/pt.h"

#include <fstream>

#include "etude/core/error.h"
#include "etude/io/detail/zip.h"
#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "etude/optim/adam.h"
#include "fuzz/file_in_memory.h"
#include "fuzz/seed.h"

using namespace etude;

namespace {

// An archive with most changes is refused for its checksums, before its pickle is read. So bytes that do not begin like an
// archive are used as the pickle of a valid one.
std::string archive_of(const uint8_t* data, size_t size) {
  const std::string numbers("\0\0\x80\x3f\0\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
  std::string bytes;
  detail::write_zip(
      "the archive",
      {{"data.pkl", data, size}, {"data/0", numbers.data(), numbers.size()}, {"data/1", numbers.data(), 8}},
      [&bytes](const void* piece, size_t n) { bytes.append(static_cast<const char*>(piece), n); });
  return bytes;
}

void read_all(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& item : list_pt(path))
    if (item->dtype) names.push_back(item.key());
  for (const auto& item : load_pt(path, names)) item->clone();  // reads every element
  serialize::InputArchive archive;
  archive.load_from(path);
  const Tensor w = ones({2}).requires_grad_();
  optim::Adam optimizer(std::vector<Tensor>{w}, optim::AdamOptions(0.1));
  for (const std::string& key : archive.keys()) {
    IValue value;
    archive.try_read(key, value);
  }
  archive >> optimizer;
}

}  // namespace

// The pickles of the files in tests/golden/io, which are seeds themselves.
void write_seeds(const std::string& folder) {
  for (const char* name : {"python", "python_protocol_4", "python_adam", "libtorch_adam", "libtorch_archive",
                           "libtorch_module", "python_others", "python_beside_protocol_5", "python_unread"}) {
    detail::ZipReader archive(detail::MappedFile::open(std::string("tests/golden/io/") + name + ".pt"));
    const auto pickle = archive.read("data.pkl");
    std::ofstream(folder + '/' + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(pickle->data()), static_cast<std::streamsize>(pickle->size()));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool is_pickle = size > 0 && data[0] == 0x80;
  const std::string bytes =
      is_pickle ? archive_of(data, size) : std::string(reinterpret_cast<const char*>(data), size);
  const FileInMemory file(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  try {
    read_all(file.path());
  } catch (const Error&) {
  }
  return 0;
}
