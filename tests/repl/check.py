#!/usr/bin/env python3
"""tests/repl/check.py ETUDE_REPL: types the cells of lessons 1 to 5, and lines as people type them, and compares the output. Cells have to
print PyTorch's bytes, except those that say themselves how they are compared. The last line counts what passed."""
import os
import pty
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ["01_loops", "02_vectorised", "03_annotated_page", "04_step_by_step", "05_input_embedding"]
REPL = sys.argv[1]
failed = passed = 0
INTERRUPT = "\x03"


def typed(text, *options):
    done = subprocess.run([REPL, *options], input=text, capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr, done.returncode


def expect(name, actual, expected):
    global failed, passed
    if actual == expected:
        passed += 1
        return
    failed += 1
    print(f"FAILED  {name}\n  expected: {expected!r}\n  printed:  {actual!r}")


def cells(lesson):
    """The cells of a lesson, without the lines that make it a program."""
    source = (ROOT / "tutorials" / f"{lesson}.cpp").read_text()
    before, _, body = source.partition("int main(int argc, char** argv) try {\n")
    body = body.partition("  return tutorial.finish();\n")[0]
    body = re.sub(r"  Tutorial tutorial\(.*?\);\n", "", body)
    text = before.replace("using namespace tutorials;", '#include "tests/repl/lesson.h"\nusing namespace tutorials;') + body
    return text, re.findall(r'cell\("(\w+)", (?:"[^"]*"), Compare::(\w+)', body)


pool = ThreadPoolExecutor(os.cpu_count())  # each program starts for seconds

texts = [cells(lesson) for lesson in LESSONS]
outputs = pool.map(lambda one: typed(one[0], "-I", str(ROOT), "-I", str(ROOT / "tutorials")), texts)
for lesson, (_, compared), (output, status) in zip(LESSONS, texts, outputs):
    printed = dict(part.partition("\n")[::2] for part in output.split("@cell ")[1:])
    expect(f"{lesson} runs to its end", (status, output[-300:] if status else ""), (0, ""))
    for file in sorted((ROOT / "tutorials/expected" / lesson).glob("*.txt")):
        if file.stem in dict(compared):
            expect(f"{lesson} {file.stem} ran", bool(printed.get(file.stem)), True)
        else:
            expect(f"{lesson} {file.stem}", printed.get(file.stem), file.read_text())

wrong_shape = "error: shape '[3]' is invalid for input of size 2\n"
cases = [
    ("an expression is printed", "etude::arange(6).view({2, 3})", "tensor([[0, 1, 2],\n        [3, 4, 5]])\n"),
    ("a statement is not", "etude::arange(6);", ""),
    ("variables stay", "auto a = etude::ones({2}, etude::requires_grad());\na * 2", "tensor([2., 2.], grad_fn=<MulBackward0>)\n"),
    ("a float is Python's", "1.0 / 3", "0.3333333333333333\n"),
    ("a bool is Python's", "2 > 1", "True\n"),
    ("a text has quotes", 'std::string("it\'s")', "'it\\'s'\n"),
    ("an assignment is not printed", "int a = 1;\na = 2", ""),
    ("a statement may lack its semicolon", 'print("b", 3)', "b 3\n"),
    ("a call without a value", "etude::manual_seed(0)", ""),
    ("a module", "nn::Linear(2, 3)", "Linear(in_features=2, out_features=3, bias=True)\n"),
    ("classes and functions", "struct A {\n  int x = 1;  // one; two\n};\nint f(int n) {\n  return n + A().x;\n}\nf(2)", "3\n"),
    ("several lines", "for (int i = 0; i < 2; ++i) {\n  if (i) print(i);\n  else print(\"none; {\");\n}", "none; {\n1\n"),
    ("what is thrown is reported", "print(1);\netude::ones({2}).view({3});\nprint(2);", "1\n" + wrong_shape, 1),
    ("also by what is declared", "print(1);\nTensor t = etude::ones({2}).view({3});", "1\n" + wrong_shape, 1),
    ("a mistake is shown where it is", "print(1);\nint n = mistaken;", "1\n1:9: error: use of undeclared identifier 'mistaken'\n"
     "    1 | int n = mistaken;\n      |         ^\n", 1),
    ("what has no definition", "int f();\nf();", "error: declared and not defined: _Z1fv \n", 1),
    ("what has no end", "print(1", "error: the last statement has no end\n", 1),
    ("the program ends", "std::abort();", "error: the program ended; what was done before was done again\n", 1),
]
for (name, _, output, *code), seen in zip(cases, pool.map(lambda case: typed(case[1]), cases)):
    expect(name, seen, (output, *(code or [0])))


def on_a_terminal(lines):
    """The output after each line, without the line itself."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", HOME="/nonexistent")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what runs in the background ignores it
        os.execv(REPL, [REPL])
    seen = []
    for line in [None, *lines]:
        if line == INTERRUPT:
            time.sleep(1)
            os.write(terminal, line.encode())
        elif line is not None:
            os.write(terminal, (line + "\n").encode())
            if line.startswith("for"):  # it does not end
                continue
        text = ""
        while not text.endswith((">>> ", "... ")):
            try:
                part = os.read(terminal, 1024).decode()
            except OSError:
                break
            text += part
        seen.append(text.replace("\r", "").partition("\n")[2])
    os.close(terminal)
    return seen, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


seen, status = on_a_terminal(["auto a = etude::ones({2});", "a.view({3})", "a", "int bad = nothing;", "if (true) {", "print(2);", "}",
                              "for (;;) {}", INTERRUPT, "a + 1", "exit()"])
expect("a session goes on", (seen[1:4] + seen[5:8] + seen[9:10], status),
       ([">>> ", wrong_shape + ">>> ", "tensor([1., 1.])\n>>> ", "... ", "... ", "2\n>>> ", "tensor([2., 2.])\n>>> "], 0))
expect("and after Ctrl-C", seen[8].endswith("error: stopped; what was done before is done again\n>>> "), True)
expect("and shows what was wrong", "error: use of undeclared identifier 'nothing'" in seen[4], True)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
