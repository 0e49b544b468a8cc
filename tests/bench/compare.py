"""Runs the cases of cases.json on every side by turns and says how they compare."""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import other_system
import programs
from pictures import curves
from work import least_time

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ETUDE = ROOT / "build/release/tests/bench_cases"
MACHINE = ROOT / "build/release/tests/bench_machine"
LIBTORCH = ROOT / "build/libtorch/tests/libtorch/bench_cases_libtorch"
TODAY = other_system.folder_of("libtorch") / "tests/libtorch/bench_cases_libtorch"
# The allowed difference of fingerprints, by mode; in float32, sums in another order differ by less than 1e-6. With bfloat16 or int8 any
# difference is allowed: among words that are equally probable up to rounding any may be chosen, and other words follow it.
SAME = {"autocast": 1e-3, "bfloat16": 1, "int8": 1}
AVX2 = {"ETUDE_CPU_CAPABILITY": "avx2", "ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "HASWELL", "DNNL_MAX_CPU_ISA": "AVX2"}
DISTURBED = 0.15  # a round is run again if its repetitions differ by more, or if other programs took more of the processors


def best_settings(avx2, widest="SKYLAKEX"):
    """The settings with which PyTorch is fastest: its widest loops, OpenBLAS's right kernels, and memory that is kept."""
    wide = not avx2 and "avx512f" in Path("/proc/cpuinfo").read_text()
    return {
        "ATEN_CPU_CAPABILITY": "avx512" if wide else "avx2",
        "OPENBLAS_CORETYPE": widest if wide else "HASWELL",
        "GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=34359738368:glibc.malloc.top_pad=268435456",
    }


def spread(times):
    return (max(times) - min(times)) / min(times)


class Side:
    def __init__(self, once):
        self.once, self.rounds, self.again = once, [], 0

    def round(self, case, threads, seconds, beside):
        found = []
        how_disturbed = lambda one: max(spread(one[0]), one[1]["others"] - (1 / os.cpu_count() if beside else 0))
        while len(found) < 3 and not (found and how_disturbed(found[-1]) <= DISTURBED):
            found.append(self.once(case, threads, seconds))
        self.rounds.append(min(found, key=how_disturbed))
        self.again += len(found) - 1

    def result(self):
        times = [seconds for found, _ in self.rounds for seconds in found]
        counters = self.rounds[0][1]
        return {"median": statistics.median(times), "least": min(times), "spread": spread(times), "samples": len(times),
                "repeated_rounds": self.again, "fingerprint": counters.get("fingerprint"),
                **{name: statistics.median_high(found[name] for _, found in self.rounds)
                   for name in ("peak_bytes", "others", "starts", "inside", "waiting") if name in counters}}

    def ratio_to(self, other):
        """How many times this side takes as long. Rounds are compared one by one: the machine's speed drifts."""
        return statistics.median(statistics.median(mine) / statistics.median(theirs)
                                 for (mine, _), (theirs, _) in zip(self.rounds, other.rounds))


def sides_of(options):
    """All programs that can be run, by name."""
    cases = options.cases
    sides = {"etude": programs.google_benchmark([ETUDE, cases]),
             "best": programs.google_benchmark([LIBTORCH, cases], best_settings(options.avx2)),
             "shipped": programs.google_benchmark([LIBTORCH, cases])}
    if options.today:
        other_system.build(options.today, "libtorch", TODAY.name)
        sides["today"] = programs.google_benchmark(
            other_system.inside(options.today, [other_system.there(TODAY), other_system.there(cases)]),
            best_settings(options.avx2, widest="SAPPHIRERAPIDS"), other_system.there)
    if programs.PYTHON_HAS_TORCH:
        sides["python"] = programs.google_benchmark([programs.PYTHON, HERE / "chain.py"])
    if options.ggml:
        sides.update({form: programs.ggml(options.ggml, form) for form in ("ggml", "ggml_f16")})
    if options.onnxruntime:
        sides["onnxruntime"] = programs.onnxruntime(options.onnxruntime)
    return sides


def share_of_limit(case, seconds, limits):
    return least_time(case["kind"], case["mode"], case["sizes"], limits) / seconds


def measure(case, threads, options, all_sides, limits):
    names = ["etude", "best", *([] if options.no_shipped else ["shipped"]), *(n for n in case["peers"] if n in all_sides)]
    sides = {name: Side(all_sides[name]) for name in names}
    for _ in range(options.rounds):
        for side in sides.values():
            side.round(case["case"], threads, options.seconds, options.beside)
    found = {name: side.result() for name, side in sides.items()}
    ours = found["etude"]
    return {**case, "threads": threads, **found,
            "ratio": {name: side.ratio_to(sides["etude"]) for name, side in sides.items() if name != "etude"},
            "share_of_limit": share_of_limit(case, ours["median"], limits),
            "same_numbers": all(abs(one["fingerprint"] - ours["fingerprint"]) <= SAME.get(case["mode"], 1e-6) * abs(ours["fingerprint"])
                                for one in found.values() if one["fingerprint"] is not None)}


def machine(avx2):
    """The machine in words."""
    kilobytes = int(re.search(r"MemTotal: +(\d+)", Path("/proc/meminfo").read_text())[1])
    caches = [(path / "size").read_text().strip() for path in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))]
    return ", ".join([programs.processor(avx2), f"{os.cpu_count()} processors", *([f"caches of {', '.join(caches[1:])}"] if caches else []),
                      f"{kilobytes / 2**20:.0f} GiB of memory"])


