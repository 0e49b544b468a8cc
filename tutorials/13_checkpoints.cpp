/// # Checkpoints
///
/// A training that takes a week will be interrupted. What has to be on the disk so that it goes
/// on as if nothing had happened? More than the weights. The test is strict: the losses after
/// the interruption have to be those of a run without one, bit for bit. Anything less hides
/// mistakes.
///
/// This page begins with the weights and their file, finds out one by one what else a run
/// depends on, and ends with `Checkpoint`, which keeps all of it in one file that is never half
/// written.

#include "support/files.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% run | A training run
/// A small network with dropout, AdamW, a learning rate on a cosine, and batches drawn at
/// random: everything that a large run has too. `train` does some steps and returns their
/// losses.
///
/// ```python
/// import io
/// import json
/// import struct
/// import torch
/// import torch.nn as nn
///
/// class Run:
///     def __init__(self):
///         self.model = nn.Sequential(
///             nn.Linear(4, 8), nn.Tanh(),
///             nn.Dropout(0.2), nn.Linear(8, 1))
///         self.optimizer = torch.optim.AdamW(
///             self.model.parameters(), lr=0.05)
///         self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(
///             self.optimizer, 20)
///
///     def train(self, steps):
///         losses = []
///         for _ in range(steps):
///             x = torch.randn(16, 4)
///             wanted = x.prod(dim=1, keepdim=True)
///             loss = (self.model(x) - wanted).pow(2).mean()
///             self.optimizer.zero_grad()
///             loss.backward()
///             self.optimizer.step()
///             self.schedule.step()
///             losses.append(loss.detach())
///         return torch.stack(losses)
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace nn = etude::nn;
namespace optim = etude::optim;
using etude::print, etude::Tensor;

struct Run {
  nn::Sequential model{nn::Linear(4, 8), nn::Tanh(), nn::Dropout(0.2), nn::Linear(8, 1)};
  optim::AdamW optimizer{model->parameters(), optim::AdamWOptions(0.05)};
  optim::CosineAnnealingLR schedule{optimizer, 20};

