"""Writes the files python*.pt in this folder with PyTorch 1.13.1's torch.save.

    /usr/bin/python3 tests/golden/io/make_pt.py
"""
import collections
import os

import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))


def save(value, name, **options):
    torch.save(value, os.path.join(FOLDER, name + ".pt"), **options)


def counted(dtype):
    return torch.arange(6).view(2, 3).to(dtype)


w = counted(torch.float32)
tied = collections.OrderedDict([("wte.weight", w), ("lm_head.weight", w), ("row", w[1]), ("columns", w.t())])
dtypes = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool]
values = {"epoch": 3, "big": 2**40, "negative": -7, "lr": 0.1, "name": "caf\u00e9", "none": None, "yes": True, "counts": [1, 2, 300, 70000],
          "betas": (0.9, 0.999), "mixed": [1, "a"], "size": w.shape, "dtype": torch.float32, "device": torch.device("cpu"), "empty": {},
          "no_items": []}
save(collections.OrderedDict(tied=tied, types={str(d)[6:]: counted(d) for d in dtypes}, values=values,
                             parameter=torch.nn.Parameter(w), zero=torch.zeros(0, 2), one=torch.tensor(5.)), "python")
save(tied, "python_protocol_4", pickle_protocol=4)
save(tied, "python_before_1.6", _use_new_zipfile_serialization=False)
save(w.t().requires_grad_(), "python_tensor")
save([w, w[0]], "python_list")
save(torch.tensor([1, -2, 127, -128], dtype=torch.int8), "python_int8")
save({"layer": collections.OrderedDict(weight=w), 7: 3}, "python_dict")
save(torch.nn.Linear(1, 1), "python_module")
save(torch.zeros(2, dtype=torch.complex64), "python_complex")

p, q = (torch.nn.Parameter(torch.ones(n)) for n in (2, 3))
adam = torch.optim.Adam([{"params": [p], "lr": 0.5}, {"params": [q]}], lr=0.25, betas=(0.5, 0.75))
(p.sum() + 2 * q.sum()).backward()
adam.step()
adam.step()
save({"optimizer": adam.state_dict(), "epoch": 1}, "python_adam")
