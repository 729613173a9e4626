"""Small modules with one ordinary operator each, as people write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations, prune

from tests.networks_for_tests import seeded

VECTOR, IMAGE, SERIES, TOKENS = (4,), (3, 8, 8), (3, 16), (5, 6)


@dataclass(frozen=True)
class Ordinary:
    """A module, the shape of its inputs, and the kinds of its activation layers, or why it is refused."""

    make: Callable[[], nn.Module]
    shape: tuple[int, ...]
    kinds: tuple[str, ...] = ()
    refused: str = ""


class Around(nn.Module):
    """A first linear part, the operator, and what makes three logits of whatever it gives."""

    def __init__(self, first: nn.Module, operator: Callable[[Tensor], Tensor], last: nn.Module) -> None:
        super().__init__()
        self.first, self.last = first, last
        self.operator = operator

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.operator(self.first(x)).flatten(1))


def _first(shape: tuple[int, ...]) -> nn.Module:
    if shape == IMAGE:
        return nn.Conv2d(3, 4, 3, padding=1)
    if shape == SERIES:
        return nn.Conv1d(3, 4, 3, padding=1)
    return nn.Linear(shape[-1], 6)


def _around(operator: Callable[[], Callable[[Tensor], Tensor]], shape: tuple[int, ...]) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        first, inner = _first(shape), operator()
        x = torch.rand(2, *shape)
        if isinstance(inner, nn.Module):
            inner.eval()
        return Around(first, inner, nn.Linear(inner(first(x)).flatten(1).shape[1], 3))

    return lambda: seeded(build)


def _activation(kind: str, operator: Callable[[], Callable[[Tensor], Tensor]]) -> Ordinary:
    return Ordinary(_around(operator, VECTOR), VECTOR, (kind,))


def _between(operator: Callable[[], Callable[[Tensor], Tensor]], shape: tuple[int, ...]) -> Ordinary:
    """An operator after a ReLU."""

    def build() -> Callable[[Tensor], Tensor]:
        inner = operator()
        return nn.Sequential(nn.ReLU(), inner) if isinstance(inner, nn.Module) else lambda u: inner(F.relu(u))

    return Ordinary(_around(build, shape), shape, ("relu",))


def _plain(function: Callable[[Any], Any]) -> Callable[[], Callable[[Tensor], Tensor]]:
    return lambda: function


def _refused(operator: Callable[[], Callable[[Tensor], Tensor]], shape: tuple[int, ...], why: str) -> Ordinary:
    return Ordinary(_between(operator, shape).make, shape, refused=why)


class SelfAttention(nn.Module):
    """Multi-head attention of tokens to themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(6, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x, need_weights=False)[0]


class SqueezeExcite(nn.Module):
    """Channels times a gate in (0, 1) that their means decide."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.Conv2d(4, 2, 1), nn.Conv2d(2, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(x, 1)))))


class First(nn.Module):
    """The first of what a module gives."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: Tensor) -> Tensor:
        return self.module(x)[0]


def _pruned() -> nn.Module:
    layer = nn.Linear(6, 6)
    prune.l1_unstructured(layer, "weight", amount=0.3)
    return layer


