"""Records folders as transformers saves them, with random weights, and the logits that it computes from them.

Run with transformers 5.12 in this folder: python3 make_models.py

    NAME/                 config.json and weights, as save_pretrained or torch.save writes them
    logits.safetensors    NAME.whole     float32 [2, 7, vocab_size], of the ids below at once
                          NAME.cached    the same token by token, with a cache of keys and values
                          NAME.padded    float32 [4, vocab_size], of the last four ids of the first row, after three of padding
                          ids            int64 [2, 7]
"""

import json
import os
import shutil

import safetensors
import safetensors.torch
import torch
import transformers
from transformers import (GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MistralConfig,
                          MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM)

assert transformers.__version__.startswith("5.12."), transformers.__version__
assert torch.__version__.startswith("2.14."), torch.__version__

VOCABULARY, TOKENS, PADDING = 61, 7, 3
IDS = torch.tensor([[3, 60, 11, 0, 42, 42, 7], [58, 1, 29, 13, 5, 37, 20]])

LLAMA = dict(vocab_size=VOCABULARY, hidden_size=24, intermediate_size=20, num_hidden_layers=2,
             num_attention_heads=4, max_position_embeddings=64, bos_token_id=1, eos_token_id=2)
SCALED = dict(rope_type="llama3", rope_theta=20.0, factor=6.0, low_freq_factor=1.5, high_freq_factor=5.0,
              original_max_position_embeddings=32)  # one of the three kinds of pairs each
GPT2 = dict(vocab_size=VOCABULARY, n_positions=16, n_embd=20, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0)


def random_model(kind, config, seed):
    """A model whose every number is random: norms are not ones, and biases are not zeros."""
    torch.manual_seed(seed)
    model = kind(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() > 1:
                p.normal_(0, 0.25)
            elif name.endswith("weight"):
                p.uniform_(0.5, 1.5)
            else:
                p.normal_(0, 0.1)
    return model


def logits_of(model):
    positions = torch.arange(TOKENS)[None]
    with torch.no_grad():
        whole = model(IDS).logits
        cache, parts = None, []
        for i in range(TOKENS):
            step = model(IDS[:, i:i + 1], past_key_values=cache, use_cache=True)
            cache = step.past_key_values
            parts.append(step.logits)
        ids = torch.cat([torch.zeros(1, PADDING, dtype=torch.long), IDS[:1, PADDING:]], 1)
        mask = (positions >= PADDING).long()
        padded = model(ids, attention_mask=mask, position_ids=(positions - PADDING).clamp(min=0)).logits
    cached = torch.cat(parts, 1)
    assert torch.allclose(whole, cached, 1e-5, 1e-5)
    return {"whole": whole, "cached": cached, "padded": padded[0, PADDING:]}


def fresh(name):
    shutil.rmtree(name, ignore_errors=True)
    os.mkdir(name)
    return name


def save(name, model, **options):
    model.save_pretrained(fresh(name), **options)
    # Its settings for generation are not read.
    for extra in set(os.listdir(name)) & {"generation_config.json"}:
        os.remove(f"{name}/{extra}")


def config_alone(name, model, **changes):
    model.config.save_pretrained(fresh(name))
    with open(f"{name}/config.json") as f:
        config = json.load(f)
    for key, value in changes.items():
        config.pop(key, None) if value is None else config.__setitem__(key, value)
    with open(f"{name}/config.json", "w") as f:
        json.dump(config, f, indent=2, sort_keys=True)
        f.write("\n")


def main():
    recorded = {"ids": IDS}

    def record(name, model):
        recorded.update({f"{name}.{key}": value.contiguous() for key, value in logits_of(model).items()})

    model = random_model(GPT2LMHeadModel, GPT2Config(**GPT2), 1)
    save("gpt2", model)
    record("gpt2", model)

    # As published first: no prefix, masks among the weights, and the width between the layers given.
    model = random_model(GPT2LMHeadModel, GPT2Config(**GPT2, n_inner=36), 2)
    config_alone("gpt2_first", model, dtype=None)
    state = {k.removeprefix("transformer."): v for k, v in model.state_dict().items() if k != "lm_head.weight"}
    for i in range(2):
        state[f"h.{i}.attn.bias"] = torch.ones(16, 16).tril()[None, None]
        state[f"h.{i}.attn.masked_bias"] = torch.tensor(-1e4)
    safetensors.torch.save_file({k: v.contiguous() for k, v in state.items()}, "gpt2_first/model.safetensors",
                                {"format": "pt"})
    record("gpt2_first", model)

    # As torch.save writes it, with the older names of the settings.
    model = random_model(LlamaForCausalLM, LlamaConfig(**LLAMA, rms_norm_eps=1e-5), 3)
    config_alone("llama2", model, rope_parameters=None, rope_theta=10000.0, rope_scaling={"type": "linear", "factor": 2.0},
                 dtype=None, torch_dtype="float32")
    torch.save(model.state_dict(), "llama2/pytorch_model.bin")
    record("llama2", LlamaForCausalLM.from_pretrained("llama2"))

    model = random_model(LlamaForCausalLM, LlamaConfig(**LLAMA, num_key_value_heads=2, rope_parameters=SCALED), 4)
    save("llama3", model, max_shard_size="8KB")
    assert len([n for n in os.listdir("llama3") if n.endswith(".safetensors")]) > 2
    record("llama3", model)

    # In bfloat16; the logits are those of the rounded weights in float32, with angles that are not rounded.
    model = random_model(LlamaForCausalLM, LlamaConfig(**LLAMA, num_key_value_heads=1, tie_word_embeddings=True), 5)
    save("smollm2", model.to(torch.bfloat16))
    record("smollm2", LlamaForCausalLM.from_pretrained("smollm2", dtype=torch.float32))

    model = random_model(Qwen2ForCausalLM, Qwen2Config(**LLAMA, num_key_value_heads=2, tie_word_embeddings=True), 6)
    save("qwen2", model)
    record("qwen2", model)

    model = random_model(
        Qwen3ForCausalLM,
        Qwen3Config(**LLAMA, num_key_value_heads=2, head_dim=10, tie_word_embeddings=True,
                    rope_parameters=dict(rope_type="default", rope_theta=1000000.0)), 7)
    save("qwen3", model)
    record("qwen3", model)

    model = random_model(MistralForCausalLM, MistralConfig(**LLAMA, num_key_value_heads=2, sliding_window=64), 8)
    save("mistral", model)
    record("mistral", model)

    safetensors.torch.save_file(recorded, "logits.safetensors")


if __name__ == "__main__":
    main()
