"""Writes characters.json: a tokenizer of characters that the package tokenizers made, its file and its ids.

python3 tests/golden/text/make_characters.py, with tokenizers 0.23.
"""
import json
import pathlib

import tokenizers
from tokenizers import Tokenizer, decoders, models, normalizers

assert tokenizers.__version__.startswith("0.23"), tokenizers.__version__

TEXT = "Ein Fluß, 12 Wörter;\n\t中文 🙂 <0x41>"
tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(sorted(set(TEXT.replace(" ", "\u2581")), key=lambda c: c.replace("\u2581", " ")))}, []))
tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])

cases = []
for text in (TEXT, "", " ", "  Wort 21 ", "Fluss? Zug!", "<0x41>", "文中🙂🙂\n"):
    ids = tokenizer.encode(text).ids
    cases.append({"text": text, "ids": ids, "decoded": tokenizer.decode(ids)})
(pathlib.Path(__file__).parent / "characters.json").write_text(
    json.dumps({"text": TEXT, "file": json.loads(tokenizer.to_str()), "cases": cases}, ensure_ascii=True) + "\n")
