"""The chain of ten small ops as a Python program has it, with Google Benchmark's arguments and report."""
import argparse
import json
import time

import torch

parser = argparse.ArgumentParser()
for name in ("filter", "min_time", "repetitions", "out"):
    parser.add_argument("--benchmark_" + name)
options = parser.parse_args()
torch.manual_seed(0)
leaves = [torch.randn(4, 4, requires_grad=True) for _ in range(3)]


def call():
    x, w, b = leaves
    for leaf in leaves:
        leaf.grad = None
    for _ in range(5):
        x = x * w + b
    x = x.sum()
    x.backward()
    return x


runs = []
for _ in range(int(options.benchmark_repetitions)):
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < float(options.benchmark_min_time):
        for _ in range(100):
            call()
        count += 100
    runs.append({"run_type": "iteration", "real_time": (time.perf_counter() - begin) / count, "time_unit": "s"})
with open(options.benchmark_out, "w") as file:
    json.dump({"benchmarks": runs}, file)