def version_of(program):
    """The version of LibTorch that the cases were built with, without the patch number, which is not right in every package."""
    return ".".join((program.parent / "version").read_text().split(".")[:2])


def limits_of(threads, seconds):
    """The machine's limits. Ends the program if a product of matrices is faster than the peak, or far slower: then the peak is wrong,
    because the compiler did not make multiply-adds of multiply_and_add.h."""
    once = programs.google_benchmark([MACHINE])
    rate = lambda name: once(name, threads, seconds)[1]["rate"]
    for _ in range(3):  # other programs may have taken the processors meanwhile
        peak, product = rate("peak"), rate("product")
        if product / 1.2 <= peak <= 20 * product:
            return {"peak": peak, "bandwidth": rate("bandwidth"), "handoff": rate("handoff")}
    sys.exit(f"bench_machine measured a peak of {peak / 1e9:.0f} GFLOP/s, and {product / 1e9:.0f} in a product of matrices: the compiler "
             "made something else of multiply_and_add.h, or the library is not built with optimisation")


def cases_like(options):
    for row in json.loads(options.cases.read_text()):
        for sizes in row["sizes"]:
            for mode, target in row["targets"].items():
                name = f"{row['kind']}/{'x'.join(map(str, sizes))}/{mode}"
                if re.search(options.filter, name):
                    yield {"case": name, "kind": row["kind"], "sizes": sizes, "mode": mode, "target": target, "what": row["what"],
                           "peers": {"today": target, **row.get("peers", {}).get(mode, {})}}


def shown(seconds):
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def numbers_of_threads(words):
    """The numbers of --threads; "all" stands for the powers of two up to the number of processors, and that number."""
    if words != "all":
        return [int(word) for word in words.split(",")]
    processors = len(os.sched_getaffinity(0))
    return sorted({processors, *(2**power for power in range(processors.bit_length()))})


def by_case(rows):
    """The rows of each case, by their number of threads."""
    found = {}
    for row in rows:
        found.setdefault(row["case"], {})[row["threads"]] = row
    return found


def newest(row):
    """The side of the newest PyTorch that ran."""
    return "today" if "today" in row else "best"


def print_scaling(rows):
    """How many times each case is as fast as with the fewest threads, and as PyTorch with as many. Returns the cases whose bits
    depend on the number of threads."""
    cases, other_bits = by_case(rows), []
    threads = sorted({row["threads"] for row in rows})
    print(f"\nfaster than with {threads[0]} / than PyTorch\n{'threads':46}{''.join(f'{n:>14}' for n in threads)}")
    for case, runs in cases.items():
        times = [runs[n]["etude"]["median"] for n in threads]
        cells = [f"{times[0] / time:.2f} / {runs[n]['ratio'][newest(runs[n])]:.2f}" for n, time in zip(threads, times)]
        notes = [f"slower with {n} than with {fewer}" for fewer, n, before, time in zip(threads, threads[1:], times, times[1:])
                 if time > before * (1 + DISTURBED)]
        if len({runs[n]["etude"]["fingerprint"] for n in threads}) > 1:
            other_bits.append(case)
            notes.append("OTHER BITS")
        print(f"{case:46}{''.join(f'{cell:>14}' for cell in cells)}  {', '.join(notes)}".rstrip())
    return other_bits


def picture_of_scaling(rows, versions):
    """Milliseconds by threads, a panel for each case."""
    times = lambda runs, side: [(n, 1e3 * row[side]["median"]) for n, row in runs.items() if side in row]
    names = ["Etude", None, *(f"PyTorch {versions[side]}" for side in ("best", "today") if side in versions)]
    return curves(names, [(case, [times(runs, "etude"), [], times(runs, "best"), times(runs, "today")])
                          for case, runs in by_case(rows).items()])


