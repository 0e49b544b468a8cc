"""Writes the tables of framework/etude/text/unicode_classes.cpp or normalization.cpp to standard output.

python3 tests/golden/text/make_unicode_tables.py classes|normalization > tables; insert them between the two lines of the
source that name this script. Python's unicodedata must have Unicode 16, which 3.14 has. The normalization is that of the
package tokenizers, which knows Unicode 9: it is asked for each character.
"""
import sys
import unicodedata

SPACES = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
CLASSES = {"Lu": 5, "Lt": 5, "Ll": 5, "L": 1, "No": 6, "N": 2, "M": 3, "Pc": 7}
WORDS = {0x200C, 0x200D, *range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A), *range(0x1F150, 0x1F16A), *range(0x1F170, 0x1F18A)}
CODES = range(0x110000)


def class_of(code):
    category = unicodedata.category(chr(code))
    return 4 if code in SPACES else 7 if code in WORDS else CLASSES.get(category, CLASSES.get(category[0], 0))


def runs(value_of, values):
    """Runs of code points of one value, which is less than `values`: the size of the run before, and the value."""
    last, start = 0, 0
    for code in CODES:
        value = value_of(code)
        if value != last:
            yield (code - start) * values + value
            last, start = value, code


def zigzag(number):
    return 2 * number if number >= 0 else -2 * number - 1


def upper_rows():
    """Runs of capital letters in which every `step`-th is `delta` away from its lower case; 0 if it has none."""
    rows = []
    for code in CODES:
        lower = chr(code).lower()
        delta = ord(lower) - code if len(lower) == 1 else 0
        if delta == 0 and unicodedata.category(chr(code)) not in ("Lu", "Lt"):
            continue
        if rows and rows[-1][3] == delta:
            first, last, step, _ = rows[-1]
            if code - last == step or (first == last and code - last <= 2):
                rows[-1] = (first, code, code - last, delta)
                continue
        rows.append((code, code, 1, delta))
    start = 0
    for first, last, step, delta in rows:
        yield from (first - start, (last - first) // step * 2 + step - 1, zigzag(delta))
        start = last


def decompositions():
    """The characters that canonical decomposition replaces by a pair or by a single character, ordered by the second part of
    the pair, which is 0 for a single character. Each is a number: twice the difference of the first parts, plus 1 if another
    number follows. That is twice the difference of the characters, plus 1 if the pair is not composed again; without it the
    difference is 1. If it is 0, a new second part begins, and the number before it is the difference of the second parts."""
    from tokenizers import normalizers

    nfd, nfc = normalizers.NFD().normalize_str, normalizers.NFC().normalize_str
    found = []
    for code in CODES:
        if 0xAC00 <= code < 0xE000:  # Hangul has formulas
            continue
        parts = unicodedata.decomposition(chr(code)).split()
        if not parts or parts[0].startswith("<") or nfd(chr(code)) == chr(code):
            continue
        first, second = (int(part, 16) for part in (parts + ["0"])[:2])
        excluded = second != 0 and nfc(nfd(chr(code))) != chr(code)
        found.append((second, code, first, excluded))
    last_second, last_code, last_first, last_excluded = 0, 0, 0, False
    for second, code, first, excluded in sorted(found):
        if second != last_second:
            yield from (zigzag(second - last_second) * 2 + 1, 0)
            last_code, last_first = 0, 0
        step = code - last_code
        follows = step != 1 or excluded != last_excluded
        yield zigzag(first - last_first) * 2 + follows
        if follows:
            yield step * 2 + excluded
        last_second, last_code, last_first, last_excluded = second, code, first, excluded


def combining_class(code):
    from tokenizers import normalizers

    value = unicodedata.combining(chr(code))
    if value == 0:
        return 0
    text = "a" + (chr(code) + "\u0301" if value > 230 else "\u0345" + chr(code))  # of the classes 230 and 240
    return value if normalizers.NFD().normalize_str(text) != text else 0


def table(name, numbers):
    """Writes numbers in printable characters: the last digit, to the base 62, counts from '#'; the digits before it, to the
    base 30, count from 'a'."""
    text = ""
    for number in numbers:
        digits = chr(35 + number % 62)
        number //= 62
        while number:
            digits = chr(97 + number % 30) + digits
            number //= 30
        text += digits
    lines = [text[i : i + 120] for i in range(0, len(text), 120)]
    print(f'constexpr char {name}[] = R"(', *lines, sep="\n", end=')";\n')


if sys.argv[1] == "classes":
    print(f"// Unicode {unicodedata.unidata_version}.")
    table("kRuns", runs(class_of, 8))
    table("kUpperRows", upper_rows())
else:
    table("kDecompositions", decompositions())
    table("kCombiningClasses", runs(combining_class, 256))
