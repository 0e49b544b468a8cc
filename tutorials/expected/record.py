#!/usr/bin/python3
"""Records what PyTorch prints for every cell of the tutorials.

    record.py [NAME...]           PyTorch 1.13.1 writes tutorials/expected/NAME/<cell>.txt, PyTorch 2.14.1 then writes differs.json
    record.py --check [NAME...]   runs the same and compares instead

The ```python blocks in a tutorial's commentary are run in their order, all of a tutorial in one namespace, as a notebook
would run them: a cell that ends in an expression shows its repr. Blocks of ```python original are shown as an original
has them, and not run. So the PyTorch lines on a page are the ones that gave
the bytes shown. Recorded on the CPU.

differs.json has the cells that do not print the same bytes with both versions: what 2.14.1 prints, and one of the reasons, which
a person gives. A cell without `prints` is an example: it draws from an unseeded generator, or measures a time or the noise of last digits.
It is recorded once, and its layout is compared.
"""
import argparse
import ast
import contextlib
import io
import json
import pathlib
import re
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
MARKER = re.compile(r"\s*//%%\s*(?:end|(\S+)\s*\|\s*(.*?))\s*$")
COMMENT = re.compile(r"\s*///(?: (.*)|)$")
CALL = re.compile(r'\s*cell\("([^"]+)", "((?:[^"\\]|\\.)*)"(.*)\);\s*$')

DIFFERS = json.loads((HERE / "differs.json").read_text(encoding="utf-8"))
OLD = torch.__version__.startswith("1.")


class Cell:
    def __init__(self, id, title, line):
        self.id, self.title, self.line = id, title, line
        self.python = []


def parse(path):
    """The cells of a tutorial with their Python, and (id, title, rest) of every `cell(...)` call."""
    cells, calls, cell, inside = [], [], None, False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        marker, comment, call = MARKER.match(line), COMMENT.match(line), CALL.match(line)
        if marker:
            cell = Cell(marker[1], marker[2], number) if marker[1] else None
            if cell:
                cells.append(cell)
        elif call:
            calls.append((call[1], call[2], call[3]))
        elif comment and cell:
            text = comment[1] or ""
            if text.startswith("```"):
                inside = not inside and text.split()[0] == "```python" and not text.endswith(" original")
            elif inside:
                cell.python.append((number, text))
    return cells, calls


def run(cell, namespace, path):
    """What the cell prints. Line numbers in a traceback are those of the C++ file."""
    if not cell.python:
        return ""
    first = cell.python[0][0]
    lines = [""] * (cell.python[-1][0] - first + 1)
    for number, text in cell.python:
        lines[number - first] = text
    tree = ast.parse("\n" * (first - 1) + "\n".join(lines), str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, str(path), "exec"), namespace)
        if last:
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), namespace)
            if value is not None:
                print(repr(value))
    return out.getvalue()


def layout(text):
    """The text with # for every number and one blank for any run of blanks and line breaks."""
    numbers = re.sub(r"(?<!\w)-?\d+\.\d*(e[+-]\d+)?", "#", text)
    return re.sub(r"\s+", " ", numbers).replace("[ #", "[#")


def check_calls(path, cells, calls):
    """Every marker has its call with the same title, in whatever order, and the reverse."""
    marked = {(c.id, c.title) for c in cells}
    called = {(id, title) for id, title, _ in calls}
    for id, title in sorted(marked ^ called):
        yield f"{path.name}: the marker and the call of cell {id} ({title}) do not go together"


def record(path):
    """The text of every cell that prints something, by cell id."""
    cells, calls = parse(path)
    problems = list(check_calls(path, cells, calls))
    # `path` is the text that 06_own_input reads when it is checked.
    namespace = {"__name__": path.stem, "path": str(HERE.parent / "support" / "sample.txt")}
    texts = {cell.id: run(cell, namespace, path) for cell in cells}
    return {id: text for id, text in texts.items() if text}, problems


def rows_of(name):
    return DIFFERS["cells"].setdefault(name, {})


def is_example(name, id):
    return id in rows_of(name) and "prints" not in rows_of(name)[id]


def files_of(name):
    return {p.stem: p.read_bytes().decode("utf-8") for p in (HERE / name).glob("*.txt")}


def write(name, texts):
    """The files of PyTorch 1.13.1."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for id, text in texts.items():
        if not (is_example(name, id) and (folder / f"{id}.txt").exists()):
            (folder / f"{id}.txt").write_bytes(text.encode("utf-8"))
    for old in folder.glob("*.txt"):
        if old.stem not in texts:
            old.unlink()


def list_differences(name, texts):
    """The rows of PyTorch 2.14.1, and a sentence for each that has no reason yet."""
    rows, files = rows_of(name), files_of(name)
    kept = {id: row for id, row in rows.items() if is_example(name, id)}
    for id, text in texts.items():
        if id not in kept and text != files.get(id):
            kept[id] = {"reason": rows.get(id, {}).get("reason", ""), "prints": text}
    DIFFERS["cells"][name] = kept
    return [f"{name}/{id}: differs.json lacks the reason" for id, row in kept.items() if not row["reason"]]


def compare(name, texts):
    recorded = files_of(name)
    if not OLD:
        recorded.update({id: row["prints"] for id, row in rows_of(name).items() if "prints" in row})
    for id in sorted(recorded.keys() | texts.keys()):
        old, new = recorded.get(id), texts.get(id)
        if old is None or new is None:
            yield f"{name}/{id}: {'not recorded' if old is None else 'no cell prints this'}"
        elif old != new and not (is_example(name, id) and layout(old) == layout(new)):
            yield f"{name}/{id}: PyTorch {torch.__version__} prints something else\n{new}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with what is recorded and write nothing")
    parser.add_argument("names", nargs="*", metavar="NAME", help="tutorials, such as 01_loops; default: all")
    arguments = parser.parse_args()
    if not arguments.check and not torch.__version__.startswith(("1.13", DIFFERS["version"])):
        sys.exit(f"recorded with PyTorch 1.13.1 and {DIFFERS['version']}, and this is {torch.__version__}: --check compares")

    paths = [HERE.parent / f"{name}.cpp" for name in arguments.names] or sorted(HERE.parent.glob("[0-9]*.cpp"))
    problems, count = [], 0
    for path in paths:
        texts, found = record(path)
        problems += found
        count += len(texts)
        if arguments.check:
            problems += compare(path.stem, texts)
        elif OLD:
            write(path.stem, texts)
        else:
            problems += list_differences(path.stem, texts)
    if not (OLD or arguments.check):
        DIFFERS["cells"] = {name: rows for name, rows in sorted(DIFFERS["cells"].items()) if rows}
        (HERE / "differs.json").write_text(json.dumps(DIFFERS, indent=2) + "\n", encoding="utf-8")
    for problem in problems:
        print(problem)
    print(f"{count} cells of {len(paths)} tutorials {'compared' if arguments.check else 'recorded'}, "
          f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
