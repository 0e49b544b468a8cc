"""Writes the measured part of docs/performance.md, and its pictures, from the files that tests/bench/page.sh made. Sections whose files
are not there stay as they are.
    tests/bench/report.py FOLDER"""
import json
import math
import re
import sys
import time
from pathlib import Path

from pictures import bars, curves
from work import time_at_peak

DOCS = Path(__file__).parent.parent.parent / "docs"
SIDES = {"etude": "Etude", "best": "PyTorch", "python": "PyTorch from Python", "ggml": "ggml", "ggml_f16": "ggml, halves",
         "onnxruntime": "onnxruntime"}
THREADS = {1: "one thread", 2: "two threads"}


def shown(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.3g}\u00a0{unit}"


def table(head, rows):
    """The first column names a case, the others hold numbers."""
    line = lambda cells: f"| {' | '.join(map(str, cells))} |"
    return [line(head), "|" + " --- |" + " ---: |" * (len(head) - 1), *map(line, rows), ""]


def named(row):
    return f"`{of_gpt2(row['case'])}`"


def of_gpt2(case):
    return case.replace("x12x12x768x1024x50257", " GPT-2")


def share(part):
    return f"{part:.0%}" if part >= 0.005 else ""


def mark(row, other):
    return row["peers"].get(other, row["target"])


def against(row, other):
    """The time of the other side, how many times as long it takes as Etude, and the target."""
    return shown(row[other]["median"]), f"{row['ratio'][other]:.2f}\u00a0/\u00a0{mark(row, other)}"


def pytorches(run):
    """The sides that are PyTorch at its best, oldest first, with their names."""
    return {side: f"PyTorch {version}" for side, version in run["pytorch"].items()}


def with_pytorches(run, column):
    """Two headings for each PyTorch, or two cells of a case."""
    return [cell for side, name in pytorches(run).items() for cell in column(side, name)]


def on(run, threads=2):
    return f"Measured on {run['processor']}, with {THREADS.get(threads, f'{threads} threads')}, on {run['date']}."


def memory(row, other):
    return f"{row['etude']['peak_bytes'] >> 20}\u00a0/\u00a0{row[other]['peak_bytes'] >> 20}"


def compared(run):
    names = pytorches(run)
    newest = list(names)[-1]
    reached = sum(row["ratio"][newest] >= mark(row, newest) for row in run["cases"])
    picture = bars([(of_gpt2(row["case"]), row["ratio"][newest], mark(row, newest)) for row in run["cases"]])
    (DOCS / "performance.svg").write_text(picture)
    limits = run["limits"]["2"]
    kinds = {row["kind"]: f"- `{row['kind']}`: {row['what']}." for row in reversed(run["cases"])}
    return [f"The machine: {run['machine']}. Two threads make {limits['peak'] / 1e9:.0f} GFLOP/s and read "
            f"{limits['bandwidth'] / 1e9:.1f} GB/s. Each time is the median of at least "
            f"{min(row['etude']['samples'] for row in run['cases'])} repetitions.", "", "### Two threads", "", on(run), "",
            f"![Speed of each case relative to {names[newest]} at its best. The mark is the target; a bar that reaches it is "
            f"green, as {reached} of {len(run['cases'])} are](performance.svg)", "",
            *table(["case", "Etude", "spread", *with_pytorches(run, lambda _, name: [name, "faster / aimed at"]),
                    f"than {names['best']} as shipped", "of the limit", f"MiB / {names['best']}'s"],
                   ([named(row), shown(row["etude"]["median"]), f"{row['etude']['spread']:.0%}",
                     *with_pytorches(run, lambda side, _: against(row, side)),
                     f"{row['ratio']['shipped']:.2f}", share(row["share_of_limit"]), memory(row, "best")] for row in run["cases"])),
            "What the cases compute, and what the numbers in their names are:", "",
            *reversed(kinds.values()), "- GPT-2 stands for 12x12x768x1024x50257: layers, heads, width, context, words.", "",
            *missed(run)]


def missed(run):
    """The targets that are missed, and whether the machine could reach them at all."""
    limits, rows = run["limits"]["2"], []
    for row in run["cases"]:
        for side, name in {**SIDES, **pytorches(run)}.items():
            ratio, asked, part = row["ratio"].get(side, math.inf), mark(row, side), row["share_of_limit"]
            if ratio >= asked:
                continue
            peak = time_at_peak(row["kind"], row["mode"], row["sizes"], limits) / row["etude"]["median"]
            most = ratio / part if 0 < part <= 1 else None
            rows.append([named(row), name, f"{ratio:.2f}", asked, share(peak), f"{most:.2f}" if most else "",
                         "yes" if most and most < asked else ""])
    if not rows:
        return ["Every target is reached.", ""]
    return ["### Targets that are missed", "", on(run) + " *Peak* is the part of the processor's multiply-adds that the products of the case "
            "reach. *At most* is how many times as fast Etude would be if it took no longer than the machine needs: a target "
            "above that number is beyond this machine. *Peak* is empty for a case without products, and *at most* for a case that "
            "exceeds its limit or has none.", "", *table(["case", "compared with", "faster", "aimed at", "peak", "at most", "beyond"], rows)]


