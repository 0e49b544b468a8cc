"""Writes python_others.pt and python_others_protocol_4.pt in this folder with PyTorch 1.13.1: a tensor beside what training scripts store,
which Etude names and does not read.

    /usr/bin/python3 tests/golden/io/make_pt_others.py
"""
import argparse
import collections
import os

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
