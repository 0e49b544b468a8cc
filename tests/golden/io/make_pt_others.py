"""Writes files in this folder with PyTorch 1.13.1: tensors beside what training scripts store, which Etude names and does not read.

    /usr/bin/python3 tests/golden/io/make_pt_others.py
"""
import argparse
import collections
import dataclasses
import os
import pathlib

import numpy
import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))
counts = collections.defaultdict(int)
counts["a"] = 2
values = {"w": torch.ones(2), "set": {1, 2}, "frozen": frozenset([1]), "bytes": b"abc", "complex": 1 + 2j, "large": 2**80,
          "args": argparse.Namespace(lr=1), "best": numpy.float64(0.25), "array": numpy.arange(3), "counts": counts,
          "mixed": [1, {2}], "phase": torch.zeros(2, dtype=torch.complex64), "layer": argparse.Namespace(weight=torch.ones(1)), "epoch": 3}
for protocol in (2, 4):
    torch.save(values, os.path.join(FOLDER, "python_others%s.pt" % ("" if protocol == 2 else "_protocol_4")), pickle_protocol=protocol)


@dataclasses.dataclass
class Settings:
    rate: float = 0.5


@dataclasses.dataclass
class State:
    weight: torch.Tensor


w = torch.arange(6.).view(2, 3)
others = {"set": {1, 2}, "frozen": frozenset([1]), "bytes": b"abc", "bytearray": bytearray(b"abc"), "complex": 1 + 2j, "args": argparse.Namespace(lr=1),
          "best": numpy.float64(.25), "array": numpy.arange(3), "settings": Settings(), "large": 1 << 100, "path": pathlib.PurePosixPath("a"),
          "counter": collections.Counter("aab"), "deque": collections.deque([1, 2]), "pairs": {(1, 2): 3}, "class": torch.optim.Adam,
          "function": len, "dtype": torch.complex64, "mixed": [1, {2}]}
beside = {**others, "w": w, "epoch": 3, "logs": collections.defaultdict(list, {"loss": [0.5], "w": w})}
torch.save(beside, os.path.join(FOLDER, "python_beside_protocol_5.pt"), pickle_protocol=5)
# Tensors that are not read, each in another way.
torch.save({"w": w, "complex": torch.zeros(2, dtype=torch.complex64), "short": torch.zeros(2, dtype=torch.int16), "state": State(w),
            "model": torch.nn.Linear(1, 1), "list": [w, torch.zeros(2, dtype=torch.int16)], "storage": torch.FloatStorage(2),
            "sparse": torch.sparse_coo_tensor([[0]], [1.], (2,)), "pairs": {(1, 2): w}}, os.path.join(FOLDER, "python_unread.pt"))
