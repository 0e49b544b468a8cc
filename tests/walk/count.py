#!/usr/bin/env python3
"""Counts the lines of the functions that a program entered, and their files: count.py [--list] BUILD REPOSITORY

BUILD holds gcov's records of the run. Only files of framework/ and layers/ count. A line counts once, even if it stands in a lambda and in
the function around it. --list names the functions.
"""
import collections
import json
import pathlib
import subprocess
import sys

listed = "--list" in sys.argv
build, repository = (pathlib.Path(argument).resolve() for argument in sys.argv[1:] if argument != "--list")

entered = collections.defaultdict(lambda: collections.defaultdict(set))  # file -> function -> lines
for record in build.rglob("*.gcda"):
    gcov = subprocess.run(["gcov", "--json-format", "--demangled-names", "--stdout", record], check=True, capture_output=True)
    for file in json.loads(gcov.stdout)["files"]:
        name = pathlib.Path(file["file"]).resolve()
        if not any(name.is_relative_to(repository / part) for part in ("framework", "layers")):
            continue
        for function in file["functions"]:
            if function["execution_count"]:
                lines = range(function["start_line"], function["end_line"] + 1)
                entered[name.relative_to(repository)][function["demangled_name"]].update(lines)

counts = {file: set().union(*functions.values()) for file, functions in entered.items()}
if listed:
    for file, lines in sorted(counts.items(), key=lambda pair: -len(pair[1])):
        print(f"{len(lines):5} {file}")
        for function, inside in sorted(entered[file].items(), key=lambda pair: min(pair[1])):
            print(f"        {len(inside):4} {min(inside):5} {function}")
print(f"{sum(map(len, counts.values()))} lines of functions in {len(counts)} files")
