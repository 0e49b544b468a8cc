#!/usr/bin/env python3
"""Writes transformer.json: what PyTorch 2.14.1 computes with attention and with transformer layers.

    python3 tests/golden/layers/make_transformer.py

A tensor is {"sizes": [...], "values": [...]}, each value the shortest decimal that float32 reads back, or twelve digits of a float64.
A layer is made after manual_seed(3), which gives `state`. Parameters that start as zeros or ones are then replaced by ramps, which
gives `filled`, and the layer is called in train mode after manual_seed(5). Outputs and gradients are those of float64;
`float32_error` says how far PyTorch's own float32 is from them. An infinite mask is recorded as true where it is minus infinity.
"""
import copy
import json
import sys
from pathlib import Path

import torch
import torch.nn as nn

from make import ramp

sys.path.append(str(Path(__file__).resolve().parent.parent))
from versions import recorded_with  # noqa: E402

torch.set_num_threads(1)


def dump(t):
    return {"sizes": list(t.shape), "values": [float(str(v)) for v in t.detach().float().flatten().numpy()]}


def dump_state(module):
    return [[name, dump(value)] for name, value in module.state_dict().items()]


def fill_constants(module):
    """Ramps where every element is the same, so that each has an effect of its own."""
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            if p.numel() > 1 and (p == p.flatten()[0]).all():
                p.copy_(ramp(*p.shape) * 0.5 + i % 3)


def run(module, inputs, call, dtype):
    """Outputs, then the gradients of inputs and of parameters by name under uneven weights, computed in one type."""
    module = copy.deepcopy(module).to(dtype)
    inputs = [x.detach().to(dtype).requires_grad_() for x in inputs]
    torch.manual_seed(5)
    outputs = call(module, *inputs)
    outputs = [o for o in (outputs if isinstance(outputs, (tuple, list)) else (outputs,)) if o is not None]
    sum((o * ramp(*o.shape)).sum() for o in outputs).backward()
    return outputs, [x.grad for x in inputs], {n: p.grad for n, p in module.named_parameters()}


def computed(module, inputs, call):
    """What a module computes in float64, and the error of float32: of each tensor's largest element, the worst of all tensors."""
    results = run(module, inputs, call, torch.float64)
    flat = lambda r: [*r[0], *r[1], *r[2].values()]
    singles, doubles = flat(run(module, inputs, call, torch.float32)), flat(results)
    error = max((((s.double() - d).abs().max() / d.abs().max()).item() for s, d in zip(singles, doubles) if d.abs().max() > 0), default=0)

    def twelve_digits(t):
        return {"sizes": list(t.shape), "values": [float(f"{v:.12g}") for v in t.detach().flatten().tolist()]}

    outputs, dx, grads = results
    return {"outputs": [twelve_digits(o) for o in outputs], "dx": [twelve_digits(g) for g in dx],
            "grads": [[n, twelve_digits(g)] for n, g in grads.items()], "float32_error": float(f"{error:.2g}"), "next": torch.rand(1).item()}


def record(module, inputs, call):
    fill_constants(module)
    return {"filled": dump_state(module), **computed(module, inputs, call)}


def mask(name, queries, keys, matrices):
    """The masks of the calls by name: true or minus infinity where a query may not look."""
    later = torch.triu(torch.ones(queries, keys, dtype=torch.bool), 1)
    return {"none": None, "causal": later, "float": ramp(queries, keys),
            "infinite": torch.zeros(queries, keys).masked_fill(later, float("-inf")),
            "by head": (ramp(matrices, queries, keys) > 0.8)}[name]


def padding(name, batch, keys):
    flags = torch.arange(keys) >= torch.tensor([[keys], [keys - 2]])[:batch]
    return {"none": None, "bool": flags, "float": ramp(batch, keys)}[name]


def like(x, m):
    """A mask of numbers in the type of x."""
    return m.to(x.dtype) if m is not None and m.is_floating_point() else m


ATTENTION = {
    "self": {}, "per head": {"average": False}, "no weights": {"need_weights": False}, "no bias": {"options": {"bias": False}},
    "cross": {"keys": 5}, "widths": {"keys": 5, "options": {"kdim": 3, "vdim": 6}},
    "one width": {"keys": 5, "options": {"kdim": 6, "vdim": 6}},
    "widths without bias": {"keys": 5, "options": {"kdim": 3, "vdim": 6, "bias": False}},
    "learned key": {"options": {"add_bias_kv": True}, "mask": "infinite", "padding": "bool"},
    "zero key": {"options": {"add_zero_attn": True}, "mask": "infinite", "padding": "bool"},
    "both keys": {"options": {"add_bias_kv": True, "add_zero_attn": True}},
    "batch first": {"options": {"batch_first": True}, "mask": "causal"}, "causal": {"mask": "causal"}, "float mask": {"mask": "float"},
    "mask by head": {"mask": "by head"}, "padding": {"padding": "bool"}, "float padding": {"padding": "float"},
    "mask and padding": {"mask": "infinite", "padding": "bool"}, "dropout": {"options": {"dropout": 0.3}, "mask": "infinite"},
    "unbatched": {"unbatched": True, "mask": "causal"}, "unbatched padding": {"unbatched": True, "padding": "bool", "keys": 5},
    "one query": {"queries": 1, "keys": 5},
}


