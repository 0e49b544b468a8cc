#include "support/char_model.h"

#include <algorithm>
#include <set>

namespace examples {

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::Tensor;

namespace {

CharModel made(const etude::OrderedDict<std::string, Tensor>& weights, int64_t heads,
               const std::string& characters) {
  auto tokenizer = etude::text::CharacterTokenizer::train(characters);
  const Tensor &words = weights["wte.weight"], &places = weights["wpe.weight"];
  int64_t layers = 0;
  while (weights.contains(etude::str("h.", layers, ".ln_1.weight"))) ++layers;
  ETUDE_CHECK(words.size(0) == tokenizer.vocab_size(), "the model has ", words.size(0),
              " words and the file ", tokenizer.vocab_size(), " characters");
  nn::GPT model(nn::GPTOptions(words.size(0))
                    .context(places.size(0))
                    .d_model(words.size(1))
                    .layers(layers)
                    .heads(heads)
                    .dropout(0));
  const etude::NoGradGuard no_grad;
  for (const auto& weight : model->named_parameters()) weight.value().copy_(weights[weight.key()]);
  model->eval();
  return {model, tokenizer};
}

std::string all_characters(const CharModel& one) {
  std::vector<int64_t> ids(static_cast<size_t>(one.tokenizer.vocab_size()));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i);
  return one.tokenizer.decode(ids);
}

}  // namespace

CharModel load_char_model(const std::string& path) {
  const auto facts = etude::safetensors_metadata(path);
  ETUDE_CHECK(facts.count("heads") && facts.count("characters"), path, " is not a GPT of characters",
              "\nhint: docs/live/inside/README.md says how a checkpoint of char_gpt becomes one");
  return made(etude::load_safetensors(path), std::stoll(facts.at("heads")), facts.at("characters"));
}

void save_char_model(const std::string& path, const CharModel& one) {
  etude::OrderedDict<std::string, Tensor> weights;
  for (const auto& weight : one.model->named_parameters())
    weights.insert(weight.key(), weight.value().detach().to(etude::kBFloat16));
  etude::save_safetensors(
      path, weights,
      {{"heads", etude::str(one.model->options.heads())}, {"characters", all_characters(one)}});
}

CharModel char_model_of_checkpoint(const std::string& path, const std::string& text) {
  etude::OrderedDict<std::string, Tensor> weights;
  const std::string prefix = "model.";
  for (const auto& entry : etude::load_safetensors(path))
    if (entry.key().compare(0, prefix.size(), prefix) == 0)
      weights.insert(entry.key().substr(prefix.size()), entry.value());
  const std::string facts = etude::safetensors_metadata(path).at("facts"), name = "--heads: ";
  return made(weights, std::stoll(facts.substr(facts.find(name) + name.size())), text);
}

// The characters of a text in UTF-8. A byte that belongs to none is one itself.
static std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> all;
  for (size_t i = 0, end; i < text.size(); i = end) {
    end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    all.push_back(text.substr(i, end - i));
  }
  return all;
}

Tensor known_ids(const CharModel& one, const std::string& text) {
  const std::vector<std::string> characters = characters_of(all_characters(one));
  const std::set<std::string> known(characters.begin(), characters.end());
  std::vector<int64_t> ids;
  for (const std::string& character : characters_of(text))
    if (known.count(character)) ids.push_back(one.tokenizer.encode(character)[0]);
  return etude::tensor(ids, etude::kLong);
}

Tensor readable_ids(const CharModel& one, const std::string& text) {
  const Tensor ids = known_ids(one, text);
  const int64_t count = std::min(ids.size(0), one.model->options.context());
  return ids.narrow(0, ids.size(0) - count, count);
}

std::vector<std::string> parts_of(const CharModel& one) {
  std::vector<std::string> parts;
  for (int64_t layer = 0; layer < one.model->options.layers(); ++layer) {
    for (int64_t head = 0; head < one.model->options.heads(); ++head)
      parts.push_back(etude::str(layer, ".", head));
    parts.push_back(etude::str("mlp.", layer));
  }
  return parts;
}

CharReading read_inside(const CharModel& one, const Tensor& ids, const std::vector<std::string>& without) {
  const std::vector<std::string> parts = parts_of(one);
  nn::Hooks hooks;
  for (const std::string& part : without) {
    ETUDE_CHECK(std::find(parts.begin(), parts.end(), part) != parts.end(), "the model has no part ", part,
                "\nhint: 0.1 is head 1 of block 0, mlp.2 the MLP of block 2");
    const auto layer = part.substr(0, 4) == "mlp." ? part.substr(4) : part.substr(0, part.find('.'));
    if (part[0] == 'm')
      hooks.emplace_back(etude::str("blocks.", layer, ".hook_mlp_out"),
                         [](const Tensor& x, const std::string&) { return etude::zeros_like(x); });
    else
      hooks.emplace_back(
          etude::str("blocks.", layer, ".attn.hook_pattern"),
          [head = std::stoll(part.substr(layer.size() + 1))](const Tensor& weights, const std::string&) {
            const Tensor changed = weights.clone();
            changed.select(1, head).zero_();
            return changed;
          });
  }
  const etude::NoGradGuard no_grad;
  std::vector<Tensor> residuals, patterns;
  const auto is_kept = [](const std::string& name) {
    return name == "blocks.0.hook_resid_pre" || name.find("hook_resid_post") != std::string::npos;
  };
  const int64_t layers = one.model->options.layers();
  const auto keep = [](std::vector<Tensor>& where) {
    return [&where](const Tensor& x, const std::string&) {
      where.push_back(x[0]);
      return Tensor();
    };
  };
  hooks.emplace_back(is_kept, keep(residuals));
  for (int64_t layer = 0; layer < layers; ++layer)
    hooks.emplace_back(etude::str("blocks.", layer, ".attn.hook_pattern"), keep(patterns));
  nn::GPT model = one.model;
  nn::run_with_hooks(model, ids.unsqueeze(0), hooks);

  CharReading reading{residuals[0], etude::stack(patterns), {}};
  std::vector<Tensor> early;
  for (const Tensor& residual : residuals)
    early.push_back(F::linear(model->ln_f.forward(residual), model->wte->weight).softmax(-1));
  reading.early = etude::stack(early);
  return reading;
}

}  // namespace examples
