#!/usr/bin/env python3
"""Writes losses.json: what PyTorch 1.13.1 computes with activations, losses and distances, in float64.

    /usr/bin/python3 tests/golden/layers/make_losses.py

A case has its inputs, the value, the gradients of sum(value * weights) and of the sum of their squares, weights being
1, 1/2, 1/3, ... in the order of the elements, and the graph: the name of each node with those that it reads from. Where
Python's own arithmetic is part of it, or PyTorch 2 changed it, LibTorch has other names, and there is none.
"""
import json
import math
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
warnings.simplefilter("ignore")


def ramp(*sizes, scale=2.0, shift=0.0):
    values = [scale * math.sin(i + 1) + shift for i in range(math.prod(sizes))]
    return torch.tensor(values, dtype=torch.float64).reshape(sizes)


def dump(t):
    if t is None:
        return None
    # Some gradients that are zero have no memory: the sum has.
    return {"sizes": list(t.shape), "values": (torch.zeros(t.shape) + t.detach().double()).flatten().tolist()}


def graph(node):
    if node is None:
        return "-"
    name = type(node).__name__
    below = ",".join(graph(n) for n, _ in node.next_functions)
    return name if name == "AccumulateGrad" else f"{name}({below})"


def gradients(y, inputs, create_graph):
    if not y.requires_grad:
        return [None] * len(inputs)
    weights = 1 / torch.arange(1, y.numel() + 1, dtype=y.dtype).reshape(y.shape)
    return torch.autograd.grad((y * weights).sum(), inputs, create_graph=create_graph, allow_unused=True)


def case(function, *inputs, with_graph=True):
    """Inputs are differentiated, unless they are given as a list of one."""
    fixed = [isinstance(t, list) for t in inputs]
    tensors = [t[0].clone() if isinstance(t, list) else t.clone() for t in inputs]
    leaves = [t.requires_grad_() for t, keep in zip(tensors, fixed) if not keep]
    y = function(*tensors)
    first = gradients(y, leaves, True)
    squares = sum((g * g).sum() for g in first if g is not None)
    second = [None] * len(leaves)
    if torch.is_tensor(squares) and squares.requires_grad:
        second = torch.autograd.grad(squares, leaves, allow_unused=True)
    return {"inputs": [dump(t) for t in tensors], "fixed": fixed, "value": dump(y), "gradients": [dump(g) for g in first],
            "second": [dump(g) for g in second], "graph": graph(y.grad_fn) if with_graph else None}


x = ramp(3, 4)
y = ramp(3, 4, scale=1.5, shift=0.25).flip(0)
z = ramp(3, 4, scale=1.0, shift=-0.5).t().reshape(3, 4)
p = torch.sigmoid(x)
q = torch.sigmoid(y)
w = ramp(3, 4).abs() + 0.1
signs = torch.tensor([[1.0, -1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0]], dtype=torch.float64)
sides = torch.tensor([1.0, -1.0, -1.0], dtype=torch.float64)
counts = torch.tensor([[0.0, 1.0, 2.0, 3.0], [5.0, 0.0, 1.0, 1.0], [7.0, 2.0, 4.0, 0.0]], dtype=torch.float64)

