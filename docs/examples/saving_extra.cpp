#include "support/example.h"

/// A loaded tensor may lie in the memory of the mapped file; `FileMemory::Copied` reads the whole file at once.
///
/// - Shapes: [*]
/// - Errors: `PATH: is not a .npy file`, `PATH: cannot be opened: No such file or directory`, `PATH: the tensor is undefined`
/// - PyTorch: `numpy.save`, `numpy.load`
EXAMPLE(etude::save_npy, etude::load_npy, etude::FileMemory) {
  const auto file = etude::make_tempfile();
  etude::save_npy(file.name, etude::tensor({{1, 2}, {3, 4}}));
  print(etude::load_npy(file.name));
  print(etude::load_npy(file.name, etude::FileMemory::Copied).dtype());
}

/// - Shapes: tensors [*]
/// - Errors: `PATH: is too short for a safetensors file` and alike; `PATH: the tensor "w" is undefined`;
///   `PATH: a tensor can't have the name "__metadata__"`; `PATH: has no tensor "w", but "weight", "bias"`; TypeError `PATH: has
///   tensors that are not read: "w" (F8_E4M3)`
/// - PyTorch: `safetensors.torch.save_file`, `safetensors.torch.load_file`, `safetensors.safe_open(path).metadata()`
EXAMPLE(etude::save_safetensors, etude::load_safetensors, etude::safetensors_metadata,
        etude::list_safetensors, etude::FileEntry) {
  const auto file = etude::make_tempfile();
  etude::save_safetensors(file.name, {{"weight", etude::ones({2})}, {"bias", etude::zeros({1})}},
                          {{"made_by", "me"}});
  const auto tensors = etude::load_safetensors(file.name);
  print(tensors.size(), tensors["weight"], etude::safetensors_metadata(file.name).at("made_by"));
  for (const auto& item : etude::list_safetensors(file.name))
    print(item.key(), item->type, etude::IntArrayRef(item->sizes), item->nbytes);
  print(etude::load_safetensors(file.name, {"bias"})["bias"]);
}

/// The file of llama.cpp: metadata, and tensors of the types F32, F16, BF16, F64, I8, I32, I64 and Q8_0. Those of other types are
/// listed. A weight with scales is Q8_0: each 32 int8 values of a row have a float16 factor.
///
/// - Shapes: tensors [*], of Q8_0 [..., in] with scales [..., in / 32]
/// - Errors: `PATH: is not a GGUF file` and alike; `PATH: the tensor "w" has the type Q4_K, which is not read`;
///   `tensor 'v' is not defined`
/// - Errors: `PATH: the tensor "w" has the dtype torch.bool, which GGUF does not have`
/// - PyTorch: `gguf.GGUFReader`, `gguf.GGUFWriter` of llama.cpp
EXAMPLE(etude::save_gguf, etude::load_gguf, etude::GgufFile) {
  const auto file = etude::make_tempfile();
  const etude::QuantizedWeight quantized =
      etude::quantize_per_group(etude::arange(32).view({1, 32}).to(etude::kFloat));
  etude::save_gguf(file.name, {{"vector", {etude::ones({2}), {}}}, {"matrix", quantized}},
                   {{"general.architecture", "llama"}, {"llama.block_count", 2}});
  const etude::GgufFile read = etude::load_gguf(file.name);
  print(read.metadata["llama.block_count"].toInt(), read.get<std::string>("general.name", "nameless"));
  for (const auto& item : read.entries)
    print(item.key(), item->type, item->dtype.value(), etude::IntArrayRef(item->sizes));
  print(read.tensor("vector"), read.tensor("matrix").slice(1, 0, 4),
        read.quantized("matrix").values.slice(1, 28));
  print(examples::message_of([&] { read.tensor("v"); }));
}

/// - Shapes: tensors [*]
/// - Errors: `PATH: is a .npy file, and no file of PyTorch 1.6 or later` and alike; `PATH: the tensor "w" is undefined`; where Etude was
///   built without libzip, `PATH: PyTorch's files are archives of zip, and this library was built without libzip`
/// - PyTorch: `torch.save`, `torch.load` of a state_dict
EXAMPLE(etude::save_pt, etude::load_pt, etude::list_pt) {
  const auto file = etude::make_tempfile();
  etude::save_pt(file.name, {{"fc.weight", etude::ones({1, 2})}, {"fc.bias", etude::zeros({1})}});
  for (const auto& item : etude::load_pt(file.name)) print(item.key(), item.value());
  print(etude::list_pt(file.name)["fc.weight"].type, etude::load_pt(file.name, {"fc.bias"}).size());
}

/// A run that stops, and one that goes on.
///
/// - Shapes: tensors [*] as they were
/// - Errors: `the checkpoint has a part 'n' already`; `the name of a part of a checkpoint must not be empty nor contain a dot`;
///   `Error(s) in loading checkpoint PATH:` where a part is missing, and nothing has changed then
/// - PyTorch: none
EXAMPLE(etude::Checkpoint) {
  const auto file = etude::make_tempfile();
  int64_t step = 7;
  double best = 0.5;
  nn::Linear model(2, 1);
  etude::optim::SGD optimizer(model->parameters(), 0.1);
  etude::Checkpoint checkpoint;
  checkpoint.add("model", *model).add("optimizer", optimizer).add("step", step).add("best", best);
  checkpoint.save(file.name);
  step = 0;
  optimizer.param_groups()[0].options().set_lr(9);
  const Tensor next = etude::rand({1});
  if (etude::Checkpoint::exists(file.name)) checkpoint.load(file.name);
  print(step, best, optimizer.param_groups()[0].options().get_lr());
  print(etude::rand({1}).equal(next));
}
