"""How long a training step takes on n hosts, as docs/scaling.md states it."""
import math
from dataclasses import dataclass

PIECE, BUCKET = 2**22, 25 * 2**20  # bytes: what one exchange moves at most, and DistributedDataParallel's buckets
FLOAT = 4


@dataclass
class Model:
    name: str
    weights: int
    last: int      # bytes of gradients that are complete only at the end of the backward
    layers: int
    width: int
    tokens: int    # of a row
    rows: int      # of a batch that hosts share, and of each host where batches grow with them
    rows_each: int

    @property
    def bytes(self):
        return FLOAT * self.weights


@dataclass
class Host:
    """flops: multiplications and additions a second; memory: bytes a second; adamw: seconds for a weight; message: seconds
    that it needs to send a small one."""
    flops: float
    memory: float
    adamw: float
    message: float


@dataclass
class Network:
    rate: float   # bits a second
    delay: float  # seconds, one way


def llama_weights(layers, width, hidden, heads, key_value_heads, vocabulary):
    attention = 2 * width * width + 2 * width * (width // heads * key_value_heads)
    return 2 * vocabulary * width + width + layers * (attention + 3 * width * hidden + 2 * width)


def models(weights):
    """weights: the numbers of weights of the measured models, by name."""
    llama = llama_weights(22, 2048, 5632, 32, 4, 32000)
    return [Model("char GPT", weights["char_gpt"], FLOAT * weights["char_gpt"] - 2**20, 4, 128, 64, 64, 12),
            Model("GPT-2 124M", weights["gpt2"], FLOAT * (50257 + 1024) * 768, 12, 768, 1024, 64, 4),
            Model("Llama 1.1B", llama, FLOAT * 32000 * 2048, 22, 2048, 2048, 64, 1)]


def exchanges(size):
    """The number of exchanges: one in which processes agree what to send, and two for each piece."""
    return 1 + 2 * math.ceil(size / PIECE)


def allreduce(size, n, host, network):
    if n == 1:
        return 0.0
    buckets = math.ceil(size / BUCKET)
    late = (exchanges(size) + buckets - 1) * (network.delay + (n - 1) * host.message)
    return late + 2 * (n - 1) / n * 8 * size / network.rate + size / host.memory


def exposed(all_of_it, last_bucket, hidden):
    return max(last_bucket, all_of_it - hidden)


def compute(model, rows, host):
    return 6 * model.weights * model.tokens * rows / host.flops


@dataclass
class Step:
    compute: float
    waits: float
    optimizer: float

    @property
    def total(self):
        return self.compute + self.waits + self.optimizer


def data_parallel(model, rows, n, host, network):
    own = compute(model, rows, host) / n
    time = lambda size: allreduce(size, n, host, network)
    waits = exposed(time(model.bytes), time(model.last), 2 / 3 * own) if n > 1 else 0.0
    return Step(own, waits, model.weights * host.adamw)


def zero(model, rows, n, host, network):
    """The same with ZeroRedundancyOptimizer."""
    step = data_parallel(model, rows, n, host, network)
    sent = (n - 1) / n * 8 * model.bytes / network.rate if n > 1 else 0.0
    return Step(step.compute, step.waits + sent, step.optimizer / n)


def activations(model, rows):
    """Bytes between two layers."""
    return FLOAT * rows * model.tokens * model.width


def tensor_parallel(model, rows, n, host, network):
    """Each layer has two allreduces of its activations in forward and two in backward, and all wait for them."""
    waits = 4 * model.layers * allreduce(activations(model, rows), n, host, network)
    return Step(compute(model, rows, host) / n, waits, model.weights * host.adamw / n)


def pipeline(model, rows, p, host, network):
    """p stages, a micro-batch of each row."""
    own = compute(model, rows, host) / p
    each_way = 8 * activations(model, 1) / network.rate
    turn = max(own / rows, 2 * each_way)  # of forward and backward of a row in a stage
    total = (rows + p - 1) * turn + 2 * (p - 1) * (network.delay + each_way)
    return Step(own, total - own, model.weights * host.adamw / p)


def measured_host(found, model):
    """This machine with all its processors, measured with a step of the model; the Llama takes GPT-2's."""
    whole = next(row for row in found["steps"] if row["model"] == model and row["threads"] == found["processors"])
    one = next(row for row in found["steps"] if row["model"] == model and row["threads"] == 1)
    return Host(6 * whole["weights"] * whole["tokens"] / whole["pass"], found["memory_bytes_per_second"],
                max(0.0, one["step"] - one["pass"]) / one["weights"], fitted(found, None, 2)[0])


def fitted(found, network, processes, order="tree"):
    """The seconds of one exchange, and how many bytes an allreduce handles in a second."""
    rows = [row for row in found["allreduce"] if row["network"] == network and row["processes"] == processes]
    rows.sort(key=lambda row: row["bytes"])
    exchange = min(row[f"{order}_seconds"] for row in rows[:5]) / exchanges(4)
    most = rows[-1]
    left = most[f"{order}_seconds"] - exchanges(most["bytes"]) * exchange
    return exchange, most["bytes"] / max(left, 0.1 * most[f"{order}_seconds"])


def predicted(found, row, last):
    """Predicts a measured step from the step of one process and the allreduces measured here. Processes that share processors take
    turns. Without a network between them, sending is work for the same processors, so nothing hides it."""
    alone = next(one for one in found["steps"] if one["model"] == row["model"] and one["processes"] == 1 and
                 one["threads"] == 1 and one["parts"] == 1)
    n, size = row["processes"], FLOAT * row["weights"]
    turns = min(n, found["processors"])
    own, adamw = alone["pass"] / turns, (alone["step"] - alone["pass"]) * n / turns
    if n == 1:
        return Step(own, 0.0, adamw)
    exchange, rate = fitted(found, row["network"], n, row["order"])
    time = lambda sent: exchanges(sent) * exchange + sent / rate
    hidden = 2 / 3 * own * n / row["parts"] if row["network"] else 0.0
    waits = exposed(time(size), time(last), hidden)
    if row["who"] == "own":
        waits, adamw = waits + time(size) / 2, adamw / n
    return Step(own, waits, adamw)