ACTIVATIONS = {
    "selu": case(F.selu, x),
    "celu": case(F.celu, x),
    "celu 0.5": case(lambda t: F.celu(t, 0.5), x),
    "relu6": case(F.relu6, x * 5),
    "leaky_relu": case(F.leaky_relu, x),
    "elu 0.7": case(lambda t: F.elu(t, 0.7), x),
    "prelu": case(F.prelu, x, torch.tensor([0.3], dtype=torch.float64), with_graph=False),
    "prelu channels": case(F.prelu, ramp(2, 3, 2), torch.tensor([0.3, -0.5, 2.0], dtype=torch.float64), with_graph=False),
    "hardtanh": case(F.hardtanh, x),
    "hardtanh -0.5 1.5": case(lambda t: F.hardtanh(t, -0.5, 1.5), x),
    "hardshrink": case(F.hardshrink, x),
    "hardshrink 1": case(lambda t: F.hardshrink(t, 1.0), x),
    "softshrink": case(F.softshrink, x),
    "softshrink 1": case(lambda t: F.softshrink(t, 1.0), x),
    "tanhshrink": case(F.tanhshrink, x),
    "softsign": case(F.softsign, x, with_graph=False),
    "softmin": case(lambda t: F.softmin(t, 1), x),
    "softplus": case(F.softplus, x),
    "softplus 2 1": case(lambda t: F.softplus(t, 2, 1), x),
    "threshold": case(lambda t: F.threshold(t, 0.5, -3.0), x),
    "logsigmoid": case(F.logsigmoid, x * 3),
    "glu": case(F.glu, x),
    "glu 0": case(lambda t: F.glu(t, 0), ramp(4, 3)),
    "silu": case(F.silu, x),
    "mish": case(F.mish, x * 2),
}

LOSSES = {
    "binary_cross_entropy": case(F.binary_cross_entropy, p, q),
    "binary_cross_entropy none": case(lambda a, b: F.binary_cross_entropy(a, b, reduction="none"), p, q),
    "binary_cross_entropy weight sum": case(lambda a, b, c: F.binary_cross_entropy(a, b, c, reduction="sum"), p, q, [w[0]]),
    "soft_margin_loss": case(F.soft_margin_loss, x, [signs]),
    "soft_margin_loss none": case(lambda a, b: F.soft_margin_loss(a, b, reduction="none"), x, [signs]),
    "soft_margin_loss sum": case(lambda a, b: F.soft_margin_loss(a, b, reduction="sum"), x, [signs]),
    "hinge_embedding_loss": case(F.hinge_embedding_loss, x, [signs]),
    "hinge_embedding_loss 2 none": case(lambda a, b: F.hinge_embedding_loss(a, b, 2.0, reduction="none"), x, [signs]),
    "margin_ranking_loss": case(F.margin_ranking_loss, x, y, [signs]),
    "margin_ranking_loss 0.5 sum": case(lambda a, b, c: F.margin_ranking_loss(a, b, c, 0.5, reduction="sum"), x, y, [signs]),
    "cosine_embedding_loss": case(F.cosine_embedding_loss, x, y, [sides]),
    "cosine_embedding_loss 0.2 none": case(
        lambda a, b, c: F.cosine_embedding_loss(a, b, c, 0.2, reduction="none"), x, y, [sides]),
    "cosine_embedding_loss vectors": case(F.cosine_embedding_loss, x[0], y[0], [torch.tensor(-1.0, dtype=torch.float64)]),
    "triplet_margin_loss": case(F.triplet_margin_loss, x, y, z),
    "triplet_margin_loss all": case(
        lambda a, b, c: F.triplet_margin_loss(a, b, c, 2.0, 3.0, 1e-3, swap=True, reduction="none"), x, y, z),
    "triplet_margin_loss vectors": case(lambda a, b, c: F.triplet_margin_loss(a, b, c, p=1.0), x[0], y[0], z[0]),
    "poisson_nll_loss": case(F.poisson_nll_loss, x, [counts]),
    "poisson_nll_loss full": case(lambda a, b: F.poisson_nll_loss(a, b, full=True, reduction="none"), x, [counts]),
    "poisson_nll_loss rate": case(
        lambda a, b: F.poisson_nll_loss(a, b, log_input=False, eps=1e-3, reduction="sum"), w, [counts]),
    "l1_loss": case(F.l1_loss, x, y),
    "smooth_l1_loss 0.5 sum": case(lambda a, b: F.smooth_l1_loss(a, b, reduction="sum", beta=0.5), x, y),
    "huber_loss 0.5 none": case(lambda a, b: F.huber_loss(a, b, reduction="none", delta=0.5), x, y),
    "binary_cross_entropy_with_logits": case(
        lambda a, b, c, d: F.binary_cross_entropy_with_logits(a, b, c, pos_weight=d), x, q, [w], [w[1]]),
}

