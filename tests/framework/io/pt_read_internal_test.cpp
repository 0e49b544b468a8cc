// Pickles that PyTorch does not write, in well-formed files.
#include <doctest/doctest.h>

#include <string>

#include "etude/core/error.h"
#include "etude/io/detail/pickle.h"
#include "etude/io/detail/pt_file.h"
#include "etude/io/detail/zip.h"
#include "etude/io/pt.h"
#include "support/pt_files.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("pickles in .pt files" * doctest::skip(!has_pt_files())) {
  namespace {

  using namespace std::string_literals;

  /// The error of reading a pickle (without its protocol opcode) with six floats as storage 0; empty if there is none.
  std::string wrong_with_pickle(const std::string& pickle, const std::string& byteorder = "little") {
    static const TemporaryFolder folder;
    const std::string path = folder / "x.pt", bytes = "\x80\x02" + pickle, zeros(24, '\0');
    std::string written;
    detail::write_zip(
        path,
        {{"data.pkl", bytes.data(), bytes.size()},
         {"byteorder", byteorder.data(), byteorder.size()},
         {"data/0", zeros.data(), zeros.size()}},
        [&written](const void* data, size_t n) { written.append(static_cast<const char*>(data), n); });
    write_bytes(path, written);
    const std::string text = refusal_text([&] { load_pt(path); });
    return text.empty() ? text : text.substr(path.size() + 2);
  }

  std::string text(const std::string& s) { return "\x8c"s + static_cast<char>(s.size()) + s; }

  std::string storage(const std::string& storage_class = "torch\nFloatStorage", const std::string& key = "0",
                      const std::string& count = "K\x06") {
    return "(" + text("storage") + "c" + storage_class + "\n" + text(key) + text("cpu") + count + "tQ";
  }
  /// A call that rebuilds a tensor, from opcodes.
  std::string tensor(const std::string& offset, const std::string& sizes, const std::string& strides,
                     const std::string& of = storage()) {
    return "ctorch._utils\n_rebuild_tensor_v2\n(" + of + offset + "(" + sizes + "t(" + strides + "t\x89}tR";
  }

  bool has_text(const std::string& all, const std::string& part) {
    return all.find(part) != std::string::npos;
  }

  }  // namespace

  TEST_CASE("globals that are not known are types of values that are not read, and nothing is run") {
    CHECK(wrong_with_pickle("cos\nsystem\n" + text("true") + "\x85R.") ==
          "is of the type os.system, which is not read");
    CHECK(wrong_with_pickle(text("builtins") + text("eval") + "\x93.") ==
          "is of the type eval, which is not read");
    CHECK(wrong_with_pickle("ctorch._utils\n_rebuild_sparse_tensor\n.") ==
          "is of the type torch._utils._rebuild_sparse_tensor, which is not read");
    CHECK(wrong_with_pickle("ccollections\nOrderedDict\n.") ==
          "is of the type OrderedDict, which is not read");
    CHECK(wrong_with_pickle("ios\nsystem\n.") ==
          "its pickle has the opcode 105, which is not read, at byte 3");
  }

  TEST_CASE("tensors lie in their storage or are refused") {
    CHECK(wrong_with_pickle(tensor("K\0"s, "K\x02K\x03", "K\x03K\x01") + ".") == "");
    CHECK(wrong_with_pickle(tensor("K\x03", "K\x03", "K\x01") + ".") == "");
    for (const std::string& beyond :
         {tensor("K\x04", "K\x03", "K\x01"), tensor("K\0"s, "K\x03", "K\x03"),
          tensor("K\x07", "K\x01", "K\x01"),
          tensor("K\0"s, "K\x02", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"),
          tensor("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", "K\x02", "K\x01"),
          tensor("K\0"s, "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f" + "K\x02"s, "K\0K\0"s)})
      CHECK(has_text(wrong_with_pickle(beyond + "."), "has a tensor"));
    CHECK(wrong_with_pickle(tensor("J\xff\xff\xff\xff", "K\x03", "K\x01") + ".") ==
          "has a tensor whose sizes and strides do not fit together");
    CHECK(wrong_with_pickle(tensor("K\0"s, "J\xff\xff\xff\xff", "K\x01") + ".") ==
          "has a tensor with sizes below zero");
    CHECK(wrong_with_pickle(tensor("K\0"s, "K\x01", "J\xff\xff\xff\xff") + ".") ==
          "has a tensor with strides below zero");
    CHECK(wrong_with_pickle(tensor("K\0"s, "K\x01K\x01", "K\x01") + ".") ==
          "has a tensor whose sizes and strides do not fit together");
    CHECK(wrong_with_pickle(tensor("K\0"s, "K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01", "K\x01") + ".") ==
          "has a tensor of more than 8 dims");
    CHECK(wrong_with_pickle(tensor("K\0"s, text("a"), "K\x01") + ".") == "has sizes of another type");
  }

  TEST_CASE("storages have the size that is said, and one type") {
    const auto with = [](const std::string& of) {
      return wrong_with_pickle(tensor("K\0"s, "K\x01", "K\x01", of) + ".");
    };
    CHECK(with(storage()) == "");
    CHECK(with(storage("torch\nFloatStorage", "0", "K\x05")) ==
          "its data/0 has 24 bytes, which are not those of 5 numbers in a FloatStorage");
    CHECK(with(storage("torch\nFloatStorage", "0", "J\xff\xff\xff\xff")) ==
          "its data/0 has 24 bytes, which are not those of -1 numbers in a FloatStorage");
    CHECK(with(storage("torch\nFloatStorage", "1")) == "has no data/1");
    CHECK(with(storage("torch\nFloatStorage", "../version")) == "has no data/../version");
    CHECK(has_text(with(storage("torch\nQInt8Storage")),
                   "is of the type torch.QInt8Storage, which is not read"));
    CHECK(with(storage("torch\nSize")) == "has a storage of another class");
    CHECK(wrong_with_pickle("(" + tensor("K\0"s, "K\x01", "K\x01") +
                            tensor("K\0"s, "K\x01", "K\x01", storage("torch\nIntStorage")) + "t.") ==
          "has a storage as FloatStorage and as IntStorage, which is not supported");
  }

  TEST_CASE("a tensor where another is not read, and one in what is not read") {
    const std::string w = text("w") + tensor("K\0"s, "K\x02", "K\x01"),
                      namespace_of = "cargparse\nNamespace\n)\x81";
    CHECK(wrong_with_pickle("}(" + w + text("x") + namespace_of + "}" + text("lr") + "K\x01sbu.") == "");
    CHECK(wrong_with_pickle("}(" + w + text("x") + namespace_of + "}" + w + "sbu.") ==
          "has tensors that are not read: \"x\" (argparse.Namespace)");
    CHECK(wrong_with_pickle("}(" + w + text("x") + storage() + "u.") ==
          "has tensors that are not read: \"x\" (storage)");
    CHECK(wrong_with_pickle("}(" + w + text("x") + "}K\x01" + namespace_of + "s" + text("y") + "}" +
                            namespace_of + "K\x01su.") == "");
    CHECK(wrong_with_pickle("}(" + w + text("x") + "}N" + tensor("K\0"s, "K\x02", "K\x01") + "su.") ==
          "has tensors that are not read: \"x\" (dict with other keys than texts and integers)");
    // A damaged tensor is damage, and not another type.
    CHECK(wrong_with_pickle("}(" + w + text("x") + tensor("K\x04", "K\x03", "K\x01") + "u.") != "");
  }

  TEST_CASE("a default dict is a dict, whatever its defaults are") {
    const std::string made = "ccollections\ndefaultdict\n";
    CHECK(wrong_with_pickle(made + "cos\nsystem\n\x85R" + text("w") + tensor("K\0"s, "K\x02", "K\x01") +
                            "s.") == "");
    CHECK(wrong_with_pickle(made + ")R.") == "");
    CHECK(wrong_with_pickle("ccollections\nOrderedDict\nN\x85R.") ==
          "its pickle has an OrderedDict with arguments at byte 30");
  }

  TEST_CASE("big-endian files are refused") {
    CHECK(wrong_with_pickle("K\x01.", "big") == "has big-endian numbers, which are not read");
  }

  TEST_CASE("pickles that no stack can follow are refused") {
    CHECK(wrong_with_pickle("K\x01.") == "");
    for (const char* pickle : {"",
                               "K",
                               ".",
                               "K\x01",
                               "K\x01K\x01.",
                               "(K\x01.",
                               "t.",
                               "R.",
                               "h\x01.",
                               "K\x01u.",
                               "]K\x01u.",
                               "](K\x01u.",
                               "}(K\x01u.",
                               "a.",
                               "]s.",
                               "X\xff\xff\xff\xff.",
                               "K\x01)R.",
                               "\x8a\x09.",
                               "K\x01K\x01"
                               "b.",
                               "ctorch",
                               "Q.",
                               "}Q.",
                               "))\x81."})
      CHECK(wrong_with_pickle(pickle) != "");
    CHECK(wrong_with_pickle("j\xff\xff\xff\xff.") ==
          "its pickle recalls what it has not remembered at byte 7");
    CHECK(wrong_with_pickle("}}K\x01s.") ==
          "is of the type dict with other keys than texts and integers, which is not read");
    CHECK(wrong_with_pickle("}(K\x01NK\x01Nu.") == "has two values of the name \"1\"");
  }

  TEST_CASE("depth and number of values are bounded") {
    CHECK(has_text(wrong_with_pickle("]q\x01h\x01"
                                     "a" +
                                     text(std::string(100, 'x')) + "\x86."),
                   "nested deeper than 64"));  // a list in itself
    std::string doubled = "N";
    for (int i = 0; i < 40; ++i) doubled += "q\x01h\x01\x86";  // 2^40 values
    CHECK(wrong_with_pickle(doubled + ".") == "has more values than its pickle is long");
    // A long text, used by two bytes each time as a value, or as a key.
    std::string values = "](X"s + std::string("\x10\x27\0\0", 4) + std::string(10000, 'x') + "q\x01",
                keys = values;
    for (int i = 0; i < 1000; ++i) values += "h\x01";
    for (int i = 0; i < 1000; ++i) keys += "}h\x01Ns";
    CHECK(wrong_with_pickle(values + "e.") == "has much longer texts than its pickle");
    CHECK(wrong_with_pickle(keys + "e.") == "has much longer texts than its pickle");
    CHECK(has_text(wrong_with_pickle(std::string(100000, ']') + std::string(99999, 'a') + "."),
                   "nested deeper than 64"));
  }

  TEST_CASE("names that meet when they are joined are refused") {
    CHECK(wrong_with_pickle("}(" + text("a.b") + "K\x01" + text("a") + "}" + text("b") + "K\x02su.") ==
          "has two values of the name \"a.b\"");
  }
}
