#!/usr/bin/env python3
"""public_tests.py FILES LIBTORCH ETUDE...: the public tests in FILES, separated by commas, pass with both libraries.

LIBTORCH is the program of the tests that was compiled against LibTorch, with `version` beside it; ETUDE are the programs that have the
same tests. Where PyTorch itself changed between two versions, Etude has the newer answer, and differences.json lists the cases that fail
with a LibTorch whose version begins with `fails_with`. Where it is empty, C++ and Python differ. A listed case that passes is an error, too."""

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def start(program, files):
    report = tempfile.NamedTemporaryFile(suffix=".xml")
    return report, subprocess.Popen([program, f"--source-file={files}", "--reporters=xml", f"--out={report.name}"],
                                    stdout=subprocess.DEVNULL)


def results(report, running):
    """Whether each case that ran passed, by its file and title."""
    status = running.wait()
    try:
        cases = xml.parse(report.name).iter("TestCase")
    except xml.ParseError:
        sys.exit(f"{running.args[0]} ended with {status} before its report was complete")
    ran = [case for case in cases if case.get("skipped") != "true"]
    place = lambda case: case.get("filename").rpartition("tests/")[2].replace("_test.cpp", "")
    passed = lambda case: case.find("OverallResultsAsserts").get("test_case_success") == "true"
    title = lambda case: case.get("name").replace("<torch::", "<etude::")  # of a template
    return {(place(case), title(case)): passed(case) for case in ran}


files, libtorch, *etude = sys.argv[1:]
version = (Path(libtorch).parent / "version").read_text().strip()
listed = {(row["file"], case) for row in json.loads((Path(__file__).parent / "differences.json").read_text())
          if version.startswith(row["fails_with"]) for case in row["cases"]}
began = [start(program, files) for program in (libtorch, *etude)]
theirs, *parts = (results(*one) for one in began)
ours = {name: passed for part in parts for name, passed in part.items()}

wrong = [f"{name} runs with one library only" for name in theirs.keys() ^ ours.keys()]
wrong += [f"{name} fails with Etude" for name, passed in ours.items() if not passed]
wrong += [f"{name} fails with LibTorch {version}" for name, passed in theirs.items() if not passed and name not in listed]
wrong += [f"{name} passes with LibTorch {version}: differences.json must not list it"
          for name in listed & theirs.keys() if theirs[name]]
have_files = {place for place, _ in theirs}
wrong += [f"{place}: no case has run" for place in sorted({name.rpartition("tests/")[2].replace("_test.cpp", "")
                                                           for name in files.split(",")} - have_files)]
wrong += [f"{name} of differences.json does not exist" for name in listed - theirs.keys() if name[0] in have_files]
for line in sorted(map(str, wrong)):
    print(line)
for place in sorted({place for place, _ in theirs if not theirs[place, _] and (place, _) not in listed}):
    subprocess.run([libtorch, f"--source-file=*/tests/{place}_test.cpp"])
print(f"public cases: {sum(ours.values())} of {len(ours)} pass with Etude, {sum(theirs.values())} of {len(theirs)} with LibTorch {version}; "
      f"{len(listed & theirs.keys())} fail there because PyTorch changed")
print(f"{len(theirs) - len(wrong)} passed, {len(wrong)} failed")
sys.exit(wrong != [] or not theirs)