DISTANCES = {
    "cosine_similarity": case(F.cosine_similarity, x, y, with_graph=False),
    "cosine_similarity 0": case(lambda a, b: F.cosine_similarity(a, b, 0), x, y, with_graph=False),
    "cosine_similarity broadcast": case(lambda a, b: F.cosine_similarity(a, b, -1, 0.5), x, y[0], with_graph=False),
    "pairwise_distance": case(F.pairwise_distance, x, y),
    "pairwise_distance 1 keepdim": case(lambda a, b: F.pairwise_distance(a, b, 1.0, keepdim=True), x, y),
    "pairwise_distance broadcast": case(lambda a, b: F.pairwise_distance(a, b, 3.0, 0.1), x, y[0]),
    "normalize": case(F.normalize, x, with_graph=False),
    "normalize 1 0": case(lambda t: F.normalize(t, 1.0, 0), x, with_graph=False),
    "normalize eps": case(lambda t: F.normalize(t, eps=2.5), x, with_graph=False),
}


def gumbel(hard):
    torch.manual_seed(3)
    logits = ramp(3, 4).float()
    return F.gumbel_softmax(logits, tau=0.5, hard=hard)


TEXTS = [
    "nn.ELU()", "nn.ELU(0.5, True)", "nn.SELU()", "nn.SELU(inplace=True)", "nn.CELU()", "nn.CELU(2.0, True)", "nn.ReLU6()",
    "nn.ReLU6(True)", "nn.LeakyReLU()", "nn.LeakyReLU(0.2, True)", "nn.PReLU()", "nn.PReLU(3)", "nn.Hardtanh()",
    "nn.Hardtanh(-2.0, 2.5, True)", "nn.Hardshrink()", "nn.Softshrink(0.3)", "nn.Tanhshrink()", "nn.Softsign()", "nn.Softmin(1)",
    "nn.Softplus()", "nn.Threshold(0.1, 20)", "nn.Threshold(0.1, 20, True)", "nn.LogSigmoid()", "nn.GLU()", "nn.SiLU()", "nn.Mish()",
    "nn.CrossEntropyLoss(torch.ones(2))", "nn.NLLLoss()", "nn.MSELoss()", "nn.L1Loss()", "nn.SmoothL1Loss()", "nn.HuberLoss()",
    "nn.BCELoss()", "nn.BCEWithLogitsLoss()", "nn.CosineEmbeddingLoss()", "nn.MarginRankingLoss(0.5)",
    "nn.HingeEmbeddingLoss()", "nn.TripletMarginLoss()", "nn.SoftMarginLoss()", "nn.PoissonNLLLoss()", "nn.CosineSimilarity()",
    "nn.PairwiseDistance(1)", "nn.ModuleDict()", "nn.ParameterList()",
    "nn.ParameterList([nn.Parameter(torch.zeros(2, 3)), nn.Parameter(torch.tensor(1.0))])", "nn.ParameterDict()",
    "nn.ParameterDict({'a': nn.Parameter(torch.zeros(2, 3))})",
    "nn.ParameterDict({'a': nn.Parameter(torch.zeros(2, 3)), 'b': nn.Parameter(torch.zeros(3, dtype=torch.double))})",
]

data = {
    "activations": ACTIVATIONS,
    "losses": LOSSES,
    "distances": DISTANCES,
    "gumbel": {"soft": dump(gumbel(False)), "hard": dump(gumbel(True))},
    "texts": {text: repr(eval(text, {"nn": torch.nn, "torch": torch})) for text in TEXTS},
}
data["texts"]["nn.Softplus()"] = "Softplus(beta=1.0, threshold=20.0)"  # as 2.14.1 prints it
Path(__file__).with_name("losses.json").write_text(json.dumps(data, separators=(",", ":")) + "\n")
