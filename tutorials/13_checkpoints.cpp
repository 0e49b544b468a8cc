/// # Checkpoints
///
/// - You will be able to: name all that a training run depends on; go on after an interruption
///   with the same bits; write a file that is never half there
/// - You need: [training a GPT](11_training_a_gpt.cpp)
/// - Minutes: 45
/// - Result: parts
///
/// A training run that takes a week will be interrupted. What has to be on the disk so that it
/// goes on as if nothing had happened? More than the weights. The test is strict: the losses
/// after the interruption have to be those of a run without one, bit for bit. Anything less hides
/// mistakes.
///
/// ```diagram One file from which a run goes on
/// weights: weights | means: Adam's means | step: step of schedule | chance: generator [5056]
/// save: (write everything)
/// part: run.part on the disk
/// rename: (take the name)
/// file: old file or new
/// load: (check, then fill in)
/// next: the next step
/// weights -> save ; means -> save ; step -> save ; chance -> save
/// save -> part -> rename -> file -> load -> next
/// ```
///
/// This page begins with the weights and their file, finds out one by one what else a run
/// depends on, and ends with `Checkpoint`, which keeps all of it in one file that is never half
/// written.

#include "support/files.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% run | A training run
/// A small network with dropout, AdamW [1], a learning rate on a cosine, and batches drawn at
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
  /// The tensors of the state are those of the model, not copies. If you keep a state "for later"
  /// and train on, you find the later weights in it. To keep it, clone it or write it to a file.
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
  /// A safetensors file [2] is simple enough to be written by hand, as on the PyTorch side here:
  /// eight bytes that say how long the header is, the header, and the numbers one after the
  /// other. For each tensor the header gives its type, its sizes and where its bytes are. No code
  /// is run when it is read, unlike with pickled files. The output shows the header of Etude's
  /// file.
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
  /// A new model has other weights; after `load_state_dict` it has the loaded ones. Loading is
  /// strict: a name too many or too few, or another size, is an error.
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
  /// Dropout and batches are drawn from a generator, so where the generator stands is part of the
  /// run [4]. Its state is a tensor of 5056 bytes, the same bytes in PyTorch and in Etude. After
  /// its state is set back, the generator draws the same numbers again.
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
  /// This run does ten steps without a stop. Every other run has to meet the losses of its last
  /// five steps.
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
  /// Now a run does five steps and writes a checkpoint, and a new run that has nothing but the
  /// checkpoint does five more. This is tried once with everything, and once without each part.
  /// The output shows the five losses and whether they are equal bit for bit.
  ///
  /// Without the optimizer, its running means and its learning rate begin anew. Without the
  /// schedule, the count of steps begins anew, and the rate falls too slowly from where it was.
  /// Without the random state, other batches are drawn, and other numbers are dropped. Each time
  /// the run goes on, and there is no warning. A run that reads its data in order has to keep
  /// its place in them, too.
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
  /// A checkpoint is written again and again over the one before, and the machine may stop in the
  /// middle. Opening the file for writing has emptied it, so the old checkpoint is gone, and only
  /// half of the new one is there.
  ///
  /// The way out has two steps. Write everything to a file of another name. When it is on the
  /// disk, give the file its right name: the operating system does this in one step, so that the
  /// name always stands for a whole file, the old one or the new. `fsync` waits until the bytes
  /// are on the disk; without it some file systems change the name before the bytes are there
  /// [3]. C++ has no call for it, and the lines here do without it; Etude's `save` calls the one
  /// of the operating system.
  ///
  /// Here both ways are stopped after half of the bytes. The output shows what is in the folder
  /// then.
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
  /// It is written as above, under another name first. The first two lines of the output are a
  /// test of that. Somebody has the first checkpoint open while the second is saved, and reads
  /// it afterwards: it is still the first, to its last byte. The second is another file, which
  /// has taken its name. Nothing else is left in the folder. What a killed program leaves there,
  /// the next `save` removes.
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

  //%% exercise1 | The bytes of a sentence
  cell("exercise1", "The bytes of a sentence");
  /// A file is to hold the four vectors of *the dog saw itself*, `words`, `[4, 4]`, in float32,
  /// and its ids, `[3, 0, 2, 1]`, in int64. How many bytes of numbers are in it? Count them by
  /// hand; they are compared with the file.
  {
    etude::OrderedDict<std::string, Tensor> two;
    two.insert("words", etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                       {0.0f, 1.0f, 0.0f, 0.0f},
                                       {0.0f, 0.0f, 1.0f, 0.0f},
                                       {0.0f, 0.5f, 0.0f, 1.0f}}));
    two.insert("ids", etude::tensor({3, 0, 2, 1}, etude::kLong));
    uint64_t count = 0;
    //%% answer
    /// Sixteen numbers of four bytes, and four of eight.
    ///
    /// ```python
    /// words, ids = torch.zeros(4, 4), torch.tensor([3, 0, 2, 1])
    /// print(sum(t.numel() * t.element_size() for t in (words, ids)))
    /// ```
    count = 16 * 4 + 4 * 8;
    //%% end answer
    const std::string sentence_file = (folder / "sentence.safetensors").string();
    etude::save_safetensors(sentence_file, two);
    const std::string all = read_file(sentence_file);
    uint64_t header_length = 0;
    std::memcpy(&header_length, all.data(), sizeof header_length);
    expect(count == all.size() - 8 - header_length,
           "behind the header are as many bytes as you counted");
    print(count);
  }

  //%% exercise2 | Keep what was
  cell("exercise2", "Keep what was");
  /// Somebody keeps the weights after three steps, trains on, and wants them back. But by then
  /// `weights_then` holds the later weights. Repair it before training goes on.
  {
    etude::manual_seed(4);
    Run run;
    run.train(3);
    auto weights_then = run.model->state_dict();
    const float sum_then = weights_then["0.weight"].sum().item<float>();
    //%% answer
    /// The state shares its tensors with the model; each needs a clone.
    ///
    /// ```python
    /// torch.manual_seed(4)
    /// run = Run()
    /// run.train(3)
    /// kept = {name: tensor.clone()
    ///         for name, tensor in run.model.state_dict().items()}
    /// run.train(5)
    /// run.model.load_state_dict(kept)
    /// print(run.model[0].weight.detach().sum())
    /// ```
    for (auto& item : weights_then) item.value() = item.value().clone();
    //%% end answer
    run.train(5);
    run.model->load_state_dict(weights_then);
    const Tensor sum = run.model->parameters()[0].detach().sum();
    expect(sum.item<float>() == sum_then, "the weights are those after three steps");
    print(sum);
  }

  //%% exercise3 | A run that reads in order
  cell("exercise3", "A run that reads in order");
  /// This run draws nothing at random: it reads its data in order, four numbers per step, and
  /// begins again behind the last. Its optimizer has momentum. After three steps it is
  /// interrupted. Add to the checkpoint what is missing, so that the next three losses are those
  /// of a run without interruption. `Checkpoint::add` takes an `int64_t` too.
  ///
  /// ```python
  /// data = torch.arange(20.0).view(-1, 1) / 10
  ///
  /// class Reading:
  ///     def __init__(self):
  ///         self.model = nn.Linear(1, 1)
  ///         self.optimizer = torch.optim.SGD(
  ///             self.model.parameters(), lr=0.1, momentum=0.9)
  ///         self.position = 0
  ///
  ///     def train(self, steps):
  ///         losses = []
  ///         for _ in range(steps):
  ///             x = data[self.position:self.position + 4]
  ///             self.position = (self.position + 4) % 20
  ///             loss = (self.model(x) - x.sin()).pow(2).mean()
  ///             self.optimizer.zero_grad()
  ///             loss.backward()
  ///             self.optimizer.step()
  ///             losses.append(loss.detach())
  ///         return torch.stack(losses)
  /// ```
  {
    struct Reading {
      Tensor data = etude::arange(20.0f).view({-1, 1}) / 10;
      nn::Linear model{1, 1};
      optim::SGD optimizer{model->parameters(), optim::SGDOptions(0.1).momentum(0.9)};
      int64_t position = 0;

      Tensor train(int steps) {
        std::vector<Tensor> losses;
        for (int i = 0; i < steps; ++i) {
          const Tensor x = data.narrow(0, position, 4);
          position = (position + 4) % 20;
          const Tensor loss = (model->forward(x) - x.sin()).pow(2).mean();
          optimizer.zero_grad();
          loss.backward();
          optimizer.step();
          losses.push_back(loss.detach());
        }
        return etude::stack(losses);
      }
    };
    const auto parts_of = [](Reading& run) {
      etude::Checkpoint all;
      all.add("model", *run.model);
      //%% answer
      /// Momentum is kept by the optimizer, and the place in the data is a number like any other.
      ///
      /// ```python
      /// torch.manual_seed(6)
      /// run = Reading()
      /// run.train(3)
      /// buffer = io.BytesIO()
      /// torch.save({"model": run.model.state_dict(),
      ///             "optimizer": run.optimizer.state_dict(),
      ///             "position": run.position}, buffer)
      /// buffer.seek(0)
      /// saved = torch.load(buffer)
      /// other = Reading()
      /// other.model.load_state_dict(saved["model"])
      /// other.optimizer.load_state_dict(saved["optimizer"])
      /// other.position = saved["position"]
      /// losses = other.train(3)
      /// print(losses)
      /// print(torch.equal(losses, run.train(3)))
      /// ```
      all.add("optimizer", run.optimizer).add("position", run.position);
      //%% end answer
      return all;
    };
    etude::manual_seed(6);
    Reading run, other;
    run.train(3);
    parts_of(run).save(file);
    parts_of(other).load(file);
    const Tensor losses = other.train(3), uninterrupted = run.train(3);
    expect(other.position == run.position, "both are at the same place of the data");
    expect(etude::equal(losses, uninterrupted), "the losses are those without interruption");
    print(losses);
    print(etude::equal(losses, uninterrupted));
  }

  //%% summary
  /// 1. The state of a model is its tensors by name, and it shares them with the model.
  /// 2. A run also depends on its optimizer, its schedule, the generator and its place in the data.
  /// 3. What is left out gives no error, only other losses, so the test has to be equality in bits.
  /// 4. A file is written under another name first, and takes its own name when it is whole and on
  ///    the disk.
  /// 5. Loading checks everything before it changes anything.
  //%% references
  /// 1. I. Loshchilov and F. Hutter, [Decoupled Weight Decay
  ///    Regularization](https://arxiv.org/abs/1711.05101), 2019, algorithm 2
  /// 2. [Safetensors](https://huggingface.co/docs/safetensors/index), the format of the file
  /// 3. T. S. Pillai et al., [All File Systems Are Not Created
  ///    Equal](https://www.usenix.org/conference/osdi14/technical-sessions/presentation/pillai),
  ///    OSDI 2014
  /// 4. PyTorch, [Reproducibility](https://pytorch.org/docs/1.13/notes/randomness.html)
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
