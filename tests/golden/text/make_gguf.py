"""Makes two GGUF files with small vocabularies and random models, and records how llama.cpp encodes texts with them.

Run in this folder with tokenizers, sentencepiece and llama.cpp (its gguf and llama-server): python3 make_gguf.py

    bytes.gguf    byte pairs of bytes, as GPT-2 has them, with two special tokens and an unused id
    scores.gguf   byte pairs of characters with scores, as sentencepiece has them
    gguf.json     {"bytes": {"gpt-2": [ids of each text], ...}, "scores": ..., "texts": [...]}
"""
import io
import json
import os
import subprocess
import tempfile
import time
import urllib.request

import gguf
import numpy as np
import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

PATTERNS = ["gpt-2", "smollm", "qwen2", "deepseek-r1-qwen", "llama-bpe", "smaug-bpe", "tekken", "gpt-4o"]
TRAINED = ["the theory of the thing is that they think they're there, isn't it?", "I'll say what she'd said: don't, don't!",
           "in 1999, 2024 and 31415926 numbers; numbers NUMBERS Numbers", "Käse, Öl und Übung über Äpfel; été français",
           "naïve   spaces\n\nnewlines\n and\ttabs", "HelloWorld helloWorld HELLO_WORLD hello-world", "日本語 文字 日本"] * 4
TEXTS = ["", "the thing", " the  thing", "They're HERE, isn't she'd I'LL don't!", "1999 31415926 a1b22c333", "Käse über été Ünknown ß",
         "naïve   spaces\n\n and\ttabs  ", "HelloWorld HELLOworld_hello-World", "日本語 文字 語 字", "emoji 🎹 and \u200b zero",
         "a<s>b</s>c", "<|a|>the<|b|> thing <|a|>", "don't<|b|>", "\n", "  "]
TYPES = gguf.TokenType


def model(w, tokens):
    w.add_context_length(64)
    w.add_embedding_length(8)
    w.add_block_count(1)
    w.add_feed_forward_length(8)
    w.add_head_count(2)
    w.add_head_count_kv(1)
    w.add_layer_norm_rms_eps(1e-5)
    random = np.random.default_rng(1)
    sizes = {"token_embd": (tokens, 8), "output_norm": (8,), "blk.0.attn_norm": (8,), "blk.0.attn_q": (8, 8), "blk.0.attn_k": (4, 8),
             "blk.0.attn_v": (4, 8), "blk.0.attn_output": (8, 8), "blk.0.ffn_norm": (8,), "blk.0.ffn_gate": (8, 8),
             "blk.0.ffn_up": (8, 8), "blk.0.ffn_down": (8, 8)}
    for name, size in sizes.items():
        w.add_tensor(name + ".weight", random.normal(size=size).astype(np.float32 if len(size) == 1 else np.float16))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def write_bytes(path, pattern):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(TRAINED, trainers.BpeTrainer(vocab_size=360, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    state = json.loads(t.to_str())["model"]
    tokens = sorted(state["vocab"], key=state["vocab"].get)
    types = [TYPES.NORMAL] * len(tokens) + [TYPES.UNUSED, TYPES.CONTROL, TYPES.USER_DEFINED]
    tokens += [f"[PAD{len(tokens)}]", "<|a|>", "<|b|>"]
    w = gguf.GGUFWriter(path, "llama")
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre(pattern)
    w.add_token_list(tokens)
    w.add_token_types(types)
    w.add_token_merges([" ".join(pair) for pair in state["merges"]])
    w.add_bos_token_id(len(tokens) - 2)
    w.add_eos_token_id(len(tokens) - 2)
    w.add_add_bos_token(False)
    model(w, len(tokens))


def write_scores(path):
    trained = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TRAINED), model_writer=trained, vocab_size=400, model_type="bpe",
                                             byte_fallback=True, character_coverage=0.98, normalization_rule_name="identity",
                                             remove_extra_whitespaces=False, hard_vocab_limit=False, minloglevel=2)
    s = sentencepiece.SentencePieceProcessor(model_proto=trained.getvalue())
    kinds = [(s.IsUnknown, TYPES.UNKNOWN), (s.IsControl, TYPES.CONTROL), (s.IsByte, TYPES.BYTE), (lambda i: True, TYPES.NORMAL)]
    ids = range(s.vocab_size())
    w = gguf.GGUFWriter(path, "llama")
    w.add_tokenizer_model("llama")
    w.add_tokenizer_pre("default")
    w.add_token_list([s.IdToPiece(i) for i in ids])
    w.add_token_scores([s.GetScore(i) for i in ids])
    w.add_token_types([next(kind for test, kind in kinds if test(i)) for i in ids])
    w.add_bos_token_id(s.bos_id())
    w.add_eos_token_id(s.eos_id())
    w.add_unk_token_id(s.unk_id())
    model(w, s.vocab_size())


def encoded(path):
    port = 18573
    server = subprocess.Popen(["llama-server", "-m", path, "--port", str(port), "-c", "64", "--no-warmup"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)

    def ask(what, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/{what}", data, {"Content-Type": "application/json"})
        return json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request))

    try:
        for _ in range(100):
            try:
                ask("health")
                break
            except OSError:
                time.sleep(0.2)
        return [ask("tokenize", {"content": text, "add_special": False, "parse_special": True})["tokens"] for text in TEXTS]
    finally:
        server.terminate()
        server.wait()


os.chdir(os.path.dirname(os.path.abspath(__file__)))
write_bytes("bytes.gguf", PATTERNS[0])
write_scores("scores.gguf")
recorded = {"texts": TEXTS, "scores": encoded("scores.gguf"), "bytes": {}}
for pattern in PATTERNS:
    with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
        write_bytes(file.name, pattern)
        recorded["bytes"][pattern] = encoded(file.name)
with open("gguf.json", "w") as out:
    json.dump(recorded, out, separators=(",", ":"))
    out.write("\n")
