// .pt files from Python's torch.save (tests/golden/io/make_pt.py), and load_pt and save_pt, which LibTorch lacks.
#include "etude/io/pt.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "etude/io/safetensors.h"
#include "etude/io/serialize.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"
#include "etude/optim/adam.h"
#include "support/mutated_bytes.h"
#include "support/pt_files.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("load_pt and save_pt" * doctest::skip(!has_pt_files())) {
  namespace {

  const std::string golden = std::string(ETUDE_GOLDEN_DIR) + "/io/";
  using Tensors = OrderedDict<std::string, Tensor>;

  Tensor counted(ScalarType dtype) { return etude::arange(6).view({2, 3}).to(dtype); }

  serialize::InputArchive archive_of(const std::string& name) {
    serialize::InputArchive archive;
    archive.load_from(golden + name);
    return archive;
  }

  void check_tied(const Tensors& tensors, const std::string& prefix) {
    const Tensor w = tensors[prefix + "wte.weight"];
    CHECK(same(w, counted(kFloat)));
    CHECK(tensors[prefix + "columns"].strides().vec() == std::vector<int64_t>{1, 3});
    CHECK(tensors[prefix + "lm_head.weight"].data_ptr() == w.data_ptr());
    w[1][2] = 10;
    CHECK(tensors[prefix + "row"][2].item<float>() == 10);
    CHECK(tensors[prefix + "columns"][2][1].item<float>() == 10);
  }

  }  // namespace

  TEST_CASE("a file of Python has its tensors under joined names") {
    const Tensors tensors = load_pt(golden + "python.pt");
    check_tied(tensors, "tied.");
    const std::vector<std::pair<std::string, ScalarType>> types = {
        {"float32", kFloat}, {"float64", kDouble}, {"bfloat16", kBFloat16}, {"int64", kLong},
        {"int32", kInt},     {"uint8", kByte},     {"bool", kBool}};
    for (const auto& [name, dtype] : types) CHECK(same(tensors["types." + name], counted(dtype)));
    CHECK(tensors["types.float16"].to(kFloat).equal(counted(kFloat)));
    CHECK(tensors["parameter"].requires_grad());
    CHECK_FALSE(tensors["tied.row"].requires_grad());
    CHECK(tensors["zero"].sizes().vec() == std::vector<int64_t>{0, 2});
    CHECK(tensors["one"].item<float>() == 5);
    CHECK(tensors.size() == 15);
    CHECK(str(load_pt(golden + "python_int8.pt")["0"]) ==
          "tensor([   1,   -2,  127, -128], dtype=torch.int8)");
  }

  TEST_CASE("a file of Python has its values in an archive") {
    serialize::InputArchive archive = archive_of("python.pt"), values;
    archive.read("values", values);
    const auto value = [&values](const char* key) {
      IValue v;
      values.read(key, v);
      return v;
    };
    CHECK(value("epoch").toInt() == 3);
    CHECK(value("big").toInt() == int64_t{1} << 40);
    CHECK(value("negative").toInt() == -7);
    CHECK(value("lr").toDouble() == 0.1);
    CHECK(value("name").toStringRef() == "caf\u00e9");
    CHECK(value("none").isNone());
    CHECK(value("yes").toBool());
    CHECK(value("counts").toIntVector() == std::vector<int64_t>{1, 2, 300, 70000});
    CHECK(value("betas").toDoubleVector() == std::vector<double>{0.9, 0.999});
    CHECK(value("size").toIntVector() == std::vector<int64_t>{2, 3});
    CHECK(value("dtype").toStringRef() == "torch.float32");
    CHECK(value("device").toStringRef() == "cpu");
    CHECK(value("no_items").toIntVector().empty());
    serialize::InputArchive mixed, empty;
    values.read("mixed", mixed);
    CHECK(mixed.keys() == std::vector<std::string>{"0", "1"});
    values.read("empty", empty);
    CHECK(empty.keys().empty());
  }

  TEST_CASE("other protocols, single tensors and lists are read") {
    check_tied(load_pt(golden + "python_protocol_4.pt"), "");
    Tensor t;
    load(t, golden + "python_tensor.pt");
    CHECK(t.equal(counted(kFloat).t()));
    CHECK(t.requires_grad());
    std::vector<Tensor> list;
    load(list, golden + "python_list.pt");
    REQUIRE(list.size() == 2);
    CHECK(list[1].data_ptr() == list[0].data_ptr());
  }

  TEST_CASE("an optimizer of Python goes on") {
    Tensor p = etude::zeros({2}).requires_grad_(), q = etude::zeros({3}).requires_grad_();
    optim::Adam adam({p}, optim::AdamOptions(1));
    adam.add_param_group(optim::OptimizerParamGroup({q}));
    serialize::InputArchive archive = archive_of("python_adam.pt"), saved;
    archive.read("optimizer", saved);
    adam.load(saved);
    const auto& options = static_cast<optim::AdamOptions&>(adam.param_groups()[0].options());
    CHECK(options.lr() == 0.5);
    CHECK(std::get<1>(options.betas()) == 0.75);
    p.mutable_grad() = etude::ones_like(p);
    q.mutable_grad() = etude::full_like(q, 2);
    adam.step();  // the gradient stays the same, so the step is lr
    CHECK(etude::allclose(p, etude::full({2}, -0.5)));
    CHECK(etude::allclose(q, etude::full({3}, -0.25)));
  }

  TEST_CASE("what is saved is loaded, and what shares memory shares it again") {
    const TemporaryFolder folder;
    const Tensor w = counted(kFloat);
    save_pt(
        folder / "x.pt",
        {{"wte.weight", w}, {"lm_head.weight", w}, {"row", w[1]}, {"columns", w.t()}, {"other", w.clone()}});
    CHECK(folder.count() == 1);
    const Tensors loaded = load_pt(folder / "x.pt");
    check_tied(loaded, "");
    CHECK(loaded["other"].equal(w));
    CHECK(loaded.size() == 5);
    save_pt(folder / "x.pt", Tensors());
    CHECK(load_pt(folder / "x.pt").is_empty());
  }

  TEST_CASE("of a large storage only what a tensor needs is written") {
    const TemporaryFolder folder;
    const Tensor large = etude::zeros({1000, 1000});
    save_pt(folder / "x.pt", {{"a", large[3]}, {"b", large[3].slice(0, 10, 20)}, {"c", large[500]}});
    CHECK(std::filesystem::file_size(folder / "x.pt") < 10000);
    const Tensors loaded = load_pt(folder / "x.pt");
    CHECK(static_cast<float*>(loaded["b"].data_ptr()) == static_cast<float*>(loaded["a"].data_ptr()) + 10);
  }

  TEST_CASE("an undefined tensor is refused, and the old file stays") {
    const TemporaryFolder folder;
    write_bytes(folder / "x.pt", "old");
    CHECK(refusal_text([&] {
            save_pt(folder / "x.pt", {{"a", Tensor()}});
          }) == (folder / "x.pt") + ": the tensor \"a\" is undefined");
    CHECK(read_bytes(folder / "x.pt") == "old");
  }

  TEST_CASE("what is not read is refused by its name") {
    const auto refused = [](const std::string& name) {
      return refusal_lines([&] { load_pt(golden + name); }).substr((golden + name).size() + 2);
    };
    CHECK(
        refused("python_module.pt") ==
        "is of the type torch.nn.modules.linear.Linear, which is not read\nhint: save tensors, or dicts and "
        "lists of them; in Python, torch.save(model.state_dict(), path)");
    CHECK(refused("python_before_1.6.pt") ==
          "is a file of torch.save from before PyTorch 1.6, and no file of PyTorch 1.6 or later\nhint: "
          "convert it in Python: "
          "torch.save(torch.load(path), new_path)");
    CHECK(refused("python_complex.pt")
              .rfind("is of the type torch.ComplexFloatStorage, which is not read\nhint: ", 0) == 0);
  }

  TEST_CASE("values that are not read are named, and hide no others") {
    for (const char* name : {"python_others.pt", "python_others_protocol_4.pt"}) {
      CAPTURE(name);
      const std::string path = golden + name;
      const auto list = list_pt(path);
      const OrderedDict<std::string, std::string> types = {{"set", "set"},
                                                           {"frozen", "frozenset"},
                                                           {"bytes", "bytes"},
                                                           {"complex", "complex"},
                                                           {"large", "int"},
                                                           {"args", "argparse.Namespace"},
                                                           {"best", "numpy.core.multiarray.scalar"},
                                                           {"array", "numpy.core.multiarray._reconstruct"},
                                                           {"mixed.1", "set"},
                                                           {"phase", "torch.ComplexFloatStorage"},
                                                           {"layer", "argparse.Namespace"},
                                                           {"counts.a", "Int"},
                                                           {"epoch", "Int"},
                                                           {"mixed.0", "Int"}};
      CHECK(list.size() == types.size() + 1);
      for (const auto& item : types) {
        CAPTURE(item.key());
        REQUIRE(list.contains(item.key()));
        CHECK(list[item.key()].type == item.value());
        CHECK_FALSE(list[item.key()].dtype);
      }
      CHECK(list.front().key() == "w");
      CHECK(list["w"].dtype == kFloat);
      CHECK(list["w"].sizes == std::vector<int64_t>{2});
      CHECK(list["w"].nbytes == 8);

      CHECK(load_pt(path, {"w"})["w"].equal(etude::ones({2})));
      CHECK(refusal([&] {
              load_pt(path, {"w", "phase"});
            }) ==
            "Error: " + path + ": \"phase\" is of the type torch.ComplexFloatStorage, which is not read");
      CHECK(refusal_text([&] { load_pt(path, {"v"}); }) == path + ": has no tensor \"v\", but \"w\"");
      CHECK(refusal([&] { load_pt(path); }) ==
            "Error: " + path +
                ": has tensors that are not read: \"layer\" (argparse.Namespace), \"phase\" "
                "(torch.ComplexFloatStorage)");

      serialize::InputArchive archive = archive_of(name), counts;
      Tensor w;
      IValue v;
      archive.read("w", w);
      CHECK(w.equal(etude::ones({2})));
      archive.read("counts", counts);
      counts.read("a", v);
      CHECK(v.toInt() == 2);
      CHECK(refusal([&] { archive.try_read("args", v); }) ==
            "Error: " + path + ": \"args\" is of the type argparse.Namespace, which is not read");
      CHECK_FALSE(refusal([&] { archive.read("phase", w); }).empty());
      CHECK_FALSE(refusal([&] { archive.read("layer", counts); }).empty());
    }
  }

  TEST_CASE("what training scripts keep beside weights is left out") {
    const std::string path = golden + "python_beside_protocol_5.pt";
    const Tensors tensors = load_pt(path);
    CHECK(tensors.keys() == std::vector<std::string>{"w", "logs.w"});
    CHECK(same(tensors["w"], counted(kFloat)));
    CHECK(tensors["w"].data_ptr() == tensors["logs.w"].data_ptr());
    const OrderedDict<std::string, std::string> types = {
        {"epoch", "Int"},
        {"logs.loss", "GenericList"},
        {"mixed.0", "Int"},
        {"args", "argparse.Namespace"},
        {"array", "numpy.core.numeric._frombuffer"},
        {"best", "numpy.core.multiarray.scalar"},
        {"bytearray", "bytes"},
        {"bytes", "bytes"},
        {"class", "torch.optim.adam.Adam"},
        {"complex", "complex"},
        {"counter", "collections.Counter"},
        {"deque", "collections.deque"},
        {"dtype", "torch.complex64"},
        {"frozen", "frozenset"},
        {"function", "len"},
        {"large", "int"},
        {"mixed.1", "set"},
        {"pairs", "dict with other keys than texts and integers"},
        {"path", "pathlib.PurePosixPath"},
        {"set", "set"},
        {"settings", "__main__.Settings"}};
    const auto list = list_pt(path);
    CHECK(list.size() == tensors.size() + types.size());
    for (const auto& item : types) {
      CAPTURE(item.key());
      REQUIRE(list.contains(item.key()));
      CHECK(list[item.key()].type == item.value());
      CHECK_FALSE(list[item.key()].dtype);
    }
    serialize::InputArchive archive = archive_of("python_beside_protocol_5.pt");
    CHECK(archive.keys() == std::vector<std::string>{"epoch", "logs", "mixed", "w"});
    const std::string bytes = read_bytes(path);
    CHECK(refusal_text([&] {
            pickle_load({bytes.begin(), bytes.end()});
          }).rfind("the pickle: has a value of the type ", 0) == 0);
  }

  TEST_CASE("tensors that are not read hide no others, and are not left out in silence") {
    const std::string path = golden + "python_unread.pt";
    CHECK(refusal_lines([&] { load_pt(path); }) ==
          path +
              ": has tensors that are not read: \"complex\" (torch.ComplexFloatStorage), \"list.1\" "
              "(torch.ShortStorage), \"model\" (torch.nn.modules.linear.Linear), \"pairs\" (dict with other "
              "keys "
              "than texts and integers), \"short\" (torch.ShortStorage), \"sparse\" "
              "(torch._utils._rebuild_sparse_tensor), \"state\" (__main__.State), \"storage\" (storage)\n"
              "hint: load_pt(path, names) reads others; in Python, save model.state_dict()");
    CHECK_THROWS_AS(load_pt(path), TypeError);
    CHECK_THROWS_AS(load_pt(path, {"short"}), TypeError);
    const Tensors some = load_pt(path, {"list.0", "w"});
    CHECK(some.keys() == std::vector<std::string>{"list.0", "w"});
    CHECK(same(some["w"], counted(kFloat)));
    CHECK(some["w"].data_ptr() == some["list.0"].data_ptr());
    CHECK(refusal([&] {
            load_pt(path, {"w", "short"});
          }) == "Error: " + path + ": \"short\" is of the type torch.ShortStorage, which is not read");
    CHECK(refusal([&] { load_pt(path, {"x"}); }) ==
          "Error: " + path + ": has no tensor \"x\", but \"w\", \"list.0\"");
    CHECK(list_pt(path)["model"].type == "torch.nn.modules.linear.Linear");
    serialize::InputArchive archive, model;
    archive.load_from(path);
    CHECK(refusal_text([&] { archive.read("model", model); }) ==
          path + ": \"model\" is of the type torch.nn.modules.linear.Linear, which is not read");
  }

  TEST_CASE("a file of a PyTorch with more dtypes is read as far as it can be") {
    const std::string path = golden + "python_today.pt";
    const auto list = list_pt(path);
    CHECK(list.keys() == std::vector<std::string>{"w", "array", "best", "f8", "u16"});
    CHECK(same(load_pt(path, {"w"})["w"], counted(kFloat)));
    CHECK(refusal_text([&] { load_pt(path); }) ==
          path +
              ": has tensors that are not read: \"f8\" (torch._utils._rebuild_tensor_v3), \"u16\" "
              "(torch._utils._rebuild_tensor_v3)");
  }

  TEST_CASE("a list names types of values and empty dicts") {
    const auto list = list_pt(golden + "python.pt");
    for (const auto& [name, type] :
         std::vector<std::pair<const char*, const char*>>{{"values.epoch", "Int"},
                                                          {"values.lr", "Double"},
                                                          {"values.name", "String"},
                                                          {"values.none", "None"},
                                                          {"values.yes", "Bool"},
                                                          {"values.empty", "GenericDict"},
                                                          {"values.counts", "GenericList"},
                                                          {"types.float16", "torch.float16"}})
      CHECK(list[name].type == type);
    CHECK(list_pt(golden + "python_list.pt").keys() == std::vector<std::string>{"0", "1"});
    CHECK(list["types.float16"].nbytes == 12);
  }

  TEST_CASE("a pickle of a dict is one as an IValue, but a list of many types is none") {
    GenericDict layer, state;
    const Tensor weight = etude::ones({2, 3});
    layer.insert_or_assign("weight", etude::zeros({2, 3}));
    layer.insert_or_assign("weight", weight);
    state.insert_or_assign("layer", layer);
    state.insert_or_assign("steps", 3);
    CHECK((layer.size() == 1 && state.contains("layer") && !state.contains("steps ")));
    const GenericDict again = pickle_load(pickle_save(state)).toGenericDict();
    REQUIRE(again.size() == 2);
    CHECK(again.begin()->key().toStringRef() == "layer");
    CHECK(again.at("layer").toGenericDict().at("weight").toTensor().equal(weight));
    CHECK(again.at("steps").toInt() == 3);
    CHECK(refusal([&] { again.at("none"); }) == "IndexError: Argument passed to at() was not in the map.");
    CHECK(refusal_text([&] { layer.insert_or_assign(weight, 1); }) ==
          "a key of a dict is a text or a number, but got Tensor");
    layer.insert_or_assign(7, 1);
    CHECK(refusal_text([&] { pickle_save(state); }) ==
          "pickle_save: a dict's keys have to be texts, but got Int");
    CHECK(IValue(state).tagKind() == "GenericDict");
    CHECK(refusal_text([&] { IValue(3).toGenericDict(); }) == "Expected GenericDict but got Int");
  }

  TEST_CASE("dicts of Python are read as IValues, lists of many types are refused") {
    const auto loaded = [](const char* name) {
      const std::string bytes = read_bytes(golden + name);
      return pickle_load({bytes.begin(), bytes.end()});
    };
    const GenericDict dict = loaded("python_dict.pt").toGenericDict();
    REQUIRE(dict.size() == 2);
    CHECK(dict.at(7).toInt() == 3);
    CHECK_FALSE(dict.contains("7"));
    const auto tensors = load_pt(golden + "python_dict.pt");
    CHECK(dict.at("layer").toGenericDict().at("weight").toTensor().equal(tensors["layer.weight"]));
    CHECK(refusal_text([&] { loaded("python.pt"); }) ==
          "the pickle: has a list of many types, which an IValue does not hold");
  }

  TEST_CASE("files with changed, removed and added bytes give tensors or an error") {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    int read = 0, refused = 0;
    for (const char* name : {"python", "python_protocol_4", "python_others", "python_others_protocol_4",
                             "libtorch_adam", "libtorch_archive"}) {
      const std::string whole = read_bytes(golden + name + ".pt");
      for (int i = 0; i < 1000; ++i) {
        const std::string bytes =
            mutated(whole, random, "PK()]}tuRqhcQ.", [&](size_t size) { return random() % size; });
        write_bytes(folder / "x", bytes);
        try {
          for (const auto& item : load_pt(folder / "x")) item->sum().to(kDouble).item<double>();
          ++read;
        } catch (const Error& e) {
          REQUIRE(e.msg().rfind(folder / "x", 0) == 0);
          ++refused;
        }
      }
    }
    CHECK(read > 50);
    CHECK(refused > 1000);
  }
}