def in_other_company(single, beside):
    """The table of one thread, and of two beside another process."""
    rows = []
    for one, two in zip(single["cases"], beside["cases"]):
        cells = [[shown(row["etude"]["median"]), f"{row['etude']['spread']:.0%}", f"{row['ratio']['best']:.2f}"] for row in (one, two)]
        rows.append([named(one), *cells[0], *cells[1], share(one["share_of_limit"])])
    return ["### One thread, and two beside a process that keeps a processor busy", "",
            f"Measured on {single['processor']}, on {single['date']}. *Faster* is relative to {pytorches(single)['best']}.", "",
            *table(["case", "one thread", "spread", "faster", "beside", "spread", "faster", "one thread, of the limit"], rows)]


def with_avx2(run):
    return ["### With AVX2 alone", "", on(run) + " All sides have vectors of 256 bits, as on a processor without AVX-512: "
            "`ETUDE_CPU_CAPABILITY=avx2`, and the same settings of PyTorch, OpenBLAS and oneDNN. Two threads then make "
            f"{run['limits']['2']['peak'] / 1e9:.0f} GFLOP/s.", "",
            *table(["case", "Etude", "spread", *with_pytorches(run, lambda _, name: [name, "faster / aimed at"]), "of the limit"],
                   ([named(row), shown(row["etude"]["median"]), f"{row['etude']['spread']:.0%}",
                     *with_pytorches(run, lambda side, _: against(row, side)), share(row["share_of_limit"])] for row in run["cases"]))]


def other_programs(run):
    rows = [[named(row), shown(row["etude"]["median"]), SIDES[peer], *against(row, peer), memory(row, peer)]
            for row in run["cases"] for peer in row["peers"] if peer in row and peer in SIDES]
    return ["### Other programs", "", on(run) + " The same model with the same numbers. *ggml, halves* keeps its matrices "
            "in 16 bits, as float16 where Etude has bfloat16, and so reads half as many bytes.", "",
            *table(["case", "Etude", "program", "its time", "faster / aimed at", "MiB / its"], rows)]


def hand_offs(run):
    rows = [[named(row), *(cell for side in (row["etude"], row["best"]) for cell in (
        f"{side['starts']:.0f}", f"{side['inside']:.0%}", f"{side['waiting']:.1%}"))]
            for row in run["cases"] if row["kind"] in ("linear", "mlp", "attention", "gpt", "generate", "adamw")]
    return ["### What handing work to threads costs", "", on(run) + " "
            f"How often one call starts loops of several threads, the share of its time in these loops, and the share in "
            f"which a thread is idle there because it started late or finished early. Handing an empty loop to two threads takes "
            f"{shown(1 / run['limits']['2']['handoff'])}.", "",
            *table(["case", "starts", "inside", "waiting", f"{pytorches(run)['best']}: starts", "inside", "waiting"], rows)]


def points(run, side, threads, chosen, x, y="median"):
    factor = {"median": 1e3, "peak_bytes": 2**-20}[y]
    return [(row["sizes"][x], row[side][y] * factor) for row in run["cases"]
            if row["kind"] == "gpt" and row["threads"] == threads and chosen(row["sizes"])]


def per_word(run, side, threads):
    """Microseconds for a word of prompts of several lengths, and for one that follows them."""
    took = {tuple(row["sizes"][:2]): 1e6 * row[side]["median"] for row in run["cases"]
            if row["kind"] == "generate" and row["threads"] == threads}
    lengths = sorted({length for length, _ in took})
    return ([(n, took[n, 1] / n) for n in lengths], [(n, max(1.0, took[n, 33] - took[n, 1]) / 32) for n in lengths])