def _attend(x: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(x, x, x)


ACTIVATIONS = {
    "nn.ReLU": _activation("relu", nn.ReLU),
    "nn.ReLU6": _activation("relu6", nn.ReLU6),
    "nn.LeakyReLU": _activation("leaky_relu", nn.LeakyReLU),
    "nn.PReLU": _activation("prelu", nn.PReLU),
    "nn.PReLU of each channel": _activation("prelu", lambda: nn.PReLU(6)),
    "nn.RReLU": _activation("rrelu", nn.RReLU),
    "nn.ELU": _activation("elu", nn.ELU),
    "nn.SELU": _activation("selu", nn.SELU),
    "nn.CELU": _activation("celu", nn.CELU),
    "nn.GELU": _activation("gelu", nn.GELU),
    "nn.GELU by tanh": _activation("gelu", lambda: nn.GELU(approximate="tanh")),
    "nn.SiLU": _activation("silu", nn.SiLU),
    "nn.Mish": _activation("mish", nn.Mish),
    "nn.Sigmoid": _activation("sigmoid", nn.Sigmoid),
    "nn.LogSigmoid": _activation("log_sigmoid", nn.LogSigmoid),
    "nn.Tanh": _activation("tanh", nn.Tanh),
    "nn.Hardtanh": _activation("hardtanh", nn.Hardtanh),
    "nn.Hardtanh(-2, 3)": _activation("clamp", lambda: nn.Hardtanh(-2.0, 3.0)),
    "nn.Hardsigmoid": _activation("hardsigmoid", nn.Hardsigmoid),
    "nn.Hardswish": _activation("hardswish", nn.Hardswish),
    "nn.Softplus": _activation("softplus", nn.Softplus),
    "nn.Softsign": _activation("softsign", nn.Softsign),
    "nn.Threshold(0, 0)": _activation("relu", lambda: nn.Threshold(0, 0)),
    "clamp(-0.5, 0.7)": _activation("clamp", _plain(lambda u: u.clamp(-0.5, 0.7))),
    "clamp(0, 1)": _activation("clamp", _plain(lambda u: u.clamp(0, 1))),
    "clamp(min=0)": _activation("relu", _plain(lambda u: u.clamp(min=0))),
    "clamp(max=0)": _activation("clamp", _plain(lambda u: u.clamp(max=0))),
    "sign": _activation("sign", _plain(torch.sign)),
    "maximum with zeros": _activation("relu", _plain(lambda u: torch.maximum(u, torch.zeros_like(u)))),
    "max with a constant": _activation("relu", _plain(lambda u: torch.max(torch.tensor(0.0), u))),
    "where(u > 0, u, 0)": _activation("relu", _plain(lambda u: torch.where(u > 0, u, 0.0))),
    "where(u > 0, u, u / 10)": _activation("where", _plain(lambda u: torch.where(u > 0, u, 0.1 * u))),
    "where(u <= 0, exp, u)": _activation("where", _plain(lambda u: torch.where(u <= 0, u.exp() - 1, u))),
    "u * (u > 0)": _activation("relu", _plain(lambda u: u * (u > 0))),
    "u * sigmoid(u)": _activation("silu", _plain(lambda u: u * torch.sigmoid(u))),
    "u * sigmoid(2 u)": _activation("sigmoid", _plain(lambda u: u * torch.sigmoid(2 * u))),
    "u * sigmoid(u) + sigmoid(u)": _activation("sigmoid", _plain(lambda u: (s := torch.sigmoid(u)) * u + s)),
    "u * tanh(softplus(u))": _activation("mish", _plain(lambda u: u * torch.tanh(F.softplus(u)))),
    "u * clamp(u + 3, 0, 6) / 6": _activation("hardswish", _plain(lambda u: u * (u + 3).clamp(0, 6) / 6)),
    "u * (1 + erf(u / 2 ** 0.5)) / 2": _activation("gelu", _plain(lambda u: u * (1 + torch.erf(u / 2**0.5)) * 0.5)),
    "GELU by its approximation": _activation(
        "gelu", _plain(lambda u: 0.5 * u * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (u + 0.044715 * u**3))))
    ),
}
"""Kinds of activation layers."""

