/// # Files of a model
///
/// - You will be able to: say what each file in a model's folder is for; write a safetensors file
///   byte by byte and read one number of it; count a model's parameters and bytes from its
///   configuration
/// - You need: [training a GPT](11_training_a_gpt.cpp), [byte pairs](15_byte_pairs.cpp),
///   [rotary positions](16_positions.cpp)
/// - Minutes: 40
/// - Result: bytes_plot
///
/// A model that somebody has trained arrives as a folder. One file says how to build it, one or
/// several hold its numbers, one cuts text into ids, and one says how to draw the next id. None
/// of them is a program. All are JSON or plain numbers, so any program that knows the forms can
/// read the model. The library `transformers` writes such folders, and most published models are
/// kept in one.
///
/// ```diagram What each file is needed for
/// config: config.json | weights: model.safetensors
/// tokenizer: tokenizer.json | build: (build, fill by name)
/// ids: (text to ids) | run: (forward pass)
/// generation: generation_config.json | draw: (draw the next id)
/// config -> build ; weights -> build ; build -> run
/// tokenizer -> ids ; generation -> draw
/// ids -> run ; run -> draw
/// ```
///
/// This lesson makes each of these files, for a Llama [1] that is trained in a second. It begins
/// with the plan, writes a file of numbers by hand, and teaches the model one sentence. Then it
/// gives tensors wrong names and listens to what the model says. In the end it opens the folder
/// as a stranger would.

