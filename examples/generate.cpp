// Continues a prompt with a model from a folder or a file. It reads folders of transformers, .safetensors and .pt files with
// config.json beside them, GGUF files and files of llama2.c; the tokenizer is the one that belongs to the model.

#include <etude/etude.h>
#include <etude/pretrained.h>
#include <etude/text/pretrained_tokenizer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/command_line.h"
#include "support/interrupt.h"
#include "support/stop_texts.h"

namespace nn = etude::nn;
namespace text = etude::text;
using etude::Tensor;
using examples::FileError, examples::UsageError;
using Ids = std::vector<int64_t>;

namespace {

struct Settings {
  std::string model, prompt, tokenizer;
  std::vector<std::string> stops;
  int64_t max_tokens = 256, top_k = 0;
  double temperature = 0, top_p = 1;
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string tokenizer_of(const Settings& s) {
  if (!s.tokenizer.empty()) return s.tokenizer;
  const std::filesystem::path model = s.model;
  // A folder and a GGUF file have one in themselves.
  if (std::filesystem::is_directory(model) || model.extension() == ".gguf") return s.model;
  return model.has_parent_path() ? model.parent_path().string() : ".";
}

/// A model that writes to stdout what follows a prompt, and notes how long it takes.
class Writer {
 public:
  explicit Writer(const Settings& settings) : s_(settings) {
    try {
      model_ = nn::from_pretrained(s_.model);
      tokenizer_ = text::Tokenizer::from_file(tokenizer_of(s_));
    } catch (const etude::Error& error) {
      throw FileError(error.what());
    }
    pretrained_ = dynamic_cast<const text::PretrainedTokenizer*>(tokenizer_.get());
    if (!pretrained_) return;
    // Some models end a text with the token that begins the next one.
    for (const auto& token : {pretrained_->eos_token(), pretrained_->bos_token()})
      if (token) ends_.push_back(*token);
  }

  /// The ids of a prompt, with the token that begins a text.
  Ids encode(const std::string& prompt) const {
    return pretrained_ ? pretrained_->encode_prompt(prompt) : tokenizer_->encode(prompt);
  }

  /// Writes what follows the ids, token by token.
  void write(const Ids& ids);

  void report() const {
    std::fprintf(stderr, "%lld tokens read in %.2f s, %lld written in %.2f s: %.1f tokens per second\n",
                 static_cast<long long>(read_), reading_, static_cast<long long>(written_), writing_,
                 writing_ > 0 ? static_cast<double>(written_ - 1) / writing_ : 0.0);
  }

 private:
  void check(const Ids& ids) const;

  // What a token adds to the text behind another one: some tokenizers drop the blank before the first token of a text.
  std::string piece(int64_t before, int64_t token) const {
    const auto decode = [&](const Ids& ids) {
      return pretrained_ ? pretrained_->decode(ids, /*skip_special_tokens=*/true) : tokenizer_->decode(ids);
    };
    return decode({before, token}).substr(decode({before}).size());
  }

  const Settings& s_;
  nn::GPT model_ = nullptr;
  std::unique_ptr<text::Tokenizer> tokenizer_;
  const text::PretrainedTokenizer* pretrained_ = nullptr;
  Ids ends_;  // tokens that end a text
  int64_t read_ = 0, written_ = 0;
  double reading_ = 0, writing_ = 0;
};

void Writer::check(const Ids& ids) const {
  if (ids.empty()) throw UsageError("the prompt is empty, and the tokenizer has no token that begins a text");
  const int64_t known = model_->options.vocab_size(), most = *std::max_element(ids.begin(), ids.end());
  if (most >= known)
    throw FileError(etude::str("the tokenizer has the id ", most, ", and the model has ", known,
                               " tokens\nhint: --tokenizer names another file"));
  const auto limit = model_->max_length();
  if (limit && static_cast<int64_t>(ids.size()) > *limit)
    throw UsageError(
        etude::str("the prompt has ", ids.size(), " tokens, and the model reads at most ", *limit));
}

void Writer::write(const Ids& ids) {
  check(ids);
  examples::StopTexts stops(s_.stops);
  const auto show = [](const std::string& part) {
    std::fputs(part.c_str(), stdout);
    std::fflush(stdout);
  };
  int64_t before = ids.back(), count = 0;
  double start = seconds(), first = 0;
  const auto on_token = [&](const Tensor& next) {
    if (count++ == 0) first = seconds();
    const auto token = next.item<int64_t>();
    if (std::find(ends_.begin(), ends_.end(), token) != ends_.end()) return false;
    show(stops.add(piece(before, token)));
    before = token;
    return !stops.found() && !examples::interrupted();
  };
  nn::GenerateOptions options(s_.max_tokens);
  options.on_token(on_token).top_k(s_.top_k).top_p(s_.top_p).sample(s_.temperature > 0);
  if (s_.temperature > 0) options.temperature(s_.temperature);
  nn::generate(model_, etude::tensor(ids).unsqueeze(0), options);
  show(stops.end());
  std::puts("");
  read_ += static_cast<int64_t>(ids.size());
  reading_ += first - start;
  written_ += count;
  writing_ += seconds() - first;
}

int run(const Settings& s) {
  examples::watch_interrupts(false);
  Writer writer(s);
  const Ids ids = writer.encode(s.prompt);
  std::fputs(s.prompt.c_str(), stdout);
  writer.write(ids);
  writer.report();
  return examples::interrupted() ? examples::kInterrupted : examples::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  examples::CommandLine program(
      "generate",
      "Continues a prompt with a model: a folder of transformers, a .safetensors or .pt file with "
      "config.json "
      "beside it, or a .bin file of llama2.c. It takes the most probable token each time, unless "
      "--temperature is given.",
      0, {"SmolLM2-135M 'Once upon a time'", "stories260K.bin --tokenizer tok512.bin --temperature 0.8"});
  program.add_argument("MODEL", s.model, "A folder or a file", true);
  program.add_argument("PROMPT", s.prompt, "The text to continue", false);
  program.add_text("--tokenizer", s.tokenizer,
                   "The file or folder of the tokenizer; by default beside the model", "FILE");
  program.add_number("--max-tokens", s.max_tokens, int64_t{1}, int64_t{1} << 20,
                     "How many tokens it writes at most");
  program.add_number("--temperature", s.temperature, 0.0, 1e6,
                     "Draw tokens; below 1 the probable becomes more so");
  program.add_number("--top-k", s.top_k, int64_t{0}, int64_t{1} << 20,
                     "Draw from the k most probable tokens only; 0 for all");
  program.add_number("--top-p", s.top_p, 1e-6, 1.0, "Draw from the most probable tokens with this sum only");
  program.add_texts("--stop", s.stops, "End before this text; may be given several times");
  return program.run(argc, argv, [&] { return run(s); });
}
