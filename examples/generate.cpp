// Continues a prompt with a model from a folder or a file. It reads folders of transformers, .safetensors and .pt files with
// config.json beside them, GGUF files and files of llama2.c; the tokenizer is the one that belongs to the model.

#include <etude/etude.h>
#include <etude/text/chat.h>
#include <etude/text/pretrained_tokenizer.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  bool chat = false, eight_bits = false;
};

/// A family's chat format, and the token that ends an answer. The first family whose `mark` the tokenizer has is chosen.
struct ChatFamily {
  const char* mark;
  text::ChatFormat format;
  const char* end;
};

constexpr ChatFamily kFamilies[] = {{"<|start_header_id|>", text::ChatFormat::Llama3, "<|eot_id|>"},
                                    {"<think>", text::ChatFormat::Qwen3, "<|im_end|>"},
                                    {"<|im_start|>", text::ChatFormat::ChatML, "<|im_end|>"},
                                    {"[INST]", text::ChatFormat::Mistral, "</s>"},
                                    {"<s>", text::ChatFormat::Llama2, "</s>"}};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void show(const std::string& part) {
  std::fwrite(part.data(), 1, part.size(), stdout);
  std::fflush(stdout);
}

std::string tokenizer_of(const Settings& s) {
  if (!s.tokenizer.empty()) return s.tokenizer;
  const std::filesystem::path model = s.model;
  // A folder and a GGUF file contain their tokenizer.
  if (std::filesystem::is_directory(model) || model.extension() == ".gguf") return s.model;
  return model.has_parent_path() ? model.parent_path().string() : ".";
}

/// A model that writes to stdout what follows a prompt, and notes how long it takes.
class Writer {
 public:
  explicit Writer(const Settings& settings);

  int64_t weights() const {
    int64_t count = 0;
    for (const Tensor& p : model_->parameters()) count += p.numel();
    return count;
  }
  int continue_prompt();
  /// Answers each line of stdin.
  int chat();

 private:
  /// Whether the model reads that many ids at once.
  bool fits(const Ids& ids) const {
    const auto limit = model_->max_length();
    return !limit || static_cast<int64_t>(ids.size()) <= *limit;
  }
  void check(const Ids& ids) const;
  /// Writes what follows the ids, token by token, and returns it.
  std::string write(const Ids& ids);
  int end() const;

  const Settings& s_;
  nn::GPT model_ = nullptr;
  std::unique_ptr<text::Tokenizer> tokenizer_;
  const text::PretrainedTokenizer* pretrained_ = nullptr;  // or null for one of Etude's own
  std::optional<int64_t> begin_;
  Ids ends_;  // tokens that end a text
  int64_t read_ = 0, written_ = 0;
  double reading_ = 0, writing_ = 0;
};

Writer::Writer(const Settings& settings) : s_(settings) {
  try {
    model_ = nn::from_pretrained(s_.model);
    tokenizer_ = text::Tokenizer::from_file(tokenizer_of(s_));
  } catch (const etude::Error& error) {
    throw FileError(error.what());
  }
  pretrained_ = dynamic_cast<const text::PretrainedTokenizer*>(tokenizer_.get());
  if (pretrained_) {
    begin_ = pretrained_->bos_token();
    if (pretrained_->eos_token()) ends_.push_back(*pretrained_->eos_token());
  }
  if (!s_.eight_bits) return;
  const std::vector<std::string> floats = nn::quantize(model_);
  if (!floats.empty())
    std::fprintf(stderr, "%zu matrices stay as they are: their rows are no multiples of 32\n", floats.size());
}

void Writer::check(const Ids& ids) const {
  if (ids.empty()) throw UsageError("the prompt is empty, and the tokenizer has no token that begins a text");
  const int64_t known = model_->options.vocab_size(), most = *std::max_element(ids.begin(), ids.end());
  if (most >= known)
    throw FileError(etude::str("the tokenizer has the id ", most, ", and the model has ", known,
                               " tokens\nhint: --tokenizer names another file"));
  if (!fits(ids))
    throw UsageError(etude::str("the prompt has ", ids.size(), " tokens, and the model reads at most ",
                                *model_->max_length()));
}

std::string Writer::write(const Ids& ids) {
  check(ids);
  examples::StopTexts stops(s_.stops);
  text::DecodeStream stream(*tokenizer_);
  if (ids.back() != begin_) stream.step(ids.back());  // whether a blank is shown depends on the token before
  std::string all;
  int64_t count = 0;
  const double start = seconds();
  double first = start;
  const auto on_token = [&](const Tensor& next) {
    if (count++ == 0) first = seconds();
    const auto token = next.item<int64_t>();
    if (std::find(ends_.begin(), ends_.end(), token) != ends_.end()) return false;
    const std::string part = stops.add(stream.step(token));
    show(part);
    all += part;
    return !stops.found() && !examples::interrupted();
  };
  nn::GenerateOptions options(s_.max_tokens);
  options.on_token(on_token).stop_tokens(ends_).top_k(s_.top_k).top_p(s_.top_p);
  if (s_.temperature > 0) options.sample(true).temperature(s_.temperature);
  nn::generate(model_, etude::tensor(ids).unsqueeze(0), options);
  const std::string rest = stops.end();
  show(rest + "\n");
  read_ += static_cast<int64_t>(ids.size());
  reading_ += first - start;
  written_ += std::max<int64_t>(count - 1, 0);
  writing_ += seconds() - first;
  return all + rest;
}

