"""Records the gradients that PyTorch 1.13.1's DistributedDataParallel gives with gloo, for 2 and 3 processes, in data_parallel.json.

Run with Debian's python3-torch: python3 tests/golden/distributed/make.py
For each number of processes: for each rank, for each scenario the gradients of all parameters (null where there is none), or its weights.
"""
import json
import os
import pathlib
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

OUT = pathlib.Path(__file__).parent / "data_parallel.json"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = torch.nn.Parameter(torch.arange(1, 49).mul(0.7).sin().reshape(6, 8))
        self.w2 = torch.nn.Parameter(torch.arange(1, 25).mul(0.9).sin().reshape(8, 3))
        self.rare = torch.nn.Parameter(torch.arange(1, 4).mul(1.1).sin())

    def forward(self, x, uses_rare):
        y = torch.tanh(x @ self.w1) @ self.w2
        return y * self.rare if uses_rare else y


def batch(rank, step):
    x = torch.arange(1, 25).mul(0.37 + 0.1 * step + 0.05 * rank).sin().mul(3).reshape(4, 6)
    return x, torch.arange(1, 13).mul(0.71 + 0.02 * rank).cos().reshape(4, 3)


def backward(model, rank, step, uses_rare=True):
    x, y = batch(rank, step)
    (model(x, uses_rare) - y).square().mean().backward()


def grads(model):
    return {n: None if p.grad is None else p.grad.flatten().tolist() for n, p in model.module.named_parameters()}


def scenarios(rank):
    def fresh():
        return DistributedDataParallel(Net(), find_unused_parameters=True)

    model = fresh()
    backward(model, rank, 0)
    yield "one backward", grads(model)
    backward(model, rank, 1)
    yield "two backwards", grads(model)

    model = fresh()
    with model.no_sync():
        backward(model, rank, 0)
        backward(model, rank, 1)
    yield "no_sync", grads(model)  # differs between processes
    backward(model, rank, 2)
    yield "after no_sync", grads(model)

    model = fresh()
    backward(model, rank, 0, uses_rare=rank == 0)
    yield "rank 0 alone uses rare", grads(model)
    model = fresh()
    backward(model, rank, 0, uses_rare=False)
    yield "nobody uses rare", grads(model)

    model = fresh()
    for step in range(3):
        model.zero_grad(set_to_none=True)
        backward(model, rank, step)
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
    yield "three steps", {n: p.flatten().tolist() for n, p in model.module.named_parameters()}


def run(rank, size, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet{size}", rank=rank, world_size=size)
    torch.set_num_threads(1)
    with open(f"{folder}/{size}.{rank}", "w") as file:
        json.dump(dict(scenarios(rank)), file)
    dist.barrier()
    dist.destroy_process_group()


def main():
    recorded = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in (2, 3):
            mp.spawn(run, args=(size, folder), nprocs=size)
            recorded[str(size)] = [json.loads(pathlib.Path(folder, f"{size}.{r}").read_text()) for r in range(size)]
    OUT.write_text(json.dumps({"torch": torch.__version__, "processes": recorded}) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    main()
