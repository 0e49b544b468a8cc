"""The program behind tests/programs/run: prints a line per program, and counts at the end. What is wrong is printed once more, and the
status is 1 then."""
import concurrent.futures
import difflib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "release"
SCRATCH = tempfile.TemporaryDirectory(prefix="etude_programs_")
WORK = pathlib.Path(SCRATCH.name)

INCLUDES = {
    "LibTorch": ["-isystem", "/usr/include/torch/csrc/api/include"],
    "Etude": [f"-I{ROOT}/{folder}" for folder in ("framework", "framework/extras", "layers", "framework/libtorch")]
    + [f"-I{BUILD}/libtorch"],
}
LIBRARIES = {
    "LibTorch": ["-ltorch", "-ltorch_cpu", "-lc10"],
    "Etude": [f"{BUILD}/libetude.a", "-fopenmp", "-lpthread"]
    + [f"-l{library}" for library, header in (("dnnl", "dnnl.h"), ("zip", "zip.h")) if pathlib.Path("/usr/include", header).exists()],
}


def compiler(side, *arguments):
    header = WORK / side / "all.h"
    return ["g++", "-std=c++17", "-w", "-fmax-errors=3", *INCLUDES[side], "-isystem", "/usr/include/opencv4", "-include", str(header), *map(str, arguments)]


def precompile(side):
    """Compiles torch/torch.h, which each program includes, once. Random numbers are the same in each run."""
    folder = WORK / side
    folder.mkdir()
    (folder / "all.h").write_text("#include <torch/torch.h>\nstatic const int program_seed = (torch::manual_seed(1), 0);\n")
    subprocess.run(["g++", "-std=c++17", "-w", *INCLUDES[side], "-x", "c++-header", str(folder / "all.h"), "-o",
                    str(folder / "all.h.gch")], check=True)


def header_folders(repository, source):
    """-I for the folders of a repository that hold headers, those nearest to the source first."""
    folders = {path.parent for pattern in ("*.h", "*.hpp") for path in repository.rglob(pattern)} | {source.parent}
    folders |= {folder.parent for folder in folders if folder != repository}
    near = lambda folder: -len(os.path.commonpath([folder, source.parent]))
    return [f"-I{folder}" for folder in sorted(folders, key=lambda folder: (near(folder), len(str(folder)), str(folder)))]


def first_error(side, repository, source):
    """The reason why a file does not compile; empty if it does."""
    result = subprocess.run(compiler(side, "-fsyntax-only", *header_folders(repository, source), source),
                            capture_output=True, text=True)
    found = re.search(r"error: (.*)", result.stderr)
    return found[1] if found else ("" if result.returncode == 0 else "the compiler failed")


def output(side, repository, sources):
    """What a program prints, or why it does not."""
    program = WORK / side / re.sub(r"\W", "_", str(sources[0]))
    built = subprocess.run(compiler(side, *header_folders(repository, sources[0]), *sources, "-o", program, *LIBRARIES[side]),
                           capture_output=True, text=True)
    if built.returncode != 0:
        found = re.search(r"error: (.*)|undefined reference to (.*)", built.stderr)
        return None, f"is not built: {found[0] if found else built.stderr[-200:]}"
    try:
        ran = subprocess.run([program], capture_output=True, text=True, timeout=300, cwd=repository)
    except subprocess.TimeoutExpired:
        return None, "runs longer than 300 s"
    return (ran.stdout, "") if ran.returncode == 0 else (None, f"ends with {ran.returncode}: {ran.stderr.strip()[-200:]}")


def numbers(text):
    """The numbers of an output. LibTorch and Python write tensors in forms of their own: types, sizes and LibTorch's titles of
    matrices are left out, numbers are multiplied by the factor that LibTorch prints once, and bools are 0 and 1."""
    times = lambda found: " ".join(str(float(found[1]) * float(word)) for word in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", found[2]))
    text = re.sub(r"([\d.]+(?:e[-+]?\d+)?) +\*\n(.*?)(?=\[ CPU|\n\n)", times, text, flags=re.DOTALL)
    text = re.sub(r"\[ (CPU|Variable).*?\]|dtype=torch\.\w+|requires_grad=True|torch\.Size|\([\d,.]+\.\) =", " ", text)
    text = text.replace("False", "0").replace("True", "1")
    found = [float(word) for word in re.findall(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)(?![\w.]*\w)", text)]
    return [f"{number:.3g}" if math.isfinite(number) else str(number) for number in found]


def equal_numbers(one, other):
    one, other = numbers(one), numbers(other)
    same = sum(block.size for block in difflib.SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())
    return same, max(len(one), len(other))


def main(folder, *wanted):
    """What is wrong, in lines."""
    listed = json.loads((HERE / "programs.json").read_text())
    wrong = [f"{name}: is not in programs.json" for name in wanted if name not in listed]
    repositories = {name: pathlib.Path(folder).resolve() / name for name in listed if not wanted or name in wanted}
    for name in [name for name in repositories if not repositories[name].is_dir()]:
        print(f"{name}: is not in {folder}")
        if name in wanted:
            wrong.append(f"{name}: is not in {folder}")
        del repositories[name]
    if not repositories:
        return wrong or [f"{folder} has no repository of programs.json"]
    for side in INCLUDES:
        precompile(side)
    files = [(name, file) for name in repositories for file in listed[name]["files"]]
    wrong += [f"{name}/{file}: does not exist" for name, file in files if not (repositories[name] / file).is_file()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = list(pool.map(lambda item: {side: first_error(side, repositories[item[0]], repositories[item[0]] / item[1])
                                             for side in INCLUDES}, files))
    valid = compiled = 0
    for (name, file), error in zip(files, errors):
        if error["LibTorch"]:
            print(f"{name}/{file}: not with LibTorch 1.13 ({error['LibTorch']})")
            continue
        valid += 1
        compiled += not error["Etude"]
        print(f"{name}/{file}: {'compiles' if not error['Etude'] else 'NO: ' + error['Etude']}")
    for name in repositories:
        for sources in listed[name].get("runs", []):
            paths = [repositories[name] / source for source in sources]
            (theirs, reason), (ours, why) = (output(side, repositories[name], paths) for side in ("LibTorch", "Etude"))
            if theirs is None:
                print(f"{name}/{sources[0]}: with LibTorch it {reason}")
            elif ours is None:
                print(f"{name}/{sources[0]}: NO: it {why}")
                wrong.append(f"{name}/{sources[0]}: it {why}")
            else:
                same, of = equal_numbers(theirs, ours)
                print(f"{name}/{sources[0]}: runs, {same} of {of} numbers are LibTorch's")
                if same == 0 and of > 0:
                    wrong.append(f"{name}/{sources[0]}: none of its numbers is LibTorch's")
    print(f"{compiled} of {valid} files that compile with LibTorch compile with Etude; {len(files) - valid} do not there")
    if valid == 0:
        wrong.append("no file compiles with LibTorch")
    return wrong


if __name__ == "__main__":
    wrong = main(*sys.argv[1:])
    for line in wrong:
        print(f"WRONG  {line}")
    sys.exit(bool(wrong))
