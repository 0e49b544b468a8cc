"""Records the state of PyTorch's CPU generator after some draws, in generator_states.json.

Run with Debian's python3-torch: python3 tests/golden/core/record_generator.py
Each case: `seed`, `draws` (pairs of a function, rand or randn, and how many float32 it draws), `head` (the first 24 bytes as hex), `tail`
(those from the last two words on) and `fnv1a64` (of all 5056 bytes); `next` are the bits of the next two numbers of rand.
"""
import json
import os

import torch


def fnv1a64(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return f"{h:016x}"


cases = []
for seed, draws in [
    (5, []),
    (5, [["rand", 1]]),
    (5, [["rand", 623]]),
    (5, [["rand", 624]]),
    (5, [["rand", 625]]),
    (2**63 + 11, [["randn", 3]]),
    (0, [["randn", 1], ["rand", 2000], ["randn", 2]]),
    (7, [["randn", 15], ["rand", 600], ["randn", 100]]),
]:
    torch.manual_seed(seed)
    for function, count in draws:
        getattr(torch, function)(count)
    state = bytes(torch.get_rng_state().numpy().tobytes())
    following = [f"{int(v) & 0xFFFFFFFF:08x}" for v in torch.rand(2).view(torch.int32)]
    cases.append({"seed": str(seed), "draws": draws, "head": state[:24].hex(), "tail": state[5000:].hex(),
                  "fnv1a64": fnv1a64(state), "next": following})

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "generator_states.json"), "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
