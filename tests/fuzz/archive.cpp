#include <memory>

#include "etude/core/error.h"
#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "etude/optim/adam.h"
#include "fuzz/seed.h"

using namespace etude;

namespace {

// Reads every name in every way, down to a few levels.
void read_all(serialize::InputArchive& archive, int levels) {
  for (const std::string& key : archive.keys()) {
    IValue value;
    if (archive.try_read(key, value) && value.isTensor()) value.toTensor().clone();
    Tensor t = zeros({2});
    archive.try_read(key, t);
    serialize::InputArchive nested;
    if (levels > 0 && archive.try_read(key, nested)) read_all(nested, levels - 1);
  }
  archive.tensor_names();
}

optim::Adam adam() {
  const Tensor w = ones({2, 3}).requires_grad_();
  w.mutable_grad() = ones({2, 3});
  return optim::Adam(std::vector<Tensor>{w}, optim::AdamOptions(0.1).amsgrad(true));
}

}  // namespace

void write_seeds(const std::string& folder) {
  optim::Adam optimizer = adam();
  optimizer.step();
  save(optimizer, folder + "/optimizer");
  serialize::OutputArchive archive, nested;
  nested.write("list", IValue(std::vector<Tensor>{ones({1}), zeros({2})}));
  nested.write("texts", IValue(std::vector<std::string>{"a", "b"}));
  archive.write("nested", nested);
  archive.write("nan", IValue(std::vector<double>{1, 0.0 / 0.0}));
  archive.save_to(folder + "/archive");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    serialize::InputArchive archive;
    archive.load_from(reinterpret_cast<const char*>(data), size);
    read_all(archive, 3);
    optim::Adam optimizer = adam();
    archive >> optimizer;
    optimizer.step();
  } catch (const Error&) {
  }
  return 0;
}
