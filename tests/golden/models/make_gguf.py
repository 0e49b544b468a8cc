"""Converts the folders beside this script to GGUF files, by llama.cpp's own converter.

Run in this folder with llama.cpp's package `conversion` in PYTHONPATH, and its gguf: python3 make_gguf.py
The models have no vocabulary.
"""
import json
import logging
import shutil
import tempfile
from pathlib import Path

import gguf
from conversion import get_model_class

F32, F16, BF16 = gguf.LlamaFileType.ALL_F32, gguf.LlamaFileType.MOSTLY_F16, gguf.LlamaFileType.MOSTLY_BF16
MODELS = {"gpt2": ("GPT2LMHeadModel", F32), "llama2": ("LlamaForCausalLM", F32), "llama3": ("LlamaForCausalLM", F32),
          "mistral": ("MistralForCausalLM", F16), "smollm2": ("LlamaForCausalLM", BF16), "qwen2": ("Qwen2ForCausalLM", F32),
          "qwen3": ("Qwen3ForCausalLM", F32)}

logging.basicConfig(level=logging.WARNING)
for name, (class_name, kind) in MODELS.items():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(name, folder, dirs_exist_ok=True)
        config = json.loads(Path(name, "config.json").read_text())
        config["architectures"] = [class_name]
        config["n_ctx"] = config.get("n_positions")  # which transformers no longer writes for GPT-2
        Path(folder, "config.json").write_text(json.dumps(config))
        model_class = get_model_class(class_name)
        model_class.set_vocab = lambda self: self._set_vocab_none()
        model_class(Path(folder), kind, Path(name + ".gguf"), eager=True, model_name=name).write()
