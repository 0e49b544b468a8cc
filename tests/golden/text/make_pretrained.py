"""Writes pretrained/: small tokenizers in the formats of other programs, and cases.json, what these programs make of texts.

python3 tests/golden/text/make_pretrained.py [VOCABULARIES] with tokenizers 0.23, tiktoken 0.12, sentencepiece 0.2 and
transformers 5.12. All vocabularies are learned from TEXT. VOCABULARIES may be a folder with gpt2, llama2, llama3, qwen3
and gemma3, each with a tokenizer.json or vocab.json and merges.txt: then public.json is written, too, with the ids of TEXTS.
"""
import base64
import copy
import json
import pathlib
import random
import shutil
import struct
import sys
import unicodedata

import sentencepiece
import tiktoken
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

FOLDER = pathlib.Path(__file__).parent / "pretrained"
TEXT = (
    "It's the town's oldest clock, they'd say; we'll see. I'm told you've 42 of them, they're 7 and don't stop!\n\n"
    "the the the then there these   those \t other others' mother, brother... another --- the end.\n"
    "Übergrößenträger größer größte Größe, CamelCase HTTPServer. 中文中文字 中文。 абаб 12 123 1234 12345 🙂🙂🙂 🙂🙂\n"
    "aaaaaaaaaaaa aaaaaa aaaa aaa aa a banana bananas ananas cabana  \n    indented = code(x, y) + code(y, x)\n"
)
TEXTS = [
    "", " ", "a", " a", "  a", "the other mothers' brother", "They'RE told: IT'S 12345 HTTPServers!", "x'ſt 'LL 'd\u2019s",
    "a  \n\n  b\r\n \n", "trailing \n  ", "größte U\u0308ber e\u0301\u0327 \u1100\u1161\u11a8\u0301 \u212b \u0958 \u2f9df", "中文字中, 字",
    "🙂🏽👩‍🚀 🇩🇪", "½Ⅷ²٣ 3.14", "ǅabʰCD中Ef ́x", "▁a▁▁b <0x41>", "<s>the</s> <tool>x  <tool>", "<|end|>the <|end|>", "a<word> <word>b, <word> .",
    "\u00a0\u2003\u0085x\u3000", "def f(x):\n    return x  # //\n\t\tcode", "\x00\x1c\x7f\xad", "\U000e0041\U0010ffff\ufffd", TEXT[:150],
]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
WORDS = [r"[^\r\n\p{L}\p{N}]?" + UPPER + "*" + LOWER + "+", r"[^\r\n\p{L}\p{N}]?" + UPPER + "+" + LOWER + "*"]
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = WORDS[0] + SUFFIX + "|" + WORDS[1] + SUFFIX + r"|\p{N}{1,3}" + REST
TEKKEN = WORDS[0] + "|" + WORDS[1] + r"|\p{N}" + REST
BLANK = "▁"


def byte_level(**options):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False, **options}


def split(regex):
    step = {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [step, byte_level()]}


def added(content, id, **flags):
    default = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)
    return {"id": id, "content": content, **default, **flags}


