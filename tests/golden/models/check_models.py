"""The Python side of pretrained_extra_test.cpp: transformers reads the folders that save_pretrained wrote.

    python3 check_models.py FOLDER

FOLDER/NAME is a model, and FOLDER/NAME.safetensors has `ids` and the `logits` that Etude computes from them. Where there is a
tokenizer, it also has the ids `text` of FOLDER/text.txt. Says what differs, and ends with a 1 if anything does.
"""

import os
import sys
import warnings

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, logging

warnings.simplefilter("ignore")
logging.set_verbosity_error()
logging.disable_progress_bar()

folder, wrong, count = sys.argv[1], 0, 0
for name in sorted(n[:-len(".safetensors")] for n in os.listdir(folder) if n.endswith(".safetensors")):
    path = f"{folder}/{name}"
    expected = load_file(path + ".safetensors")
    model, info = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, output_loading_info=True)
    with torch.no_grad():
        logits = model.eval()(expected["ids"]).logits
    good = torch.allclose(logits, expected["logits"], 1e-5, 2e-5)
    good = good and not any(info[k] for k in ("missing_keys", "unexpected_keys", "mismatched_keys", "error_msgs"))
    said = f"{type(model).__name__}, logits differ by {(logits - expected['logits']).abs().max():.1e}"
    GenerationConfig.from_pretrained(path)
    if "text" in expected:
        tokenizer = AutoTokenizer.from_pretrained(path)
        with open(f"{folder}/text.txt", encoding="utf-8") as f:
            ids = tokenizer(f.read(), add_special_tokens=False)["input_ids"]
        good = good and ids == expected["text"].tolist()
        said += f", {type(tokenizer).__name__}, {len(ids)} ids of the text"
    print(name, "good" if good else "WRONG", said, {k: v for k, v in info.items() if v})
    wrong += not good
    count += 1
sys.exit(1 if wrong or not count else 0)
