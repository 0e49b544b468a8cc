"""Writes chat.json: what transformers makes of conversations with the chat templates of published models.

python3 tests/golden/text/make_chat.py TEMPLATES with transformers 5.12. TEMPLATES is a folder with the template of each
format, NAME.jinja: Llama2 of Llama-2-7b-chat-hf, Llama3 of Meta-Llama-3-8B-Instruct, ChatML of SmolLM2 without its system
message, Qwen3 of Qwen3-0.6B, Mistral of Mistral-7B-Instruct-v0.3, and Gemma of gemma-3-1b-it.
"""
import json
import pathlib
import random
import sys

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

FORMATS = {"Llama2": ("<s>", "</s>"), "Llama3": ("<|begin_of_text|>", "<|eot_id|>"), "ChatML": (None, "<|im_end|>"),
           "Qwen3": (None, "<|im_end|>"), "Mistral": ("<s>", "</s>"), "Gemma": ("<bos>", "<end_of_turn>")}
CONTENTS = ["Hello", "  two \n", "\n\nlines\n", "", "x\u00a0", "\x1cq\x1f", "émile 🙂"]
THOUGHTS = ["", "", "<think>\nhm\n</think>\n\n", "<think>a</think>", "<think>\n\n</think>\n\n", "</think>",
            "x<think>y<think>\nz</think>w</think>\n\nq", "no end <think>"]


def main():
    rng, cases = random.Random(4), []
    for name, (begin, end) in FORMATS.items():
        tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), bos_token=begin, eos_token=end)
        tokenizer.chat_template = (pathlib.Path(sys.argv[1]) / f"{name}.jinja").read_text()
        for _ in range(70 if name == "Qwen3" else 25):
            messages = [["system", rng.choice(CONTENTS)]] if rng.random() < 0.4 else []
            for i in range(rng.randrange(1, 6)):
                thought = rng.choice(THOUGHTS) if i % 2 else ""
                messages.append([("user", "assistant")[i % 2], thought + rng.choice(CONTENTS)])
            prompt, thinks = rng.random() < 0.5, rng.random() < 0.5
            text = tokenizer.apply_chat_template([{"role": role, "content": content} for role, content in messages],
                                                 tokenize=False, add_generation_prompt=prompt, enable_thinking=thinks)
            cases.append({"format": name, "messages": messages, "prompt": prompt, "thinks": thinks, "text": text})
    path = pathlib.Path(__file__).parent / "chat.json"
    path.write_text(json.dumps(cases, ensure_ascii=False, separators=(",", ":")) + "\n")


main()