def template(*before, after=()):
    tokens = {token: {"id": token, "ids": [id], "tokens": [token]} for token, id in (*before, *after)}
    steps = [[{"SpecialToken": {"id": token, "type_id": 0}} for token, _ in part] for part in (before, after)]
    text = [{"Sequence": {"id": "A", "type_id": 0}}]
    pair = text + [{"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": steps[0] + text + steps[1], "pair": pair, "special_tokens": tokens}


def learned_bytes():
    """A byte-level tokenizer, as tokenizer.json has it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator([TEXT], trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, show_progress=False))
    file = json.loads(tokenizer.to_str())
    file["model"]["merges"] = [" ".join(pair) for pair in file["model"]["merges"]]  # as older versions wrote them
    return file


def learned_sentencepiece(name, **options):
    text = FOLDER / "text.txt"
    text.write_text(TEXT)
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(FOLDER / name), model_type="bpe", hard_vocab_limit=False, minloglevel=2,
        **{"vocab_size": 400, "byte_fallback": True, "normalization_rule_name": "identity",
           "remove_extra_whitespaces": False, **options})
    text.unlink()
    (FOLDER / f"{name}.vocab").unlink()
    return sentencepiece.SentencePieceProcessor(model_file=str(FOLDER / f"{name}.model"))


def blanks_of(model):
    """The tokenizer of a sentencepiece model as tokenizer.json has it, like that of Llama 2."""
    tokens = [model.id_to_piece(i) for i in range(len(model))]
    ids = {token: id for id, token in enumerate(tokens)}
    merges = [(a, b) for id, token in sorted(enumerate(tokens), key=lambda item: -model.get_score(item[0]))
              if not model.is_byte(id) and id > 2
              for a, b in ((token[:i], token[i:]) for i in range(1, len(token))) if a in ids and b in ids]
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": BLANK}
    back = {"type": "Replace", "pattern": {"String": BLANK}, "content": " "}
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [added("<unk>", 0, special=True), added("<s>", 1, special=True), added("</s>", 2, special=True)],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": BLANK}, replace]},
        "pre_tokenizer": None, "post_processor": template(("<s>", 1)),
        "decoder": {"type": "Sequence", "decoders": [back, {"type": "ByteFallback"}, {"type": "Fuse"}, strip]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": ids, "merges": merges},
    }


def variants(bytes_, blanks):
    """Tokenizers of the families, by name."""
    size, end = len(bytes_["model"]["vocab"]), len(blanks["model"]["vocab"])
    special = added("<|end|>", size, special=True)

    def varied(base, **parts):
        return {**copy.deepcopy(base), **copy.deepcopy(parts)}

    yield "gpt2", varied(bytes_, added_tokens=[special])
    digits = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level(use_regex=True)]}
    yield "smollm2", varied(bytes_, added_tokens=[special], pre_tokenizer=digits)
    processors_ = {"type": "Sequence", "processors": [byte_level(), template(("<|end|>", size), after=[("<|end|>", size)])]}
    llama3 = varied(bytes_, added_tokens=[special], pre_tokenizer=split(LLAMA3), post_processor=processors_)
    llama3["model"]["ignore_merges"] = True
    yield "llama3", llama3
    yield "qwen2", varied(bytes_, normalizer={"type": "NFC"}, pre_tokenizer=split(LLAMA3.replace("{1,3}", "")),
                          added_tokens=[special, added("<tool>", size + 1), added("e\u0301x", size + 2, normalized=True)])
    yield "o200k", varied(bytes_, pre_tokenizer=split(O200K))
    yield "tekken", varied(bytes_, pre_tokenizer=split(TEKKEN))
    flags = [added("<tool>", size, lstrip=True), added("<|end|>", size + 1, rstrip=True, special=True),
             added("<word>", size + 2, single_word=True), added(", ", size + 3, normalized=True)]
    yield "flags", varied(bytes_, added_tokens=flags, pre_tokenizer=byte_level(add_prefix_space=True, use_regex=True))
    yield "llama2", blanks
    for scheme in "first", "always", "never":
        metaspace = {"type": "Metaspace", "replacement": BLANK, "prepend_scheme": scheme, "split": False}
        yield scheme, varied(blanks, normalizer=None, pre_tokenizer=metaspace,
                             added_tokens=blanks["added_tokens"] + [added("<tool>", end)])
    gemma = varied(blanks, normalizer=blanks["normalizer"]["normalizers"][1], pre_tokenizer={
        "type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False})
    gemma["decoder"]["decoders"].pop()
    gemma["model"]["byte_fallback"] = False  # for the unknown token
    yield "gemma", gemma


def pieces_of():
    """The pieces of random texts for each expression of pre-tokenizers."""
    gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
    steps = {
        "gpt2": gpt2, "gpt2_digits": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), gpt2]),
        **{name: pre_tokenizers.Split(Regex(regex), "isolated") for name, regex in
           (("llama3", LLAMA3), ("qwen2", LLAMA3.replace("{1,3}", "")), ("o200k", O200K), ("tekken", TEKKEN))}}
    rng = random.Random(5)
    parts = ["'s", "'LL", "'ſ", "'", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u0085", "aBc", "É", "ǅ", "ʰ", "中", "ß", "\u0301", "12", "3456", "½",
             "Ⅷ", "!", "//", "_", "🙂", "\u200d", "\U00010d60", "\U00016d40"]
    texts = ["".join(rng.choices(parts, k=rng.randrange(1, 16))) for _ in range(80)]
    return {name: [[text[begin:end] for _, (begin, end) in step.pre_tokenize_str(text)] for text in texts]
            for name, step in steps.items()}


def normalized_texts():
    """Random texts and their normalization form C."""
    rng = random.Random(6)
    marks = [chr(c) for c in range(0x110000) if unicodedata.combining(chr(c))]
    composed = [chr(c) for c in range(0x80, 0x30000) if unicodedata.decomposition(chr(c))[:1].strip("<")]
    make = [lambda: rng.choice(marks), lambda: rng.choice(composed), lambda: unicodedata.normalize("NFD", rng.choice(composed)),
            lambda: chr(rng.randrange(0x1100, 0x1200)), lambda: chr(rng.randrange(0xAC00, 0xD7A4)), lambda: rng.choice("aeoAK")]
    texts = ["".join(rng.choice(make)() for _ in range(rng.randrange(1, 9))) for _ in range(400)]
    return [[text, normalizers.NFC().normalize_str(text)] for text in texts]


def cases_of(tokenizer):
    """What the package tokenizers makes of the texts: ids, without special tokens, of a prompt, and its text."""
    cases = []
    for text in TEXTS:
        tokenizer.encode_special_tokens = True
        ordinary = tokenizer.encode(text, add_special_tokens=False).ids
        tokenizer.encode_special_tokens = False
        prompt = tokenizer.encode(text).ids
        cases.append({"ids": tokenizer.encode(text, add_special_tokens=False).ids, "ordinary": ordinary, "prompt": prompt,
                      "text": tokenizer.decode(prompt, skip_special_tokens=False),
                      "plain": tokenizer.decode(prompt, skip_special_tokens=True)})
    return cases


def write_llama2c(model):
    with open(FOLDER / "tokenizer.bin", "wb") as file:
        file.write(struct.pack("<i", 27))
        for id in range(len(model)):
            token = {1: "\n<s>\n", 2: "\n</s>\n"}.get(id, model.id_to_piece(id)).replace(BLANK, " ").encode()
            file.write(struct.pack("<fi", model.get_score(id), len(token)) + token)


def write_ranks(bytes_, name):
    """The ranks of tiktoken: the 256 bytes, and then the merged tokens."""
    byte_of = {c: bytes([b]) for b, c in tiktoken_alphabet().items()}
    order = sorted(bytes_["model"]["vocab"], key=lambda token: (len(token) > 1, bytes_["model"]["vocab"][token]))
    ranks = {b"".join(byte_of[c] for c in token): rank for rank, token in enumerate(order)}
    (FOLDER / name).write_text("".join(f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()))
    return ranks


def tiktoken_alphabet():
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {**{byte: chr(byte) for byte in visible}, **{byte: chr(256 + i) for i, byte in enumerate(hidden)}}


def write(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "pair").mkdir(parents=True)
    model = learned_sentencepiece("plain")
    bytes_, cases = learned_bytes(), {}
    for name, file in variants(bytes_, blanks_of(model)):
        write(FOLDER / f"{name}.json", file)
        cases[f"{name}.json"] = cases_of(Tokenizer.from_str(json.dumps(file)))
    write(FOLDER / "pair" / "vocab.json", bytes_["model"]["vocab"])
    (FOLDER / "pair" / "merges.txt").write_text("\n".join(["#version: 0.2", *bytes_["model"]["merges"]]) + "\n")
    pair = Tokenizer(models.BPE.from_file(str(FOLDER / "pair" / "vocab.json"), str(FOLDER / "pair" / "merges.txt")))
    pair.pre_tokenizer, pair.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    cases["pair"] = cases_of(pair)
    for name, regex in ("tiny.cl100k.tiktoken", CL100K), ("tiny.o200k.tiktoken", O200K):
        encoding = tiktoken.Encoding("tiny", pat_str=regex, mergeable_ranks=write_ranks(bytes_, name), special_tokens={})
        cases[name] = [{"ordinary": encoding.encode_ordinary(text)} for text in TEXTS]
    symbols = learned_sentencepiece("symbols", byte_fallback=False, character_coverage=0.98, add_dummy_prefix=False,
                                    user_defined_symbols=["<tool>", "▁▁", "the"], control_symbols=["<|end|>"])
    for name, processor in ("plain.model", model), ("symbols.model", symbols):
        cases[name] = [{"ordinary": processor.encode(text)} for text in TEXTS]
    write_llama2c(model)
    cases["tokenizer.bin"] = cases["plain.model"]
    write(FOLDER / "pieces.json", pieces_of())
    write(FOLDER / "normalized.json", normalized_texts())
    write(FOLDER / "cases.json", {"texts": TEXTS, "files": cases})
    if len(sys.argv) > 1:
        public = {}
        for name in "gpt2", "llama2", "llama3", "qwen3", "gemma3":
            folder = pathlib.Path(sys.argv[1]) / name
            if (folder / "tokenizer.json").exists():
                tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            else:
                tokenizer = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
                tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            public[name] = [tokenizer.encode(text, add_special_tokens=False).ids for text in TEXTS]
        write(FOLDER.parent / "public.json", public)


main()
