"""Times Etude's own kernels, oneDNN's, and what the library chooses, by turns, and prints a table.
    tests/bench/kernels.py [--today DIR] [--threads N] [--rounds N] [--seconds S] [--json FILE] [FILTER]
DIR is the root of another Linux system, whose oneDNN is compared with the library that its compiler builds. FILTER is a regular
expression for the names of cases."""
import argparse
import json
import re
import statistics
import subprocess
from pathlib import Path

import other_system
import programs

PROGRAM = programs.ROOT / "build/release/tests/bench_onednn"
TODAY = other_system.folder_of("release") / "tests/bench_onednn"


def builds(today):
    """The command of each build, and how it names a file."""
    for step in (["cmake", "--preset", "release"], ["cmake", "--build", "--preset", "release", "--target", PROGRAM.name]):
        subprocess.run(step, cwd=programs.ROOT, check=True, stdout=subprocess.DEVNULL)
    found = [([PROGRAM], str)]
    if today:
        other_system.build(today, "release", TODAY.name)
        found.append((other_system.inside(today, [other_system.there(TODAY)]), other_system.there))
    return found


def output_of(command, *options):
    return subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout


def measure(build, case, options):
    """The seconds of each side, how many times oneDNN takes as long as the own kernel, and the kernel that the library chooses."""
    once = programs.google_benchmark(build[0], path=build[1])
    sides = ("own", "onednn", "library")
    rounds = [{side: once(f"{case}/{side}", options.threads, options.seconds) for side in sides} for _ in range(options.rounds)]
    median = lambda one: statistics.median(one[0])
    return {**{side: statistics.median(median(one[side]) for one in rounds) for side in sides},
            "ratio": statistics.median(median(one["onednn"]) / median(one["own"]) for one in rounds),
            "chosen": rounds[0]["library"][1]["label"]}


def main():
    parser = argparse.ArgumentParser(prog="tests/bench/kernels.py", description=__doc__)
    parser.add_argument("filter", nargs="?", default=".")
    parser.add_argument("--today", metavar="DIR")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    all_builds = builds(options.today)
    versions = [output_of(command, "--version").strip() for command, _ in all_builds]
    names = output_of([PROGRAM], "--benchmark_list_tests").split()
    cases = [name.removesuffix("/own/real_time") for name in names if name.endswith("/own/real_time") and re.search(options.filter, name)]
    results = {"processor": programs.processor(), "threads": options.threads, "versions": versions, "cases": []}
    for case in cases:
        found = [measure(build, case, options) for build in all_builds]
        results["cases"].append({"case": case, "found": found})
        print(f"{case:36}" + "".join(f"{one['own'] * 1e6:11.2f} {one['onednn'] * 1e6:11.2f} {one['ratio']:6.2f} {one['library'] * 1e6:11.2f} us "
                                     f"{one['chosen'][:24]:25}" for one in found), flush=True)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=1) + "\n")


main()
