#include "etude/text/chat.h"

#include <algorithm>
#include <optional>

#include "etude/core/error.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::text {
namespace {

struct Frame {
  const char *begin, *before_user, *after_user, *before_assistant, *after_assistant;
};

// In the order of ChatFormat.
constexpr Frame kFrames[] = {
    {"", "<s>[INST] ", " [/INST]", " ", " </s>"},
    {"<|begin_of_text|>", "<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>",
     "<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
    {"", "<|im_start|>user\n", "<|im_end|>\n", "<|im_start|>assistant\n", "<|im_end|>\n"},
    {"", "<|im_start|>user\n", "<|im_end|>\n", "<|im_start|>assistant\n", "<|im_end|>\n"},
    {"<s>", "[INST] ", "[/INST]", " ", "</s>"},
    {"<bos>", "<start_of_turn>user\n", "<end_of_turn>\n", "<start_of_turn>model\n", "<end_of_turn>\n"}};

// As Python's strip().
std::string stripped(const std::string& text) {
  size_t begin = text.size(), end = 0;
  etude::detail::for_each_character(text, [&](etude::detail::Character c, size_t at) {
    if (etude::detail::is_blank(text, at) || (c.code >= 0x1c && c.code <= 0x1f)) return;
    begin = std::min(begin, at);
    end = at + c.size;
  });
  return begin < end ? text.substr(begin, end - begin) : "";
}

// The text without line ends at its beginning.
std::string on_first_line(const std::string& text) {
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

// An answer of Qwen3. Its thought stays only if it comes after the last question.
std::string with_thought(const std::string& content, bool after_question, bool is_last) {
  constexpr char begin[] = "<think>", end[] = "</think>";
  const size_t first = content.find(end), last = content.rfind(end);
  std::string answer =
      first == std::string::npos ? content : on_first_line(content.substr(last + sizeof end - 1));
  std::string thought = first == std::string::npos ? "" : content.substr(0, first);
  if (thought.rfind(begin) != std::string::npos) thought.erase(0, thought.rfind(begin) + sizeof begin - 1);
  thought = on_first_line(thought.substr(0, thought.find_last_not_of('\n') + 1));
  if (!after_question || (!is_last && thought.empty())) return answer;
  return str(begin, '\n', thought, '\n', end, "\n\n", on_first_line(answer));
}

}  // namespace

std::string chat_prompt(ChatFormat format, const std::vector<ChatMessage>& messages,
                        bool add_generation_prompt, bool enable_thinking) {
  const bool has_turns =
      format == ChatFormat::Llama2 || format == ChatFormat::Mistral || format == ChatFormat::Gemma;
  const Frame& frame = kFrames[static_cast<size_t>(format)];
  const size_t count = messages.size();
  ETUDE_CHECK_VALUE(count > 0, "chat_prompt: there are no messages");
  size_t question = count - 1;
  for (size_t i = 0; i < count; ++i)
    if (messages[i].role == "user") question = i;
  std::optional<std::string> system;
  std::string text = frame.begin;
  for (size_t i = 0; i < count; ++i) {
    const std::string& role = messages[i].role;
    std::string content = messages[i].content;
    if (has_turns && i == 0 && role == "system") {
      system = content;
      continue;
    }
    const size_t turn = i - (system ? 1 : 0);
    ETUDE_CHECK_VALUE(!has_turns || role == (turn % 2 == 0 ? "user" : "assistant"),
                      "Conversation roles must alternate user/assistant/user/assistant/..., but message ", i,
                      " is from \"", role, '"');
    const bool is_answer = role == "assistant";
    ETUDE_CHECK_VALUE(is_answer || role == "user" || role == "system", "chat_prompt: the role \"", role,
                      "\" is not known\nhint: system, user and assistant are");
    if (format == ChatFormat::Qwen3 && is_answer)
      content = with_thought(content, i > question, i + 1 == count);
    if (format == ChatFormat::Llama2 && system && turn == 0)
      content = str("<<SYS>>\n", *system, "\n<</SYS>>\n\n", content);
    const bool strips = format == ChatFormat::Mistral ? is_answer : has_turns || format == ChatFormat::Llama3;
    if (strips) content = stripped(content);
    const bool takes_system = (format == ChatFormat::Gemma && turn == 0) ||
                              (format == ChatFormat::Mistral && i + 1 == count && !is_answer);
    if (system && takes_system) content = str(*system, "\n\n", content);
    const std::string before =
        is_answer ? frame.before_assistant : detail::replaced(frame.before_user, "user", role);
    text += before + content + (is_answer ? frame.after_assistant : frame.after_user);
  }
  const bool has_prompt =
      format != ChatFormat::Llama2 && format != ChatFormat::Mistral && add_generation_prompt;
  if (has_prompt) text += frame.before_assistant;
  return text +
         (has_prompt && format == ChatFormat::Qwen3 && !enable_thinking ? "<think>\n\n</think>\n\n" : "");
}

}  // namespace etude::text
