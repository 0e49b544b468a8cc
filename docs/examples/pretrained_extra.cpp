#include "support/example.h"

#include <filesystem>

/// # Pretrained models
///
/// Models of other programs, as folders and files: GPT-2, Llama, SmolLM2, Mistral, Qwen2 and Qwen3.

/// - Shapes: as those of the model
/// - Errors: `FOLDER/config.json: Etude does not have all of these settings`, with each of them;
///   `Error(s) in loading state_dict for LlamaForCausalLM:`, with all weights that do not fit
/// - Errors: `save_pretrained: no family of transformers is such a model`, with what it would need
/// - PyTorch: `AutoModelForCausalLM.from_pretrained(folder)`, `model.save_pretrained(folder)` of transformers
EXAMPLE(etude::nn::from_pretrained, etude::nn::save_pretrained) {
  const auto file = etude::make_tempfile();
  const std::string folder = file.name + "_model";
  const auto rotary = nn::RotaryPositions(2, nn::RotaryPairs::Half);
  nn::GPT model(nn::GPTOptions(260)
                    .context(8)
                    .d_model(8)
                    .layers(2)
                    .heads(4)
                    .kv_heads(2)
                    .dropout(0)
                    .rms_norm(true)
                    .swiglu(true)
                    .bias(false)
                    .positions(rotary.ptr()));
  const auto tokenizer = etude::text::BytePairTokenizer::train("a folder in, text out", 260);
  nn::save_pretrained(model, &tokenizer, folder);

  nn::GPT again = nn::from_pretrained(folder);
  const Tensor ids = etude::tensor(etude::text::load_tokenizer(folder)->encode("a text")).unsqueeze(0);
  print(etude::equal(again(ids), model(ids)), again->is_training());
  std::filesystem::remove_all(folder);

  // Fine-tuning: the loss of predicting each next token falls.
  again->train();
  etude::optim::AdamW optimizer(again->parameters(), etude::optim::AdamWOptions(1e-2));
  const auto loss = [&] { return again->loss(ids.slice(1, 0, -1), ids.slice(1, 1)); };
  const double before = loss().item<double>();
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    loss().backward();
    optimizer.step();
  }
  print(loss().item<double>() < before);
  print(examples::message_of([&] { nn::from_pretrained("no-such-folder"); }));
  print(examples::message_of([&] {
    nn::save_pretrained(nn::GPT(nn::GPTOptions(9).d_model(8).heads(2).bias(false)), nullptr, folder);
  }));
}

/// For llama.cpp: `llama-cli -m model.gguf`. It has float16 unless another dtype is given; kChar stands for Q8_0.
///
/// - Shapes: as those of the model
/// - Errors: `save_pretrained: no family of transformers is such a model`; `save_gguf: torch.float64 is not written`
/// - Errors: `save_gguf: a tokenizer has to have byte pairs`
/// - PyTorch: `convert_hf_to_gguf.py` of llama.cpp
EXAMPLE(etude::nn::save_gguf) {
  const auto file = etude::make_tempfile();
  const auto tokenizer = etude::text::BytePairTokenizer::train("a model in one file", 260);
  const nn::GPT model(nn::GPTOptions(260).context(8).d_model(32).layers(1).heads(4));
  nn::save_gguf(model, &tokenizer, file.name, etude::kChar);
  print(etude::load_gguf(file.name).entries["blk.0.attn_qkv.weight"].type);
  nn::GPT again = nn::from_pretrained(file.name);
  const std::vector<int64_t> ids = etude::text::load_tokenizer(file.name)->encode("a model");
  print(again(etude::tensor(ids).unsqueeze(0)).sizes(), ids == tokenizer.encode("a model"));
  print(examples::message_of([&] { nn::save_gguf(model, nullptr, file.name, etude::kDouble); }));
}

/// - Units: max_shard_size in bytes
/// - Errors: those of `from_pretrained` and `save_pretrained`
/// - PyTorch: the arguments `dtype` and `max_shard_size` of transformers
EXAMPLE(etude::nn::PretrainedOptions, etude::nn::SavePretrainedOptions) {
  const auto file = etude::make_tempfile();
  const std::string folder = file.name + "_model";
  nn::save_pretrained(nn::GPT(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2)), nullptr, folder,
                      nn::SavePretrainedOptions().max_shard_size(4000));
  print(std::filesystem::exists(folder + "/model.safetensors.index.json"));
  nn::GPT model = nn::from_pretrained(folder, nn::PretrainedOptions().dtype(etude::kBFloat16));
  print(model->wte->weight.dtype());
  std::filesystem::remove_all(folder);
}
