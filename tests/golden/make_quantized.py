"""Writes quantized.safetensors: weights, and the same weights as q8_0 by the Python package gguf (https://pypi.org/project/gguf), in
blocks of a float16 scale and 32 int8 numbers.

    python3 tests/golden/make_quantized.py
"""
import json
import os
import struct

import gguf
import numpy as np

rng = np.random.default_rng(5)
weight = rng.standard_normal((6, 96)).astype(np.float32)
weight *= np.array([[1], [1e-3], [30], [1e-6], [2e4], [1]], dtype=np.float32)
weight[5, :32] = 0
weight[5, 32:64] = np.arange(32) - 15.5  # in the middle between two numbers
weight[5, 32] = 127
weight[5, 64:] = np.where(np.arange(32) % 2, 1.0, -1.0)
blocks = gguf.quants.quantize(weight, gguf.GGMLQuantizationType.Q8_0)
tensors = {"weight": ("F32", weight), "blocks": ("U8", blocks),
           "dequantized": ("F32", gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType.Q8_0))}

header, data = {}, b""
for name, (dtype, a) in tensors.items():
    raw = a.tobytes()
    header[name] = {"dtype": dtype, "shape": list(a.shape), "data_offsets": [len(data), len(data) + len(raw)]}
    data += raw
text = json.dumps(header, separators=(",", ":")).encode()
text += b" " * (-len(text) % 8)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "quantized.safetensors"), "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text + data)
