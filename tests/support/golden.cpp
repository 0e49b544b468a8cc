#include "support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "etude/ops/ops.h"

namespace etude {
namespace {

std::ifstream open(const std::string& path) {
  std::ifstream file(std::string(ETUDE_GOLDEN_DIR) + "/" + path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open tests/golden/" + path);
  return file;
}

// Results that only move or select numbers are exact.
bool is_exact(const std::string& op) {
  static const std::vector<std::string> names = {
      "abs",          "cat",     "chunk",   "clamp",       "contiguous",   "diagonal",  "expand",
      "flatten",      "flip",    "gather",  "index",       "maximum",      "minimum",   "narrow",
      "neg",          "permute", "relu",    "masked_fill", "repeat",       "reshape",   "roll",
      "select",       "slice",   "squeeze", "split",       "stack",        "transpose", "tril",
      "slice_assign", "triu",    "unbind",  "view",        "unsqueeze",    "where",     "max",
      "min",          "max_all", "min_all", "amax",        "index_select", "floor",     "ceil",
      "round",        "sign"};
  return std::find(names.begin(), names.end(), op) != names.end();
}

double tolerance_of(const Recorded& c) {
  if (c.at("dtype") == "float64") return 1e-12;
  const std::string op = c.at("op");
  // The rounding of one exponential is multiplied by the position.
  if (op == "pe_vectorised" || op == "pe_sequence_first") return 1.2e-7 * c.at("attrs").at("n").get<double>();
  return std::max(1e-6, 4 * c.value("float32_error", 0.0));
}

GoldenCase case_of(const Recorded& c, const std::map<std::string, Tensor>& tensors) {
  GoldenCase result;
  result.id = c.at("id");
  result.op = c.at("op");
  result.attributes = c.at("attrs");
  result.dtype = golden_dtype(c.at("dtype"));
  result.gradient_tolerance = tolerance_of(c);
  result.tolerance = is_exact(result.op) ? 0 : result.gradient_tolerance;
  auto stored = [&](const std::string& name) { return tensors.at(result.id + "/" + name); };
  for (const Recorded& i : c.at("inputs")) {
    GoldenCase::Input input;
    input.name = i.at("name");
    input.stored = stored("in." + input.name).clone();
    if (i.at("requires_grad").get<bool>()) input.stored.set_requires_grad(true);
    if (i.contains("view")) input.view = i.at("view");
    result.inputs.push_back(input);
  }
  size_t index = 0;
  for (const Recorded& o : c.at("outputs")) {
    const std::string number = std::to_string(index++);
    GoldenCase::Output output;
    output.value = stored("out." + number);
    output.grad_fn = o.value("grad_fn", "");
    output.renamed = o.contains("before");
    if (tensors.count(result.id + "/gout." + number)) output.gradient = stored("gout." + number);
    result.outputs.push_back(output);
  }
  for (const Recorded& name : c.at("grads"))
    result.gradients[name] = stored("grad." + name.get<std::string>());
  return result;
}

}  // namespace

Recorded golden_json(const std::string& path) {
  static std::map<std::string, Recorded> files;
  const auto [file, is_new] = files.try_emplace(path);
  if (is_new) {
    std::ifstream bytes = open(path);
    file->second = Recorded::parse({std::istreambuf_iterator<char>(bytes), {}});
  }
  return file->second;
}

ScalarType golden_dtype(const std::string& name) {
  static const std::map<std::string, ScalarType> names = {
      {"float32", kFloat}, {"float64", kDouble}, {"int64", kLong},   {"int32", kInt},        {"uint8", kByte},
      {"bool", kBool},     {"F32", kFloat},      {"F64", kDouble},   {"I64", kLong},         {"I32", kInt},
      {"U8", kByte},       {"BOOL", kBool},      {"float16", kHalf}, {"bfloat16", kBFloat16}};
  return names.at(name);
}

Tensor golden_numbers(const Recorded& values, ScalarType dtype) {
  const Tensor t = etude::empty({static_cast<int64_t>(values.size())}, dtype);
  auto write = [&](auto zero) {
    using T = decltype(zero);
    T* to = t.data_ptr<T>();
    for (const Recorded& v : values) {
      if (v.is_string() && isFloatingType(dtype))
        *to++ = static_cast<T>(std::strtod(v.get<std::string>().c_str(), nullptr));
      else if (v.is_string()) *to++ = static_cast<T>(std::strtoll(v.get<std::string>().c_str(), nullptr, 10));
      else if (v.is_boolean()) *to++ = static_cast<T>(v.get<bool>());
      else if (v.is_number_integer()) *to++ = static_cast<T>(v.get<int64_t>());
      else *to++ = static_cast<T>(v.get<double>());
    }
  };
  if (dtype == kBool) write(false);
  else if (dtype == kByte) write(uint8_t{0});
  else if (dtype == kInt) write(int32_t{0});
  else if (dtype == kLong) write(int64_t{0});
  else if (dtype == kFloat) write(0.0f);
  else write(0.0);
  return t;
}

std::map<std::string, Tensor> golden_tensors(const std::string& path) {
  std::ifstream file = open(path);
  uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  const std::streamoff start = file.tellg();
  std::map<std::string, Tensor> result;
  const Recorded header = Recorded::parse(text);
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto sizes = entry.at("shape").get<std::vector<int64_t>>();
    const Tensor t = etude::empty(sizes, golden_dtype(entry.at("dtype")));
    const auto offsets = entry.at("data_offsets").get<std::vector<int64_t>>();
    if (offsets.at(1) - offsets.at(0) != t.nbytes())
      throw std::runtime_error(path + ": wrong length of " + name);
    file.seekg(start + offsets.at(0));
    file.read(static_cast<char*>(t.data_ptr()), static_cast<std::streamsize>(t.nbytes()));
    if (!file) throw std::runtime_error(path + " ends inside " + name);
    result[name] = t;
  }
  return result;
}

Tensor GoldenCase::Input::value() const {
  Tensor t = stored;
  for (const Recorded& step : view) {
    const std::string kind = step.at(0);
    auto number = [&](size_t i) { return step.at(i).get<int64_t>(); };
    auto numbers = [&] {
      std::vector<int64_t> result;
      for (size_t i = 1; i < step.size(); ++i) result.push_back(number(i));
      return result;
    };
    if (kind == "transpose") t = t.transpose(number(1), number(2));
    else if (kind == "permute") t = t.permute(numbers());
    else if (kind == "expand") t = t.expand(numbers());
    else if (kind == "slice")
      t = t.slice(number(1), number(2), step.at(3).is_null() ? nullopt : optional<int64_t>(number(3)),
                  number(4));
    else throw std::runtime_error("unknown view step " + kind);
  }
  return t;
}

std::vector<GoldenCase> golden_cases(const std::string& op) {
  std::vector<GoldenCase> result;
  std::map<std::string, std::map<std::string, Tensor>> files;
  const Recorded index = golden_json("ops/index.json");
  for (const Recorded& c : index.at("cases")) {
    const std::string name = c.at("op");
    if (!op.empty() && name != op) continue;
    if (!files.count(name)) files[name] = golden_tensors("ops/" + name + ".safetensors");
    result.push_back(case_of(c, files[name]));
  }
  return result;
}

}  // namespace etude
