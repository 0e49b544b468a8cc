"""Makes the files in this folder: .npy files by numpy, safetensors files by struct and json, and files that are neither.

Run with python3 and numpy: python3 tests/golden/io/make.py
Element k of an array, counted row by row, is (7 k mod 11 - 5) / 2 for floats, 7 k mod 11 - 5 for signed integers, 7 k mod 11 for uint8 and
(k mod 3 == 0) for bools.
"""
import gzip
import json
import os
import pickle
import struct
import zipfile

import numpy as np
from numpy.lib import format as npy

FOLDER = os.path.dirname(os.path.abspath(__file__))


def array(dtype, shape):
    k = np.arange(int(np.prod(shape)))
    values = k % 3 == 0 if dtype == "b1" else 7 * k % 11 if dtype == "u1" else 7 * k % 11 - 5
    return (values / 2 if dtype[0] == "f" else values).astype(dtype).reshape(shape)


def save(name, a, version=None):
    with open(os.path.join(FOLDER, name + ".npy"), "wb") as out:
        npy.write_array(out, np.asarray(a), version)


for dtype in ["f8", "f4", "f2", "i8", "i4", "i1", "u1", "b1"]:
    save(dtype, array(dtype, (2, 3)))
    save(dtype + "_fortran", np.asfortranarray(array(dtype, (2, 3, 4))))
save("0_dim", array("f4", ()))
save("1_dim", array("i8", (5,)))
save("empty", array("f8", (2, 0, 3)))
save("version_2", array("f4", (3, 2)), (2, 0))
save("version_3", array("f4", (3, 2)), (3, 0))
save("big_endian", array("f4", (2,)).astype(">f4"))
save("complex", np.zeros(2, "c8"))
save("structured", np.zeros(2, [("x", "f4"), ("y", "i4")]))
save("objects", np.array([{}, None]))

# Files of formats that none of the tested readers reads.
np.savez(os.path.join(FOLDER, "arrays.npz"), weight=array("f4", (2, 3)), bias=array("f4", (2,)))
for protocol in range(2, 6):
    with open(os.path.join(FOLDER, f"protocol_{protocol}.pkl"), "wb") as out:
        pickle.dump({"weight": [1.5, 2.5]}, out, protocol)
with zipfile.ZipFile(os.path.join(FOLDER, "notes.zip"), "w") as out:
    out.writestr(zipfile.ZipInfo("notes.txt"), "notes")
with open(os.path.join(FOLDER, "f4.npy"), "rb") as f4, gzip.GzipFile(os.path.join(FOLDER, "f4.npy.gz"), "wb", mtime=0) as out:
    out.write(f4.read())
with open(os.path.join(FOLDER, "model.safetensors.index.json"), "w") as out:  # as save_pretrained writes it
    json.dump({"metadata": {"total_size": 8}, "weight_map": {"w": "model-00001-of-00001.safetensors"}}, out, indent=2)


def bfloat16(a):
    return (a.astype("<f4").view("<u4") >> 16).astype("<u2")


def save_tensors(name, tensors, metadata=None, blanks=True, listed=None):
    header = {"__metadata__": metadata} if metadata else {}
    data, offsets = b"", {}
    for key, dtype, a in tensors:
        raw = a.tobytes()
        offsets[key] = {"dtype": dtype, "shape": list(a.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    for key in listed or offsets:
        header[key] = offsets[key]
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    if blanks:
        text += b" " * (-len(text) % 8)
    with open(os.path.join(FOLDER, name + ".safetensors"), "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


every = [("int64", "I64", array("i8", (2, 3))), ("float64", "F64", array("f8", (3, 2))), ("float32", "F32", array("f4", (2, 3))),
         ("int32", "I32", array("i4", (6,))), ("float16", "F16", array("f2", (2, 2, 2))), ("bfloat16", "BF16", bfloat16(array("f4", (5,)))),
         ("uint8", "U8", array("u1", (7,))), ("bool", "BOOL", array("b1", (2, 2))), ("empty", "F32", array("f4", (0, 4))),
         ("0-dim", "U8", array("u1", ()))]
save_tensors("every_dtype", every, {"format": "pt", "sprache": "Übung"})
# Data in an order in which no tensor is aligned, listed in another order.
save_tensors("unaligned", every[::-1], blanks=False, listed=sorted(key for key, _, _ in every))
# The file that save_safetensors has to write, byte for byte.
save_tensors("written", [("b", "I64", array("i8", (3,))), ("a", "F32", array("f4", (2, 3))), ("ä\n\"", "F32", array("f4", ())),
                         ("flags", "BOOL", array("b1", (3,)))], {"format": "etude", "note": "two\nlines"})
