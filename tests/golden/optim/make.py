#!/usr/bin/env python3
"""Writes optim.json: what PyTorch 1.13.1's optimizers and learning rate schedules do.

    /usr/bin/python3 tests/golden/optim/make.py

steps: optimizer, variant, dtype -> the parameter after 1 step and after 30, and the tensors that the optimizer then remembers of it. The
parameter has 21 elements, wave(0); its gradient at the step i = 1, 2, ... is wave(i). The tests repeat both.
schedules: name -> the learning rates of both groups in each of 60 epochs, and their momentum where it changes.
plateau: the metrics, 2 - metric where "max" is in the name, and name -> the learning rates after each of them, and what is remembered at the end.
training: name, dtype -> the loss and the norm of the gradients, before it is clipped, in 30 steps of a small network.
"""
import json
import math
import sys
import warnings
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import lr_scheduler

sys.path.append(str(Path(__file__).resolve().parent.parent))
from versions import recorded_with  # noqa: E402

warnings.filterwarnings("ignore")  # no optimizer steps between those of a schedule
torch.set_num_threads(1)

STEPS, EPOCHS, ELEMENTS = 30, 60, 21


def wave(i):
    """sin(1 + 21 i), sin(2 + 21 i), ... in double, rounded to float32."""
    return torch.tensor([math.sin(1 + j + ELEMENTS * i) for j in range(ELEMENTS)], dtype=torch.float64).to(torch.float32)


def numbers(t):
    """The shortest decimals that name these numbers."""
    return [float(str(v)) for v in t.detach().numpy()]


VARIANTS = {
    "SGD": {"plain": {"lr": 0.1}, "momentum": {"lr": 0.1, "momentum": 0.9}, "dampening": {"lr": 0.1, "momentum": 0.9, "dampening": 0.5},
            "nesterov": {"lr": 0.1, "momentum": 0.8, "nesterov": True},
            "all": {"lr": 0.1, "momentum": 0.7, "dampening": 0.2, "weight_decay": 0.05}},
    "Adam": {"plain": {}, "lr": {"lr": 0.05}, "betas": {"lr": 0.01, "betas": (0.5, 0.98), "eps": 1e-9}, "decay": {"lr": 0.01, "weight_decay": 0.1},
             "amsgrad": {"lr": 0.02, "amsgrad": True}, "all": {"lr": 0.02, "betas": (0.8, 0.9), "eps": 1e-3, "weight_decay": 0.2, "amsgrad": True}},
    "AdamW": {"plain": {}, "lr": {"lr": 0.05}, "betas": {"lr": 0.01, "betas": (0.5, 0.98), "eps": 1e-9}, "no decay": {"lr": 0.01, "weight_decay": 0},
              "amsgrad": {"lr": 0.02, "amsgrad": True}, "all": {"lr": 0.02, "betas": (0.8, 0.9), "eps": 1e-3, "weight_decay": 0.2, "amsgrad": True}},
    "RMSprop": {"plain": {}, "alpha": {"lr": 0.02, "alpha": 0.9, "eps": 1e-3}, "decay": {"weight_decay": 0.1}, "momentum": {"lr": 0.005, "momentum": 0.8},
                "centered": {"centered": True}, "all": {"lr": 0.003, "alpha": 0.8, "eps": 1e-2, "weight_decay": 0.1, "momentum": 0.7, "centered": True}},
    "Adagrad": {"plain": {}, "lr": {"lr": 0.3}, "lr_decay": {"lr": 0.1, "lr_decay": 0.1}, "decay": {"lr": 0.1, "weight_decay": 0.1},
                "start": {"lr": 0.1, "initial_accumulator_value": 0.5}, "all": {"lr": 0.2, "lr_decay": 0.05, "weight_decay": 0.2, "initial_accumulator_value": 0.1, "eps": 1e-3}},
}


def steps():
    result = {}
    for name, variants in VARIANTS.items():
        for variant, options in variants.items():
            for dtype in (torch.float32, torch.float64):
                p = torch.nn.Parameter(wave(0).to(dtype))
                optimizer = getattr(torch.optim, name)([p], foreach=False, **options)
                row = {}
                for i in range(1, STEPS + 1):
                    p.grad = wave(i).to(dtype)
                    optimizer.step()
                    if i == 1:
                        row["first"] = numbers(p)
                row["last"] = numbers(p)
                row["state"] = {k: numbers(v) for k, v in optimizer.state[p].items() if torch.is_tensor(v) and v.dim() > 0}
                result.setdefault(name, {}).setdefault(variant, {})[str(dtype)[len("torch."):]] = row
    return result


def groups_of(optimizer_class=torch.optim.SGD, **options):
    weights = [torch.nn.Parameter(torch.zeros(1)) for _ in range(2)]
    return optimizer_class([{"params": weights[:1]}, {"params": weights[1:], "lr": 0.05}], lr=0.1, **options)


def momentum_of(group):
    return group["betas"][0] if "betas" in group else group["momentum"]


