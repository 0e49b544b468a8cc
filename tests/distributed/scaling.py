#!/usr/bin/env python3
"""Measures what docs/scaling.md says of this machine, and writes the page's tables, numbers and picture.

    tests/distributed/scaling.py                 measures, writes tests/distributed/scaling.json and the page
    tests/distributed/scaling.py --again         writes the page from the file that is there

Takes six minutes on a machine that does nothing else. Needs a build with -DETUDE_MPI=ON and its programs mpi_bandwidth,
mpi_train_step and bench_machine. Where network.py cannot run, it leaves the networks out and says so.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
# Networks that network.py can emulate. The fast one has packets of 9000 bytes, because each packet takes time here.
NETWORKS = [{"name": "fast", "delay_ms": 0.1, "rate_mbit": 1000, "loss": 0, "mtu": 9000},
            {"name": "slow", "delay_ms": 1, "rate_mbit": 100, "loss": 0, "mtu": 1500},
            {"name": "lossy", "delay_ms": 1, "rate_mbit": 100, "loss": 0.01, "mtu": 1500}]
# (model, processes, parts, order of the sums, who steps the weights)
STEPS = [(model, *one) for model in ("char_gpt", "gpt2")
         for one in ((1, 1, "tree", "all"), (1, 2, "tree", "all"), (1, 4, "tree", "all"), (2, 2, "tree", "all"),
                     (2, 2, "mpi", "all"), (2, 4, "tree", "all"), (4, 4, "tree", "all"), (4, 4, "mpi", "all"),
                     (4, 4, "tree", "own"))]
OVER_NETWORKS = [("char_gpt", 2, "fast"), ("char_gpt", 4, "fast"), ("char_gpt", 2, "slow"), ("char_gpt", 4, "slow"),
                 ("char_gpt", 2, "lossy"), ("gpt2", 2, "fast")]


def output_of(command, threads=1, tries=1):
    """Standard output as JSON; None if the machine does not allow what the command needs."""
    print("scaling.py:", *command[-6:], file=sys.stderr, flush=True)
    for _ in range(tries):
        done = subprocess.run([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        if done.returncode in (0, SKIPPED):
            break
    if done.returncode == SKIPPED:
        return None
    if done.returncode != 0:
        sys.exit(f"scaling.py: {' '.join(map(str, command))} ended with {done.returncode}")
    return json.loads(done.stdout)


def on_this_machine(processes, command, threads=1):
    return output_of([ROOT / "framework/cmake/mpi_run", processes, *command], threads)


def over(network, hosts, command):
    options = ["--hosts", hosts, "--delay", network["delay_ms"], "--rate", network["rate_mbit"], "--loss", network["loss"],
               "--mtu", network["mtu"]]
    # Open MPI's daemons of hosts that share a file system now and then stumble over each other's folders.
    return output_of([sys.executable, HERE / "network.py", *options, "--", "env", "OMP_NUM_THREADS=1", *command], tries=3)


def steps_of(model):
    return 3 if model == "gpt2" else 15


def measure(programs):
    step, bandwidth = programs / "mpi_train_step", programs / "mpi_bandwidth"
    machine = output_of([programs / "bench_machine", "--benchmark_filter=bandwidth", "--benchmark_format=json"])
    found = {"processors": os.cpu_count(), "memory_bytes_per_second": machine["benchmarks"][0]["rate"], "networks": NETWORKS,
             "allreduce": [], "steps": []}
    by_name = {one["name"]: one for one in NETWORKS}
    for processes in (2, 4):
        for row in on_this_machine(processes, [bandwidth, "--json"]):
            found["allreduce"].append({"network": None, **row})
        for network in NETWORKS:
            most = 2**24 if network["rate_mbit"] >= 1000 else 2**20
            for row in over(network, processes, [bandwidth, "--json", most]) or []:
                found["allreduce"].append({"network": network["name"], **row})

    def note(row, **what):
        if row:
            found["steps"].append({**what, **row})
    for model in ("char_gpt", "gpt2"):
        row = on_this_machine(1, [step, model, 1, "tree", "all", steps_of(model)], found["processors"])
        note(row, network=None, model=model, processes=1, parts=1, order="tree", who="all", threads=found["processors"])
    for model, processes, parts, order, who in STEPS:
        row = on_this_machine(processes, [step, model, parts, order, who, steps_of(model)])
        note(row, network=None, model=model, processes=processes, parts=parts, order=order, who=who, threads=1)
    for model, processes, name in OVER_NETWORKS:
        row = over(by_name[name], processes, [step, model, processes, "tree", "all", 3])
        note(row, network=name, model=model, processes=processes, parts=processes, order="tree", who="all", threads=1)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--again", action="store_true", help="measure nothing")
    parser.add_argument("--programs", type=Path, default=ROOT / "build/release/tests", help="where the programs are")
    options = parser.parse_args()
    kept = HERE / "scaling.json"
    if not options.again:
        kept.write_text(json.dumps(measure(options.programs), indent=1) + "\n")
    from scaling_page import write
    write(json.loads(kept.read_text()), ROOT / "docs")


if __name__ == "__main__":
    main()