def growth(run):
    who = [(side, threads) for side in ("etude", "best") for threads in (2, 1)]
    by_tokens, by_batch = lambda s: s[0] == 1, lambda s: s[1] == 128 and s[4] == 256 and s[6] == 65
    axes = [("Milliseconds of a step by tokens", by_tokens, 1, "median"), ("MiB at most by tokens", by_tokens, 1, "peak_bytes"),
            ("Milliseconds by width", lambda s: s[0] == 4 and s[6] == 65, 4, "median"),
            ("Milliseconds by words of the vocabulary", lambda s: s[0] == 4 and s[4] == 256, 6, "median"),
            ("Milliseconds by batch", by_batch, 0, "median"), ("MiB at most by batch", by_batch, 0, "peak_bytes")]
    panels = [(heading, [points(run, *one, chosen, x, y) for one in who]) for heading, chosen, x, y in axes]
    prompts, followers = zip(*(per_word(run, *one) for one in who))
    panels += [("Microseconds per word of a prompt", prompts), ("Microseconds per word that follows", followers)]
    names = [f"{SIDES[side]}, {threads} thread{'s' * (threads > 1)}" for side, threads in who]
    (DOCS / "performance_growth.svg").write_text(curves(names, panels))
    return ["### How it grows", "", f"Measured on {run['processor']}, on {run['date']}, with {pytorches(run)['best']}. A small GPT, with 4 layers and width 256 unless "
            "noted otherwise; memory is the peak of the process.", "",
            "![Time and memory of a training step by sequence length, width, vocabulary and batch, and of generation by prompt, "
            "on logarithmic scales](performance_growth.svg)", ""]


def own_kernels(run):
    """The table of Etude's own kernels beside those of each oneDNN that was measured."""
    heads = [head for version in run["versions"] for head in (f"own / {version}", "faster")]
    cell = lambda one: (f"{shown(one['own'])}\u00a0/\u00a0{shown(one['onednn'])}", f"{one['ratio']:.2f}")
    runs = lambda one: f"{one['chosen'].replace('plain', 'own')}, {shown(one['library'])}"
    rows = [[f"`{row['case']}`", *(text for one in row["found"] for text in cell(one)), runs(row["found"][0])] for row in run["cases"]]
    other = " The second oneDNN is that of the other system, where Etude is built with that system's compiler." * (len(run["versions"]) > 1)
    return ["### Own kernels and oneDNN's", "", on(run, run["threads"]) + " *Faster* says how many times as long oneDNN takes, and *runs* "
            "what the library chooses, as [`explain`](explain.md) names it, and how long it takes. Calls of oneDNN reuse their memory and their "
            "primitives, while each op of Etude allocates its result." + other, "", *table(["case", *heads, "runs"], rows),
            "- `product_of_int8`: Etude multiplies floats by int8 numbers with a scale for each 32, oneDNN int8 by int8 numbers without "
            "scales.", "- `convolution`: images x channels x height and width x channels that come out, windows of 3 x 3.", ""]


def profiles(found, processor):
    most = lambda one: ", ".join(f"`{name}` {part:.0%}" for name, part in list(one["parts"].items())[:6])
    rows = [f"| `{of_gpt2(case)}` | {name} | {shown(one['seconds'])} | {most(one)} |"
            for case, by_name in found.items() if case != "date" for name, one in by_name.items()]
    return ["### Where the time goes", "", f"Measured with `perf` on {processor}, with two threads, on {found['date']}: the functions that take most of the time in the "
            "three longest cases, before matrix products and attention had their own kernels, and now.", "", "| case | when | a call | most of it |",
            "| --- | --- | ---: | --- |", *rows, ""]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, page = Path(sys.argv[1]), DOCS / "performance.md"
    old = page.read_text()

    def found(name):
        path = folder / f"{name}.json"
        if not path.exists():
            return None
        date = time.strftime("%Y-%m-%d", time.gmtime(path.stat().st_mtime))
        return {"date": date, **json.loads(path.read_text())}

    def section(heading, write, *names):
        """What `write` makes of these results, or else the section that the page has."""
        runs = [found(name) for name in names]
        if all(runs):
            return write(*runs)
        stays = re.search(rf"(?ms)^### {heading}.*?\n.*?(?=^##)", old)
        return stays[0].split("\n")[:-1] if stays else []

    quiet = found("quiet")
    lines = ["", *compared(quiet), *section("One thread", in_other_company, "single", "beside"),
             *section("With AVX2 alone", with_avx2, "avx2"), *other_programs(quiet), *hand_offs(quiet),
             *section("How it grows", growth, "scaling"), *section("Own kernels and oneDNN's", own_kernels, "kernels"),
             *section("Where the time goes", lambda run: profiles(run, quiet["processor"]), "profile")]
    text, count = re.subn(r"(?s)(?<=## What came out\n).*?(?=## What was tried)", lambda _: "\n".join(lines) + "\n", old)
    if count != 1:
        sys.exit(f"{page} has no part between What came out and What was tried")
    page.write_text(text)


main()
