"""Writes the measured and the predicted parts of docs/scaling.md, and its picture."""
import re
import sys
from pathlib import Path

import scaling_model as m

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
from pictures import curves  # noqa: E402

GBIT = 1e9
RATES = (0.1, 1, 10, 100)  # Gbit/s
DELAY = 50e-6
HOSTS = (1, 2, 4, 8, 16, 32, 64)
PLACES = {None: "this machine", "fast": "fast", "slow": "slow", "lossy": "lossy"}


def shown(seconds):
    if seconds >= 600:
        return f"{seconds / 60:,.0f}\u00a0min"
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.3g}\u00a0{unit}"


def size_of(count):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.3g}\u00a0{unit}"
    return f"{count:.0f}\u00a0B"


def bits(rate):
    return f"{rate / GBIT:.3g}\u00a0Gbit/s" if rate >= GBIT else f"{rate / 1e6:.3g}\u00a0Mbit/s"


def table(head, rows):
    line = lambda cells: f"| {' | '.join(map(str, cells))} |"
    return [line(head), "|" + " --- |" + " ---: |" * (len(head) - 1), *map(line, rows), ""]


def networks():
    return [m.Network(rate * GBIT, DELAY) for rate in RATES]


class Page:
    def __init__(self, found):
        self.found = found
        self.models = m.models({row["model"]: row["weights"] for row in found["steps"]})
        hosts = {name: m.measured_host(found, name) for name in ("char_gpt", "gpt2")}
        self.hosts = dict(zip([model.name for model in self.models], (hosts["char_gpt"], hosts["gpt2"], hosts["gpt2"])))
        self.of_key = dict(zip(("char_gpt", "gpt2"), self.models))

    def machine(self):
        small, large = self.hosts["char GPT"], self.hosts["GPT-2 124M"]
        return [f"It has {self.found['processors']} processors. Together they make {small.flops / 1e9:.0f} GFLOP/s in passes "
                f"of the char GPT and {large.flops / 1e9:.0f} in those of GPT-2. One reads {large.memory / 1e9:.1f} GB/s, "
                f"needs {large.adamw * 1e9:.2f} ns for a weight in AdamW, and {shown(large.message)} to send a small message to "
                "another process.", ""]

    def allreduce(self):
        rows = []
        for place in PLACES:
            for n in sorted({row["processes"] for row in self.found["allreduce"] if row["network"] == place}):
                cells = []
                for order in ("tree", "mpi"):
                    exchange, rate = m.fitted(self.found, place, n, order)
                    cells += [shown(exchange * m.exchanges(4)), f"{rate / 1e6:,.{0 if rate > 1e8 else 1}f}"]
                rows.append([PLACES[place], n, *cells])
        said = [f"*{one['name']}*: {one['delay_ms']:g} ms one way, {one['rate_mbit']:g} Mbit/s, packets of {one['mtu']} bytes"
                + (f", {100 * one['loss']:g} % of them lost" if one["loss"] else "") for one in self.found["networks"]]
        return ["The time of a small allreduce, and the MB of a tensor that a large allreduce handles in a second, apart from its "
                "exchanges. The simulated networks are " + "; ".join(said) + ".", "",
                *table(["where", "hosts", "own order: small", "own order: MB/s", "MPI's: small", "MPI's: MB/s"], rows)]

    def rows(self, **wanted):
        return [row for row in self.found["steps"] if all(row[key] == value for key, value in wanted.items())]

    def checked(self):
        cells, ratios = [], []
        for row in self.found["steps"]:
            if row["threads"] != 1 or row["order"] != "tree" or row["processes"] != row["parts"]:
                continue
            step = m.predicted(self.found, row, self.of_key[row["model"]].last)
            ratios.append((row["step"] / step.total, row))
            what = f"{self.of_key[row['model']].name}, {row['processes']}" + (", ZeRO" if row["who"] == "own" else "")
            waits = [shown(row["pass"] - row["alone"]), shown(step.waits)] if row["processes"] > 1 else ["", ""]
            cells.append([what, PLACES[row["network"]], shown(row["alone"]), *waits, shown(row["step"]), shown(step.total),
                          f"{row['step'] / step.total:.2f}"])
        far, row = max(ratios, key=lambda one: abs(1 - one[0]))
        within = sum(abs(ratio - 1) <= 0.25 for ratio, _ in ratios)
        return [f"Of {len(ratios)} steps {within} are within a quarter of the model's prediction; the farthest takes {far:.2f} times "
                f"as long: {self.of_key[row['model']].name} in {row['processes']} processes, {PLACES[row['network']]}.", "",
                *table(["model, processes", "where", "alone", "waits", "waits in the model", "step", "step in the model", "ratio"], cells)]

    def same_bits(self):
        cells = []
        for key, model in self.of_key.items():
            plain = self.rows(model=key, processes=1, parts=1, threads=1)[0]["step"]
            for n in (1, 2, 4):
                one = {"model": key, "processes": n, "threads": 1, "network": None}
                parts = {row["parts"]: row for row in self.rows(order="tree", who="all", **one)}
                mpi = self.rows(order="mpi", **one)
                base = mpi[0]["step"] if mpi else plain
                cell = lambda p: f"{shown(parts[p]['step'])}, {parts[p]['step'] / base:.2f}" if p in parts else ""
                cells.append([f"{model.name}, {n}", shown(base), cell(2), cell(4)])
        return ["*Plain* is a step of one process without parts, or of several processes with MPI's order and one part each. The "
                "second number is the ratio to the plain time.", "",
                *table(["model, processes", "plain", "2 parts", "4 parts"], cells)]

    def speed(self, model, n, network, grows):
        """The seconds of a step on n hosts, and how many times as fast as one host they are."""
        host, rows = self.hosts[model.name], model.rows_each if grows else model.rows
        alone = m.data_parallel(model, rows, 1, host, network).total
        step = m.data_parallel(model, rows * n if grows else rows, n, host, network).total
        return step, (n if grows else 1) * alone / step

    def predictions(self, grows):
        lines = []
        for model in self.models:
            cells = []
            for n in HOSTS:
                found = [self.speed(model, n, network, grows) for network in networks()]
                cells.append([n, *(f"{shown(step)}, {speed:.3g}, {speed / n:.0%}" for step, speed in found)])
            tokens = model.tokens * (model.rows_each if grows else model.rows)
            lines += [f"{model.name}, {tokens:,} tokens{' on each host' * grows}:", "",
                      *table(["hosts", *(bits(rate * GBIT) for rate in RATES)], cells)]
        return lines

    def strong(self):
        return ["Time of a step, speed-up over one host, and efficiency, which is the speed-up divided by the number of hosts.", "",
                *self.predictions(False)]

    def weak(self):
        return ["The same, with each host adding its own rows; the speed-up counts tokens in a second.", "",
                *self.predictions(True)]

    def half(self):
        lines = []
        for model in self.models:
            host, words = self.hosts[model.name], []

            def is_half(rows, n, network):
                step = m.data_parallel(model, rows, n, host, network)
                return 2 * step.waits >= step.total
            for rate, network in zip(RATES, networks()):
                first = next((n for n in range(2, model.rows + 1) if is_half(model.rows, n, network)), None)
                words += [f"from {first} hosts on with {bits(rate * GBIT)}"] if first else []
            if len(words) < len(RATES):
                more = " or more" * (len(words) + 1 < len(RATES))
                words.append(f"{'and ' * bool(words)}not even on {model.rows} hosts with {bits(RATES[len(words)] * GBIT)}{more}")
            low, high = 1e5, 1e13
            while high / low > 1.01:
                middle = (low * high) ** 0.5
                low, high = (middle, high) if is_half(64 * model.rows_each, 64, m.Network(middle, DELAY)) else (low, middle)
            grown = f"below {bits(high)}" if high < 9e12 else "at any rate, since exchanges alone take so long"
            lines.append(f"- **{model.name}.** A batch of {model.rows} rows: {', '.join(words)}. With {model.rows_each} "
                         f"row{'s' * (model.rows_each > 1)} on each of 64 hosts: {grown}.")
        return ["With one batch for all, a step waits for at least half of its time from these numbers of hosts on. With rows of its "
                "own on each of 64 hosts, it does so below these rates of the network:", "", *lines, ""]

    def cut(self):
        head = ["model, rows", "way", "sent in a step", *(bits(rate * GBIT) for rate in RATES)]
        ways = {"data": m.data_parallel, "tensor": m.tensor_parallel, "pipeline": m.pipeline}
        cells, n, wins = [], 4, []
        for model in self.models:
            for rows in (64, 4, 1):
                sent = {"data": 2 * (n - 1) / n * model.bytes, "pipeline": 2 * m.activations(model, rows),
                        "tensor": 4 * model.layers * 2 * (n - 1) / n * m.activations(model, rows)}
                host = self.hosts[model.name]
                hosts = {"data": n if rows >= n else 1, "tensor": n, "pipeline": n}
                took = {way: [f(model, rows, hosts[way], host, network).total for network in networks()] for way, f in ways.items()}
                sent["data"] *= rows >= n
                for way in ways:
                    cells.append([f"{model.name}, {rows}", way, size_of(sent[way]), *map(shown, took[way])])
                best = [" or ".join(way for way in ways if took[way][i] <= 1.05 * min(one[i] for one in took.values()))
                        for i in range(len(RATES))]
                said = [f"{way} at " + ("all" if best.count(way) == len(RATES) else
                                        " and ".join(f"{rate:g}" for rate, one in zip(RATES, best) if one == way))
                        for way in dict.fromkeys(best)]
                wins.append(f"- {model.name}, {rows} row{'s' * (rows > 1)}: {', '.join(said)}.")
        return ["Four hosts, with the bytes that one of them sends. Data parallelism cannot share one row, so that case is a step "
                "of one host. The shortest step at each rate in Gbit/s, or the steps within 5 % of it:", "", *wins, "", *table(head, cells)]

    def memory(self):
        forms = {"float32": 16, "ZeRO-1, 4 hosts": 8 + 8 / 4, "64 hosts": 8 + 8 / 64, "bfloat16, ZeRO-1, 4 hosts": 4 + 12 / 4,
                 "bfloat16, 64 hosts": 4 + 12 / 64, "float32, cut by 4": 16 / 4}
        steps = []
        for model in self.models:
            host, network = self.hosts[model.name], m.Network(10 * GBIT, DELAY)
            both = [f(model, model.rows, 8, host, network).total for f in (m.zero, m.data_parallel)]
            steps.append(f"{shown(both[0])} and {shown(both[1])} for {model.name}")
        return [*table(["model", *forms],
                       [[model.name, *(size_of(each * model.weights) for each in forms.values())] for model in self.models]),
                "On 8 hosts with 10 Gbit/s, a step of one batch for all takes these times with ZeRO-1 and without it: "
                f"{'; '.join(steps)}.", ""]

    def picture(self):
        panels = []
        for model in self.models:
            for grows, what in ((False, "one batch for all"), (True, "batches that grow")):
                series = [[(n, self.speed(model, n, network, grows)[1]) for n in HOSTS] for network in networks()]
                panels.append((f"{model.name}, {what}", series))
        return curves([bits(rate * GBIT) for rate in RATES], panels)


def write(found, docs):
    page, path = Page(found), docs / "scaling.md"
    text = path.read_text()
    sections = {"What it can do": page.machine, "Allreduce": page.allreduce, "The model beside the machine": page.checked,
                "What the same bits cost": page.same_bits, "One batch for all": page.strong, "Batches that grow": page.weak,
                "Where half of a step is waiting": page.half, "Step by step": page.cut, "Memory of a host": page.memory}
    for heading, make in sections.items():
        lines = "\n".join(["", *make()])
        text, count = re.subn(rf"(?s)(?<=\n### {heading}\n).*?(?=\n#)", lambda _: lines, text, count=1)
        if count != 1:
            sys.exit(f"{path} has no part {heading}")
    path.write_text(text)
    (docs / "scaling.svg").write_text(page.picture())
