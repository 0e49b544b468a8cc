"""Writes the tables of ../unicode_classes.cpp to standard output, from Python's unicodedata.

python3 make_unicode_classes.py > tables; insert them between the two lines of the source that name this script.
"""
import sys
import unicodedata

SPACES = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
CLASSES = {"L": 1, "N": 2, "M": 3}


def class_of(code):
    return 4 if code in SPACES else CLASSES.get(unicodedata.category(chr(code))[0], 0)


def runs():
    """The code points where the class changes, as code * 8 + class."""
    last = 0
    for code in range(0x80, 0x110000):
        if class_of(code) != last:
            last = class_of(code)
            yield code * 8 + last


def lower_rows():
    """Runs of letters in which every `step`-th is `delta` away from its lower case."""
    rows = []
    for code in range(0x80, 0x110000):
        lower = chr(code).lower()
        if len(lower) != 1 or ord(lower) == code:
            continue
        delta = ord(lower) - code
        if rows and rows[-1][3] == delta:
            first, last, step, _ = rows[-1]
            if code - last == step or (first == last and code - last <= 2):
                rows[-1] = (first, code, code - last, delta)
                continue
        rows.append((code, code, 1, delta))
    return rows


def differences(numbers):
    """The differences between consecutive numbers."""
    last = 0
    for number in numbers:
        yield number - last
        last = number


def table(declaration, items):
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(item) > 104:
            lines.append("")
        lines[-1] += item + ","
    print(f"{declaration} = {{", *lines, sep="\n    ", end="};\n")


print(f"// Unicode {unicodedata.unidata_version}.")
table("constexpr uint32_t kRunSteps[]", map(str, differences(runs())))
print()
rows = lower_rows()
bounds = differences(bound for first, last, *_ in rows for bound in (first, last))
steps = [f"{{{next(bounds)},{next(bounds)},{step},{delta}}}" for _, _, step, delta in rows]
table("constexpr LowerRow kLowerSteps[]", steps)
sys.stdout.flush()