VECTORS = {
    "layer norm": _between(lambda: nn.LayerNorm(6), VECTOR),
    "RMS norm": _between(lambda: nn.RMSNorm(6), VECTOR),
    "batch norm 1d": _between(lambda: nn.BatchNorm1d(6), VECTOR),
    "pow": _between(_plain(lambda v: v**3), VECTOR),
    "square": _between(_plain(torch.square), VECTOR),
    "reciprocal": _between(_plain(lambda v: torch.reciprocal(v + 1)), VECTOR),
    "exp": _between(_plain(torch.exp), VECTOR),
    "log": _between(_plain(lambda v: torch.log(v + 1)), VECTOR),
    "log1p": _between(_plain(torch.log1p), VECTOR),
    "sqrt": _between(_plain(lambda v: torch.sqrt(v + 1)), VECTOR),
    "rsqrt": _between(_plain(lambda v: torch.rsqrt(v + 1)), VECTOR),
    "sin": _between(_plain(torch.sin), VECTOR),
    "cos": _between(_plain(torch.cos), VECTOR),
    "erf": _between(_plain(torch.erf), VECTOR),
    "abs": _between(_plain(torch.abs), VECTOR),
    "norm": _between(_plain(F.normalize), VECTOR),
    "softmax": _between(lambda: nn.Softmax(1), VECTOR),
    "log-softmax": _between(lambda: nn.LogSoftmax(1), VECTOR),
    "softmin": _between(lambda: nn.Softmin(1), VECTOR),
    "glu": _between(nn.GLU, VECTOR),
    "product with itself": _between(_plain(lambda v: v * v), VECTOR),
    "quotient": _between(_plain(lambda v: v / (1 + v.sum(1, keepdim=True))), VECTOR),
    "clamp(min=0.1)": _between(_plain(lambda v: v.clamp(min=0.1)), VECTOR),
    "minimum of two": _between(_plain(lambda v: torch.minimum(v[:, :3], v[:, 3:])), VECTOR),
    "largest value": _between(_plain(lambda v: v.amax(1, keepdim=True)), VECTOR),
    "mean and deviation": _between(_plain(lambda v: torch.cat([v.mean(1, True), v.std(1, keepdim=True)], 1)), VECTOR),
    "cumulative sum": _between(_plain(lambda v: v.cumsum(1)), VECTOR),
    "index": _between(_plain(lambda v: v[:, [0, 2, 2, 5]]), VECTOR),
    "index_select": _between(_plain(lambda v: v.index_select(1, torch.tensor([1, 0]))), VECTOR),
    "gather of the largest": _between(_plain(lambda v: v.gather(1, v.argmax(1, keepdim=True))), VECTOR),
    "sort": _between(_plain(lambda v: v.sort(1).values), VECTOR),
    "topk": _between(_plain(lambda v: v.topk(3, 1).values), VECTOR),
    "repeat": _between(_plain(lambda v: v.repeat(1, 2)), VECTOR),
    "tile": _between(_plain(lambda v: v.tile(2)), VECTOR),
    "roll": _between(_plain(lambda v: v.roll(2, 1)), VECTOR),
    "flip": _between(_plain(lambda v: v.flip(1)), VECTOR),
    "stack": _between(_plain(lambda v: torch.stack([v, 2 * v], 1)), VECTOR),
    "chunk": _between(_plain(lambda v: v.chunk(2, 1)[1]), VECTOR),
    "einsum": _between(_plain(lambda v: torch.einsum("bi,ij->bj", v, torch.ones(6, 2).to(v))), VECTOR),
    "outer product": _between(_plain(lambda v: torch.bmm(v[:, :, None], v[:, None])), VECTOR),
    "bilinear": _between(_plain(lambda v: F.bilinear(v, v, torch.ones(2, 6, 6).to(v))), VECTOR),
    "cosine similarity": _between(_plain(lambda v: F.cosine_similarity(v[:, :3], v[:, 3:] + 1)[:, None]), VECTOR),
    "distance": _between(_plain(lambda v: torch.cdist(v[:, None], torch.ones(1, 2, 6).to(v)).flatten(1)), VECTOR),
    "masked fill": _between(_plain(lambda v: v.masked_fill(v > 0.5, 0.5)), VECTOR),
    "rounding": _between(_plain(lambda v: (3 * v).long().to(v)), VECTOR),
    "dropout in eval mode": _between(nn.Dropout, VECTOR),
    "functional dropout, training=False": _between(_plain(lambda v: F.dropout(v, training=False)), VECTOR),
    "alpha dropout": _between(nn.AlphaDropout, VECTOR),
    "weight norm": _between(lambda: parametrizations.weight_norm(nn.Linear(6, 6)), VECTOR),
    "spectral norm": _between(lambda: parametrizations.spectral_norm(nn.Linear(6, 6)), VECTOR),
    "pruned linear layer": _between(_pruned, VECTOR),
    "identity": _between(nn.Identity, VECTOR),
    "unflatten": _between(lambda: nn.Unflatten(1, (2, 3)), VECTOR),
}
IMAGES = {
    "group norm": _between(lambda: nn.GroupNorm(2, 4), IMAGE),
    "instance norm": _between(lambda: nn.InstanceNorm2d(4, affine=True), IMAGE),
    "batch norm 2d": _between(lambda: nn.BatchNorm2d(4), IMAGE),
    "local response norm": _between(lambda: nn.LocalResponseNorm(2), IMAGE),
    "max pooling": _between(lambda: nn.MaxPool2d(2), IMAGE),
    "adaptive max pooling": _between(lambda: nn.AdaptiveMaxPool2d(2), IMAGE),
    "average pooling": _between(lambda: nn.AvgPool2d(2), IMAGE),
    "adaptive average pooling": _between(lambda: nn.AdaptiveAvgPool2d(3), IMAGE),
    "power-average pooling": Ordinary(  # PyTorch writes it with a sign and a ReLU
        _between(lambda: nn.LPPool2d(2, 2), IMAGE).make, IMAGE, ("relu", "sign", "relu")
    ),
    "upsampling to nearest": _between(lambda: nn.Upsample(scale_factor=2), IMAGE),
    "bilinear upsampling": _between(lambda: nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE),
    "transposed convolution": _between(lambda: nn.ConvTranspose2d(4, 2, 2, stride=2), IMAGE),
    "convolution in groups": _between(lambda: nn.Conv2d(4, 4, 3, groups=4), IMAGE),
    "dilated convolution": _between(lambda: nn.Conv2d(4, 2, 3, dilation=2), IMAGE),
    "pixel shuffle": _between(lambda: nn.PixelShuffle(2), IMAGE),
    "pixel unshuffle": _between(lambda: nn.PixelUnshuffle(2), IMAGE),
    "channel shuffle": _between(lambda: nn.ChannelShuffle(2), IMAGE),
    "unfold": _between(lambda: nn.Unfold(2), IMAGE),
    "zero padding": _between(lambda: nn.ZeroPad2d(1), IMAGE),
    "reflection padding": _between(lambda: nn.ReflectionPad2d(1), IMAGE),
    "replication padding": _between(lambda: nn.ReplicationPad2d(1), IMAGE),
    "dropout of channels": _between(nn.Dropout2d, IMAGE),
    "softmax over channels": _between(nn.Softmax2d, IMAGE),
    "permute": _between(_plain(lambda v: v.permute(0, 2, 3, 1)), IMAGE),
    "squeeze and excite": Ordinary(_around(SqueezeExcite, IMAGE), IMAGE, ("relu", "sigmoid")),
    "PReLU of channels": Ordinary(_around(lambda: nn.PReLU(4), IMAGE), IMAGE, ("prelu",)),
}
SEQUENCES = {
    "convolution 1d": _between(lambda: nn.Conv1d(4, 4, 3), SERIES),
    "max pooling 1d": _between(lambda: nn.MaxPool1d(2), SERIES),
    "average pooling 1d": _between(lambda: nn.AvgPool1d(2), SERIES),
    "LSTM": _between(lambda: First(nn.LSTM(16, 4, batch_first=True)), SERIES),
    "GRU": _between(lambda: First(nn.GRU(16, 4, batch_first=True)), SERIES),
    "multi-head attention": _between(SelfAttention, TOKENS),
    "scaled dot-product attention": _between(_plain(_attend), TOKENS),
    "transformer encoder layer": _between(
        lambda: nn.TransformerEncoderLayer(6, 2, 8, activation="gelu", batch_first=True), TOKENS
    ),
}
SEQUENCES["transformer encoder layer"] = Ordinary(SEQUENCES["transformer encoder layer"].make, TOKENS, ("relu", "gelu"))