def options_given():
    parser = argparse.ArgumentParser(prog="tests/bench/run", description=__doc__)
    parser.add_argument("filter", nargs="?", default=".", help="cases whose names match this regular expression")
    parser.add_argument("--threads", default="2", help="numbers of threads, such as 1,2; all for 1, 2, 4, ... and every processor")
    parser.add_argument("--rounds", type=int, default=3, help="how often the sides take turns")
    parser.add_argument("--seconds", type=float, default=0.2, help="the least time of a repetition")
    parser.add_argument("--beside", action="store_true", help="with another process that keeps a processor busy")
    parser.add_argument("--avx2", action="store_true", help="all sides, and the machine's limit, with AVX2 and no AVX-512")
    parser.add_argument("--cases", type=Path, default=HERE / "cases.json", help="another file of cases: scaling.json")
    parser.add_argument("--no-shipped", action="store_true", help="without LibTorch as it comes")
    parser.add_argument("--today", metavar="DIR", help="the root of another Linux system, whose LibTorch 2 takes turns too")
    parser.add_argument("--ggml", metavar="PROGRAM", help="gpt-2-backend, built from ggml's examples")
    parser.add_argument("--onnxruntime", metavar="FOLDER", help="node_modules with onnxruntime-node")
    parser.add_argument("--picture", type=Path, help="where times by threads are drawn, as SVG")
    parser.add_argument("--json", type=Path, help="where the results are written, after each case")
    parser.add_argument("--resume", action="store_true", help="cases that the file of --json has are not measured again")
    options = parser.parse_args()
    options.threads = numbers_of_threads(options.threads)
    if options.resume and not options.json:
        parser.error("--resume needs --json")
    if options.picture and len(options.threads) < 2:
        parser.error("--picture shows several numbers of threads: --threads all")
    return options


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.write_text(text)
    temporary.replace(path)


def print_row(row):
    ours, best = row["etude"], row["best"]
    print(f"{row['case']:46}{shown(ours['median']):>11}{ours['spread']:7.0%}{shown(best['median']):>12}{row['ratio']['best']:7.2f}"
          f"{row['target']:7}{row['ratio'].get('shipped', math.nan):8.2f}{row['share_of_limit']:7.0%}"
          f"{ours['peak_bytes'] >> 20:9}{best['peak_bytes'] >> 20:6} MiB{'' if row['same_numbers'] else '  OTHER NUMBERS'}")
    for peer, target in row["peers"].items():
        if peer in row:
            print(f"  {peer:44}{'':18}{shown(row[peer]['median']):>12}{row['ratio'][peer]:7.2f}{target:7}")
    sys.stdout.flush()


def faster(limits, others):
    """Of each rate the larger: neighbours of a virtual machine slow its memory."""
    return {name: max(rate, others.get(name, 0)) for name, rate in limits.items()}


def measured_before(results, options):
    """The results in the file that --resume continues."""
    if not (options.resume and options.json.exists()):
        return {"limits": {}, "cases": []}
    before = json.loads(options.json.read_text())
    if any(before[key] != results[key] for key in ("processor", "beside", "pytorch")):
        sys.exit(f"{options.json} has results of another machine, or of other libraries")
    return before


def measure_all(cases, options):
    sides = sides_of(options)
    results = {"machine": machine(options.avx2), "processor": programs.processor(options.avx2), "beside": options.beside,
               "pytorch": {"best": version_of(LIBTORCH), **({"today": version_of(TODAY)} if options.today else {})},
               "limits": {}, "cases": []}
    before = measured_before(results, options)
    done = {(row["case"], row["threads"]): row for row in before["cases"]}
    for threads in options.threads:
        limits = faster(limits_of(threads, max(0.2, options.seconds)), before["limits"].get(str(threads), {}))
        results["limits"][threads] = limits
        print(f"{threads} threads: {limits['peak'] / 1e9:.0f} GFLOP/s, {limits['bandwidth'] / 1e9:.1f} GB/s, "
              f"{shown(1 / limits['handoff'])} to hand threads nothing")
        print(f"{'case':46}{'Etude':>11}{'spread':>7}{'best':>12}{'ratio':>7}{'target':>7}{'shipped':>8}{'limit':>7}"
              f"{'memory':>9}{'best':>6}")
        for case in cases:
            old = done.get((case["case"], threads))
            results["cases"].append({**old, **case} if old else measure(case, threads, options, sides, limits))
            print_row(results["cases"][-1])
            if options.json:
                write_whole(options.json, json.dumps(results, indent=1) + "\n")
        limits.update(faster(limits, limits_of(threads, max(0.2, options.seconds))))
        for row in results["cases"]:
            if row["threads"] == threads:
                row["share_of_limit"] = share_of_limit(row, row["etude"]["median"], limits)
    return results


def main():
    options = options_given()
    for name in [name for name in os.environ if name.startswith("OPENBLAS_")]:
        del os.environ[name]  # what comes without settings has none
    cases = list(cases_like(options))
    if not cases:
        sys.exit(f"no case matches {options.filter}")
    if options.avx2:
        os.environ.update(AVX2)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if options.beside else None
    try:
        results = measure_all(cases, options)
    finally:
        if busy:
            busy.kill()
    other_bits = print_scaling(results["cases"]) if len(options.threads) > 1 else []
    if options.json:
        write_whole(options.json, json.dumps(results, indent=1) + "\n")
    if options.picture:
        write_whole(options.picture, picture_of_scaling(results["cases"], results["pytorch"]))
    if other_bits:
        sys.exit("the bits of some cases depend on the number of threads")
    if not all(row["same_numbers"] for row in results["cases"]):
        sys.exit("not all cases compute the same numbers")


main()
