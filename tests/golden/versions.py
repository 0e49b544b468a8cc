"""Recordings of one version of PyTorch, and of two.

A script that records one version calls recorded_with("1.13") and then runs with that one, or with the one that `--version 2.14` names.

Other recordings hold the answers of two versions. The fields of a row are Etude's answer: that of PyTorch 2.14.1 where PyTorch changed on
purpose, else that of 1.13.1. `before` holds the fields in which the answer of 1.13.1 differs; null stands for a field that it lacks.
"""
import sys

import torch

OLD = torch.__version__.startswith("1.")


def recorded_with(version):
    """Stops unless this PyTorch is of this version, or of the one that `--version` names."""
    wanted = sys.argv[sys.argv.index("--version") + 1] if "--version" in sys.argv else version
    if not torch.__version__.startswith(wanted):
        sys.exit(f"recorded with PyTorch {version}, and this is {torch.__version__}: --version {torch.__version__} records it all the same")


def recorded(row):
    """The recorded answer of this version of PyTorch."""
    fields = {k: v for k, v in row.items() if k != "before"}
    return {**fields, **row.get("before", {})} if OLD else fields


def with_answer(row, answer):
    """The row with a new answer of this version of PyTorch."""
    fields, before = {k: v for k, v in row.items() if k != "before"}, row.get("before", {})
    changed = {k: fields.get(k) for k, v in answer.items() if fields.get(k) != v}
    if OLD:
        before = {k: answer[k] for k in changed}
    else:
        before = {k: v for k, v in {**changed, **before}.items() if k not in answer or answer[k] != v}
        fields.update({k: answer[k] for k in changed})
    return {**fields, "before": before} if before else fields
