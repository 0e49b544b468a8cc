"""Makes the GGUF files in this folder, by llama.cpp's Python package.

Run with python3, numpy and gguf: python3 tests/golden/io/make_gguf.py
Element k of a tensor has the value that make.py gives it.
"""
import os
import struct

import gguf
import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
TYPES = gguf.GGUFValueType
KINDS = gguf.GGMLQuantizationType


def array(dtype, shape):
    values = 7 * np.arange(int(np.prod(shape))) % 11 - 5
    return (values / 2 if dtype[0] == "f" else values).astype(dtype).reshape(shape)


def writer(name):
    return gguf.GGUFWriter(os.path.join(FOLDER, name + ".gguf"), "golden")


def finish(w):
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def quantized(w, name, a, kind):
    w.add_tensor(name, gguf.quants.quantize(a, kind), raw_dtype=kind)


w = writer("every_type")
w.add_custom_alignment(64)
for kind, values in {"uint8": [0, 255], "int8": [-128, 127], "uint16": [0, 65535], "int16": [-32768, 32767], "uint32": [0, 2**32 - 1],
                     "int32": [-2**31, 2**31 - 1], "uint64": [0, 2**63 - 1], "int64": [-2**63, 2**63 - 1], "float32": [0.1, -1.5],
                     "float64": [0.1, -1.5], "bool": [False, True], "string": ["", "Übung\0"]}.items():
    kind_number = TYPES[kind.upper()]
    w.add_key_value(kind, values[1], kind_number)
    w.add_key_value(kind + "s", values, TYPES.ARRAY, sub_type=kind_number)
w.add_key_value("nested", [[1, 2], [3]], TYPES.ARRAY)
w.add_tensor("f32", array("f4", (2, 3)))
w.add_tensor("f16", array("f2", (3, 1, 2)))
quantized(w, "bf16", array("f4", (5,)), KINDS.BF16)
quantized(w, "q8_0", array("f4", (2, 64)), KINDS.Q8_0)
w.add_tensor("f64", array("f8", (2, 2)))
w.add_tensor("i8", array("i1", (7,)))
w.add_tensor("i32", array("i4", (2, 1, 1, 2)))
w.add_tensor("i64", array("i8", (3,)))
finish(w)

# Types that are listed only.
w = writer("other_types")
w.add_tensor("first", array("f4", (2,)))
quantized(w, "q4_0", array("f4", (2, 64)), KINDS.Q4_0)
w.add_tensor("q4_k", np.zeros((3, 144), np.uint8), raw_dtype=KINDS.Q4_K)
w.add_tensor("last", array("f4", (2,)))
finish(w)

# The file that save_gguf has to write, byte for byte.
w = writer("written")
w.add_uint32("count", 7)
w.add_key_value("least", -5, TYPES.INT64)
w.add_float32("epsilon", 1e-5)
w.add_float64("tenth", 0.1)
w.add_bool("flag", True)
w.add_string("text", "ä")
w.add_key_value("texts", ["", "b"], TYPES.ARRAY)
w.add_key_value("counts", [1, 2, 3], TYPES.ARRAY)
w.add_key_value("flags", [True, False], TYPES.ARRAY)
w.add_key_value("scores", [-1.5, 0.25], TYPES.ARRAY)
w.add_tensor("f32", array("f4", (2, 3)))
quantized(w, "q8_0", array("f4", (2, 32)), KINDS.Q8_0)
quantized(w, "bf16", array("f4", (5,)), KINDS.BF16)
w.add_tensor("f16", array("f2", (3, 1, 2)))
finish(w)