int Writer::end() const {
  std::fprintf(stderr, "read %lld tokens in %.2f s, wrote %.1f tokens per second\n",
               static_cast<long long>(read_), reading_,
               written_ > 0 ? static_cast<double>(written_) / writing_ : 0.0);
  return examples::interrupted() ? examples::kInterrupted : examples::kDone;
}

int Writer::continue_prompt() {
  const Ids ids = pretrained_ ? pretrained_->encode_prompt(s_.prompt) : tokenizer_->encode(s_.prompt);
  check(ids);
  show(s_.prompt);
  write(ids);
  return end();
}

/// The next line of stdin without its line end; nullopt at the end of stdin, or after Ctrl-C.
std::optional<std::string> next_line() {
  std::string line;
  if (isatty(STDIN_FILENO)) show("> ");
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  while (!examples::interrupted()) {  // Ctrl-C would not end a read
    if (poll(&input, 1, /*milliseconds=*/100) <= 0) continue;
    char c = 0;
    if (read(STDIN_FILENO, &c, 1) != 1) break;
    if (c == '\n') return line;
    line += c;
  }
  return line.empty() || examples::interrupted() ? std::nullopt : std::optional(line);
}

int Writer::chat() {
  const auto family = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const ChatFamily& one) {
    return pretrained_ && pretrained_->token_to_id(one.mark);
  });
  if (family == std::end(kFamilies))
    throw UsageError("--chat: the tokenizer has no tokens for conversations");
  if (const auto id = pretrained_->token_to_id(family->end)) ends_.push_back(*id);
  std::vector<text::ChatMessage> messages;
  while (const auto line = next_line()) {
    messages.push_back({"user", *line});
    const auto ids = [&] { return pretrained_->encode(text::chat_prompt(family->format, messages)); };
    // What was said first is forgotten first.
    while (messages.size() > 1 && !fits(ids())) messages.erase(messages.begin(), messages.begin() + 2);
    messages.push_back({"assistant", write(ids())});
    if (examples::interrupted()) break;
  }
  return end();
}

int run(const Settings& s) {
  if (std::count(s.stops.begin(), s.stops.end(), "") > 0) throw UsageError("--stop: a text is empty");
  if (s.temperature == 0 && (s.top_k > 0 || s.top_p < 1))
    throw UsageError("--top-k and --top-p choose what is drawn from, and only --temperature draws");
  if (s.chat && !s.prompt.empty()) throw UsageError("--chat reads from the terminal: it takes no PROMPT");
  const double start = seconds();
  Writer writer(s);
  examples::watch_interrupts(/*says_so=*/false);  // before, Ctrl-C ends the program at once
  std::fprintf(stderr, "%lld weights loaded in %.2f s\n", static_cast<long long>(writer.weights()),
               seconds() - start);
  return s.chat ? writer.chat() : writer.continue_prompt();
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  examples::CommandLine program(
      "generate",
      "Continues a prompt with a model from a folder or a file: a folder of transformers, a .safetensors or "
      ".pt "
      "file with config.json beside it, a GGUF file, or a file of llama2.c. The most probable token is taken "
      "unless --temperature is given. Speed is told on stderr.",
      0,
      {"smollm2 'The dog saw'", "model.gguf 'The dog saw' --temperature 0.8 --top-p 0.95 --stop .",
       "qwen3 --chat --eight-bits"});
  program.add_argument("MODEL", s.model, "The folder or file", true);
  program.add_argument("PROMPT", s.prompt, "What it goes on with; without one it begins a text", false);
  program.add_text("--tokenizer", s.tokenizer, "A tokenizer that is not beside the model", "FILE");
  program.add_number("--max-tokens", s.max_tokens, int64_t{1}, int64_t{1} << 30,
                     "How many tokens it writes, unless the text ends before");
  program.add_texts("--stop", s.stops, "Ends before this text; several times for several texts");
  program.add_number("--temperature", s.temperature, 0.0, 1e6,
                     "Draws; below 1 the probable becomes more so, 0 takes the most probable");
  program.add_number("--top-k", s.top_k, int64_t{0}, int64_t{1} << 30,
                     "Draw from the k most probable tokens only; 0 for all");
  program.add_number("--top-p", s.top_p, 1e-6, 1.0,
                     "Draw from the most probable tokens that together have this probability");
  program.add_flag("--chat", s.chat, "Talk, line by line, in the form that the model's family has learnt");
  program.add_flag("--eight-bits", s.eight_bits, "Compute with weights of eight bits, in groups of 32");
  return program.run(argc, argv, [&] { return run(s); });
}
