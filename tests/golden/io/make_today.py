"""Writes python_today.pt and other_dtypes.safetensors in this folder, by packages that know more dtypes than PyTorch 1.13.

They were written by PyTorch 2.14.1, NumPy 2 and safetensors 0.8: python3 tests/golden/io/make_today.py
"""
import os

import numpy
import safetensors.torch
import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))

w = torch.arange(6.).view(2, 3)
u16, f8 = torch.ones(2, dtype=torch.uint16), torch.ones(4).to(torch.float8_e4m3fn)
torch.save({"w": w, "u16": u16, "f8": f8, "best": numpy.float64(.25), "array": numpy.arange(3)}, os.path.join(FOLDER, "python_today.pt"))
safetensors.torch.save_file({"w": w, "i16": torch.ones(3, dtype=torch.int16), "u16": u16, "f8": f8,
                             "c64": torch.zeros(1, dtype=torch.complex64), "flags": torch.tensor([True, False])},
                            os.path.join(FOLDER, "other_dtypes.safetensors"), metadata={"format": "pt"})
