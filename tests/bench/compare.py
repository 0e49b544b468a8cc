"""Runs the cases of cases.json on every side by turns and says how they compare."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from work import least_time

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ETUDE = ROOT / "build/release/tests/bench_cases"
MACHINE = ROOT / "build/release/tests/bench_machine"
LIBTORCH = ROOT / "build/libtorch/tests/libtorch/bench_cases_libtorch"
CASES = HERE / "cases.json"
PYTHON_HAS_TORCH = not subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode
SAME = 1e-6  # sums of floats in another order differ less
REPETITIONS = 3
DISTURBED = 0.15  # a round whose repetitions lie further apart is run again


def best_settings():
    """What makes PyTorch 1.13 as fast as it gets: its widest loops, OpenBLAS's right kernels, and memory that is kept."""
    wide = "avx512f" in Path("/proc/cpuinfo").read_text()
    return {
        "ATEN_CPU_CAPABILITY": "avx512" if wide else "avx2",
        "OPENBLAS_CORETYPE": "SKYLAKEX" if wide else "HASWELL",
        "GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=34359738368:glibc.malloc.top_pad=268435456",
    }


def run_once(program, case, threads, seconds, settings):
    """The repetitions of a case in a process of its own: seconds, counters and the most memory that it held, in bytes."""
    with tempfile.NamedTemporaryFile() as report:
        command = [*program, f"--benchmark_filter=^{re.escape(case)}/real_time$", f"--benchmark_min_time={seconds}",
                   f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_out={report.name}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **settings, "OMP_NUM_THREADS": str(threads)})
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        text = Path(report.name).read_text()
    if process.returncode or not text:
        sys.exit(f"{' '.join(command)} failed:\n{error}")
    runs = [r for r in json.loads(text)["benchmarks"] if r["run_type"] == "iteration"]
    if not runs:
        sys.exit(f"{program[0]} has no case {case}")
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    return [r["real_time"] * unit[r["time_unit"]] for r in runs], runs[-1], usage.ru_maxrss * 1024


def spread(times):
    return (max(times) - min(times)) / min(times)


class Side:
    def __init__(self, program, settings=None):
        self.program, self.settings = [str(p) for p in program], settings or {}
        self.rounds, self.memory, self.counters, self.again = [], 0, {}, 0

    def round(self, case, threads, seconds):
        found = []
        while len(found) < 3 and not (found and spread(found[-1]) <= DISTURBED):
            times, self.counters, memory = run_once(self.program, case, threads, seconds, self.settings)
            self.memory = max(self.memory, memory)
            found.append(times)
        self.rounds.append(min(found, key=spread))
        self.again += len(found) - 1

    def result(self):
        times = [seconds for found in self.rounds for seconds in found]
        return {"median": statistics.median(times), "least": min(times), "spread": spread(times), "samples": len(times),
                "repeated_rounds": self.again, "peak_bytes": self.memory}

    def ratio_to(self, other):
        """How many times this side takes as long. Rounds are compared one by one: the machine's speed drifts."""
        return statistics.median(statistics.median(mine) / statistics.median(theirs)
                                 for mine, theirs in zip(self.rounds, other.rounds))


def measure(case, threads, rounds, seconds, limits):
    name = f"{case['kind']}/{'x'.join(map(str, case['sizes']))}/{case['mode']}"
    sides = {"etude": Side([ETUDE, CASES]), "best": Side([LIBTORCH, CASES], best_settings()),
             "shipped": Side([LIBTORCH, CASES])}
    if case["python"] and PYTHON_HAS_TORCH:
        sides["python"] = Side(["/usr/bin/python3", HERE / "chain.py"])
    for _ in range(rounds):
        for side in sides.values():
            side.round(name, threads, seconds)
    row = {"case": name, "threads": threads, "target": case["target"], "what": case["what"],
           **{side: found.result() for side, found in sides.items()}}
    ours = row["etude"]["median"]
    row["ratio"] = {side: found.ratio_to(sides["etude"]) for side, found in sides.items() if side != "etude"}
    row["share_of_limit"] = least_time(case["kind"], case["mode"], case["sizes"], limits) / ours
    row["fingerprints"] = ours, theirs = [sides[side].counters["fingerprint"] for side in ("etude", "best")]
    row["same_numbers"] = abs(ours - theirs) <= SAME * abs(theirs)
    return row


