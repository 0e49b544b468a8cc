"""What a recording has to do with the version of PyTorch.

A script that records one version calls recorded_with("1.13") and then runs with that one, or with the one that `--version 2.14` names.

Other recordings hold the answers of two versions. The fields of a row are the answer of Etude: PyTorch 2.14.1's where PyTorch changed on purpose, else that of 1.13.1, which is the
same. `before` holds the fields that 1.13.1 has otherwise; null stands for a field that it has not.
"""
import sys

import torch

OLD = torch.__version__.startswith("1.")


def recorded_with(version):
    """Stops if the PyTorch at hand is neither of this version nor of the one that was asked for."""
    wanted = sys.argv[sys.argv.index("--version") + 1] if "--version" in sys.argv else version
    if not torch.__version__.startswith(wanted):
        sys.exit(f"recorded with PyTorch {version}, and this is {torch.__version__}: --version {torch.__version__} records it all the same")


def recorded(row):
    """The row as the PyTorch at hand answered when it was recorded."""
    fields = {k: v for k, v in row.items() if k != "before"}
    return {**fields, **row.get("before", {})} if OLD else fields


def with_answer(row, answer):
    """The row with what the PyTorch at hand answers now."""
    fields, before = {k: v for k, v in row.items() if k != "before"}, row.get("before", {})
    changed = {k: fields.get(k) for k, v in answer.items() if fields.get(k) != v}
    if OLD:
        before = {k: answer[k] for k in changed}
    else:
        before = {k: v for k, v in {**changed, **before}.items() if k not in answer or answer[k] != v}
        fields.update({k: answer[k] for k in changed})
    return {**fields, "before": before} if before else fields