  Tensor train(int steps) {
    std::vector<Tensor> losses;
    for (int i = 0; i < steps; ++i) {
      const Tensor x = etude::randn({16, 4});
      const Tensor wanted = x.prod(1, true);
      const Tensor loss = (model->forward(x) - wanted).pow(2).mean();
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
      schedule.step();
      losses.push_back(loss.detach());
    }
    return etude::stack(losses);
  }
};

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "13_checkpoints");
  cell("run", "A training run");

  namespace fs = std::filesystem;
  const std::string name = "etude_checkpoints_" + std::to_string(std::random_device{}());
  const fs::path folder = fs::temp_directory_path() / name;
  fs::create_directories(folder);
  struct Removed {
    fs::path path;
    ~Removed() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } const removed{folder};

  //%% state | The state of a model
  cell("state", "The state of a model");
  /// `state_dict` gives the tensors of a model by their names, which are those of the modules
  /// joined by dots: parameters, and buffers that belong to the state.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// first = Run()
  /// for name, tensor in first.model.state_dict().items():
  ///     print(name, tuple(tensor.shape))
  /// ```
  etude::manual_seed(0);
  Run first;
  for (const auto& item : first.model->state_dict())
    print(item.key(), python_tuple(item.value().sizes()));

  //%% shared | Not a copy
  cell("shared", "Not a copy");
  /// The tensors of the state are those of the model, not copies. Whoever keeps a state "for
  /// later" and trains on finds the later weights in it. To keep it, clone it or write it to a
  /// file.
  ///
  /// ```python
  /// kept = first.model.state_dict()["0.weight"]
  /// copied = kept.clone()
  /// first.train(1)
  /// now = first.model[0].weight.detach()
  /// print(torch.equal(kept, now), torch.equal(copied, now))
  /// ```
  const Tensor kept = first.model->state_dict()["0.weight"];
  const Tensor copied = kept.clone();
  first.train(1);
  const Tensor now = first.model->parameters()[0].detach();
  print(etude::equal(kept, now), etude::equal(copied, now));

  //%% file | Weights in a file
  cell("file", "Weights in a file");
  /// A safetensors file is simple enough to be written by hand, as on the PyTorch side here:
  /// eight bytes that say how long the header is, the header, and the numbers one after the
  /// other. The header says of each tensor its type, its sizes and where its bytes are. No code
  /// is run when it is read, unlike with pickled files. Printed is the header of Etude's file.
  ///
  /// ```python
  /// def as_safetensors(state):
  ///     header, data = {}, b""
  ///     for name, tensor in state.items():
  ///         begin, data = len(data), data + tensor.numpy().tobytes()
  ///         header[name] = {"dtype": "F32",
  ///                         "shape": list(tensor.shape),
  ///                         "data_offsets": [begin, len(data)]}
  ///     text = json.dumps(header, separators=(",", ":")).encode()
  ///     text += b" " * (-len(text) % 8)
  ///     return struct.pack("<Q", len(text)) + text + data
  ///
  /// file = as_safetensors(first.model.state_dict())
  /// length, = struct.unpack("<Q", file[:8])
  /// for name, entry in json.loads(file[8:8 + length]).items():
  ///     print(name, entry["shape"], entry["data_offsets"])
  /// print(len(file) - 8 - length, "bytes of numbers")
  /// ```
  const std::string path = (folder / "weights.safetensors").string();
  etude::save_safetensors(path, first.model->state_dict());
  const std::string bytes = read_file(path);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string header = bytes.substr(8, static_cast<size_t>(length));
  const auto part_after = [&](const std::string& text, const std::string& key) {
    const size_t begin = text.find("\"" + key + "\":") + key.size() + 3;
    std::string spaced;
    for (const char c : text.substr(begin, text.find(']', begin) + 1 - begin))
      spaced += c == ',' ? ", " : std::string(1, c);
    return spaced;
  };
  for (const char* entry : {"0.weight", "0.bias", "3.weight", "3.bias"}) {
    const std::string found = header.substr(header.find(std::string("\"") + entry + "\""));
    print(entry, part_after(found, "shape"), part_after(found, "data_offsets"));
  }
  print(bytes.size() - 8 - length, "bytes of numbers");

  //%% back | And back
  cell("back", "And back");
  /// A new model has other weights, and the loaded ones after `load_state_dict`. It is strict: a
  /// name too many or too few, or another size, is an error.
  ///
  /// ```python
  /// buffer = io.BytesIO()
  /// torch.save(first.model.state_dict(), buffer)
  /// buffer.seek(0)
  /// second = Run()
  /// print(torch.equal(second.model[0].weight, first.model[0].weight))
  /// print(second.model.load_state_dict(torch.load(buffer)))
  /// print(torch.equal(second.model[0].weight, first.model[0].weight))
  /// try:
  ///     nn.Sequential(nn.Linear(4, 9)).load_state_dict(
  ///         first.model.state_dict())
  /// except RuntimeError as error:
  ///     print("RuntimeError:", str(error).split("\n")[0])
  /// ```
  Run second;
  const auto same_weight = [](const Run& a, const Run& b) {
    return etude::equal(a.model->parameters()[0], b.model->parameters()[0]);
  };
  print(same_weight(second, first));
  print(second.model->load_state_dict(etude::load_safetensors(path)));
  print(same_weight(second, first));
  try {
    nn::Sequential(nn::Linear(4, 9))->load_state_dict(first.model->state_dict());
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% random | The state of randomness
  cell("random", "The state of randomness");
  /// Dropout and batches are drawn from a generator, so where the generator stands is part of
  /// the run. Its state is a tensor of 5056 bytes, in PyTorch and Etude the same ones. Set back,
  /// it draws the same numbers again.
  ///
  /// ```python
  /// torch.manual_seed(5)
  /// state = torch.get_rng_state()
  /// print(state.shape, state.dtype, state.sum())
  /// print(torch.rand(3))
  /// print(torch.rand(3))
  /// torch.set_rng_state(state)
  /// print(torch.rand(3))
  /// ```
  etude::manual_seed(5);
  const Tensor state = etude::default_generator().get_state();
  print(state.sizes(), state.dtype(), state.sum());
  print(etude::rand({3}));
  print(etude::rand({3}));
  etude::default_generator().set_state(state);
  print(etude::rand({3}));

  //%% reference | The run without an interruption
  cell("reference", "The run without an interruption");
  /// Ten steps at once. The losses of the last five are what every other run has to meet.
  ///
  /// ```python
  /// torch.manual_seed(1)
  /// whole = Run()
  /// expected = whole.train(10)[5:]
  /// print(expected)
  /// ```
  etude::manual_seed(1);
  Run whole;
  const Tensor expected = whole.train(10).narrow(0, 5, 5);
  print(expected);

  //%% parts | What it takes
  cell("parts", "What it takes");
  /// Now five steps, a checkpoint, and five more in a new run that has nothing but the
  /// checkpoint. Once with everything, and once without each part. Printed are the five losses
  /// and whether they are equal bit for bit.
  ///
  /// Without the optimizer its running means begin anew. Without the schedule the learning rate
  /// does. Without the random state other batches come, and other numbers are dropped. Each time
  /// the run goes on, and nothing warns. A run whose place in the data is not drawn has to keep
  /// that place too.
  ///
  /// ```python
  /// def resumed(left_out):
  ///     torch.manual_seed(1)
  ///     before = Run()
  ///     before.train(5)
  ///     buffer = io.BytesIO()
  ///     torch.save({"model": before.model.state_dict(),
  ///                 "optimizer": before.optimizer.state_dict(),
  ///                 "schedule": before.schedule.state_dict(),
  ///                 "random": torch.get_rng_state()}, buffer)
  ///     buffer.seek(0)
  ///     saved = torch.load(buffer)
  ///
  ///     torch.manual_seed(2)
  ///     after = Run()
  ///     for part in ("model", "optimizer", "schedule"):
  ///         if part != left_out:
  ///             getattr(after, part).load_state_dict(saved[part])
  ///     torch.manual_seed(3)
  ///     if left_out != "random":
  ///         torch.set_rng_state(saved["random"])
  ///     return after.train(5)
  ///
  /// for left_out in ("nothing", "model", "optimizer",
  ///                  "schedule", "random"):
  ///     losses = resumed(left_out)
  ///     print("without", left_out, torch.equal(losses, expected))
  ///     print(losses)
  /// ```
  const std::string file = (folder / "run.safetensors").string();
  const auto resumed = [&](const std::string& left_out) {
    const auto parts_of = [&](Run& run) {
      etude::Checkpoint checkpoint;
      if (left_out != "model") checkpoint.add("model", *run.model);
      if (left_out != "optimizer") checkpoint.add("optimizer", run.optimizer);
      if (left_out != "schedule") checkpoint.add("schedule", run.schedule);
      return checkpoint;
    };
    etude::manual_seed(1);
    Run before;
    before.train(5);
    parts_of(before).save(file);

    etude::manual_seed(2);
    Run after;
    parts_of(after).load(file);
    if (left_out == "random") etude::manual_seed(3);
    return after.train(5);
  };
  for (const std::string left_out : {"nothing", "model", "optimizer", "schedule", "random"}) {
    const Tensor losses = resumed(left_out);
    print("without", left_out, etude::equal(losses, expected));
    print(losses);
  }

  //%% half_written | A crash in the middle
  cell("half_written", "A crash in the middle");
  /// A checkpoint is written again and again over the one before, and the machine may stop in
  /// the middle. Opening the file to write has emptied it, so the old checkpoint is gone, and
  /// the new one is half there.
  ///
  /// The way out is two steps. Write everything under another name. When it is on the disk, give
  /// it the name it is meant for: the operating system does this at once, so that the name
  /// always stands for a whole file, the old one or the new. `fsync` waits until the bytes are
  /// on the disk. C++ has no call for it, and the lines here go without; Etude's `save` calls
  /// the one of the operating system.
  ///
  /// Here both ways are stopped after half of the bytes. Printed is what is in the folder then.
  ///
  /// ```python
  /// import os
  /// import tempfile
  ///
  /// class Crash(Exception):
  ///     pass
  ///
  /// def write(path, data, crash=False):
  ///     with open(path, "wb") as file:
  ///         if crash:
  ///             file.write(data[:len(data) // 2])
  ///             raise Crash
  ///         file.write(data)
  ///         file.flush()
  ///         os.fsync(file.fileno())
  ///
  /// def write_whole(path, data, crash=False):
  ///     write(path + ".part", data, crash)
  ///     os.replace(path + ".part", path)
  ///
  /// def contents(folder):
  ///     for name in sorted(os.listdir(folder)):
  ///         with open(os.path.join(folder, name)) as file:
  ///             print(f"  {name}: {file.read()}")
  ///
  /// for writer in (write, write_whole):
  ///     print(writer.__name__)
  ///     with tempfile.TemporaryDirectory() as folder:
  ///         path = os.path.join(folder, "run")
  ///         writer(path, b"the old checkpoint")
  ///         try:
  ///             writer(path, b"the new checkpoint", crash=True)
  ///         except Crash:
  ///             contents(folder)
  /// ```
  struct Crash {};
  const auto write = [](const fs::path& target, const std::string& data, bool crash) {
    std::ofstream out(target, std::ios::binary);
    out << data.substr(0, crash ? data.size() / 2 : data.size());
    if (crash) throw Crash();
  };
  const auto write_whole = [&](const fs::path& target, const std::string& data, bool crash) {
    const fs::path part = target.string() + ".part";
    write(part, data, crash);
    fs::rename(part, target);
  };
  const auto names_in = [](const fs::path& where) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(where))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  const auto stopped = [&](const char* called, const auto& writer) {
    print(called);
    const fs::path here = folder / called;
    fs::create_directory(here);
    writer(here / "run", "the old checkpoint", false);
    try {
      writer(here / "run", "the new checkpoint", true);
    } catch (const Crash&) {
      for (const std::string& each : names_in(here))
        print("  " + each + ":", read_file(here / each));
    }
  };
  stopped("write", write);
  stopped("write_whole", write_whole);

  //%% whole_file | One file, old or new
  cell("whole_file", "One file, old or new");
  /// `Checkpoint` keeps references to what was added: `save` writes all of it, and the default
  /// generator too, and `load` fills it in. It is one file because two can belong to different
  /// steps.
  ///
  /// It is written as above, under another name first. The first two lines are a test of that.
  /// Somebody has the first checkpoint open while the second is saved, and reads it afterwards:
  /// it is still the first, to its last byte. The second is another file, which has taken its
  /// name. Nothing else is left in the folder. What a killed program leaves there, the next
  /// `save` removes.
  ///
  /// And loading changes nothing at all if anything is wrong with the file. Here half of it is
  /// missing.
  ///
  /// ```python
  /// def as_bytes(run):
  ///     buffer = io.BytesIO()
  ///     torch.save(run.model.state_dict(), buffer)
  ///     return buffer.getvalue()
  ///
  /// last = Run()
  /// with tempfile.TemporaryDirectory() as folder:
  ///     path = os.path.join(folder, "run.safetensors")
  ///     complete = as_bytes(last)
  ///     write_whole(path, complete)
  ///     with open(path, "rb") as reader:
  ///         last.train(1)
  ///         write_whole(path, as_bytes(last))
  ///         print("who reads the old file has all of it:",
  ///               reader.read() == complete)
  ///     print("in the folder:", os.listdir(folder))
  ///
  /// half = io.BytesIO(complete[:len(complete) // 2])
  /// before = last.model[0].weight.detach().clone()
  /// refused = False
  /// try:
  ///     last.model.load_state_dict(torch.load(half))
  /// except RuntimeError:
  ///     refused = True
  /// print("half a file is refused:", refused)
  /// print("nothing has changed:",
  ///       torch.equal(before, last.model[0].weight))
  /// ```
  Run last;
  etude::Checkpoint checkpoint;
  checkpoint.add("model", *last.model).add("optimizer", last.optimizer);
  const fs::path saved = folder / "saved";
  fs::create_directory(saved);
  const std::string run_file = (saved / "run.safetensors").string();
  checkpoint.save(run_file);
  const std::string complete = read_file(run_file);
  std::ifstream reader(run_file, std::ios::binary);
  last.train(1);
  checkpoint.save(run_file);
  const std::string read{std::istreambuf_iterator<char>(reader), {}};
  print("who reads the old file has all of it:", read == complete);
  print("in the folder:", python_list(names_in(saved)));

  write_file(run_file, complete.substr(0, complete.size() / 2));
  const Tensor before = last.model->parameters()[0].detach().clone();
  bool refused = false;
  try {
    checkpoint.load(run_file);
  } catch (const etude::Error&) {
    refused = true;
  }
  print("half a file is refused:", refused);
  print("nothing has changed:", etude::equal(before, last.model->parameters()[0]));

  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