def machine():
    """The machine in words."""
    cpu = Path("/proc/cpuinfo").read_text()
    field = lambda name: re.search(rf"^{name}\s*: (.*)$", cpu, re.M)[1]
    flags = set(field("flags").split())
    vectors = next((v for v, flag in (("AVX-512", "avx512f"), ("AVX2", "avx2")) if flag in flags), "SSE")
    return f"{field('model name')}, {os.cpu_count()} processors, {vectors}"


def limits_of(threads, seconds):
    found = {}
    for name in ("peak", "bandwidth"):
        _, counters, _ = run_once([str(MACHINE)], name, threads, seconds, {})
        found[name] = counters["rate"]
    return found


def cases_like(pattern):
    for row in json.loads(CASES.read_text()):
        for sizes in row["sizes"]:
            for mode, target in row["targets"].items():
                if re.search(pattern, f"{row['kind']}/{'x'.join(map(str, sizes))}/{mode}"):
                    yield {"kind": row["kind"], "sizes": sizes, "mode": mode, "target": target, "what": row["what"],
                           "python": row.get("python", {}).get(mode)}


def shown(seconds):
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def main():
    parser = argparse.ArgumentParser(prog="tests/bench/run", description=__doc__)
    parser.add_argument("filter", nargs="?", default=".", help="cases whose names match this regular expression")
    parser.add_argument("--threads", default="2", help="numbers of threads, such as 1,2")
    parser.add_argument("--rounds", type=int, default=3, help="how often the sides take turns")
    parser.add_argument("--seconds", type=float, default=0.2, help="the least time of a repetition")
    parser.add_argument("--beside", action="store_true", help="with another process that keeps a processor busy")
    parser.add_argument("--json", type=Path, help="where the results are written")
    options = parser.parse_args()
    cases = list(cases_like(options.filter))
    if not cases:
        sys.exit(f"no case matches {options.filter}")
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if options.beside else None
    results = {"machine": machine(), "beside": options.beside, "limits": {}, "cases": []}
    try:
        for threads in map(int, options.threads.split(",")):
            limits = results["limits"][threads] = limits_of(threads, max(0.2, options.seconds))
            print(f"{threads} threads: {limits['peak'] / 1e9:.0f} GFLOP/s, {limits['bandwidth'] / 1e9:.1f} GB/s")
            print(f"{'case':46}{'Etude':>11}{'best':>11}{'ratio':>7}{'target':>7}{'shipped':>8}{'limit':>7}{'memory':>9}{'best':>6}")
            for case in cases:
                row = measure(case, threads, options.rounds, options.seconds, limits)
                results["cases"].append(row)
                print(f"{row['case']:46}{shown(row['etude']['median']):>11}{shown(row['best']['median']):>11}"
                      f"{row['ratio']['best']:7.2f}{case['target']:7}{row['ratio']['shipped']:8.2f}"
                      f"{row['share_of_limit']:7.0%}{row['etude']['peak_bytes'] >> 20:9}{row['best']['peak_bytes'] >> 20:6} MiB"
                      f"{'' if row['same_numbers'] else '  OTHER NUMBERS: ' + str(row['fingerprints'])}", flush=True)
    finally:
        if busy:
            busy.kill()
    if options.json:
        temporary = options.json.with_suffix(".new")
        temporary.write_text(json.dumps(results, indent=1) + "\n")
        temporary.replace(options.json)
    if not all(row["same_numbers"] for row in results["cases"]):
        sys.exit("not all cases compute the same numbers")


main()