REFUSED = {
    "dropout that is always on": _refused(_plain(lambda v: F.dropout(v)), VECTOR, "dropout, whose answers are random"),
    "noise": _refused(_plain(lambda v: v + torch.randn_like(v)), VECTOR, "randn_like, whose answers are random"),
    "uninitialised memory": _refused(_plain(lambda v: v + torch.empty_like(v)), VECTOR, "empty_like"),
    "batch norm without statistics": _refused(
        lambda: nn.BatchNorm1d(6, track_running_stats=False), VECTOR, "mean and deviation from the batch"
    ),
    "flip of the batch": _refused(_plain(lambda v: v.flip(0)), VECTOR, "other inputs of a batch"),
    "roll of the batch": _refused(_plain(lambda v: v.roll(1, 0)), VECTOR, "other inputs of a batch"),
    "sums along the batch": _refused(_plain(lambda v: v.cumsum(0)), VECTOR, "other inputs of a batch"),
    "triangle of the batch": _refused(_plain(lambda v: v.tril()), VECTOR, "other inputs of a batch"),
    "cast to half precision": _refused(_plain(lambda v: v.half().float()), VECTOR, "torch.float16"),
    "mean over the batch": _refused(_plain(lambda v: v - v.mean(0)), VECTOR, "other inputs of a batch"),
    "fractional max pooling": _refused(lambda: nn.FractionalMaxPool2d(2, output_size=2), IMAGE, "rand"),
}
RUN = ACTIVATIONS | VECTORS | IMAGES | SEQUENCES
