#!/usr/bin/env python3
"""Writes recurrent.json: what PyTorch 1.13.1 computes with recurrent networks and cells.

    /usr/bin/python3 tests/golden/layers/make_recurrent.py

Tensors are written as in make_transformer.py. A module is made after manual_seed(3), which gives `state`, and called in train mode
after manual_seed(5) with ramps. `lengths` are those of a packed batch, not sorted; then the output is padded again. `hx` says whether
states are given.
"""
import json
from pathlib import Path

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from make import ramp
from make_transformer import computed, dump_state

IN, HIDDEN, STEPS, BATCH = 2, 3, 4, 3


def record(module, inputs, call):
    return {"text": repr(module), "state": dump_state(module), **computed(module, inputs, call)}


def flat(result):
    y, states = result
    return [y, *(states if isinstance(states, tuple) else (states,))]


def network(kind, options, hx=False, lengths=None, unbatched=False):
    torch.manual_seed(3)
    module = getattr(nn, kind)(IN, HIDDEN, **options)
    first = options.get("batch_first", False)
    x = ramp(STEPS, IN) if unbatched else ramp(*((BATCH, STEPS) if first else (STEPS, BATCH)), IN)
    rows = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    widths = [options.get("proj_size") or HIDDEN] + [HIDDEN] * (kind == "LSTM")
    states = [ramp(*((rows,) if unbatched else (rows, BATCH)), w) * 0.5 for w in widths] if hx else []

    def call(module, x, *states):
        given = (tuple(states) if kind == "LSTM" else states[0]) if states else None
        if lengths is None:
            return flat(module(x, given))
        y, last = module(pack_padded_sequence(x, torch.tensor(lengths), first, enforce_sorted=False), given)
        return flat((pad_packed_sequence(y, first)[0], last))

    return {"kind": kind, "options": options, "hx": hx, "lengths": lengths, "unbatched": unbatched,
            **record(module, [x, *states], call)}


def cell(kind, options, hx=False, unbatched=False):
    torch.manual_seed(3)
    module = getattr(nn, kind)(IN, HIDDEN, **options)
    lead = () if unbatched else (BATCH,)
    states = [ramp(*lead, HIDDEN) * 0.5] * 1 + [ramp(*lead, HIDDEN) * 0.25] * (kind == "LSTMCell") if hx else []

    def call(module, x, *states):
        y = module(x, (tuple(states) if kind == "LSTMCell" else states[0]) if states else None)
        return y if isinstance(y, tuple) else (y,)

    return {"kind": kind, "options": options, "hx": hx, "unbatched": unbatched, **record(module, [ramp(*lead, IN), *states], call)}


def main():
    torch.set_num_threads(1)
    everything = {"num_layers": 2, "batch_first": True, "dropout": 0.5, "bidirectional": True}
    networks, cells = [], []
    for kind, own in (("RNN", {}), ("RNN", {"nonlinearity": "relu"}), ("LSTM", {}), ("LSTM", {"proj_size": 2}), ("GRU", {})):
        networks += [network(kind, own), network(kind, {**own, **everything}, hx=True),
                     network(kind, {**own, **everything}, hx=True, lengths=[2, 4, 1])]
        networks += [network(kind, {**own, "bias": False}, hx=True, lengths=[4, 4, 2]), network(kind, own, hx=True, unbatched=True)]
    networks += [network("LSTM", {"batch_first": True}, unbatched=True), network("GRU", {"num_layers": 3, "dropout": 0.25})]
    for kind, own in (("RNNCell", {}), ("RNNCell", {"nonlinearity": "relu"}), ("LSTMCell", {}), ("GRUCell", {})):
        cells += [cell(kind, own), cell(kind, {**own, "bias": False}, hx=True), cell(kind, own, hx=True, unbatched=True)]
    rows = {"networks": networks, "cells": cells}
    text = json.dumps(rows, separators=(",", ":"))
    Path(__file__).with_name("recurrent.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
