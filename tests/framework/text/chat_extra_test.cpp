// Against transformers' apply_chat_template, recorded by tests/golden/text/make_chat.py.
#include "etude/text/chat.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::text;

TEST_SUITE("chat") {
  TEST_CASE("conversations are written as transformers writes them") {
    const std::map<std::string, ChatFormat> formats = {
        {"Llama2", ChatFormat::Llama2}, {"Llama3", ChatFormat::Llama3},   {"ChatML", ChatFormat::ChatML},
        {"Qwen3", ChatFormat::Qwen3},   {"Mistral", ChatFormat::Mistral}, {"Gemma", ChatFormat::Gemma}};
    const Recorded golden = golden_json("text/chat.json");
    CHECK(golden.size() > 100);
    for (const Recorded& recorded : golden) {
      CAPTURE(recorded.dump());
      std::vector<ChatMessage> messages;
      for (const Recorded& message : recorded["messages"]) messages.push_back({message[0], message[1]});
      const ChatFormat format = formats.at(recorded["format"]);
      CHECK(chat_prompt(format, messages, recorded["prompt"].get<bool>(), recorded["thinks"].get<bool>()) ==
            std::string(recorded["text"]));
    }
  }

  TEST_CASE("an answer of Qwen3 begins on the line behind its thoughts, also without thoughts") {
    CHECK(chat_prompt(ChatFormat::Qwen3, {{"user", "x"}, {"assistant", "\n\nlines\n"}}, false) ==
          "<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nlines\n<|im_end|>\n");
  }

  TEST_CASE("roles in an order that is not known are refused") {
    const auto wrong = [](ChatFormat format, const std::vector<std::string>& roles) {
      std::vector<ChatMessage> messages;
      for (const std::string& role : roles) messages.push_back({role, "text"});
      return refusal([&] { chat_prompt(format, messages); });
    };
    for (const auto format : {ChatFormat::Llama2, ChatFormat::Mistral, ChatFormat::Gemma}) {
      CHECK(wrong(format, {"system", "user", "assistant", "user"}).empty());
      CHECK(wrong(format, {"user", "user"}) ==
            "ValueError: Conversation roles must alternate user/assistant/user/assistant/..., but message 1 "
            "is from \"user\"");
      CHECK(wrong(format, {"user", "assistant", "system"}).find("message 2 is from \"system\"") !=
            std::string::npos);
      CHECK(wrong(format, {"system", "assistant"}).find("message 1 is from \"assistant\"") !=
            std::string::npos);
    }
    for (const auto format : {ChatFormat::Llama3, ChatFormat::ChatML, ChatFormat::Qwen3}) {
      CHECK(wrong(format, {"user", "user", "system"}).empty());
      CHECK(wrong(format, {"tool"}) == "ValueError: chat_prompt: the role \"tool\" is not known");
    }
    CHECK(wrong(ChatFormat::ChatML, {}) == "ValueError: chat_prompt: there are no messages");
  }
}
