"""Programs that run a case in a process of its own. Each function here makes one of (case, threads, seconds), which gives
the seconds of each repetition and the counters, with the most memory that the process held, in bytes, and the share of the
processors' time that other processes, or other machines on the same processors, took meanwhile."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.resolve().parent.parent
MODELS = ROOT / "build/bench_models"
PYTHON = "/usr/bin/python3"
PYTHON_HAS_TORCH = not subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode
REPETITIONS = 3


def processor(avx2=False):
    """The processor, and the widest vectors that are used, in words."""
    cpu = Path("/proc/cpuinfo").read_text()
    field = lambda name: re.search(rf"^{name}\s*: (.*)$", cpu, re.M)[1]
    flags = set(field("flags").split()) - ({"avx512f"} if avx2 else set())
    vectors = next((v for v, flag in (("AVX-512", "avx512f"), ("AVX2", "avx2")) if flag in flags), "SSE")
    return f"{field('model name')}, {vectors}"


def seconds_of_processors():
    """The seconds in which processors were busy, and all their seconds."""
    ticks = [int(number) for number in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), sum(ticks) / os.sysconf("SC_CLK_TCK")


def run(command, threads, settings=None):
    """What a command prints, and the counters of its process."""
    command = [str(part) for part in command]
    used_before, all_before = seconds_of_processors()
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace",
                                   env={**os.environ, **(settings or {}), "OMP_NUM_THREADS": str(threads)})
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{errors.read()}")
    used, everything = seconds_of_processors()
    others = (used - used_before - usage.ru_utime - usage.ru_stime) / max(everything - all_before, 1e-2)
    return output, {"peak_bytes": usage.ru_maxrss * 1024, "others": max(0, others)}


def google_benchmark(program, settings=None, path=str):
    """A function that runs a case of a program. path turns a path of this system into the one by which the program finds the file."""
    def once(case, threads, seconds):
        with tempfile.NamedTemporaryFile(dir=ROOT / "build") as report:
            _, counters = run([*program, f"--benchmark_filter=^{re.escape(case)}/real_time$", f"--benchmark_min_time={seconds}",
                               f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_out={path(report.name)}"], threads, settings)
            text = Path(report.name).read_text()
        runs = [r for r in json.loads(text)["benchmarks"] if r["run_type"] == "iteration"] if text else []
        if not runs:
            sys.exit(f"{' '.join(map(str, program))} has no case {case}")
        unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
        return [r["real_time"] * unit[r["time_unit"]] for r in runs], {**runs[-1], **counters}
    return once


def model_of(case, form):
    """The model of a case as a file of this form, and the case's tokens."""
    if not PYTHON_HAS_TORCH:
        sys.exit("the models for ggml and onnxruntime are written by Python's torch: install python3-torch")
    kind, sizes, _ = case.split("/")
    model = MODELS / f"{sizes if form == 'onnx' else 'x'.join(sizes.split('x')[2:])}.{form}"
    tokens = MODELS / f"{kind}_{sizes}.json"
    if not (model.exists() and tokens.exists()):
        run([PYTHON, HERE / "peer_model.py", kind, sizes, model, tokens], threads=1)
    return model, tokens


def fingerprint(numbers):
    """The fingerprint of cases.cpp, for few numbers."""
    return sum(abs(number) * (math.sin(i) + 2) for i, number in enumerate(numbers))


def ggml(program, form):
    """ggml's example gpt-2, which generates with a cache; its time is without reading the model and choosing words."""
    if not os.access(program, os.X_OK):
        sys.exit(f"--ggml: there is no program {program}; ggml's sources make it as gpt-2-backend")

    def once(case, threads, _):
        model, tokens = model_of(case, form)
        tokens = json.loads(tokens.read_text())
        prompt, count = tokens["ids"][0], int(case.split("/")[1].split("x")[1])
        times = []
        for _ in range(REPETITIONS):
            output, counters = run([program, "-m", model, "-p", tokens["text"], "-n", count, "-b", len(prompt), "-t", threads,
                                    "-s", 1, "--top_k", 1, "--ignore-eos"], threads)
            times.append(float(re.search(r"predict time = +([\d.]+) ms", output)[1]) / 1e3)
        words = re.findall(r" ([a-z]{4})(?= |\n)", output.split("first 8 tokens:")[1].split("\n\n")[1] + "\n")
        ids = [sum((ord(letter) - ord("a")) * 26**place for place, letter in enumerate(word)) for word in words]
        if ids[:-count] != prompt:
            sys.exit(f"ggml's example reads the prompt of {case} as other words")
        return times, {**counters, **({"fingerprint": fingerprint(ids)} if form == "ggml" else {})}
    return once


def onnxruntime(folder):
    if not (Path(folder) / "onnxruntime-node").is_dir():
        sys.exit(f"--onnxruntime: no onnxruntime-node in {folder}; npm install --ignore-scripts onnxruntime-node puts it there")

    def once(case, threads, seconds):
        model, tokens = model_of(case, "onnx")
        output, counters = run(["node", HERE / "onnxruntime.mjs", folder, model, tokens, threads, seconds, REPETITIONS], threads)
        found = json.loads(output)
        return found["times"], {**counters, "fingerprint": found["fingerprint"]}
    return once
