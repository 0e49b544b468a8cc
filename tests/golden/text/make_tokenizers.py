"""Writes tokenizers.json: ids and texts of the package tokenizers, for two small models with many kinds of steps.

python3 tests/golden/text/make_tokenizers.py, with Python 3.14 (Unicode 16) and tokenizers 0.23. The models are learned
from text that is not split, so that their merges cross all borders of pieces, and a border in a wrong place shows. Accents
are in the order of Unicode 9, which tokenizers knows, and not in the order of Python's Unicode 16.
"""
import json
import pathlib
import random
import sys
import unicodedata

import tokenizers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

assert tokenizers.__version__.startswith("0.23"), tokenizers.__version__
assert sys.version_info[:2] == (3, 14) and unicodedata.unidata_version == "16.0.0", sys.version

FOLDER = pathlib.Path(__file__).parent
WORDS = ("It's the town's oldest clock, they'd say; we'll see. I'M told YOU'VE 42 of them, they're 7 and don't stop! "
         "if (x == 10) {\n\treturn foo(x, y);\n}\n\nfor i in range(1000):\n    print(i)  # done\r\n https://a.b/c?d=e "
         "HTTPServer camelCase ÜBER größe naïve café élan 2024-01-02 3.14159 1234567 中文字 東京 한국어 привет мир "
         "नमस्ते สวัสดี שלום مرحبا ٣٤٥ ½ ² Ⅷ 🙂 👩‍👩‍👧 -- ... ?! ").split(" ")
FIXED = ["", " ", "  ", "\n", "\n\n", " \n", "\n ", "\t\t", " \r\n \r\n", "   x", "x   ", "x \n  y", "a\u00a0b", "a\u3000 b\u2003c",
         "\u0085x\u2028y", "\u200bx\u200d", "\x1c\x1d\x1e\x1f", "it's IT'S It'S we'Ll they'RE I'm i'M 'd'D'll 'LL're",
         "it\u2019s", "'\u017f it'\u017f", "don''t ''s 's", "1 12 123 1234 12345 123456 1,234.5", "a1b22c333", " 1  2   3",
         "٣٤٥٦٧ १२३४ ½²Ⅷ ④", "x\u0301\u0323y\u0327\u0301", "e\u0301 \u0301 a\u030a", "\u1100\u1161\u11a8 각\u11a8 가\u11a8",
         "\u212b \u2126 \u0958 \u0340\u0341", "ǅungla ǅ ʰ ªº", "camelCaseHTTPServerXYZabc ÜBERgröße", "ÀÉabcÐ中A文b",
         "!!!\n\n", "?/\r\n//\n", " // x", "{\n\t}\r\n", " \u0301a", "\ufeffx", "\U0001f642\U0001f642 👩‍👩‍👧 🇩🇪",
         "▁the ▁ ▁▁x", "<0x0A>", "Ġthe", "\x00\x01\x7f", "<s>", "a<s>b", "  <s>  x", "<s><s>", "</s>\n", "x  <left>  y",
         "x  <right> \n y", "x <both> <both> y", "xword word wordx _word word_ word", "éword word\u0301 wördword", "<tool_call>{x}</s>",
         "<norm> é<norm>é", "<", "<s", "s>", "nőrm no\u030brm", "the  the\tthe\nthe", "\ud7b0\u1100 \uffff \U0010ffff"]
ALPHABET = [*"aabzsZSTtrelvmd019 .,'''\"!-_(/\t\n\r    ", *"éßÄǅʰжя中字٣½Ⅷ\u00a0\u2003\u3000\u0301\u0323\u0327🙂।ก็\u200d\u0085▁",
            "'s", "'LL", " the", "<s>", "</s>", "word", "<left>", "<right>"]
LETTER = r"[^\r\n\p{L}\p{N}]?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
EXPRESSIONS = {
    "cl100k": SHORT + "|" + LETTER + r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|" + BLANKS,
    "llama3": SHORT + "|" + LETTER + r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + BLANKS,
    "qwen2": SHORT + "|" + LETTER + r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + BLANKS,
    "o200k": f"{LETTER}{UPPER}*{LOWER}+{SHORT}?|{LETTER}{UPPER}+{LOWER}*{SHORT}?" + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + BLANKS,
    "tekken": f"{LETTER}{UPPER}*{LOWER}+|{LETTER}{UPPER}+{LOWER}*" + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + BLANKS,
}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def sequence(kind, steps):
    return {"type": "Sequence", kind: steps}


def split(name):
    return {"type": "Split", "pattern": {"Regex": EXPRESSIONS[name]}, "behavior": "Isolated", "invert": False}


