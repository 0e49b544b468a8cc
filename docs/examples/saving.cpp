#include "support/example.h"

/// # Saving and loading
///
/// Tensors, modules and optimizers in files, and the archives that hold them. A file that ends with `.pt` is PyTorch's, every
/// other one is a safetensors file.

/// The arguments after the value say where: a path or a stream.
///
/// - Shapes: tensors [*]; what is loaded has the saved shape
/// - Errors: `No such serialized tensor 'weight'` where the file does not have what is asked for
EXAMPLE(etude::save, etude::load) {
  const auto file = etude::make_tempfile();
  etude::manual_seed(0);
  nn::Linear saved(2, 1), loaded(2, 1);
  etude::save(saved, file.name);
  etude::load(loaded, file.name);
  print(loaded->weight.equal(saved->weight));
  std::stringstream stream;
  etude::save(std::vector<Tensor>{etude::tensor({1, 2}), etude::tensor(0.5)}, stream);
  std::vector<Tensor> list;
  etude::load(list, stream);
  print(list[0], list[1]);
  stream.seekg(0);
  print(examples::message_of([&] { etude::load(loaded, stream); }));
}

/// - Errors: a sentence of its own where the bytes are damaged
EXAMPLE(etude::pickle_save, etude::pickle_load) {
  const std::vector<char> bytes = etude::pickle_save(etude::IValue(etude::tensor({1, 2})));
  print(etude::pickle_load(bytes).toTensor());
  print(etude::pickle_load(etude::pickle_save(etude::IValue(0.5))).toDouble());
}

/// Values and archives in archives, under names.
///
/// - Shapes: tensors [*]
/// - Errors: `No such serialized tensor 'w'` where there is none
EXAMPLE(etude::serialize::OutputArchive, etude::serialize::InputArchive) {
  etude::serialize::OutputArchive saved, inner;
  saved.write("x", etude::tensor({1.0, 2.0}));
  saved.write("epoch", etude::IValue(3));
  inner.write("y", etude::tensor(true));
  saved.write("inner", inner);
  std::stringstream file;
  saved.save_to(file);
  etude::serialize::InputArchive loaded, part;
  loaded.load_from(file);
  Tensor x, y;
  etude::IValue epoch;
  loaded.read("x", x);
  loaded.read("epoch", epoch);
  loaded.read("inner", part);
  part.read("y", y);
  print(x, epoch.toInt(), y);
  print(loaded.try_read("w", x), examples::message_of([&] { loaded.read("w", x); }));
}

/// A tensor has the name 0 in its archive.
///
/// - Shapes: x [*]
/// - Errors: those of `read` and `write`
EXAMPLE(etude::operator<<, etude::operator>>) {
  using etude::operator<<, etude::operator>>;
  etude::serialize::OutputArchive saved;
  saved << etude::tensor({1.0, 2.0});
  std::stringstream file;
  saved.save_to(file);
  etude::serialize::InputArchive loaded;
  loaded.load_from(file);
  Tensor x;
  loaded >> x;
  print(x);
}

/// `fd` is open; the file is gone when the object is.
///
/// - Errors: `Error generating temporary file: No such file or directory` from `make_tempfile`, none from `try_make_tempfile`
EXAMPLE(etude::make_tempfile, etude::try_make_tempfile, etude::TempFile) {
  const auto file = etude::make_tempfile("weights-");
  print(file.fd >= 0, file.name.find("weights-") != std::string::npos);
  print(etude::try_make_tempfile("no-such-folder/weights-").has_value());
  print(examples::message_of([] { etude::make_tempfile("no-such-folder/weights-"); }));
}
