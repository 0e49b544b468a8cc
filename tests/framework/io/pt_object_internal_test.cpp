#include "etude/io/detail/pt_object.h"

#include <doctest/doctest.h>

#include <cstring>

#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

namespace etude {

static detail::FileContents five_in_any_file(const std::shared_ptr<const detail::MappedFile>&) {
  detail::FileContents contents;
  contents.tensors.insert("0", tensor(5.0));
  return contents;
}

TEST_SUITE("pt_object") {
  TEST_CASE("an attribute is found by its name") {
    detail::PtObject object;
    object.insert("a", IValue(int64_t{1}));
    object.insert("b", std::make_shared<detail::PtObject>());
    CHECK(object.find("a")->value.toInt() == 1);
    CHECK(object.find("b")->object);
    CHECK_FALSE(object.find("c"));
  }

  TEST_CASE("an archive of zip is known by how it begins, and a file to be one of PyTorch by its name") {
    const auto begins_with = [](const std::string& text) {
      const auto file = detail::MappedFile::in_memory("x", text.size());
      if (!text.empty()) std::memcpy(file->data(), text.data(), text.size());
      return detail::is_zip(*file);
    };
    CHECK(begins_with("PK\x03\x04"));
    CHECK_FALSE(begins_with(""));
    CHECK_FALSE(begins_with("PK"));
    CHECK_FALSE(begins_with("PK\x03\x05"));
    for (const char* name : {"a.pt", "a.b.pth"}) CHECK(detail::is_pt_name(name));
    for (const char* name : {"", "pt", "a.ptx", "a.pt.safetensors"}) CHECK_FALSE(detail::is_pt_name(name));
  }

  TEST_CASE("archives read and write PyTorch's files by what is registered") {
    const TemporaryFolder folder;
    const std::string path = folder / "t.pt";
    write_bytes(path, "PK\x03\x04");
    const detail::PtFormat registered = detail::exchange_pt_format({});
    Tensor t;
    const std::string refused =
        path + ": files of torch.save and torch::save are read and written by a header of their own";
    const std::string load_refused = refusal_text([&] { load(t, path); });
    const std::string save_refused = refusal_text([&] { save(ones({2}), path); });
    detail::exchange_pt_format({five_in_any_file, nullptr});
    load(t, path);
    detail::exchange_pt_format(registered);
    CHECK(load_refused == refused);
    CHECK(save_refused == refused);
    CHECK(t.item<float>() == 5);
  }
}

}  // namespace etude