def added(content, number, special=False, **flags):
    token = {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {**token, "special": special, **flags}


def template(before, after):
    ids = {"<s>": 600, "</s>": 601}
    single = [{"SpecialToken": {"id": t, "type_id": 0}} for t in before]
    single += [{"Sequence": {"id": "A", "type_id": 0}}] + [{"SpecialToken": {"id": t, "type_id": 0}} for t in after]
    return {"type": "TemplateProcessing", "single": single, "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {t: {"id": t, "ids": [ids[t]], "tokens": [t]} for t in {*before, *after}}}


def learned(text, is_bytes):
    """A model of 600 tokens; the added ones follow."""
    fallback = [] if is_bytes else ["<unk>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Tokenizer(models.BPE())
    if is_bytes:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet() if is_bytes else []
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, special_tokens=fallback, show_progress=False,
                                  limit_alphabet=256 if is_bytes else 60)
    tokenizer.train_from_iterator(text if is_bytes else [t.replace(" ", "▁") for t in text], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    assert len(model["vocab"]) == 600, len(model["vocab"])
    return {"type": "BPE", "vocab": model["vocab"], "merges": model["merges"]}


def main():
    rng = random.Random(1)
    lines = ["".join(rng.choice(WORDS) + " " * rng.choice([1, 1, 1, 2]) for _ in range(12)) for _ in range(300)]
    byte_model, text_model = learned(lines, True), learned(lines, False)
    texts = [unicodedata.normalize("NFC", t) if i % 2 else t for i, t in enumerate(FIXED)] + \
        ["".join(rng.choices(ALPHABET, k=rng.randrange(1, 30))) for _ in range(40)] + lines[:2]
    starts, marks = [c for c in range(0x110000) if unicodedata.decomposition(chr(c))], \
        [c for c in range(0x110000) if unicodedata.combining(chr(c))]
    accents = []
    for _ in range(150):
        text = "".join(chr(rng.choice(starts + [0x41] * 300) if rng.random() < 0.3 else rng.choice(marks)) for _ in range(rng.randrange(1, 9)))
        text += "".join(chr(rng.choice([rng.randrange(0x1100, 0x1200), rng.randrange(0xac00, 0xd7a4), rng.randrange(0x300, 0x345)])) for _ in range(4))
        accents.append([text, normalizers.NFC().normalize_str(text)])
    assert sum(unicodedata.normalize("NFC", text) == form for text, form in accents) > 120
    plain = [added("<s>", 600, True), added("</s>", 601, True), added("<tool_call>", 602)]
    rich = plain + [added("<left>", 603, True, lstrip=True), added("<right>", 604, rstrip=True), added("<both>", 605, lstrip=True, rstrip=True),
                    added("word", 606, single_word=True), added("<norm>", 607, normalized=True), added("nőrm", 608, normalized=True)]
    gpt2 = {**BYTES, "use_regex": True}
    byte_decoder = {**BYTES, "use_regex": True, "add_prefix_space": True}
    byte_cases = {
        "gpt2": {"pre_tokenizer": gpt2},
        "gpt2 blank": {"pre_tokenizer": {**gpt2, "add_prefix_space": True}, "post_processor": template([], ["</s>"])},
        "gpt2 digits": {"pre_tokenizer": sequence("pretokenizers", [{"type": "Digits", "individual_digits": True}, gpt2])},
        "gpt2 flags": {"pre_tokenizer": gpt2, "added_tokens": rich, "post_processor": template(["<s>"], ["</s>"])},
        "whole": {"pre_tokenizer": BYTES},
    }
    for name in EXPRESSIONS:
        byte_cases[name] = {"pre_tokenizer": sequence("pretokenizers", [split(name), BYTES]), "post_processor": template(["<s>"], [])}
    byte_cases["llama3"]["ignore_merges"] = True
    for name in ["qwen2", "cl100k", "o200k"]:
        byte_cases[name + " form c"] = {**byte_cases[name], "normalizer": {"type": "NFC"}, "added_tokens": rich}
    blank = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    text_decoder = [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    space = {"type": "Metaspace", "replacement": "▁", "split": False}
    stripped = {"byte_fallback": True, "unk_token": "<unk>", "fuse_unk": True, "decoder": sequence("decoders", text_decoder + [strip]),
                "post_processor": template(["<s>"], [])}
    text_cases = {
        "llama2": {**stripped, "normalizer": sequence("normalizers", [{"type": "Prepend", "prepend": "▁"}, blank])},
        "llama2 flags": {**stripped, "normalizer": sequence("normalizers", [{"type": "Prepend", "prepend": "▁"}, blank]), "added_tokens": rich},
        "metaspace first": {**stripped, "pre_tokenizer": {**space, "prepend_scheme": "first"}},
        "metaspace always": {**stripped, "pre_tokenizer": {**space, "prepend_scheme": "always"}},
        "metaspace never": {**stripped, "pre_tokenizer": {**space, "prepend_scheme": "never"}},
        "gemma": {**stripped, "normalizer": blank, "decoder": sequence("decoders", text_decoder)},
        "unknown": {**stripped, "normalizer": blank, "byte_fallback": False},
        "unknown apart": {**stripped, "normalizer": blank, "byte_fallback": False, "fuse_unk": False},
        "left out": {**stripped, "normalizer": blank, "byte_fallback": False, "unk_token": None},
    }
    cases = []
    for model, those in [("bytes", byte_cases), ("text", text_cases)]:
        for name, steps in those.items():
            case = {"normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": byte_decoder, "added_tokens": plain, **steps}
            flags = {key: case.pop(key) for key in ["byte_fallback", "unk_token", "fuse_unk", "ignore_merges"] if key in case}
            whole = {"version": "1.0", "truncation": None, "padding": None, **case, "model": {**(byte_model if model == "bytes" else text_model), **flags}}
            tokenizer = Tokenizer.from_str(json.dumps(whole))
            run = {"name": name, "model": model, "flags": flags, "file": case, "ids": [], "decoded": {}}
            for i, text in enumerate(texts):
                ids = tokenizer.encode(text, add_special_tokens=False).ids
                run["ids"].append(ids)
                decoded = tokenizer.decode(ids, skip_special_tokens=False)
                if decoded != text:
                    run["decoded"][str(i)] = decoded
            prompt = tokenizer.encode("the x").ids
            run["prompt"], run["plain"] = prompt, tokenizer.decode(prompt, skip_special_tokens=True)
            cases.append(run)
    golden = {"models": {"bytes": byte_model, "text": text_model}, "texts": texts, "accents": accents, "cases": cases}
    (FOLDER / "tokenizers.json").write_text(json.dumps(golden, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