def attention(spec):
    options, queries = spec.get("options", {}), spec.get("queries", 4)
    keys, unbatched = spec.get("keys", queries), spec.get("unbatched", False)
    torch.manual_seed(3)
    module = nn.MultiheadAttention(8, 2, **options)
    state = dump_state(module)

    def sizes(length, width):
        return [length, width] if unbatched else [2, length, width] if module.batch_first else [length, 2, width]

    q = ramp(*sizes(queries, 8)).requires_grad_()
    inputs = [q]
    if keys != queries or "kdim" in options:
        inputs += [(ramp(*sizes(keys, options.get("kdim", 8))) * 0.7).requires_grad_(),
                   (ramp(*sizes(keys, options.get("vdim", 8))) * 1.3).requires_grad_()]
    pad = padding(spec.get("padding", "none"), 2, keys)
    if unbatched and pad is not None:
        pad = pad[1]
    m = mask(spec.get("mask", "none"), queries, keys, 4)

    def call(module, q, k=None, v=None):
        k, v = (q, q) if k is None else (k, v)
        return module(q, k, v, key_padding_mask=like(q, pad), need_weights=spec.get("need_weights", True), attn_mask=like(q, m),
                      average_attn_weights=spec.get("average", True))

    row = {"spec": spec, "state": state, "inputs": [dump(x) for x in inputs]}
    infinite = spec.get("mask") == "infinite"
    row["mask"] = None if m is None else dump(m < 0 if infinite else m)
    row["mask type"] = None if m is None else "infinite" if infinite else str(m.dtype)[6:]
    row["padding"] = None if pad is None else dump(pad)
    row["padding type"] = None if pad is None else str(pad.dtype)[6:]
    return {**row, **record(module, inputs, call)}


def layer(make, shapes, masks=()):
    torch.manual_seed(3)
    module = make()
    state = dump_state(module)
    inputs = [ramp(*s).mul(1 + i).requires_grad_() for i, s in enumerate(shapes)]
    row = record(module, inputs, lambda module, *x: module(*x, **{name: like(x[0], m) for name, m in masks}))
    return {"state": state, "inputs": [dump(x) for x in inputs], "text": repr(module), **row}


def layers():
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    pad = torch.arange(5) >= torch.tensor([[5], [3]])
    encoder_layer = lambda **o: nn.TransformerEncoderLayer(8, 2, 12, **o)
    decoder_layer = lambda **o: nn.TransformerDecoderLayer(8, 2, 12, **o)
    return {
        "encoder layer": layer(lambda: encoder_layer(), [[5, 2, 8]], {"src_key_padding_mask": pad}.items()),
        "encoder layer first": layer(lambda: encoder_layer(norm_first=True, batch_first=True, activation="gelu", layer_norm_eps=1e-3),
                                     [[2, 4, 8]], {"src_mask": causal}.items()),
        "decoder layer": layer(lambda: decoder_layer(), [[4, 2, 8], [5, 2, 8]],
                               {"tgt_mask": causal, "memory_key_padding_mask": pad}.items()),
        "decoder layer first": layer(lambda: decoder_layer(norm_first=True, batch_first=True, activation="gelu"), [[2, 4, 8], [2, 5, 8]]),
        "encoder": layer(lambda: nn.TransformerEncoder(encoder_layer(dropout=0.2), 2, nn.LayerNorm(8)), [[4, 2, 8]], {"mask": causal}.items()),
        "decoder": layer(lambda: nn.TransformerDecoder(decoder_layer(), 2), [[4, 2, 8], [5, 2, 8]], {"tgt_mask": causal}.items()),
        "transformer": layer(lambda: nn.Transformer(8, 2, 1, 2, 12), [[5, 2, 8], [4, 2, 8]],
                             {"tgt_mask": causal, "src_key_padding_mask": pad}.items()),
        "transformer batch first": layer(lambda: nn.Transformer(8, 4, 1, 1, 12, 0.0, "gelu", batch_first=True, norm_first=True),
                                         [[2, 5, 8], [2, 4, 8]]),
    }


if __name__ == "__main__":
    recorded_with("2.14")
    golden = {"attention": {name: attention(spec) for name, spec in ATTENTION.items()}, "layers": layers()}
    (Path(__file__).parent / "transformer.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
