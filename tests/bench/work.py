"""The least work of a case of cases.json: operations (a product and a sum are two) and bytes of memory, counted as if each operand were
read and each result written once, in float32, bfloat16 or int8. Backward reads the gradient of the result, and those tensors of the
forward that its formula needs."""
from math import prod


def projections(layers, heads, width, *_):
    """The number of weights in a GPT's matrix products, except the table of words."""
    return layers * 12 * width * width


def operations(kind, mode, s):
    forward = 0
    if kind == "matmul":
        forward = 2 * s[0] ** 3
    elif kind in ("linear", "linear_cross_entropy"):
        rows, width_in, width_out = s
        forward = 2 * rows * width_in * width_out
    elif kind == "mlp":
        rows, width = s
        forward = 16 * rows * width * width
    elif kind == "attention":
        batch, tokens, width, _ = s
        forward = batch * tokens * (8 * width * width + 2 * (tokens + 1) * width)
    elif kind == "gpt":
        batch, tokens, layers, _, width, _, words = s
        weights = projections(*s[2:]) + words * width
        forward = batch * tokens * (2 * weights + layers * 2 * (tokens + 1) * width)
    elif kind == "generate":
        forward = s[0] * (2 * projections(*s[2:]) + s[2] * 2 * (s[0] + 1) * s[4])
    return forward * (1 if mode in ("forward", "bfloat16", "int8") else 3)


def floats(kind, mode, s):
    both = mode == "both"
    if kind == "add":
        return prod(s) * 3
    if kind == "clone":
        return prod(s) * 2
    if kind == "dropout":
        return prod(s) * (4 if both else 2)
    if kind in ("softmax", "gelu_tanh", "gelu_erf", "layer_norm"):
        return prod(s) * (5 if both else 2)
    if kind == "cross_entropy":
        return prod(s) * (3 if both else 1)
    if kind == "linear":
        rows, width_in, width_out = s
        return (rows * width_in + width_in * width_out + rows * width_out) * (2 if both else 1)
    if kind == "linear_cross_entropy":
        rows, width_in, width_out = s
        return (rows * width_in + width_in * width_out) * (2 if both else 1)
    if kind == "sines":
        return prod(s)
    if kind == "input_embedding":
        batch, tokens, width, words = s
        return batch * tokens * width * (4 if both else 2) + (words * width if both else 0)
    if kind == "adamw":
        return 7 * prod(s)
    if kind == "gpt":
        return (1 if mode == "forward" else 7) * (projections(*s[2:]) + s[6] * s[4])
    if kind == "generate":
        return s[1] * (projections(*s[2:]) + s[6] * s[4])
    return 0


def least_bytes(kind, mode, s):
    return {"bfloat16": 2, "int8": 1 + 2 / 32}.get(mode, 4) * floats(kind, mode, s)  # int8: a scale of 16 bits for each 32


def time_at_peak(kind, mode, sizes, limits):
    """Seconds that the operations take at the processor's peak."""
    peak = limits["peak"] * (2 if mode in ("autocast", "bfloat16") else 1)  # two products of bfloat16 take the place of one
    return operations(kind, mode, sizes) / peak


def least_time(kind, mode, sizes, limits):
    """Seconds that the machine needs at least."""
    return max(time_at_peak(kind, mode, sizes, limits), least_bytes(kind, mode, sizes) / limits["bandwidth"])