def schedules():
    sgd, adam = lambda: groups_of(momentum=0.9), lambda: groups_of(torch.optim.Adam)
    cases = {
        "StepLR": (sgd, lambda o: lr_scheduler.StepLR(o, 7, 0.5)),
        "MultiStepLR": (sgd, lambda o: lr_scheduler.MultiStepLR(o, [3, 10, 10, 41], 0.3)),
        "ExponentialLR": (sgd, lambda o: lr_scheduler.ExponentialLR(o, 0.93)),
        "LambdaLR": (sgd, lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (1 + e))),
        "LambdaLR each": (sgd, lambda o: lr_scheduler.LambdaLR(o, [lambda e: 0.95 ** e, lambda e: 1 + e])),
        "LinearLR": (sgd, lambda o: lr_scheduler.LinearLR(o)),
        "LinearLR down": (sgd, lambda o: lr_scheduler.LinearLR(o, start_factor=1, end_factor=0.1, total_iters=40)),
        "CosineAnnealingLR": (sgd, lambda o: lr_scheduler.CosineAnnealingLR(o, 50)),
        "CosineAnnealingLR several": (sgd, lambda o: lr_scheduler.CosineAnnealingLR(o, 9, eta_min=0.01)),
        "OneCycleLR": (sgd, lambda o: lr_scheduler.OneCycleLR(o, 0.3, total_steps=60)),
        "OneCycleLR linear": (adam, lambda o: lr_scheduler.OneCycleLR(o, [0.3, 0.2], total_steps=75, anneal_strategy="linear", pct_start=0.4,
                                                                  base_momentum=[0.7, 0.8], max_momentum=0.9, div_factor=10, final_div_factor=100)),
        "OneCycleLR three": (adam, lambda o: lr_scheduler.OneCycleLR(o, 0.3, total_steps=60, three_phase=True)),
        "OneCycleLR fixed momentum": (sgd, lambda o: lr_scheduler.OneCycleLR(o, 0.3, total_steps=60, cycle_momentum=False)),
        "NoamLR": (sgd, lambda o: lr_scheduler.LambdaLR(o, [lambda e, lr=lr: 2 * 64 ** -0.5 * min((e + 1) ** -0.5, (e + 1) * 20 ** -1.5) / lr for lr in (0.1, 0.05)])),
    }
    result = {}
    for name, (make_optimizer, make_schedule) in cases.items():
        optimizer = make_optimizer()
        schedule = make_schedule(optimizer)
        rates, momentums = [], []
        for _ in range(EPOCHS):
            rates.append([group["lr"] for group in optimizer.param_groups])
            momentums.append([momentum_of(group) for group in optimizer.param_groups])
            if len(rates) < EPOCHS:
                schedule.step()
        result[name] = {"lrs": rates, "momentums": momentums if momentums[0] != momentums[5] else []}
    optimizer = groups_of()
    chain = [lr_scheduler.LinearLR(optimizer, 0.1, total_iters=8), lr_scheduler.CosineAnnealingLR(optimizer, 20, 0.001)]
    rates = []
    for _ in range(EPOCHS):
        rates.append([group["lr"] for group in optimizer.param_groups])
        for schedule in chain:
            schedule.step()
    result["LinearLR and CosineAnnealingLR"] = {"lrs": rates, "momentums": []}
    return result


def plateau():
    metrics = [1 / (1 + min(i, 12)) + 0.01 * math.sin(i) for i in range(EPOCHS)]
    cases = {"plain": {"patience": 2}, "default": {}, "max": {"mode": "max", "patience": 1, "factor": 0.5, "cooldown": 3},
             "abs": {"threshold_mode": "abs", "threshold": 0.005, "patience": 0, "factor": 0.7},
             "max abs": {"mode": "max", "threshold_mode": "abs", "threshold": 0.02, "patience": 1, "factor": 0.7},
             "min_lr": {"patience": 0, "factor": 0.3, "min_lr": [0.01, 0.001]}, "eps": {"patience": 0, "factor": 0.5, "eps": 0.01}}
    result = {}
    for name, options in cases.items():
        optimizer = groups_of()
        schedule = lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        rates = []
        for metric in metrics:
            schedule.step(2 - metric if "max" in name else metric)
            rates.append([group["lr"] for group in optimizer.param_groups])
        result[name] = {"lrs": rates, "best": schedule.best, "num_bad_epochs": schedule.num_bad_epochs}
    return {"metrics": metrics, "cases": result}


def training():
    models = {"sgd": (lambda: [nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)], lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), math.inf, 100),
              "adam dropout": (lambda: [nn.Linear(3, 8), nn.GELU(), nn.Dropout(0.25), nn.Linear(8, 1)], lambda p: torch.optim.Adam(p, lr=0.01), math.inf, 100),
              "adamw clipped": (lambda: [nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)], lambda p: torch.optim.AdamW(p, lr=0.03), 0.2, 10)}
    result = {}
    for name, (layers, make_optimizer, max_norm, step_size) in models.items():
        for dtype in (torch.float32, torch.float64):
            torch.manual_seed(1)
            model = nn.Sequential(*layers()).to(dtype)
            x, y = torch.randn(20, 3).to(dtype), torch.randn(20, 1).to(dtype)
            optimizer = make_optimizer(model.parameters())
            schedule = lr_scheduler.StepLR(optimizer, step_size, 0.5)
            losses, norms = [], []
            for _ in range(STEPS):
                optimizer.zero_grad()
                loss = F.mse_loss(model(x), y)
                loss.backward()
                losses.append(loss.item())
                norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm).item())
                optimizer.step()
                schedule.step()
            result.setdefault(name, {})[str(dtype)[len("torch."):]] = {"losses": losses, "norms": norms}
    return result


if __name__ == "__main__":
    recorded_with("1.13")
    golden = {"steps": steps(), "schedules": schedules(), "plateau": plateau(), "training": training()}
    (Path(__file__).parent / "optim.json").write_text(json.dumps(golden, indent=0, separators=(",", ":")).replace("\n", "") + "\n")
