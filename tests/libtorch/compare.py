#!/usr/bin/env python3
"""compare.py ETUDE LIBTORCH: the programs of the page "Try it" print the same with both libraries.

LIBTORCH has the programs that use only names of LibTorch. Texts agree except for spaces and for what LISTED says. Whole numbers agree;
others may differ by one in the last digit shown, or by 1e-6 where more digits are shown."""

import re
import subprocess
import sys

# Texts that LibTorch's C++ writes differently from Python, and so from Etude.
LISTED = [
    (r"torch::nn::", ""),
    (r"num_embeddings=(\d+), embedding_dim=", r"\1, "),
    (r"bias=true", "bias=True"),
    (r"DivBackward1", "DivBackward0"),
]
NEWER = ("MeanBackward1", "DivBackward0")  # the mean over heads, which LibTorch 1 sums and divides
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[-+]\d+)?(?![\w.])")


def unit(number):
    """One in the last digit, or 0 for a whole number."""
    found = re.fullmatch(r"-?\d+\.(\d+)(?:e([-+]\d+))?", number)
    return 10.0 ** (int(found[2] or 0) - len(found[1])) if found else 0.0


def agree(ours, theirs):
    for pattern, written in LISTED:
        theirs = re.sub(pattern, written, theirs)
    ours = ours.replace(*NEWER)
    words = [re.sub(r" +", " ", NUMBER.sub("#", text)) for text in (ours, theirs)]
    pairs = list(zip(NUMBER.findall(ours), NUMBER.findall(theirs)))
    return words[0] == words[1] and all(
        float(a) == float(b) or abs(float(a) - float(b)) <= max(1.01 * max(unit(a), unit(b)), 1e-6 if unit(a) else 0)
        for a, b in pairs)


def printed(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


etude, libtorch = sys.argv[1:]
names = printed(libtorch).split()
same = wrong = 0
for name in names:
    ours, theirs = printed(etude, name), printed(libtorch, name)
    same += ours == theirs
    if not agree(ours, theirs):
        wrong += 1
        print(f"{name} prints\n{ours}\nbut with LibTorch\n{theirs}")
print(f"programs to try: {len(names)} of {len(printed(etude).split())} compile against LibTorch, {same} print the same bytes, "
      f"{len(names) - same - wrong} nearly the same, {wrong} others")
sys.exit(wrong > 0 or not names)
