#include "etude/pretrained.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "etude/quantize.h"
#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/word_tokenizer.h"
#include "layers/pretrained_models.h"
#include "support/full_disk.h"
#include "support/has.h"

TEST_SUITE("pretrained models") {
  using namespace pretrained;

  namespace {

  namespace fs = std::filesystem;

  constexpr const char* kModels[] = {"gpt2",    "gpt2_first", "llama2", "llama3",
                                     "smollm2", "qwen2",      "qwen3",  "mistral"};

  bool same_state(const Module& a, const Module& b) {
    const auto one = a.state_dict(), other = b.state_dict();
    if (one.keys() != other.keys()) return false;
    return std::all_of(one.begin(), one.end(), [&](const auto& item) {
      return item->scalar_type() == other[item.key()].scalar_type() && same(item.value(), other[item.key()]);
    });
  }

  // Every number is random: norms are not ones, and biases are not zeros.
  GPT random_model(const GPTOptions& options) {
    manual_seed(1);
    GPT model(options);
    const NoGradGuard no_grad;
    for (auto& item : model->named_parameters())
      if (item->dim() == 1) item->uniform_(0.5, 1.5);
      else item->normal_(0, 0.3);
    model->eval();
    return model;
  }

  Tensor some_ids() { return tensor({{3, 30, 11, 0, 7}, {5, 1, 29, 13, 2}}); }

  struct FailingTokenizer final : text::Tokenizer {
    std::vector<int64_t> encode(std::string_view) const override { return {}; }
    std::string decode(ArrayRef<int64_t>) const override { return ""; }
    int64_t vocab_size() const override { return 1; }
    void save(const std::string& path) const override {
      write_bytes(path, "{");
      throw Error("a failing tokenizer");
    }
  };

  // The bytes of all files in a folder.
  std::map<std::string, std::string> contents(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& file : fs::directory_iterator(folder))
      files[file.path().filename().string()] =
          file.is_directory() ? "a folder" : read_bytes(file.path().string());
    return files;
  }

  }  // namespace

  TEST_CASE("have the logits of transformers, at once, token by token and behind padding") {
    const NoGradGuard no_grad;
    const Tensor ids = recorded_logits().at("ids");
    for (const std::string name : kModels) {
      CAPTURE(name);
      GPT model = from_pretrained(recorded_model(name), PretrainedOptions().dtype(kFloat));
      CHECK_FALSE(model->is_training());
      CHECK(as_recorded(model(ids), name + ".whole"));
      for (const int64_t step : {1, 3}) {
        KeyValueCache cache = model->make_cache(2, 7);
        std::vector<Tensor> parts;
        for (int64_t i = 0; i < 7; i += step)
          parts.push_back(model(ids.narrow(1, i, std::min<int64_t>(step, 7 - i)), &cache));
        CHECK(as_recorded(cat(parts, 1), name + ".cached"));
      }
      const Tensor padded = cat({zeros({1, 3}, kLong), ids.narrow(0, 0, 1).slice(1, 3)}, 1);
      CHECK(as_recorded(model(padded, nullptr, tensor({3}))[0].slice(0, 3), name + ".padded"));
    }
  }

  TEST_CASE("are written and read again bit for bit, in one file and in shards") {
    const NoGradGuard no_grad;
    const Tensor ids = recorded_logits().at("ids");
    for (const std::string name : kModels) {
      CAPTURE(name);
      GPT model = from_pretrained(recorded_model(name));
      const TemporaryFolder folder;
      for (const int64_t bytes : {int64_t{1} << 40, int64_t{8000}, int64_t{1} << 40}) {
        save_pretrained(model, nullptr, folder.path(), SavePretrainedOptions().max_shard_size(bytes));
        CHECK(fs::exists(folder / "model.safetensors") == (bytes > 8000));
        CHECK(fs::exists(folder / "model.safetensors.index.json") == (bytes == 8000));
        GPT again = from_pretrained(folder.path());
        CHECK(same_state(*model, *again));
        CHECK(same(model(ids), again(ids)));
      }
      CHECK(folder.count() == 3);  // config.json, generation_config.json and model.safetensors
      // The settings that both have are the same.
      const json was = json::parse(read_bytes(recorded_model(name) + "/config.json")),
                 is = json::parse(read_bytes(folder / "config.json"));
      for (const auto& [key, value] : is.items()) {
        if (!was.contains(key) || key == "architectures" || key == "model_type" || key == "rope_scaling")
          continue;
        if (key == "bos_token_id" || key == "eos_token_id" || key == "n_inner") continue;
        CAPTURE(key);
        CHECK(was[key] == value);
      }
      CHECK(is["model_type"] == (name == "mistral" ? json("llama") : was["model_type"]));
    }
  }

  TEST_CASE("that are quantised are written as the numbers that their weights stand for") {
    const NoGradGuard no_grad;
    const Tensor ids = recorded_logits().at("ids");
    for (const std::string name : {"gpt2", "llama2", "smollm2", "qwen3"}) {
      CAPTURE(name);
      GPT model = from_pretrained(recorded_model(name));
      quantize(model, kChar, 4);
      const TemporaryFolder folder;
      save_pretrained(model, nullptr, folder.path());
      nn::save_gguf(model, nullptr, folder / "x.gguf", kFloat);
      const Tensor logits = model(ids);
      for (const std::string& path : {folder.path(), folder / "x.gguf"})
        CHECK(allclose(from_pretrained(path)(ids), logits, 1e-5, 1e-5));
    }
  }

  TEST_CASE("keep the dtype of the file unless another is wanted") {
    const GPT model = from_pretrained(recorded_model("smollm2"));
    for (const Tensor& p : model->parameters()) CHECK((p.scalar_type() == kBFloat16));
    const GPT wide = from_pretrained(recorded_model("smollm2"), PretrainedOptions().dtype(kFloat));
    for (const auto& item : wide->named_parameters()) {
      CHECK((item->scalar_type() == kFloat));
      CHECK(item->requires_grad());
      CHECK(same(item->detach().to(kBFloat16), model->named_parameters()[item.key()].detach()));
    }
    CHECK(refusal([] { from_pretrained(recorded_model("gpt2"), PretrainedOptions().dtype(kLong)); }) ==
          "Error: from_pretrained: a model can't be of dtype torch.int64");
    CopiedModel mixed("smollm2");
    mixed.change_weights([](const std::string& name, const Tensor& t, auto& changed) {
      changed.insert(name, name == "model.norm.weight" ? t.to(kFloat) : t);
    });
    CHECK((from_pretrained(mixed.folder.path())->wte->weight.scalar_type() == kFloat));
  }

  TEST_CASE("are refused by the name of another format that stands in their place") {
    const CopiedModel model("smollm2");
    fs::remove(model.folder / "model.safetensors");
    const std::pair<std::string, std::string> others[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4096\n", "a pointer of Git LFS"},
        {"<!DOCTYPE html><html><head><title>Not found</title></head></html>", "a page of HTML or XML"},
        {"\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19." + std::string(64, 'x'),
         "a file of torch.save from before PyTorch 1.6"}};
    for (const auto& [bytes, what] : others) {
      write_bytes(model.folder / "pytorch_model.bin", bytes);
      CHECK(has(model.refusal(), "pytorch_model.bin: is " + what + ", and no "));
      CHECK(has(refusal_text([&] { from_pretrained(model.folder / "pytorch_model.bin"); }),
                "pytorch_model.bin: is " + what + ", and no "));
    }
  }

  TEST_CASE("draw no random numbers, and leave initialisation as it was") {
    manual_seed(5);
    const Tensor next = rand({3});
    manual_seed(5);
    from_pretrained(recorded_model("qwen3"));
    CHECK(same(rand({3}), next));
    CHECK(same(init::ones_(zeros({2})), ones({2})));
    CHECK_THROWS(from_pretrained(recorded_model("nothing")));
    CHECK(same(init::constant_(zeros({2}), 3), full({2}, 3.0)));
  }

  TEST_CASE("can be given as a file with config.json beside it") {
    CopiedModel model("qwen2"), torch("llama2");
    CHECK(same_state(*from_pretrained(model.folder / "model.safetensors"),
                     *from_pretrained(recorded_model("qwen2"))));
    fs::rename(torch.folder / "pytorch_model.bin", torch.folder / "weights.pt");
    CHECK(same_state(*from_pretrained(torch.folder / "weights.pt"),
                     *from_pretrained(recorded_model("llama2"))));
    fs::rename(torch.folder / "weights.pt", torch.folder / "weights.bin");
    CHECK(same_state(*from_pretrained(torch.folder / "weights.bin"),
                     *from_pretrained(recorded_model("llama2"))));
    fs::remove(model.folder / "config.json");
    CHECK(has(refusal_lines([&] { from_pretrained(model.folder / "model.safetensors"); }),
              "config.json: No such file or directory\nhint: it has to be beside the weights"));
  }

  TEST_CASE("may have names without a prefix, heads of their own and heads that are there twice") {
    const NoGradGuard no_grad;
    const Tensor ids = recorded_logits().at("ids");
    const Tensor logits = from_pretrained(recorded_model("qwen2"))(ids);
    CopiedModel bare("qwen2"), twice("qwen2"), untied("qwen2");
    bare.change_weights([](const std::string& name, const Tensor& t, auto& changed) {
      changed.insert(name.substr(std::strlen("model.")), t);
    });
    CHECK(same(from_pretrained(bare.folder.path())(ids), logits));
    const auto with_head = [](double factor) {
      return [factor](const std::string& name, const Tensor& t, auto& changed) {
        changed.insert(name, t);
        if (name == "model.embed_tokens.weight") changed.insert("lm_head.weight", t * factor);
      };
    };
    twice.change_weights(with_head(1));
    CHECK(same(from_pretrained(twice.folder.path())(ids), logits));
    untied.change_weights(with_head(2));
    CHECK(has(untied.refusal(),
              "lm_head.weight differs from model.embed_tokens.weight, and config.json says that "
              "they are one\nhint: \"tie_word_embeddings\": false"));
    untied.set("tie_word_embeddings", false);
    CHECK(allclose(from_pretrained(untied.folder.path())(ids), 2 * logits));
  }

  TEST_CASE("say everything that does not fit in one message") {
    CopiedModel model("qwen3");
    model.change_weights([](const std::string& name, const Tensor& t, auto& changed) {
      if (name == "model.norm.weight") return;
      changed.insert(name == "model.layers.1.mlp.up_proj.weight" ? "other" : name,
                     name == "model.layers.0.mlp.down_proj.weight" ? t.slice(0, 1) : t);
    });
    CHECK(model.refusal() ==
          "Error(s) in loading state_dict for Qwen3ForCausalLM:"
          "\n\tMissing key(s) in state_dict: \"model.layers.1.mlp.up_proj.weight\", \"model.norm.weight\". "
          "\n\tUnexpected key(s) in state_dict: \"other\". "
          "\n\tsize mismatch for model.layers.0.mlp.down_proj.weight: copying a param with shape "
          "torch.Size([23, 20]) "
          "from checkpoint, the shape in current model is torch.Size([24, 20])."
          "\nreceived " +
              model.folder.path());
  }

  TEST_CASE("say what names of weights look like") {
    CopiedModel llama("qwen3"), qwen2("qwen2"), wrapped("qwen2"), gpt2("gpt2"), meta("qwen2");
    llama.set("model_type", "llama");
    CHECK(has(
        llama.refusal(),
        "\n\tUnexpected key(s) in state_dict: \"model.layers.0.self_attn.k_norm.weight\" and 1 more in other "
        "layers, \"model.layers.0.self_attn.q_norm.weight\" and 1 more in other layers. "));
    CHECK(has(llama.refusal(), "\nhint: they look like weights of a qwen3 model"));
    qwen2.set("model_type", "mistral");
    CHECK(has(qwen2.refusal(), "\nhint: they look like weights of a qwen2 model"));
    wrapped.change_weights(
        [](const std::string& name, const Tensor& t, auto& changed) { changed.insert("module." + name, t); });
    const std::string prefix = "module.model.";
    CHECK(has(wrapped.refusal(),
              "\nhint: every name begins with `module.model.`: pass "
              "PretrainedOptions().prefix(\"module.model.\")"));
    const GPT found = from_pretrained(wrapped.folder.path(), PretrainedOptions().prefix(prefix));
    CHECK(found->wte->weight.equal(from_pretrained(recorded_model("qwen2"))->wte->weight));
    CHECK(has(
        refusal_text([&] { from_pretrained(wrapped.folder.path(), PretrainedOptions().prefix("model.")); }),
        ": has 0 tensors, which cannot be the 2 layers"));
    json config = qwen2.config();
    write_bytes(gpt2.folder / "config.json", config.dump());
    CHECK(has(gpt2.refusal(), "\nhint: they look like weights of a gpt2 model"));
    meta.change_weights([](const std::string& name, const Tensor& t, auto& changed) {
      if (has(name, "q_proj.weight"))
        changed.insert("layers." + std::to_string(changed.size()) + ".attention.wq.weight", t);
    });
    CHECK(has(meta.refusal(), "they look like Llama's own weights, which transformers converts"));
  }

  TEST_CASE("have all the files that they need") {
    CHECK(has(refusal_lines([] { from_pretrained("/nowhere/gpt2"); }),
              "/nowhere/gpt2: No such file or directory\nhint: a model is not downloaded by its name"));
    CopiedModel weights("gpt2"), shard("llama3"), index("llama3"), outside("llama3"), tensor("llama3"),
        ints("gpt2");
    fs::remove(weights.folder / "model.safetensors");
    CHECK(weights.refusal() ==
          "Error no file named model.safetensors, or pytorch_model.bin, found in directory " +
              weights.folder.path() + ".");
    fs::remove(shard.folder / "model-00002-of-00006.safetensors");
    fs::remove(shard.folder / "model-00005-of-00006.safetensors");
    CHECK(shard.refusal() == (shard.folder / "model.safetensors.index.json") +
                                 ": names model-00002-of-00006.safetensors, "
                                 "model-00005-of-00006.safetensors, not in the folder\nhint: the model may "
                                 "not have been copied completely");
    const std::string index_name = "model.safetensors.index.json";
    write_bytes(index.folder / index_name, "{}");
    CHECK(has(index.refusal(), "is not a JSON object with a `weight_map`"));
    json map = json::parse(read_bytes(outside.folder / index_name));
    map["weight_map"]["model.norm.weight"] = "../model.safetensors";
    write_bytes(outside.folder / index_name, map.dump());
    CHECK(has(outside.refusal(), "names \"../model.safetensors\", which is not a file beside it"));
    save_safetensors(tensor.folder / "model-00002-of-00006.safetensors", OrderedDict<std::string, Tensor>());
    CHECK(has(tensor.refusal(), "Missing key(s) in state_dict: \"model.layers.0."));
    ints.change_weights([](const std::string& name, const Tensor& t, auto& changed) {
      changed.insert(name, name == "transformer.wpe.weight" ? t.to(kLong) : t);
    });
    CHECK(has(ints.refusal(), "\n\ttransformer.wpe.weight holds torch.int64, no floating numbers."));
    const TemporaryFolder folder;
    write_bytes(folder / "model.gguf", "GGUF");
    CHECK(has(refusal_lines([&] { from_pretrained(folder / "model.gguf"); }),
              "model.gguf: is not a GGUF file"));
  }

  TEST_CASE("of one's own become the family that they fit") {
    const NoGradGuard no_grad;
    const std::pair<const char*, GPTOptions> kinds[] = {
        {"gpt2", small_options()},
        {"gpt2", small_options().tied_head(false).dim_feedforward(20)},
        {"llama", small_llama()},
        {"llama", small_llama().bias(true).tied_head(false)},
        {"llama",
         small_llama().head_dim(6).positions(
             RotaryPositions(
                 RotaryPositionsOptions(6).base(300).scaling(
                     RotaryScaling().kind(RotaryScaling::Kind::kLlama3).factor(3).original_context(9)))
                 .ptr())},
        {"qwen2", small_llama().qkv_bias(true)},
        {"qwen3", small_llama().qk_norm(true)}};
    for (const auto& [family, options] : kinds) {
      CAPTURE(family);
      GPT model = random_model(options);
      const TemporaryFolder folder;
      save_pretrained(model, nullptr, folder / "new/folder");
      CHECK(json::parse(read_bytes(folder / "new/folder/config.json"))["model_type"] == family);
      GPT again = from_pretrained(folder / "new/folder");
      CHECK(same_state(*model, *again));
      CHECK(same(model(some_ids()), again(some_ids())));
    }
  }

  TEST_CASE("come with their tokenizer, and its first and last token") {
    const TemporaryFolder folder;
    const std::string text = "a folder in, text out";
    GPT model = random_model(small_llama().vocab_size(259));
    const auto byte_pairs = text::BytePairTokenizer::train(text, 259);
    save_pretrained(model, &byte_pairs, folder.path());
    const auto read = text::load_tokenizer(folder.path());
    CHECK(read->encode(text) == byte_pairs.encode(text));
    CHECK(read->decode(read->encode(text)) == text);
    CHECK(json::parse(read_bytes(folder / "generation_config.json"))["eos_token_id"].is_null());

    json vocabulary = json::parse(read_bytes(folder / "tokenizer.json"));
    vocabulary["added_tokens"] = {{{"id", 258}, {"content", "<|endoftext|>"}, {"special", true}}};
    write_bytes(folder / "tokenizer.json", vocabulary.dump());
    write_bytes(folder / "tokenizer_config.json",
                "{\"bos_token\": \"<|endoftext|>\", \"eos_token\": \"<|endoftext|>\"}");
    const auto with_end = text::load_tokenizer(folder.path());
    save_pretrained(model, with_end.get(), folder.path());
    for (const char* name : {"generation_config.json", "config.json"}) {
      CHECK(json::parse(read_bytes(folder / name))["bos_token_id"] == 258);
      CHECK(json::parse(read_bytes(folder / name))["eos_token_id"] == 258);
    }
    const auto words = text::WordTokenizer::train(text, text::WordTokenizerOptions());
    save_pretrained(model, &words, folder.path());
    CHECK(text::load_tokenizer(folder / "tokenizer.json")->encode(text) == words.encode(text));
  }

  TEST_CASE("have rotary pairs in halves, whichever they were trained with") {
    const NoGradGuard no_grad;
    for (const bool qwen3 : {false, true}) {
      GPTOptions options = small_llama(RotaryPairs::Interleaved).qk_norm(qwen3).qkv_bias(!qwen3);
      GPT model = random_model(options);
      const TemporaryFolder folder;
      save_pretrained(model, nullptr, folder.path());
      GPT again = from_pretrained(folder.path());
      CHECK(allclose(model(some_ids()), again(some_ids()), 1e-5, 1e-5));
      CHECK_FALSE(same(model->h->at<GPTBlockImpl>(0).attn->c_attn->weight,
                       again->h->at<GPTBlockImpl>(0).attn->c_attn->weight));
    }
  }

  TEST_CASE("replace others whole or not at all") {
    CopiedModel model("llama3");
    write_bytes(model.folder / "README.md", "mine");
    const auto before = contents(model.folder.path());
    GPT other = random_model(small_llama());
    const FailingTokenizer tokenizer;
    CHECK_THROWS_WITH(save_pretrained(other, &tokenizer, model.folder.path()), "a failing tokenizer");
    CHECK(contents(model.folder.path()) == before);
    {
      const FullDisk disk(2000);
      CHECK_THROWS_AS(save_pretrained(other, nullptr, model.folder.path()), Error);
    }
    CHECK(contents(model.folder.path()) == before);
    save_pretrained(other, nullptr, model.folder.path());
    CHECK(same_state(*from_pretrained(model.folder.path()), *other));
    CHECK(model.folder.count() == 4);  // no shards are left
    CHECK(read_bytes(model.folder / "README.md") == "mine");
    // If a file cannot be moved to its place, the folder does not load as a mixture of two models.
    fs::create_directories(model.folder / "generation_config.json.d");
    fs::remove(model.folder / "generation_config.json");
    fs::rename(model.folder / "generation_config.json.d", model.folder / "generation_config.json");
    CHECK_THROWS_AS(save_pretrained(random_model(small_llama().bias(true)), nullptr, model.folder.path()),
                    Error);
    CHECK(has(model.refusal(), "config.json: No such file or directory"));
    write_bytes(model.folder / "file", "");
    CHECK(has(refusal_text([&] { save_pretrained(other, nullptr, model.folder / "file"); }), "file"));
  }

  // ETUDE_TRANSFORMERS is a python3 that has transformers.
  TEST_CASE("are read by transformers" * doctest::skip(std::getenv("ETUDE_TRANSFORMERS") == nullptr)) {
    const std::string python = std::getenv("ETUDE_TRANSFORMERS");
    const NoGradGuard no_grad;
    const TemporaryFolder folder;
    const std::string text = "the model, the folder and the tokenizer";
    const auto tokenizer = text::BytePairTokenizer::train(text, 261);
    write_bytes(folder / "text.txt", text);
    const auto add = [&](const std::string& name, GPT model, const Tensor& ids, const text::Tokenizer* with) {
      save_pretrained(model, with, folder / name, SavePretrainedOptions().max_shard_size(20000));
      if (model->wte->weight.scalar_type() != kFloat) model->to(kFloat);
      OrderedDict<std::string, Tensor> expected = {{"ids", ids}, {"logits", model(ids)}};
      if (with) expected.insert("text", tensor(with->encode(text)));
      save_safetensors(folder / (name + ".safetensors"), expected);
    };
    for (const std::string name : kModels)
      add(name, from_pretrained(recorded_model(name)), recorded_logits().at("ids"), nullptr);
    add("own_gpt2", random_model(small_options()), some_ids(), nullptr);
    add("own_tokens", random_model(small_llama().vocab_size(261)), some_ids(), &tokenizer);
    add("own_biases", random_model(small_llama().bias(true).tied_head(false)), some_ids(), nullptr);
    add("own_pairs", random_model(small_llama(RotaryPairs::Interleaved).qk_norm(true)), some_ids(), nullptr);
    add("own_wide_heads",
        random_model(
            small_llama().head_dim(6).qkv_bias(true).positions(RotaryPositions(6, RotaryPairs::Half).ptr())),
        some_ids(), nullptr);
    const std::string command = python + " " ETUDE_GOLDEN_DIR "/models/check_models.py " + folder.path();
    CHECK(std::system(command.c_str()) == 0);
  }

  TEST_CASE("of llama2.c are read from float32 and from int8") {
    const NoGradGuard no_grad;
    const GPTOptions options = small_llama();
    const int64_t d = 16, ff = 24, layers = 2, heads = 4, kv = 2, vocab = 31, context = 24, width = 4,
                  group = 8;
    for (const int version : {0, 1, 2})
      for (const bool tied : {true, false}) {
        CAPTURE(version);
        CAPTURE(tied);
        GPT model = random_model(GPTOptions(options).tied_head(tied));
        const TemporaryFolder folder;
        // The reference is the model as a folder of transformers; the file is written by hand from its weights.
        save_pretrained(model, nullptr, folder.path());
        auto weights = load_safetensors(folder / "model.safetensors", FileMemory::Copied);
        std::string bytes;
        const auto add = [&bytes](const auto& number) {
          bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
        };
        if (version > 0) {
          add(int32_t{0x616b3432});
          add(int32_t{version});
        }
        for (const int64_t n : {d, ff, layers, heads, kv, version || tied ? vocab : -vocab, context})
          add(static_cast<int32_t>(n));
        if (version > 0) {
          add(static_cast<char>(tied));
          add(static_cast<int32_t>(version == 2 ? group : 0));
          bytes.resize(256);
        }
        const auto add_weight = [&](const std::string& name) {
          Tensor& t = weights[name];
          const bool quantised = version == 2 && t.dim() == 2;
          if (quantised) {
            const Tensor parts = t.view({-1, group}), scale = std::get<0>(parts.abs().max(1, true)) / 127;
            t = ((parts / scale).round() * scale).view(t.sizes());
          }
          Tensor order = t;
          if (has(name, "q_proj") || has(name, "k_proj"))  // from halves to neighbours
            order = t.view({-1, 2, width / 2, d}).transpose(1, 2).reshape(t.sizes());
          const Tensor flat = order.contiguous().flatten();
          std::vector<float> scales;
          for (int64_t i = 0; i < flat.numel(); ++i) {
            const float value = flat[i].item<float>();
            if (!quantised) add(value);
            else {
              const Tensor part = flat.slice(0, i / group * group, i / group * group + group);
              const float scale = part.abs().max().item<float>() / 127;
              if (i % group == 0) scales.push_back(scale);
              add(static_cast<int8_t>(std::lround(value / scale)));
            }
          }
          for (const float scale : scales) add(scale);
        };
        const auto add_all = [&](std::initializer_list<const char*> names) {
          for (const char* name : names)
            for (int64_t i = 0; i < layers; ++i)
              add_weight("model.layers." + std::to_string(i) + "." + name + ".weight");
        };
        if (version == 0) add_weight("model.embed_tokens.weight");
        add_all({"input_layernorm"});
        if (version > 0) {
          add_all({"post_attention_layernorm"});
          add_weight("model.norm.weight");
          add_weight("model.embed_tokens.weight");
        }
        add_all({"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"});
        if (version == 0) add_all({"post_attention_layernorm"});
        add_all({"mlp.gate_proj", "mlp.down_proj", "mlp.up_proj"});
        if (version == 0) {
          add_weight("model.norm.weight");
          bytes.append(static_cast<size_t>(context * width * 4), '\0');  // angles, which nobody reads
        }
        if (!tied) add_weight("lm_head.weight");
        write_bytes(folder / "stories.bin", bytes);
        save_safetensors(folder / "model.safetensors", weights);
        GPT read = from_pretrained(folder / "stories.bin"), reference = from_pretrained(folder.path());
        CHECK(allclose(read(some_ids()), reference(some_ids()), 1e-5, 1e-5));
        CHECK(read->options.context() == context);

        write_bytes(folder / "stories.bin", bytes + "x");
        CHECK(has(refusal_text([&] { from_pretrained(folder / "stories.bin"); }),
                  "bytes, and a file of llama2.c with its sizes has"));
        for (const size_t size : {size_t{0}, size_t{20}, size_t{100}, bytes.size() - 1}) {
          write_bytes(folder / "stories.bin", bytes.substr(0, size));
          CHECK(has(refusal_text([&] { from_pretrained(folder / "stories.bin"); }), "stories.bin: "));
        }
        for (size_t at = version ? 8 : 0; at < (version ? 41 : 28);
             ++at) {  // no number of the header is believed
          for (const char change : {'\x7f', '\x80', '\xff'}) {
            std::string wrong = bytes;
            wrong[at] = static_cast<char>(wrong[at] ^ change);
            write_bytes(folder / "stories.bin", wrong);
            try {
              from_pretrained(folder / "stories.bin");
            } catch (const Error&) {
            }
          }
        }
      }
  }
}
