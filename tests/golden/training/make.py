#!/usr/bin/env python3
"""Writes runs.json: small training runs of PyTorch 2.14.1 with every random number seeded: losses, norms of the gradients and where the
generator stands at the end.

    python3 tests/golden/training/make.py
"""
import json, math, pathlib
import torch
import torch.nn as nn
import torch.nn.functional as F

OUT = pathlib.Path(__file__).resolve().parent / "runs.json"


def encoding_002(d_model, max_len=5000):
    enc = torch.zeros(max_len, d_model)
    position = torch.arange(0, max_len, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float32)
    div_term = torch.exp(two_i * -(math.log(10000.0) / d_model))
    enc[:, 0::2] = torch.sin(position * div_term)
    enc[:, 1::2] = torch.cos(position * div_term)
    return enc.unsqueeze(1).requires_grad_(False)


class PE002(nn.Module):
    def __init__(self, d_model, dropout_prob, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout_prob)
        self.register_buffer("positional_encodings", encoding_002(d_model, max_len), False)

    def forward(self, x):
        pe = self.positional_encodings[:x.shape[0]].detach().requires_grad_(False)
        return self.dropout(x + pe)


class PE004(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1).float()
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, :x.size(1)].to(x.device)


class TinyLM(nn.Module):
    """Modules are created in this order: emb, layer(s), head."""
    def __init__(self, vocab=11, d=16, heads=2, ff=32, layers=1, p=0.0, max_len=12, norm_first=False, activation="relu"):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.pos = PE004(d, max_len)
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(d, heads, ff, p, activation, batch_first=True, norm_first=norm_first)
                                     for _ in range(layers)])
        self.head = nn.Linear(d, vocab)

    def forward(self, ids):
        x = self.pos(self.emb(ids) * math.sqrt(self.emb.embedding_dim))
        mask = torch.triu(torch.ones(ids.size(1), ids.size(1), dtype=torch.bool), 1)
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return self.head(x)


class TinySeq2Seq(nn.Module):
    """src_emb, tgt_emb, transformer (sequence first, encoder 1, decoder 1), head; positions by PE002 without dropout."""
    def __init__(self, vocab=9, d=16, p=0.0):
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(vocab, d, padding_idx=0), nn.Embedding(vocab, d, padding_idx=0)
        self.pos = PE002(d, 0.0, 20)
        self.transformer = nn.Transformer(d, 4, 1, 1, 32, p)
        self.head = nn.Linear(d, vocab, bias=False)

    def forward(self, src, tgt):
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(0)).to(self.head.weight.dtype)
        y = self.transformer(self.pos(self.src_emb(src)), self.pos(self.tgt_emb(tgt)), tgt_mask=mask,
                             src_key_padding_mask=(src == 0).t())
        return self.head(y)


def mlp_step(m, data):
    return F.mse_loss(m(data[0]), data[1])


def lm_step(m, data):
    return F.cross_entropy(m(data[:, :-1]).flatten(0, 1), data[:, 1:].flatten())


def s2s_step(m, data):
    src, tgt = data
    return F.cross_entropy(m(src, tgt[:-1]).flatten(0, 1), tgt[1:].flatten(), ignore_index=0, label_smoothing=0.1)


def s2s_data():
    src = torch.randint(1, 9, (7, 3))
    src[5:, 1] = 0
    return src, torch.cat([torch.ones(1, 3, dtype=torch.int64), src])


RUNS = {   # name: (model, data drawn after the model, loss, optimizer, clip, steps, seed)
    "mlp sgd": ("nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))", "(torch.randn(20, 3), torch.randn(20, 1))", "mlp_step",
                "torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)", None, 30, 1),
    "mlp dropout": ("nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Dropout(0.25), nn.Linear(8, 1))", "(torch.randn(20, 3), torch.randn(20, 1))", "mlp_step",
                    "torch.optim.Adam(m.parameters(), lr=0.01)", None, 30, 1),
    "lm adam": ("TinyLM()", "torch.randint(0, 11, (4, 9))", "lm_step", "torch.optim.Adam(m.parameters(), lr=0.005)", None, 30, 1),
    "lm adamw dropout": ("TinyLM(p=0.1, layers=2)", "torch.randint(0, 11, (4, 9))", "lm_step", "torch.optim.AdamW(m.parameters(), lr=0.005)", 1.0, 30, 1),
    "seq2seq": ("TinySeq2Seq()", "s2s_data()", "s2s_step", "torch.optim.Adam(m.parameters(), lr=0.005, betas=(0.9, 0.98), eps=1e-9)", None, 30, 1),
    "lm norm first": ("TinyLM(vocab=13, d=24, heads=3, ff=40, layers=3, p=0.2, norm_first=True, activation='gelu')",
                      "torch.randint(0, 13, (3, 12))", "lm_step", "torch.optim.RMSprop(m.parameters(), lr=0.0005)", 0.5, 30, 7),
    "seq2seq dropout": ("TinySeq2Seq(p=0.3)", "s2s_data()", "s2s_step", "torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.9)", None, 30, 11),
}


def run(name, dtype):
    model, data, step, optim, clip, steps, seed = RUNS[name]
    torch.set_default_dtype(dtype)
    torch.manual_seed(seed)
    m = eval(model)
    d = eval(data)
    opt = eval(optim, {"torch": torch, "m": m})
    losses, norms = [], []
    for _ in range(steps):
        opt.zero_grad()
        loss = eval(step)(m, d)
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(m.parameters(), clip if clip else math.inf).item())
        opt.step()
        losses.append(loss.item())
    torch.set_default_dtype(torch.float32)
    return {"run": name, "dtype": str(dtype)[6:], "seed": seed, "model": model, "data": data, "optimizer": optim, "clip": clip, "losses": losses, "grad_norms": norms,
            "next_random": int(torch.empty(1, dtype=torch.int32).random_()[0])}


if __name__ == "__main__":
    rows = [run(n, t) for n in RUNS for t in (torch.float32, torch.float64)]
    OUT.write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
    for r in rows:
        print(f"{r['run']:18} {r['dtype']:8} {r['losses'][0]:.4f} -> {r['losses'][-1]:.4f}")
