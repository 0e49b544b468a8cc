"""Where the three longest cases in float32 that all programs know spend their time, by perf, as JSON: for each program the seconds of a
call, and the share of each function in them.
    tests/bench/profile.py RESULTS.json PROFILE.json NAME=PROGRAM..."""
import collections
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import programs

THREADS = 2


def function_of(symbol, library):
    """A short name: the function's name for a symbol of C++, else the library's."""
    symbol = re.sub(r"^\[.\] ", "", symbol.strip())
    if symbol.startswith("0x"):
        return "oneDNN's kernels" if library.startswith("[JIT]") else library.strip().split(".so")[0]
    symbol = re.sub(r"etude::detail::run_\w+<|\(anonymous namespace\)::|\b(?:\w+::)+", "", symbol)
    return re.match(r"[\w~]*", symbol)[0] or symbol


def cases_of(program):
    return Path(program).resolve().parents[3] / "tests/bench/cases.json"


def names_of(program):
    listed = subprocess.run([program, cases_of(program), "--benchmark_list_tests"], capture_output=True, text=True, check=True)
    return {name.removesuffix("/real_time") for name in listed.stdout.split()}


def profile(program, case):
    """The profile of a case without its preparation: recording begins after the time that a short run takes, preparation included."""
    begin = time.monotonic()
    programs.google_benchmark([program, cases_of(program)])(case, THREADS, 0.01)
    delay = time.monotonic() - begin
    data = programs.MODELS.parent / "bench/perf.data"
    record = ["perf", "record", "-q", "-D", str(int(delay * 1000)), "-o", data, "--"]
    seconds, _ = programs.google_benchmark([*record, program, cases_of(program)])(case, THREADS, max(3, delay / 4))
    report = subprocess.run(["perf", "report", "-i", data, "--stdio", "-t", "\t", "-F", "overhead,dso,sym"],
                            capture_output=True, text=True)
    parts = collections.Counter()
    for share, library, symbol in re.findall(r"^ *([\d.]+)% *\t([^\t]*)\t(.*)$", report.stdout, re.M):
        parts[function_of(symbol, library)] += float(share) / 100
    return {"seconds": min(seconds), "parts": dict(parts.most_common(8))}


def main():
    results, output, *named = sys.argv[1:]
    sides = [one.split("=", 1) for one in named]
    known = set.intersection(*(names_of(program) for _, program in sides))
    rows = sorted((row for row in json.loads(Path(results).read_text())["cases"]
                   if row["case"] in known and row["mode"] not in ("autocast", "bfloat16")), key=lambda row: -row["etude"]["median"])
    found = {row["case"]: {name: profile(program, row["case"]) for name, program in sides} for row in rows[:3]}
    Path(output).write_text(json.dumps(found, indent=1) + "\n")


main()
