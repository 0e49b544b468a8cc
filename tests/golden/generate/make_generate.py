"""Records a small model as transformers writes it, and what transformers generates with it, for the test of examples/generate.

Run with transformers 5.12 in this folder: python3 make_generate.py

    config.json, model.safetensors, tokenizer.json, tokenizer_config.json   a Llama that has learnt three lines and a conversation by heart
    expected.json    what follows a prompt, and the answers of a conversation, as transformers decodes them
"""

import json
import os

import tokenizers
import torch
import transformers
from tokenizers import decoders, models, pre_tokenizers, trainers

assert transformers.__version__.startswith("5.12."), transformers.__version__

TEXT = """the dog saw itself in a pool of light, the door was red, the soup was white.
the day was long, the road was steep, the wind was cold, the snow was deep.
the dög saw 犬 in Köln, and 犬 saw the dög.
"""
CHAT = [("who saw itself?", "the dog."), ("where?", "in a pool of light.")]
TEMPLATE = ("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
            "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def make_tokenizer():
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=288, special_tokens=SPECIAL, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator([TEXT], trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=SPECIAL[0], eos_token=SPECIAL[0],
                                                chat_template=TEMPLATE)


def train(tokenizer):
    torch.manual_seed(0)
    config = transformers.LlamaConfig(vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=1,
                                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=128,
                                      bos_token_id=0, eos_token_id=0, tie_word_embeddings=True)
    model = transformers.LlamaForCausalLM(config)
    messages = [dict(role=role, content=content) for turn in CHAT for role, content in zip(("user", "assistant"), turn)]
    texts = [line + SPECIAL[0] for line in TEXT.splitlines()] + [tokenizer.apply_chat_template(messages, tokenize=False)]
    rows = [torch.tensor([tokenizer.encode(text, add_special_tokens=False)]) for text in texts]
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    steps = 200
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 - step / steps)
        loss = sum(model(row, labels=row).loss for row in rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item() / len(rows):.3f}")
    return model.eval()


def generate(model, tokenizer, ids, end=None, count=60):
    """The text of the most probable tokens."""
    ids = torch.tensor([ids])
    out = model.generate(ids, max_new_tokens=count, do_sample=False, eos_token_id=end or tokenizer.eos_token_id, pad_token_id=0)
    return tokenizer.decode(out[0, ids.shape[1]:], skip_special_tokens=True)


def main():
    tokenizer = make_tokenizer()
    model = train(tokenizer)
    prompts = ["the dog", "the day", "the dög"]
    expected = {"continued": {p: generate(model, tokenizer, tokenizer.encode(p, add_special_tokens=False)) for p in prompts}}
    messages, answers = [], []
    for question, _ in CHAT:
        messages.append(dict(role="user", content=question))
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids = tokenizer.encode(text, add_special_tokens=False)
        answers.append(generate(model, tokenizer, ids, end=tokenizer.convert_tokens_to_ids("<|im_end|>")))
        messages.append(dict(role="assistant", content=answers[-1]))
    expected["answers"] = answers
    model.save_pretrained(".")
    tokenizer.save_pretrained(".")
    for extra in ("generation_config.json", "chat_template.jinja"):
        if os.path.exists(extra):
            os.remove(extra)
    os.chmod("model.safetensors", 0o644)
    with open("expected.json", "w", encoding="utf-8") as file:
        json.dump(expected, file, ensure_ascii=False, indent=1)
        file.write("\n")


main()
