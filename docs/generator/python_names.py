"""Finds what Python's torch calls the names of the API reference, and writes python_names.json.

    node docs/generator/api.mjs --names . | /usr/bin/python3 docs/generator/python_names.py

A name is written down only if this torch, which has to be 1.13, has it. `pages` are those that have a page of their own in the
documentation of 1.13: functions and classes with a docstring, of modules that it lists name by name.
"""

import json
import pathlib
import sys

import torch
import torch.distributed
import torch.nn.utils.rnn
import torch.optim.lr_scheduler
import torch.utils.checkpoint
import torch.utils.data

# Modules of Python for namespaces of C++ that have other names.
MODULES = {
    "torch.data": ["torch.utils.data"],
    "torch.data.samplers": ["torch.utils.data"],
    "torch.data.datasets": ["torch.utils.data"],
    "torch.optim": ["torch.optim", "torch.optim.lr_scheduler"],
    "torch.nn.utils": ["torch.nn.utils", "torch.utils.checkpoint"],
}
WITH_FUNCTIONS = ["torch", "torch.Tensor", "torch.nn.functional", "torch.nn.utils", "torch.nn.utils.rnn"]
WITH_CLASSES = ["torch.nn", "torch.optim", "torch.optim.lr_scheduler"]
# Their pages are those of a subject, or under another name.
WITHOUT_PAGE = {"torch.optim.Optimizer", "torch.nn.utils.rnn.invert_permutation"}


def find(name):
    value = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def python_name(name):
    """Python's name of a C++ name, or None."""
    scope, _, last = name.replace("etude", "torch", 1).replace("::", ".").rpartition(".")
    for module in MODULES.get(scope, [scope]):
        if find(f"{module}.{last}") is not None:
            return f"{module}.{last}"
    return None


def has_page(name):
    module, _, last = name.rpartition(".")
    value = find(name)
    modules = WITH_CLASSES if isinstance(value, type) else WITH_FUNCTIONS
    documented = callable(value) and value.__doc__ and not last.startswith("_")
    return module in modules and documented and name not in WITHOUT_PAGE


def main():
    assert torch.__version__.startswith("1.13."), torch.__version__
    found = {name: python_name(name) for name in sys.stdin.read().split() if "operator" not in name}
    names = {name: python for name, python in sorted(found.items()) if python}
    pages = sorted({name for name in names.values() if has_page(name)})
    text = json.dumps({"names": names, "pages": pages}, indent=1)
    pathlib.Path(__file__).with_suffix(".json").write_text(text + "\n")


main()
