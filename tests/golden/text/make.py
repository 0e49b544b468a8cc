"""Writes pieces.json, byte_pairs.json and unicode.json: what GPT-2's expression and a naive byte pair encoding give.

python3 tests/golden/text/make.py, with Python 3.14 (Unicode 16) and the package regex. The learning is the definition, word by word: count every
pair of neighbours, join the most frequent one (of equals the one with the smaller numbers), begin anew.
"""
import json
import pathlib
import random
import unicodedata
from collections import Counter

import regex

FOLDER = pathlib.Path(__file__).parent
PIECES = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
ALPHABET = list("aabbzZ019 .,'''\"!-_(\t\n\r   stremvld") + list("éßÄжя中文字٣½²Ⅷ\u00a0\u2003\u3000́🙂।ก็\u200d\u0085\x1c")
TEXT = (
    "It's the town's oldest clock, they'd say; we'll see. I'm told you've 42 of them, they're 7 and don't stop!\n\n"
    "the the the then there these   those \t other others' mother, brother... another --- the end.\n"
    "Übergrößenträger größer größte Größe. 中文中文字 中文。 ааа ааа бба абаб 12 123 1234 12345 🙂🙂🙂 🙂🙂\n"
    "aaaaaaaaaaaa aaaaaa aaaa aaa aa a banana bananas ananas cabana  \n    indented = code(x, y) + code(y, x)\n"
)


def joined(tokens, pair, new):
    out, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


def learned(text, vocab_size):
    words = Counter(PIECES.findall(text))
    words = [(list(word.encode()), count) for word, count in words.items()]
    rules = []
    while 256 + len(rules) < vocab_size:
        counts = Counter()
        for tokens, count in words:
            for pair in zip(tokens, tokens[1:]):
                counts[pair] += count
        pair, count = min(counts.items(), key=lambda item: (-item[1], item[0]), default=((0, 0), 0))
        if count < 2:
            break
        words = [(joined(tokens, pair, 256 + len(rules)), n) for tokens, n in words]
        rules.append(pair)
    return rules


def encoded(text, rules):
    ids = []
    for piece in PIECES.findall(text):
        tokens = list(piece.encode())
        for i, pair in enumerate(rules):
            tokens = joined(tokens, pair, 256 + i)
        ids += tokens
    return ids


def write(name, value):
    (FOLDER / name).write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    rng = random.Random(1)
    texts = [TEXT] + ["".join(rng.choices(ALPHABET, k=rng.randrange(1, 40))) for _ in range(300)]
    write("pieces.json", [PIECES.findall(text) for text in texts])
    runs = []
    for vocab_size in (256, 270, 330, 1000):
        rules = learned(TEXT, vocab_size)
        other = "the brothers' cabanas: größte 中文 aaaaa 12345 🙂!  \n ж"
        runs.append({"vocab_size": vocab_size, "rules": rules, "ids": encoded(TEXT, rules), "other": other,
                     "other_ids": encoded(other, rules)})
    write("byte_pairs.json", {"text": TEXT, "runs": runs})
    classes = {"letters": "L", "numbers": "N", "marks": "M", "upper": ("Lu", "Lt"), "lower": "Ll"}
    members = {name: [c for c in range(0x110000) if unicodedata.category(chr(c)).startswith(kind)]
               for name, kind in classes.items()}
    word = regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]")
    members["words"] = [c for c in range(0x110000) if unicodedata.category(chr(c)) != "Cn" and word.fullmatch(chr(c))]
    counts = {name: [len(codes), sum(codes)] for name, codes in members.items()}
    spaces = [c for c in range(0x110000) if regex.fullmatch(r"\s", chr(c))]
    lower = [(c, ord(chr(c).lower())) for c in range(0x110000) if len(chr(c).lower()) == 1 and ord(chr(c).lower()) != c]
    write("unicode.json", {"version": unicodedata.unidata_version, "counts_and_sums": counts, "spaces": spaces,
                           "lower_count": len(lower), "lower_sum": sum(a * b for a, b in lower)})


main()
