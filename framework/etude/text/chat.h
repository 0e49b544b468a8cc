#pragma once

#include <string>
#include <vector>

#include "etude/core/export.h"

namespace etude::text {

/// The format of conversations in a family of models, as their chat_template writes it.
enum class ChatFormat {
  Llama2,
  Llama3,
  ChatML,   ///< SmolLM2, Qwen2: without a system message of its own
  Qwen3,    ///< ChatML with thinking
  Mistral,  ///< 7B-Instruct-v0.3
  Gemma,
};

struct ChatMessage {
  /// "system" (only the first message of Llama2, Mistral and Gemma), "user" or "assistant".
  std::string role;
  std::string content;
};

/// The text of a conversation for encode(), with the special tokens that the model expects, the one that begins a text
/// included: transformers' apply_chat_template(messages, tokenize=False). add_generation_prompt ends it with what comes
/// before an answer; formats without such a part ignore it. For Qwen3, enable_thinking = false begins the answer with an
/// empty thought. Throws ValueError for no messages, an unknown role, and roles in an order that the format does not have.
ETUDE_API std::string chat_prompt(ChatFormat format, const std::vector<ChatMessage>& messages,
                                  bool add_generation_prompt = true, bool enable_thinking = true);

}  // namespace etude::text