#include "support/expressions.h"
#include "support/files.h"
#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% config | The plan: config.json
/// Weights are numbers without a plan. The plan is a small file of JSON. `model_type` says which
/// code to use. The other entries are what this code has to know: how many layers, how many
/// heads, how wide. Our model has four heads of queries and two heads of keys and values, so two
/// heads of queries share one of keys ([grouped heads](22_grouped_heads.cpp)).
///
/// Some entries do not show in any weight, above all the $\epsilon$ of the norms, the base of
/// the rotary positions, and the activation. If one of them is wrong, everything loads. The
/// model is only worse than it should be.
///
/// A reader meets several spellings. Version 5 of `transformers` writes `dtype` where earlier
/// ones wrote `torch_dtype`, and keeps the base of the positions inside of an entry
/// `rope_parameters`.
///
/// ```python
/// import json
/// import math
/// import mmap
/// import os
/// import re
/// import struct
/// import tempfile
/// import time
/// import torch
/// import torch.nn.functional as F
///
/// folder = tempfile.TemporaryDirectory()
///
/// def place(name):
///     return os.path.join(folder.name, name)
///
/// def read(name):
///     with open(place(name), "rb") as file:
///         return file.read()
///
/// def write(name, data):
///     with open(place(name), "wb") as file:
///         file.write(data)
///
/// def text_of(value):
///     return json.dumps(value, indent=2, sort_keys=True,
///                       ensure_ascii=False)
///
/// config = {
///     "architectures": ["LlamaForCausalLM"],
///     "bos_token_id": 0,
///     "eos_token_id": 1,
///     "hidden_act": "silu",
///     "hidden_size": 16,
///     "intermediate_size": 24,
///     "max_position_embeddings": 64,
///     "model_type": "llama",
///     "num_attention_heads": 4,
///     "num_hidden_layers": 2,
///     "num_key_value_heads": 2,
///     "rms_norm_eps": 1e-05,
///     "rope_theta": 10000.0,
///     "tie_word_embeddings": False,
///     "torch_dtype": "float32",
///     "vocab_size": 32,
/// }
/// write("config.json", text_of(config).encode())
/// print(text_of(config))
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::print, etude::Tensor;
using nlohmann::json;  // its keys are sorted
using Ids = std::vector<int64_t>;
using Shapes = std::map<std::string, std::vector<int64_t>>;
using Weights = std::map<std::string, Tensor>;

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "21_files_of_a_model");
  cell("config", "The plan: config.json");

  etude::set_num_threads(1);  // the tensors are too small to be worth sharing out

  namespace fs = std::filesystem;
  const std::string folder_name = "etude_files_" + std::to_string(std::random_device{}());
  const fs::path folder = fs::temp_directory_path() / folder_name;
  fs::create_directories(folder);
  struct Removed {
    fs::path path;
    ~Removed() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } const removed{folder};
  const auto place = [&](const std::string& name) { return (folder / name).string(); };
  const auto text_of = [](const json& value) { return value.dump(2); };

  const int64_t layers = parameter("layers", 2, 1, 4);
  const json config{{"architectures", {"LlamaForCausalLM"}},
                    {"bos_token_id", 0},
                    {"eos_token_id", 1},
                    {"hidden_act", "silu"},
                    {"hidden_size", 16},
                    {"intermediate_size", 24},
                    {"max_position_embeddings", 64},
                    {"model_type", "llama"},
                    {"num_attention_heads", 4},
                    {"num_hidden_layers", layers},
                    {"num_key_value_heads", 2},
                    {"rms_norm_eps", 1e-05},
                    {"rope_theta", 10000.0},
                    {"tie_word_embeddings", false},
                    {"torch_dtype", "float32"},
                    {"vocab_size", 32}};
  write_file(place("config.json"), text_of(config));
  print(text_of(config));

  //%% shapes | Which tensors there have to be
  cell("shapes", "Which tensors there have to be");
  /// The plan says which tensors exist, before any file of weights is opened. The width is `d`,
  /// queries have `heads * width` numbers, keys and values have `kv * width`. A matrix is stored
  /// as `nn.Linear` has it: first the outputs, then the inputs.
  ///
  /// Entries may be missing, and a missing entry has a meaning too. Without
  /// `num_key_value_heads` each query has its own key. Without `head_dim` the heads share the
  /// width. With `tie_word_embeddings` there is no `lm_head`: the table of words is used twice.
  ///
  /// The output shows the tensors outside the blocks, and those of the first block.
  ///
  /// ```python
  /// def shapes_of(c):
  ///     d, inner = c["hidden_size"], c["intermediate_size"]
  ///     heads = c["num_attention_heads"]
  ///     kv = c.get("num_key_value_heads", heads)
  ///     width = c.get("head_dim", d // heads)
  ///     shapes = {
  ///         "model.embed_tokens.weight": (c["vocab_size"], d),
  ///         "model.norm.weight": (d,),
  ///     }
  ///     if not c.get("tie_word_embeddings", False):
  ///         shapes["lm_head.weight"] = (c["vocab_size"], d)
  ///     block = {
  ///         "input_layernorm": (d,),
  ///         "self_attn.q_proj": (heads * width, d),
  ///         "self_attn.k_proj": (kv * width, d),
  ///         "self_attn.v_proj": (kv * width, d),
  ///         "self_attn.o_proj": (d, heads * width),
  ///         "post_attention_layernorm": (d,),
  ///         "mlp.gate_proj": (inner, d),
  ///         "mlp.up_proj": (inner, d),
  ///         "mlp.down_proj": (d, inner),
  ///     }
  ///     for i in range(c["num_hidden_layers"]):
  ///         for name, shape in block.items():
  ///             shapes[f"model.layers.{i}.{name}.weight"] = shape
  ///     return dict(sorted(shapes.items()))
  ///
  /// for name, shape in shapes_of(config).items():
  ///     if "layers" not in name or "layers.0." in name:
  ///         print(name, shape)
  /// ```
  const auto shapes_of = [](const json& c) {
    const int64_t d = c.at("hidden_size"), inner = c.at("intermediate_size");
    const int64_t heads = c.at("num_attention_heads"), vocabulary = c.at("vocab_size");
    const int64_t kv = c.value("num_key_value_heads", heads);
    const int64_t width = c.value("head_dim", d / heads);
    Shapes shapes{{"model.embed_tokens.weight", {vocabulary, d}}, {"model.norm.weight", {d}}};
    if (!c.value("tie_word_embeddings", false)) shapes["lm_head.weight"] = {vocabulary, d};
    const Shapes block{{"input_layernorm", {d}},
                       {"self_attn.q_proj", {heads * width, d}},
                       {"self_attn.k_proj", {kv * width, d}},
                       {"self_attn.v_proj", {kv * width, d}},
                       {"self_attn.o_proj", {d, heads * width}},
                       {"post_attention_layernorm", {d}},
                       {"mlp.gate_proj", {inner, d}},
                       {"mlp.up_proj", {inner, d}},
                       {"mlp.down_proj", {d, inner}}};
    for (int64_t i = 0; i < c.at("num_hidden_layers"); ++i) {
      for (const auto& [name, shape] : block)
        shapes["model.layers." + std::to_string(i) + "." + name + ".weight"] = shape;
    }
    return shapes;
  };
  for (const auto& [name, shape] : shapes_of(config)) {
    const bool later = name.find("layers") != std::string::npos;
    if (!later || name.find("layers.0.") != std::string::npos) print(name, python_tuple(shape));
  }

  //%% count | Parameters and bytes, from the plan alone
  cell("count", "Parameters and bytes, from the plan alone");
  /// With vocabulary $V$, width $d$, $L$ layers, $h$ heads of queries, $k$ heads of keys, heads
  /// of width $w$ and an inner width $f$, a Llama has
  ///
  /// $$N = 2 V d + d + L \, (2 d h w + 2 d k w + 3 d f + 2 d)$$
  ///
  /// parameters, and $V d$ fewer if the head is tied. In 16 bits each takes two bytes. The
  /// output shows the parameters and the gigabytes of our model and of five that are published.
  /// The published file of Llama 3 8B [2] says that it holds 16,060,522,496 bytes of numbers,
  /// twice the count.
  ///
  /// ```python
  /// def count(c):
  ///     V, d, L = (c["vocab_size"], c["hidden_size"],
  ///                c["num_hidden_layers"])
  ///     h, k, f = (c["num_attention_heads"], c["num_key_value_heads"],
  ///                c["intermediate_size"])
  ///     w = d // h
  ///     tables = 1 if c["tie_word_embeddings"] else 2
  ///     return (tables * V * d + d
  ///             + L * (2 * d * h * w + 2 * d * k * w + 3 * d * f + 2 * d))
  ///
  /// def llama(V, d, f, L, h, k, tied=False):
  ///     return {"vocab_size": V, "hidden_size": d,
  ///             "intermediate_size": f, "num_hidden_layers": L,
  ///             "num_attention_heads": h, "num_key_value_heads": k,
  ///             "tie_word_embeddings": tied}
  ///
  /// models = {
  ///     "ours": config,
  ///     "TinyLlama 1.1B": llama(32000, 2048, 5632, 22, 32, 4),
  ///     "Llama 3.2 1B": llama(128256, 2048, 8192, 16, 32, 8, True),
  ///     "Mistral 7B": llama(32000, 4096, 14336, 32, 32, 8),
  ///     "Llama 3 8B": llama(128256, 4096, 14336, 32, 32, 8),
  ///     "Llama 2 70B": llama(32000, 8192, 28672, 80, 64, 8),
  /// }
  /// for name, c in models.items():
  ///     counted = sum(math.prod(s) for s in shapes_of(c).values())
  ///     assert counted == count(c)
  ///     print(name, counted, f"{2 * counted / 1e9:.2f}")
  /// ```
  const auto count = [](const json& c) {
    const int64_t V = c.at("vocab_size"), d = c.at("hidden_size"), L = c.at("num_hidden_layers");
    const int64_t h = c.at("num_attention_heads"), k = c.at("num_key_value_heads");
    const int64_t f = c.at("intermediate_size"), w = d / h;
    const int64_t tables = c.at("tie_word_embeddings") ? 1 : 2;
    return tables * V * d + d + L * (2 * d * h * w + 2 * d * k * w + 3 * d * f + 2 * d);
  };
  const auto llama = [](int64_t V, int64_t d, int64_t f, int64_t L, int64_t h, int64_t k,
                        bool tied = false) {
    return json{{"vocab_size", V},
                {"hidden_size", d},
                {"intermediate_size", f},
                {"num_hidden_layers", L},
                {"num_attention_heads", h},
                {"num_key_value_heads", k},
                {"tie_word_embeddings", tied}};
  };
  const auto numbers_in = [](const Shapes& shapes) {
    int64_t sum = 0;
    for (const auto& [name, shape] : shapes) {
      int64_t product = 1;
      for (const int64_t size : shape) product *= size;
      sum += product;
    }
    return sum;
  };
  const auto formatted = [](double v, const char* spec) {
    return etude::format(etude::tensor(v, etude::kDouble), spec);
  };

  const std::string kv_heads =
      parameter("llama_3_kv_heads", "8", {"1", "2", "4", "8", "16", "32"});
  const std::vector<std::pair<std::string, json>> models{
      {"ours", config},
      {"TinyLlama 1.1B", llama(32000, 2048, 5632, 22, 32, 4)},
      {"Llama 3.2 1B", llama(128256, 2048, 8192, 16, 32, 8, true)},
      {"Mistral 7B", llama(32000, 4096, 14336, 32, 32, 8)},
      {"Llama 3 8B", llama(128256, 4096, 14336, 32, 32, std::stoi(kv_heads))},
      {"Llama 2 70B", llama(32000, 8192, 28672, 80, 64, 8)}};
  for (const auto& [name, c] : models) {
    const int64_t counted = numbers_in(shapes_of(c));
    expect(counted == count(c), "the formula counts every tensor");
    print(name, counted, formatted(2 * static_cast<double>(counted) / 1e9, ".2f"));
  }

  //%% by_hand | A file of numbers, byte by byte
  cell("by_hand", "A file of numbers, byte by byte");
  /// Now the numbers. A safetensors file [3] has three parts. Eight bytes say how long the
  /// header is. The header is JSON: it gives for each tensor its type, its shape, and where its
  /// bytes begin and end, counted from the end of the header. Then come the numbers, row by row.
  ///
  /// Ours holds five ids as 64-bit integers, `ids`, and a matrix of floats, `words`. Blanks fill
  /// up the header, so that the numbers begin at a multiple of eight, where a processor likes to
  /// find them. All numbers are *little-endian*: the lowest byte comes first. So 16 begins with
  /// its `10`, and 1.0, which is `3f800000` in hexadecimal digits, ends with its `3f`.
  ///
  /// The output shows the length and its bytes, the header, the first two ids, and the matrix.
  ///
  /// ```python
  /// header = {
  ///     "ids": {"dtype": "I64", "shape": [5],
  ///             "data_offsets": [0, 40]},
  ///     "words": {"dtype": "F32", "shape": [2, 3],
  ///               "data_offsets": [40, 64]},
  /// }
  /// plain = json.dumps(header, separators=(",", ":"), sort_keys=True)
  /// padded = plain + " " * (-len(plain) % 8)
  /// ids = struct.pack("<5q", 16, 19, 22, 24, 27)
  /// words = struct.pack("<6f", 1, 0, -1, 0.5, 2, 0.25)
  /// file = struct.pack("<Q", len(padded)) + padded.encode()
  /// file += ids + words
  ///
  /// print(len(plain), len(padded), "=", file[:8].hex(" "))
  /// print(plain)
  /// print(ids[:16].hex(" "))
  /// print(words.hex(" "))
  /// print(len(file), "bytes")
  /// ```
  const auto bytes_of = [](const auto& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers.data()),
                       numbers.size() * sizeof numbers[0]);
  };
  const auto hex = [](const std::string& bytes) {
    std::string digits;
    for (const char c : bytes) {
      const auto byte = static_cast<uint8_t>(c);
      digits += digits.empty() ? "" : " ";
      digits += {"0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
    }
    return digits;
  };
  const auto with_blanks = [](const std::string& text) {
    return text + std::string((8 - text.size() % 8) % 8, ' ');
  };

  const json header{
      {"ids", {{"dtype", "I64"}, {"shape", {5}}, {"data_offsets", {0, 40}}}},
      {"words", {{"dtype", "F32"}, {"shape", {2, 3}}, {"data_offsets", {40, 64}}}}};
  const std::string plain = header.dump(), padded = with_blanks(plain);
  const std::string ids_bytes = bytes_of(Ids{16, 19, 22, 24, 27});
  const std::string words_bytes = bytes_of(std::vector<float>{1, 0, -1, 0.5f, 2, 0.25f});
  const std::string file =
      bytes_of(std::vector<uint64_t>{padded.size()}) + padded + ids_bytes + words_bytes;

  print(plain.size(), padded.size(), "=", hex(file.substr(0, 8)));
  print(plain);
  print(hex(ids_bytes.substr(0, 16)));
  print(hex(words_bytes));
  print(file.size(), "bytes");

  //%% bytes_plot | Every byte of it
  cell("bytes_plot", "Every byte of it");
  /// The picture shows the whole file, sixteen bytes in a row. From dark to light these are the
  /// length, the header, its blanks, the ids, the matrix. A large model has the same picture.
  /// Its header has a line for each of a few hundred tensors, and its numbers go on for
  /// gigabytes.
  ///
  /// ![The bytes of the file in rows of sixteen: eight of the length, then the header, a few
  /// blanks, forty bytes of ids and twenty-four of the matrix](bytes.svg)
  HeatMap map;
  map.title = "The bytes of a safetensors file";
  map.description =
      "From dark to light: eight bytes of the length, the header, its blanks, the ids, the "
      "matrix.";
  map.x_label = "byte in the row";
  map.y_label = "first byte of the row";
  map.columns = 16;
  map.rows = static_cast<int64_t>((file.size() + 15) / 16);
  for (int64_t row = 0; row < map.rows; ++row) map.row_names.push_back(std::to_string(16 * row));
  for (const auto& [part, size] : {std::pair<double, size_t>{0, 8},
                                   {1, plain.size()},
                                   {2, padded.size() - plain.size()},
                                   {3, ids_bytes.size()},
                                   {4, words_bytes.size()}})
    map.values.insert(map.values.end(), size, part);
  map.values.resize(static_cast<size_t>(16 * map.rows), std::nan(""));
  map.colours = Colours::sequential;
  figure("bytes.svg", draw(map));

  //%% reading | And read back
  cell("reading", "And read back");
  /// Reading goes the same way: first the header's length, then the header, then each tensor,
  /// which lies where the header says. The library reads the file too, and finds the same.
  ///
  /// A single number can be found without the rest. The number in row $i$ and column $j$ of a
  /// matrix with $c$ columns of $b$ bytes begins at
  ///
  /// $$8 + \text{length} + \text{begin} + (i c + j)\, b$$
  ///
  /// The last line prints the place of `words[1, 0]`, and the four bytes there as a float.
  ///
  /// A careful reader checks what the header claims: that the length is not more than the file
  /// has, that each tensor ends within it, and that a shape needs as many bytes as it is given.
  /// And it leaves out an entry `__metadata__`, in which a writer may say something about the
  /// file.
  ///
  /// ```python
  /// kinds = {"F32": torch.float32, "I64": torch.int64}
  ///
  /// def tensors_of(file):
  ///     length, = struct.unpack("<Q", file[:8])
  ///     header = json.loads(file[8:8 + length])
  ///     header.pop("__metadata__", None)
  ///     tensors = {}
  ///     for name, entry in sorted(header.items()):
  ///         begin, end = entry["data_offsets"]
  ///         data = bytearray(file[8 + length:][begin:end])
  ///         flat = torch.frombuffer(data, dtype=kinds[entry["dtype"]])
  ///         tensors[name] = flat.view(entry["shape"])
  ///     return tensors
  ///
  /// for name, tensor in tensors_of(file).items():
  ///     print(name, tensor)
  /// at = 8 + len(padded) + 40 + (1 * 3 + 0) * 4
  /// print(at, *struct.unpack("<f", file[at:at + 4]))
  /// ```
  const auto tensors_of = [](const std::string& bytes) {
    uint64_t claimed = 0;
    std::memcpy(&claimed, bytes.data(), sizeof claimed);
    const auto length = static_cast<size_t>(claimed);
    json entries = json::parse(bytes.substr(8, length));
    entries.erase("__metadata__");
    Weights tensors;
    for (const auto& [name, entry] : entries.items()) {
      const size_t begin = 8 + length + entry.at("data_offsets").at(0).get<size_t>();
      const auto kind = entry.at("dtype") == "F32" ? etude::kFloat : etude::kLong;
      const auto shape = entry.at("shape").get<std::vector<int64_t>>();
      const Tensor tensor = etude::empty(shape, kind);
      std::memcpy(tensor.data_ptr(), bytes.data() + begin, static_cast<size_t>(tensor.nbytes()));
      tensors[name] = tensor;
    }
    return tensors;
  };
  for (const auto& [name, tensor] : tensors_of(file)) print(name, tensor);
  const size_t at = 8 + padded.size() + 40 + (1 * 3 + 0) * 4;
  float number = 0;
  std::memcpy(&number, file.data() + at, sizeof number);
  print(at, number);

  write_file(place("by_hand.safetensors"), file);
  for (const auto& item : etude::load_safetensors(place("by_hand.safetensors")))
    expect_equal(item.value(), tensors_of(file)[item.key()]);
  fs::remove(place("by_hand.safetensors"));

  //%% mapping | Why it opens at once
  cell("mapping", "Why it opens at once", Compare::layout());
  /// The numbers lie in the file just as they lie in memory. So nothing has to be converted, and
  /// nothing has to be copied. The system can *map* the file [4]: it promises that some
  /// addresses are the bytes of the file, and reads a piece of it, a *page* of 4,096 bytes or
  /// so, when somebody looks at it for the first time. Opening a model of 16 GB takes
  /// milliseconds then. Two programs that map the same file share its pages, and pages that
  /// nobody uses are dropped without being written anywhere.
  ///
  /// Neither text nor compressed numbers could be mapped. Here is a table of 16 MB, read as a
  /// whole, and mapped to take one row of it. Both are measured on your machine. These times
  /// differ from run to run, so only their layout is compared.
  ///
  /// ```python
  /// data = bytes(16 * 1024 * 1024)
  /// text = json.dumps({"table": {"dtype": "F32", "shape": [4096, 1024],
  ///                              "data_offsets": [0, len(data)]}})
  /// text += " " * (-len(text) % 8)
  /// write("table.safetensors",
  ///       struct.pack("<Q", len(text)) + text.encode() + data)
  ///
  /// def take_row():
  ///     with open(place("table.safetensors"), "rb") as file:
  ///         mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
  ///     row = 8 + len(text) + 1000 * 4096
  ///     return torch.frombuffer(mapped, dtype=torch.float32,
  ///                             count=1024, offset=row).sum()
  ///
  /// def milliseconds(f):
  ///     begin = time.perf_counter()
  ///     f()
  ///     return f"{1e3 * (time.perf_counter() - begin):.3f}"
  ///
  /// print("read:", milliseconds(lambda: read("table.safetensors")))
  /// print("mapped:", milliseconds(take_row))
  /// os.remove(place("table.safetensors"))
  /// ```
  const auto milliseconds = [&](const std::function<void()>& f) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    f();
    return formatted(std::chrono::duration<double, std::milli>(Clock::now() - begin).count(),
                     ".3f");
  };
  const int64_t megabytes = parameter("megabytes", 16, 4, 64);
  etude::OrderedDict<std::string, Tensor> one_table;
  one_table.insert("table", etude::zeros({megabytes * 256, 1024}));
  const std::string table_file = place("table.safetensors");
  etude::save_safetensors(table_file, one_table);
  print("read:", milliseconds([&] { read_file(table_file); }));
  print("mapped:",
        milliseconds([&] { etude::load_safetensors(table_file)["table"][1000].sum(); }));
  fs::remove(table_file);

  //%% tokenizer | Text to ids: tokenizer.json
  cell("tokenizer", "Text to ids: tokenizer.json");
  /// A model without its tokenizer is worthless: nobody could say which row of the table is
  /// *dog*. `tokenizer.json` [5] holds what [byte pairs](15_byte_pairs.cpp) learned, `vocab` and
  /// `merges`, the first merge being the most important. Around them stand the steps before and
  /// after. `pre_tokenizer` says how text is cut into pieces, `post_processor` adds special
  /// tokens, such as `<s>` where a text begins, and `added_tokens` lists those that are never
  /// cut.
  ///
  /// One thing looks odd. A blank stands in the file as `Ġ`. GPT-2 gave each byte a visible
  /// letter, so that tokens could be written into a text file with a blank between two of them.
  ///
  /// Our tokenizer has thirteen letters and as many merges, as many as our sentence needs. The
  /// model has 32 rows for 28 tokens: tables are often filled up to a round number. The output
  /// shows the tokens from id 15 on, and the ids of the sentence.
  ///
  /// ```python
  /// merges = ["t h", "th e", "d o", "do g", "Ġ dog", "s a", "sa w",
  ///           "Ġ saw", "i t", "Ġ it", "s e", "l f", "se lf"]
  /// tokens = ["<s>", "</s>", *"adefghilostwĠ"]
  /// tokens += [pair.replace(" ", "") for pair in merges]
  ///
  /// def special(id):
  ///     return {"id": id, "content": tokens[id], "special": True,
  ///             "single_word": False, "lstrip": False,
  ///             "rstrip": False, "normalized": False}
  ///
  /// byte_level = {"type": "ByteLevel", "add_prefix_space": False,
  ///               "trim_offsets": True, "use_regex": True}
  /// template = [{"SpecialToken": {"id": "<s>", "type_id": 0}},
  ///             {"Sequence": {"id": "A", "type_id": 0}}]
  /// tokenizer = {
  ///     "version": "1.0",
  ///     "added_tokens": [special(0), special(1)],
  ///     "pre_tokenizer": byte_level,
  ///     "post_processor": {
  ///         "type": "TemplateProcessing",
  ///         "single": template, "pair": template,
  ///         "special_tokens": {
  ///             "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
  ///     },
  ///     "decoder": byte_level,
  ///     "model": {
  ///         "type": "BPE", "merges": merges,
  ///         "vocab": {token: id for id, token in enumerate(tokens)},
  ///     },
  /// }
  /// write("tokenizer.json", text_of(tokenizer).encode())
  ///
  /// def encode(text, file):
  ///     vocab, merges = file["model"]["vocab"], file["model"]["merges"]
  ///     rank = {tuple(m.split(" ")): i for i, m in enumerate(merges)}
  ///     ids = list(file["post_processor"]["special_tokens"]["<s>"]["ids"])
  ///     for piece in re.findall(" ?[a-z]+", text):
  ///         parts = list(piece.replace(" ", "Ġ"))
  ///         while len(parts) > 1:
  ///             ranks = [rank.get(pair, math.inf)
  ///                      for pair in zip(parts, parts[1:])]
  ///             i = ranks.index(min(ranks))
  ///             if ranks[i] == math.inf:
  ///                 break
  ///             parts[i:i + 2] = [parts[i] + parts[i + 1]]
  ///         ids += [vocab[part] for part in parts]
  ///     return ids
  ///
  /// def decode(ids, file):
  ///     special = {token["id"] for token in file["added_tokens"]}
  ///     names = {i: token for token, i in file["model"]["vocab"].items()}
  ///     text = "".join(names.get(i, "?") for i in ids if i not in special)
  ///     return text.replace("Ġ", " ")
  ///
  /// sentence = encode("the dog saw itself", tokenizer)
  /// print(*tokens[15:])
  /// print(sentence, decode(sentence, tokenizer))
  /// ```
  const std::vector<std::string> merges{"t h",   "th e", "d o",  "do g", "Ġ dog", "s a",  "sa w",
                                        "Ġ saw", "i t",  "Ġ it", "s e",  "l f",   "se lf"};
  std::vector<std::string> tokens{"<s>", "</s>", "a", "d", "e", "f", "g", "h",
                                  "i",   "l",    "o", "s", "t", "w", "Ġ"};
  for (std::string pair : merges) tokens.push_back(pair.erase(pair.find(' '), 1));
  std::map<std::string, size_t> vocabulary;
  for (size_t id = 0; id < tokens.size(); ++id) vocabulary[tokens[id]] = id;
  const auto special = [&](size_t id) {
    return json{{"id", id},           {"content", tokens[id]}, {"special", true},
                {"lstrip", false},    {"rstrip", false},       {"single_word", false},
                {"normalized", false}};
  };
  const json byte_level{{"type", "ByteLevel"},
                        {"add_prefix_space", false},
                        {"trim_offsets", true},
                        {"use_regex", true}};
  const json parts_of_template =
      json::array({{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
                   {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}});
  const json begin_token{{"id", "<s>"}, {"ids", {0}}, {"tokens", {"<s>"}}};
  const json tokenizer{{"version", "1.0"},
                       {"added_tokens", {special(0), special(1)}},
                       {"pre_tokenizer", byte_level},
                       {"post_processor",
                        {{"type", "TemplateProcessing"},
                         {"single", parts_of_template},
                         {"pair", parts_of_template},
                         {"special_tokens", {{"<s>", begin_token}}}}},
                       {"decoder", byte_level},
                       {"model", {{"type", "BPE"}, {"merges", merges}, {"vocab", vocabulary}}}};
  write_file(place("tokenizer.json"), text_of(tokenizer));

  const auto encode = [](const std::string& text, const json& of) {
    std::map<std::string, size_t> rank;
    for (const json& pair : of.at("model").at("merges")) rank.emplace(pair, rank.size());
    Ids ids = of.at("post_processor").at("special_tokens").at("<s>").at("ids");
    for (const std::string& piece : find_all(" ?[a-z]+", text)) {
      std::vector<std::string> parts;
      for (const char c : piece) parts.push_back(c == ' ' ? "Ġ" : std::string(1, c));
      while (true) {
        size_t lowest = rank.size(), place_of_it = 0;
        for (size_t i = 0; i + 1 < parts.size(); ++i) {
          const auto found = rank.find(parts[i] + " " + parts[i + 1]);
          if (found == rank.end() || found->second >= lowest) continue;
          lowest = found->second;
          place_of_it = i;
        }
        if (lowest == rank.size()) break;
        parts[place_of_it] += parts[place_of_it + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place_of_it) + 1);
      }
      for (const std::string& part : parts) ids.push_back(of.at("model").at("vocab").at(part));
    }
    return ids;
  };
  const auto decode = [](const Ids& ids, const json& of) {
    std::map<int64_t, std::string> names;
    for (const auto& [token, id] : of.at("model").at("vocab").items()) names[id] = token;
    for (const json& token : of.at("added_tokens")) names[token.at("id")] = "";
    std::string text;
    for (const int64_t id : ids) text += names.count(id) > 0 ? names[id] : "?";
    for (size_t i; (i = text.find("Ġ")) != std::string::npos;)
      text.replace(i, std::string("Ġ").size(), " ");
    return text;
  };
  const auto list = [](const Ids& ids) { return etude::tolist(etude::tensor(ids)); };

  const Ids sentence = encode("the dog saw itself", tokenizer);
  std::string from_15;
  for (size_t id = 15; id < tokens.size(); ++id) from_15 += (id > 15 ? " " : "") + tokens[id];
  print(from_15);
  print(list(sentence), decode(sentence, tokenizer));

  //%% names | What the names mean
  cell("names", "What the names mean");
  /// A file knows nothing of a model. It has tensors with names, and the names are the only link
  /// to the places where the numbers are used. Here is a Llama as functions, written with the
  /// names alone. [Lesson 10](10_transformer_block.cpp) tells what happens in a block:
  ///
  /// ```text
  /// embed_tokens              a row for each id
  /// input_layernorm           norm of attention
  /// q_proj, k_proj, v_proj    query, key, value
  /// o_proj                    mixes the heads
  /// post_attention_layernorm  norm of the MLP
  /// gate_proj, up_proj        silu(gate) * up
  /// down_proj                 back to the width
  /// norm, lm_head             last norm, logits
  /// ```
  ///
  /// The weights are drawn, and then learn one sentence, with the end token behind it. It is
  /// learned in 64 bits and kept in 32. The output shows the loss before and after, and what the
  /// model says by itself, from `<s>` on.
  ///
  /// ```python
  /// def norm(x, weight, c):
  ///     mean = x.pow(2).mean(-1, keepdim=True)
  ///     return x * torch.rsqrt(mean + c["rms_norm_eps"]) * weight
  ///
  /// def turn(x, c):
  ///     n, d = x.shape[-2:]
  ///     i = torch.arange(0, d, 2, dtype=torch.float64)
  ///     speeds = torch.exp(i * (-math.log(c["rope_theta"]) / d))
  ///     angle = torch.arange(n).double().unsqueeze(1) * speeds
  ///     cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
  ///     a, b = x.chunk(2, dim=-1)
  ///     return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
  ///
  /// def forward(w, c, ids):
  ///     n, heads = len(ids), c["num_attention_heads"]
  ///     shared = heads // c["num_key_value_heads"]
  ///     later = torch.ones(n, n, dtype=torch.bool).triu(1)
  ///     x = w["model.embed_tokens.weight"][ids]
  ///     for i in range(c["num_hidden_layers"]):
  ///         def of(name):
  ///             return w[f"model.layers.{i}.{name}.weight"]
  ///
  ///         def by_head(x, count):
  ///             return x.view(n, count, -1).transpose(0, 1)
  ///
  ///         y = norm(x, of("input_layernorm"), c)
  ///         q = by_head(y @ of("self_attn.q_proj").T, heads)
  ///         k = by_head(y @ of("self_attn.k_proj").T, heads // shared)
  ///         v = by_head(y @ of("self_attn.v_proj").T, heads // shared)
  ///         k = turn(k, c).repeat_interleave(shared, 0)
  ///         v = v.repeat_interleave(shared, 0)
  ///         scores = turn(q, c) @ k.transpose(1, 2)
  ///         scores = scores / math.sqrt(q.shape[-1])
  ///         p = torch.softmax(scores.masked_fill(later, -math.inf), -1)
  ///         mixed = (p @ v).transpose(0, 1).reshape(n, -1)
  ///         x = x + mixed @ of("self_attn.o_proj").T
  ///         y = norm(x, of("post_attention_layernorm"), c)
  ///         gate = F.silu(y @ of("mlp.gate_proj").T)
  ///         up = y @ of("mlp.up_proj").T
  ///         x = x + (gate * up) @ of("mlp.down_proj").T
  ///     x = norm(x, w["model.norm.weight"], c)
  ///     return x @ w["lm_head.weight"].T
  ///
  /// def loss_of(w):
  ///     ids = torch.tensor(sentence + [1])
  ///     return F.cross_entropy(forward(w, config, ids[:-1]), ids[1:])
  ///
  /// def say(w, c, ids, stops):
  ///     while len(ids) < 10 and ids[-1] not in stops:
  ///         logits = forward(w, c, torch.tensor(ids))
  ///         ids = ids + [logits[-1].argmax().item()]
  ///     return decode(ids, tokenizer)
  ///
  /// torch.manual_seed(4)
  /// learned = {}
  /// for name, shape in shapes_of(config).items():
  ///     drawn = 0.5 * torch.randn(shape)
  ///     start = drawn if len(shape) > 1 else torch.ones(shape)
  ///     learned[name] = start.double().requires_grad_()
  /// adamw = torch.optim.AdamW(learned.values(), lr=0.02,
  ///                           weight_decay=0.0)
  /// print(f"{loss_of(learned):.2f}")
  /// for step in range(60):
  ///     loss = loss_of(learned)
  ///     adamw.zero_grad()
  ///     loss.backward()
  ///     adamw.step()
  /// weights = {name: t.detach().float() for name, t in learned.items()}
  /// print(f"{loss_of(weights):.4f}")
  /// print(say(weights, config, [0], [1]))
  /// ```
  const auto norm = [](const Tensor& x, const Tensor& weight, const json& c) {
    const double epsilon = c.at("rms_norm_eps");
    return x * etude::rsqrt(x.pow(2).mean(-1, true) + epsilon) * weight;
  };
  const auto turn = [](const Tensor& x, const json& c) {
    const int64_t n = x.size(-2), d = x.size(-1);
    const Tensor i = etude::arange(0, d, 2, etude::kDouble);
    const double base = c.at("rope_theta");
    const Tensor speeds = etude::exp(i * (-std::log(base) / static_cast<double>(d)));
    const Tensor angle = etude::arange(n).to(etude::kDouble).unsqueeze(1) * speeds;
    const Tensor cos = angle.cos().to(x.scalar_type()), sin = angle.sin().to(x.scalar_type());
    const std::vector<Tensor> halves = x.chunk(2, -1);
    const Tensor &a = halves[0], &b = halves[1];
    return etude::cat({a * cos - b * sin, b * cos + a * sin}, -1);
  };
  const auto forward = [&](const Weights& w, const json& c, const Tensor& ids) {
    const int64_t n = ids.size(0), heads = c.at("num_attention_heads");
    const int64_t shared = heads / c.at("num_key_value_heads").get<int64_t>();
    const Tensor later = etude::ones({n, n}, etude::kBool).triu(1);
    const auto by_head = [&](const Tensor& x, int64_t count_of) {
      return x.view({n, count_of, -1}).transpose(0, 1);
    };
    Tensor x = w.at("model.embed_tokens.weight").index({ids});
    for (int64_t i = 0; i < c.at("num_hidden_layers"); ++i) {
      const auto of = [&](const std::string& name) {
        return w.at("model.layers." + std::to_string(i) + "." + name + ".weight");
      };
      Tensor y = norm(x, of("input_layernorm"), c);
      const Tensor q = by_head(y.matmul(of("self_attn.q_proj").t()), heads);
      Tensor k = by_head(y.matmul(of("self_attn.k_proj").t()), heads / shared);
      Tensor v = by_head(y.matmul(of("self_attn.v_proj").t()), heads / shared);
      k = turn(k, c).repeat_interleave(shared, 0);
      v = v.repeat_interleave(shared, 0);
      Tensor scores = turn(q, c).matmul(k.transpose(1, 2));
      scores = scores / std::sqrt(static_cast<double>(q.size(-1)));
      const Tensor p = etude::softmax(scores.masked_fill(later, -INFINITY), -1);
      const Tensor mixed = p.matmul(v).transpose(0, 1).reshape({n, -1});
      x = x + mixed.matmul(of("self_attn.o_proj").t());
      y = norm(x, of("post_attention_layernorm"), c);
      const Tensor gate = F::silu(y.matmul(of("mlp.gate_proj").t()));
      const Tensor up = y.matmul(of("mlp.up_proj").t());
      x = x + (gate * up).matmul(of("mlp.down_proj").t());
    }
    return norm(x, w.at("model.norm.weight"), c).matmul(w.at("lm_head.weight").t());
  };
  const auto loss_of = [&](const Weights& w) {
    Ids all = sentence;
    all.push_back(1);
    const Tensor ids = etude::tensor(all);
    return F::cross_entropy(forward(w, config, ids.slice(0, 0, -1)), ids.slice(0, 1));
  };
  const auto say = [&](const Weights& w, const json& c, Ids ids,
                       const std::set<int64_t>& stops) {
    const etude::NoGradGuard no_grad;
    while (ids.size() < 10 && stops.count(ids.back()) == 0)
      ids.push_back(forward(w, c, etude::tensor(ids))[-1].argmax().item<int64_t>());
    return decode(ids, tokenizer);
  };

  etude::manual_seed(4);
  Weights learned;
  std::vector<Tensor> parameters;
  for (const auto& [name, shape] : shapes_of(config)) {
    const Tensor drawn = 0.5 * etude::randn(shape);
    const Tensor start = shape.size() > 1 ? drawn : etude::ones(shape);
    learned[name] = start.to(etude::kDouble).requires_grad_();
    parameters.push_back(learned[name]);
  }
  etude::optim::AdamW adamw(parameters, etude::optim::AdamWOptions(0.02).weight_decay(0));
  print(etude::format(loss_of(learned).detach(), ".2f"));
  for (int step = 0; step < 60; ++step) {
    const Tensor loss = loss_of(learned);
    adamw.zero_grad();
    loss.backward();
    adamw.step();
  }
  Weights weights;
  for (const auto& [name, tensor] : learned) weights[name] = tensor.detach().to(etude::kFloat);
  print(etude::format(loss_of(weights), ".4f"));
  print(say(weights, config, {0}, {1}));

  //%% wrong_names | No shape tells
  cell("wrong_names", "No shape tells");
  /// What if two names are mixed up? A program that checks shapes finds nothing where two
  /// tensors have the same one. And in many models they have: `gate_proj` and `up_proj`, keys
  /// and values, both norms of a block. Here two tensors change places in every block. The
  /// output shows the loss, and what the model says.
  ///
  /// With gate and up mixed up the model loses its last word, and what remains is good English.
  /// A large model with such a mistake does the same: it writes fluent sentences, but worse ones
  /// than it could. With the norms mixed up you hear nothing at all, since in a model as young
  /// as this all of them are close to one. So never trust that a model is loaded because nothing
  /// failed. Compare its logits with those of the program that it comes from.
  ///
  /// ```python
  /// pairs = [("mlp.gate_proj", "mlp.up_proj"),
  ///          ("self_attn.k_proj", "self_attn.v_proj"),
  ///          ("self_attn.q_proj", "self_attn.o_proj"),
  ///          ("input_layernorm", "post_attention_layernorm")]
  /// for one, other in pairs:
  ///     wrong = dict(weights)
  ///     for i in range(config["num_hidden_layers"]):
  ///         a = f"model.layers.{i}.{one}.weight"
  ///         b = f"model.layers.{i}.{other}.weight"
  ///         wrong[a], wrong[b] = weights[b], weights[a]
  ///     print(one, other, f"{loss_of(wrong):.2f}:",
  ///           say(wrong, config, [0], [1]))
  /// ```
  const std::vector<std::pair<std::string, std::string>> mixed_up{
      {"mlp.gate_proj", "mlp.up_proj"},
      {"self_attn.k_proj", "self_attn.v_proj"},
      {"self_attn.q_proj", "self_attn.o_proj"},
      {"input_layernorm", "post_attention_layernorm"}};
  for (const auto& [one, other] : mixed_up) {
    Weights wrong = weights;
    for (int64_t i = 0; i < layers; ++i) {
      const std::string block = "model.layers." + std::to_string(i) + ".";
      std::swap(wrong[block + one + ".weight"], wrong[block + other + ".weight"]);
    }
    print(one, other, etude::format(loss_of(wrong), ".2f") + ":", say(wrong, config, {0}, {1}));
  }

  //%% transposed | The other way round: GPT-2
  cell("transposed", "The other way round: GPT-2");
  /// GPT-2 [6] has other names, and other shapes. Its layers are `Conv1D`, which computes $x W$
  /// where `nn.Linear` computes $x W^\top$: first the inputs, then the outputs. And one matrix,
  /// `c_attn`, makes queries, keys and values at once, beside each other. Etude's `nn::GPT` has
  /// these layers, so a file of GPT-2 needs no change, and a file of a Llama has to be put into
  /// this form: the three matrices below each other, and the whole transposed.
  ///
  /// ```text
  /// embed_tokens              wte
  /// input_layernorm           ln_1
  /// q_proj, k_proj, v_proj    attn.c_attn
  /// o_proj                    attn.c_proj
  /// post_attention_layernorm  ln_2
  /// gate_proj, up_proj        mlp.c_fc, c_gate
  /// down_proj                 mlp.c_proj
  /// norm, lm_head             ln_f, lm_head
  /// ```
  ///
  /// A name may mislead. In Etude the silu is taken of `c_fc`, so `c_fc` is the `gate_proj`, and
  /// not `c_gate`. Whoever follows the sound of the names makes the mistake that was heard
  /// above.
  ///
  /// A forgotten transposition of `c_attn` is found at once. That of `o_proj` is not: it is
  /// square, fits either way, and only the numbers differ. The output shows the shape of
  /// `c_attn`, whether its columns are queries, keys and values, the error, and whether the
  /// square product is the same.
  ///
  /// ```python
  /// def first_block(name):
  ///     return weights[f"model.layers.0.self_attn.{name}.weight"]
  ///
  /// parts = [first_block(name) for name in ("q_proj", "k_proj", "v_proj")]
  /// c_attn = torch.cat(parts).T
  /// x = weights["model.embed_tokens.weight"][sentence]
  /// q, k, v = (x @ c_attn).split([16, 8, 8], dim=-1)
  /// print(tuple(c_attn.shape))
  /// print([torch.allclose(a, x @ part.T, atol=1e-5)
  ///        for a, part in zip((q, k, v), parts)])
  /// try:
  ///     x @ c_attn.T
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// o_proj = first_block("o_proj")
  /// print(tuple((x @ o_proj).shape),
  ///       torch.allclose(x @ o_proj, x @ o_proj.T))
  /// ```
  const auto first_block = [&](const std::string& name) {
    return weights.at("model.layers.0.self_attn." + name + ".weight");
  };
  std::vector<Tensor> parts;
  for (const char* name : {"q_proj", "k_proj", "v_proj"}) parts.push_back(first_block(name));
  const Tensor c_attn = etude::cat(parts).t();
  const Tensor x = weights.at("model.embed_tokens.weight").index({etude::tensor(sentence)});
  nn::Conv1D conv1d(16, 32, /*with_bias=*/false);
  {
    const etude::NoGradGuard no_grad;
    conv1d->weight.copy_(c_attn);
  }
  const std::vector<Tensor> qkv = conv1d(x).detach().split({16, 8, 8}, -1);
  std::vector<uint8_t> same;
  for (size_t i = 0; i < 3; ++i)
    same.push_back(etude::allclose(qkv[i], x.matmul(parts[i].t()), 1e-5, 1e-5));
  print(python_tuple(c_attn.sizes()));
  print(etude::tolist(etude::tensor(same).to(etude::kBool)));
  try {
    x.matmul(c_attn.t());
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }
  const Tensor o_proj = first_block("o_proj"), product = x.matmul(o_proj);
  print(python_tuple(product.sizes()), etude::allclose(product, x.matmul(o_proj.t())));

  //%% shards | Several files and an index
  cell("shards", "Several files and an index");
  /// Large models are cut into *shards*, files of some gigabytes each. A download that breaks
  /// off then costs one of them, and not all. Which tensor is in which file stands in an index,
  /// `model.safetensors.index.json`: its `weight_map` has an entry for each name. Nothing else
  /// may be relied on, neither the order of the tensors nor that a block is in one file. A
  /// tensor itself is never cut.
  ///
  /// Our shards have at most 8,000 bytes of numbers. The output shows the files with their
  /// tensors and bytes, what the index says of the sum, and where three tensors are.
  ///
  /// ```python
  /// def safetensors(tensors):
  ///     header, data = {}, b""
  ///     for name, tensor in tensors.items():
  ///         begin, data = len(data), data + tensor.numpy().tobytes()
  ///         header[name] = {"dtype": "F32",
  ///                         "shape": list(tensor.shape),
  ///                         "data_offsets": [begin, len(data)]}
  ///     text = json.dumps(header, separators=(",", ":"), sort_keys=True)
  ///     text += " " * (-len(text) % 8)
  ///     return struct.pack("<Q", len(text)) + text.encode() + data
  ///
  /// def size_of(tensors):
  ///     return sum(4 * tensor.numel() for tensor in tensors.values())
  ///
  /// shards = [{}]
  /// for name, tensor in weights.items():
  ///     if size_of(shards[-1]) + 4 * tensor.numel() > 8000:
  ///         shards.append({})
  ///     shards[-1][name] = tensor
  ///
  /// index = {"metadata": {"total_size": size_of(weights)},
  ///          "weight_map": {}}
  /// for i, shard in enumerate(shards):
  ///     name = f"model-{i + 1:05}-of-{len(shards):05}.safetensors"
  ///     write(name, safetensors(shard))
  ///     index["weight_map"].update({tensor: name for tensor in shard})
  ///     print(name, len(shard), size_of(shard))
  /// write("model.safetensors.index.json", text_of(index).encode())
  /// print(index["metadata"]["total_size"], 4 * count(config))
  /// for name in ("lm_head.weight", "model.layers.0.mlp.up_proj.weight",
  ///              "model.norm.weight"):
  ///     print(name, index["weight_map"][name])
  /// ```
  const auto safetensors = [&](const Weights& tensors) {
    json entries;
    std::string data;
    for (const auto& [name, tensor] : tensors) {
      const size_t begin = data.size();
      data.append(static_cast<const char*>(tensor.data_ptr()),
                  static_cast<size_t>(tensor.nbytes()));
      entries[name] = {{"dtype", "F32"},
                       {"shape", tensor.sizes().vec()},
                       {"data_offsets", {begin, data.size()}}};
    }
    const std::string text = with_blanks(entries.dump());
    return bytes_of(std::vector<uint64_t>{text.size()}) + text + data;
  };
  const auto size_of = [](const Weights& tensors) {
    int64_t sum = 0;
    for (const auto& [name, tensor] : tensors) sum += 4 * tensor.numel();
    return sum;
  };
  const int64_t most = parameter("shard_bytes", 8000, 1000, 100000);
  std::vector<Weights> shards(1);
  for (const auto& [name, tensor] : weights) {
    if (size_of(shards.back()) + 4 * tensor.numel() > most) shards.emplace_back();
    shards.back()[name] = tensor;
  }
  json index{{"metadata", {{"total_size", size_of(weights)}}}, {"weight_map", json::object()}};
  const auto five_digits = [](size_t n) {
    const std::string digits = std::to_string(n);
    return std::string(5 - digits.size(), '0') + digits;
  };
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name =
        "model-" + five_digits(i + 1) + "-of-" + five_digits(shards.size()) + ".safetensors";
    write_file(place(name), safetensors(shards[i]));
    for (const auto& [tensor, value] : shards[i]) index["weight_map"][tensor] = name;
    print(name, shards[i].size(), size_of(shards[i]));
  }
  write_file(place("model.safetensors.index.json"), text_of(index));
  print(index["metadata"]["total_size"].get<int64_t>(), 4 * count(config));
  for (const char* name :
       {"lm_head.weight", "model.layers.0.mlp.up_proj.weight", "model.norm.weight"})
    print(name, index["weight_map"][name].get<std::string>());

  //%% generation | When to stop: generation_config.json
  cell("generation", "When to stop: generation_config.json");
  /// The last file says how the model is meant to be used: the temperature, the top p
  /// ([sampling](12_sampling.cpp)), and with which tokens a text ends. It is a file of its own
  /// since it can be changed without touching the model. A caller who asks for nothing else gets
  /// its values.
  ///
  /// The end is one id or a list of ids. A model that was trained for conversation often has
  /// two: one for the end of a text, and one for the end of a turn. A program that knows only
  /// the first lets the model go on alone, in both roles. The same happens here with a wrong
  /// end.
  ///
  /// ```python
  /// generation = {"bos_token_id": 0, "do_sample": True,
  ///               "eos_token_id": [1], "temperature": 0.6,
  ///               "top_p": 0.9}
  /// write("generation_config.json", text_of(generation).encode())
  ///
  /// def stops_of(file):
  ///     end = file["eos_token_id"]
  ///     return end if isinstance(end, list) else [end]
  ///
  /// print(say(weights, config, sentence, stops_of(generation)))
  /// print(say(weights, config, sentence, stops_of({"eos_token_id": 2})))
  /// ```
  const json generation{{"bos_token_id", 0},
                        {"do_sample", true},
                        {"eos_token_id", {1}},
                        {"temperature", 0.6},
                        {"top_p", 0.9}};
  write_file(place("generation_config.json"), text_of(generation));
  const auto stops_of = [](const json& of) {
    const json& end = of.at("eos_token_id");
    return end.is_array() ? end.get<std::set<int64_t>>() : std::set<int64_t>{end};
  };
  print(say(weights, config, sentence, stops_of(generation)));
  print(say(weights, config, sentence, stops_of({{"eos_token_id", 2}})));

  //%% folder | The folder, opened by a stranger
  cell("folder", "The folder, opened by a stranger");
  /// Everything is there. The folder is opened with nothing but its files: the plan, the index,
  /// each shard once, the tokenizer, the end. Before the weights are used, their shapes are
  /// compared with those of the plan. `transformers` would add `tokenizer_config.json`, which
  /// holds the form of a conversation among other things.
  ///
  /// The output shows the files and their bytes, then what the model says after *the dog*. Then
  /// the plan loses an entry, and the comparison finds what no longer fits.
  ///
  /// `transformers` opens this folder as it is. Its model has the same logits in all six digits
  /// of a float, and says the same.
  ///
  /// ```python
  /// for name in sorted(os.listdir(folder.name)):
  ///     print(name, len(read(name)))
  ///
  /// def problems(c, w):
  ///     for name, shape in shapes_of(c).items():
  ///         if tuple(w[name].shape) != shape:
  ///             print(name, tuple(w[name].shape), "in place of", shape)
  ///
  /// def open_json(name):
  ///     return json.loads(read(name))
  ///
  /// plan, loaded = open_json("config.json"), {}
  /// places = open_json("model.safetensors.index.json")["weight_map"]
  /// for name in sorted(set(places.values())):
  ///     loaded.update(tensors_of(read(name)))
  /// problems(plan, loaded)
  /// prompt = encode("the dog", open_json("tokenizer.json"))
  /// stops = stops_of(open_json("generation_config.json"))
  /// print(say(loaded, plan, prompt, stops))
  ///
  /// del plan["num_key_value_heads"]
  /// problems(plan, loaded)
  /// ```
  std::map<std::string, uintmax_t> in_folder;
  for (const auto& entry : fs::directory_iterator(folder))
    in_folder[entry.path().filename().string()] = entry.file_size();
  for (const auto& [name, size] : in_folder) print(name, size);

  const auto problems = [&](const json& c, const Weights& w) {
    for (const auto& [name, shape] : shapes_of(c)) {
      const std::vector<int64_t> found = w.at(name).sizes().vec();
      if (found != shape) print(name, python_tuple(found), "in place of", python_tuple(shape));
    }
  };
  const auto open_json = [&](const std::string& name) {
    return json::parse(read_file(place(name)));
  };
  json plan = open_json("config.json");
  const json places = open_json("model.safetensors.index.json").at("weight_map");
  std::set<std::string> files;
  for (const json& name : places) files.insert(name.get<std::string>());
  Weights loaded;
  for (const std::string& name : files) loaded.merge(tensors_of(read_file(place(name))));
  problems(plan, loaded);
  const std::string text = parameter("prompt", "the dog", {"the", "the dog", "the dog saw"});
  const Ids prompt = encode(text, open_json("tokenizer.json"));
  print(say(loaded, plan, prompt, stops_of(open_json("generation_config.json"))));

  plan.erase("num_key_value_heads");
  problems(plan, loaded);

  //%% library | In one line
  cell("library", "In one line");
  /// `nn::from_pretrained` does all of this. It reads the plan and builds the `nn::GPT` that it
  /// describes. Then it looks into every shard and puts each tensor into its place. Whatever
  /// does not fit is an error that lists all of it. `text::load_tokenizer` reads the tokenizer
  /// of the same folder and leaves it to the caller to put `<s>` in front. `nn::save_pretrained`
  /// writes such a folder.
  ///
  /// The logits are those of our `forward`. The output shows which id the model expects behind
  /// each id of the sentence; the last one is the end.
  ///
  /// ```python
  /// logits = forward(loaded, config, torch.tensor(sentence))
  /// print(logits.argmax(-1))
  /// ```
  nn::GPT model = nn::from_pretrained(folder.string());
  const Tensor ids = etude::tensor(sentence);
  const Tensor logits = model(ids.unsqueeze(0)).detach()[0];
  print(logits.argmax(-1));
  expect_close(logits, forward(loaded, config, ids), 1e-4);

  const Ids pieces = etude::text::load_tokenizer(folder.string())->encode("the dog saw itself");
  expect(pieces == Ids(sentence.begin() + 1, sentence.end()),
         "the pieces behind <s> are the same");

  //%% exercise1 | Where is this number?
  cell("exercise1", "Where is this number?");
  /// At which byte of the file made by hand does `words[0, 2]` begin, the third number of the
  /// first row? The file's `header` and the length of it, `padded.size()`, are printed above.
  {
    size_t answer = 0;
    //%% answer
    /// Behind the length and the header, forty bytes of ids and two floats later.
    ///
    /// ```python
    /// answer = 8 + len(padded) + 40 + (0 * 3 + 2) * 4
    /// print(answer, *struct.unpack("<f", file[answer:answer + 4]))
    /// ```
    answer = 8 + padded.size() + 40 + (0 * 3 + 2) * 4;
    //%% end answer
    expect(answer > 8 + padded.size(), "it lies behind the length and the header");
    expect(answer + 4 <= file.size(), "its four bytes lie within the file");
    float found = 0;
    std::memcpy(&found, file.data() + answer, sizeof found);
    expect(found == -1, "there is the number -1");
    print(answer, found);
  }

  //%% exercise2 | A relative with biases
  cell("exercise2", "A relative with biases");
  /// Qwen2.5 0.5B is a Llama of 24 layers with a tied head: 151,936 rows of width 896, inner
  /// width 4,864, 14 heads of queries and 2 of keys and values. In one thing it differs:
  /// queries, keys and values have biases. How many parameters does it have? `count` may help.
  {
    int64_t answer = 0;
    //%% answer
    /// A bias for each output: heads of width 64, fourteen for queries, two for keys and two for
    /// values. Its file has two bytes for each, 988,065,536.
    ///
    /// ```python
    /// qwen = llama(151936, 896, 4864, 24, 14, 2, tied=True)
    /// answer = count(qwen) + 24 * (14 + 2 + 2) * 64
    /// print(answer)
    /// ```
    const json qwen = llama(151936, 896, 4864, 24, 14, 2, /*tied=*/true);
    answer = count(qwen) + 24 * (14 + 2 + 2) * 64;
    //%% end answer
    Shapes all = shapes_of(llama(151936, 896, 4864, 24, 14, 2, true));
    expect(answer > numbers_in(all), "biases are parameters, too");
    for (const auto& [name, shape] : Shapes(all)) {
      if (find_groups("([qkv])_proj", name).empty()) continue;
      all[name + " (its bias)"] = {shape[0]};
    }
    expect(answer == numbers_in(all), "each tensor is counted once");
    print(answer);
  }

  //%% exercise3 | GPT-2 for Linear layers
  cell("exercise3", "GPT-2 for Linear layers");
  /// `gpt2` has tensors with the names of GPT-2, and a program with `nn.Linear` layers wants
  /// them. Transpose in `wanted` what has to be transposed, and leave the rest.
  {
    etude::manual_seed(1);
    Weights gpt2;
    for (const auto& [name, shape] : Shapes{{"h.0.attn.c_attn.weight", {8, 24}},
                                            {"h.0.attn.c_proj.weight", {8, 8}},
                                            {"h.0.ln_1.weight", {8}},
                                            {"h.0.mlp.c_fc.weight", {8, 32}},
                                            {"h.0.mlp.c_proj.weight", {32, 8}},
                                            {"wpe.weight", {16, 8}},
                                            {"wte.weight", {32, 8}}})
      gpt2[name] = etude::randn(shape);
    Weights wanted = gpt2;
    //%% answer
    /// The weights of the four layers, and no others. The tables `wte` and `wpe` are matrices as
    /// well, but they have a row for each id in every program. No shape says that `c_proj` of
    /// the attention is to be transposed; only its name does.
    ///
    /// ```python
    /// torch.manual_seed(1)
    /// gpt2 = {name: torch.randn(shape) for name, shape in {
    ///     "h.0.attn.c_attn.weight": (8, 24),
    ///     "h.0.attn.c_proj.weight": (8, 8),
    ///     "h.0.ln_1.weight": (8,),
    ///     "h.0.mlp.c_fc.weight": (8, 32),
    ///     "h.0.mlp.c_proj.weight": (32, 8),
    ///     "wpe.weight": (16, 8),
    ///     "wte.weight": (32, 8)}.items()}
    /// wanted = {name: tensor.T if ".c_" in name else tensor
    ///           for name, tensor in gpt2.items()}
    /// for name, tensor in wanted.items():
    ///     print(name, tuple(tensor.shape))
    /// ```
    for (auto& [name, tensor] : wanted) {
      if (name.find(".c_") != std::string::npos) tensor = tensor.t();
    }
    //%% end answer
    expect(wanted["h.0.attn.c_attn.weight"].size(1) == 8, "a Linear layer has its inputs last");
    const Tensor row = etude::randn({1, 8}), c_proj = gpt2["h.0.attn.c_proj.weight"];
    expect(etude::allclose(F::linear(row, wanted["h.0.attn.c_proj.weight"]), row.matmul(c_proj),
                           1e-4, 1e-5),
           "the square matrix gives in a Linear layer what it gives in GPT-2");
    expect(etude::equal(wanted["wte.weight"], gpt2["wte.weight"]) &&
               etude::equal(wanted["wpe.weight"], gpt2["wpe.weight"]),
           "the tables keep a row for each id and each place");
    for (const auto& [name, tensor] : wanted) print(name, python_tuple(tensor.sizes()));
  }

  //%% summary
  /// 1. A folder holds a plan, numbers by name, a tokenizer and the way to draw, and no program.
  /// 2. A safetensors file is a length, a header and the numbers, so that each number has a place
  ///    that can be computed.
  /// 3. The numbers lie as they do in memory, so a file is mapped and not read.
  /// 4. Names alone connect numbers with places, and a wrong name, or a square matrix that is not
  ///    transposed, gives no error.
  /// 5. All shapes follow from the plan, and parameters and bytes from the shapes, before a
  ///    weight is read.
  //%% references
  /// 1. H. Touvron et al., [LLaMA: Open and Efficient Foundation Language
  ///    Models](https://arxiv.org/abs/2302.13971), 2023, section 2.2
  /// 2. A. Grattafiori et al., [The Llama 3 Herd of Models](https://arxiv.org/abs/2407.21783),
  ///    2024, table 3
  /// 3. [Safetensors](https://huggingface.co/docs/safetensors/index), the format of the file
  /// 4. M. Kerrisk, [mmap(2)](https://man7.org/linux/man-pages/man2/mmap.2.html), Linux manual page
  /// 5. [Tokenizers: components](https://huggingface.co/docs/tokenizers/components), what the parts
  ///    of a tokenizer do
  /// 6. A. Radford et al., [Language Models are Unsupervised Multitask
  ///    Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf),
  ///    2019, section 2.3
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
