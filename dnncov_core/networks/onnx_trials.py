"""What the nodes of an ONNX graph give for batches of 1, 2 and 3 inputs, before there is a network.

They are evaluated in shapes alone where values depend on the input, and in numbers where they do not. So constants and
the arithmetic of shapes end here, and what remains are operators whose sizes are plain numbers, or whole numbers that
grow with the batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import first_line
from dnncov_core.networks.onnx_file import Node, OnnxGraph
from dnncov_core.networks.onnx_operators import NUMBERS, ONLY, Function, function_of
from dnncov_core.types import Shape

BATCHES = (1, 2, 3)
FIX = "leave the operator out, or ask for it to be supported"
FIX_BATCH = "export the network with a dynamic batch dimension"
MOST_VALUES = 2**26
"""Of what one operator gives for one input, and of constants beside those of the file: it could ask for all memory."""
Trial = tuple[Tensor, ...]
"""A value for each of `BATCHES`; on PyTorch's meta device, which knows shapes alone, where it depends on the input."""


@dataclass(frozen=True)
class Sizes:
    """A whole number, or a list of some, that grows with the batch: ``fixed + each * batch``."""

    fixed: Any
    each: Any

    def at(self, batch: int) -> Any:
        """The numbers for a batch of this size, which may be symbolic."""
        if isinstance(self.fixed, int):
            return self.fixed + self.each * batch
        return [fixed + each * batch if each else fixed for fixed, each in zip(self.fixed, self.each, strict=True)]


class Operator(nn.Module):
    """One operator that is evaluated with the network.

    Args:
        node: the node of the file.
        function: what it computes.
        inputs: names of its tensors, None for one that is left out.
        told: its attributes and numbers.
    """

    def __init__(self, node: Node, function: Function, inputs: Sequence[str | None], told: dict[str, Any]) -> None:
        super().__init__()
        self.node, self.function, self.inputs, self.told = node, function, inputs, told

    def forward(self, values: dict[str, Tensor], batch: int) -> Any:
        """What the operator gives for the values so far."""
        args = (None if name is None else values[name] for name in self.inputs)
        return self.function(*args, **_for_batch(self.told, batch))


class Trials:
    """Evaluates the nodes of a graph for each of `BATCHES`.

    Args:
        graph: what the file holds.
        row: shape of one input in the file.

    Attributes:
        values: by name.
        operators: the nodes whose values depend on the input.
        most_values: of what one of them gives for one input.

    Raises:
        NetworkError: an operator is not supported, or a file for a batch of one cannot be used for more.
    """

    def __init__(self, graph: OnnxGraph, row: Shape) -> None:
        self.version = graph.version
        self.is_for_one = graph.sizes[0] is not None
        self.operators: list[Operator] = []
        self.most_values, self._folded, self._batch = 1, 0, 1
        self.values: dict[str, Trial] = {name: (value,) * len(BATCHES) for name, value in graph.constants.items()}
        self.values[graph.input] = tuple(torch.empty(n, *row, dtype=graph.dtype, device="meta") for n in BATCHES)
        self._outer: dict[str, int] = {}
        for node in graph.nodes:
            self._batch = BATCHES[0]
            try:
                self._add(node)
            except NetworkError:
                raise
            except Exception as error:  # whatever PyTorch raises on arguments that do not fit
                raise self._unfit(node, first_line(error)) from error

    def _unfit(self, node: Node, reason: str) -> NetworkError:
        if self.is_for_one and self._batch > 1:
            got = f"{reason}, for a batch of {self._batch} instead of the file's one,"
            return node.error("a network that can be used for batches of any size", got, FIX_BATCH)
        return node.error("an operator as PyTorch has it", reason, FIX)

    def _add(self, node: Node) -> None:
        function = function_of(node.op, self.version)
        if function is None:
            raise node.error("operators of ONNX that are supported", "none", FIX)
        if unknown := [name for name in node.inputs if name and name not in self.values]:
            got = f"{unknown[0]!r}, which none gives,"
            raise node.error("values that operators before it give", got, "export the network again")
        if node.op == "Concat" and self.is_for_one:
            node = self._with_constants_for_each(node)
        slots = NUMBERS.get(node.op, ())
        named = [(slots[i] if i < len(slots) else "", name) for i, name in enumerate(node.inputs)]
        inputs = [name or None for slot, name in named if not slot]
        numbers = {slot: self._numbers(node, slot, name) for slot, name in named if slot and name}
        told = {
            name: value
            for name, value in (node.attributes | numbers).items()
            if name not in ONLY or ONLY[name] != value
        }
        outer = next((self._outer[name] for name in node.inputs if name in self._outer), 1)
        if node.op == "Reshape" and self.is_for_one:
            told["shape"], outer = self._for_any_batch(node, function, told)
        results = [self._evaluated(node, function, inputs, told, i) for i in range(len(BATCHES))]
        trials = [_known(trial) for trial in zip(*results, strict=True)]
        self.values.update((name, trial) for name, trial in zip(node.outputs, trials, strict=False) if name)
        self._outer.update(dict.fromkeys(node.outputs, outer) if outer > 1 else {})
        if any(trial[0].is_meta for trial in trials):
            self._refuse_growing(node, inputs)
            self.operators.append(Operator(node, function, inputs, told))

    def _numbers(self, node: Node, slot: str, name: str) -> Any:
        """The numbers of an input, as `Sizes` if they grow with the batch."""
        trial = self.values[name]
        if trial[0].is_meta:
            got = f"{slot}, which the input's values decide,"
            raise node.error("sizes and indices that are known before the network runs", got, "leave the operator out")
        if all(torch.equal(trial[0], other) for other in trial):
            return trial[0].tolist()
        each = trial[1] - trial[0]
        return Sizes((trial[0] - each).tolist(), each.tolist())

    def _evaluated(self, node: Node, function: Function, inputs: Sequence[str | None], told: Any, i: int) -> Trial:
        """What the node gives for one of `BATCHES`: first in shapes, whose sizes are checked, then in numbers."""
        self._batch = BATCHES[i]
        args = [None if name is None else self.values[name][i] for name in inputs]
        told = _for_batch(told, self._batch)
        with torch.device("meta"):
            results = several(function(*(None if each is None else each.to("meta") for each in args), **told))
        is_known = not any(each is not None and each.is_meta for each in args)
        n_values = max(each.numel() for each in results) // self._batch
        self.most_values = max(self.most_values, n_values)
        self._folded += n_values if is_known else 0
        if max(n_values, self._folded) > MOST_VALUES:
            expected = f"operators of at most {MOST_VALUES:,} values for one input"
            raise node.error(expected, f"{max(n_values, self._folded):,}", "use smaller inputs or layers")
        return several(function(*args, **told)) if is_known and any(each.is_meta for each in results) else results

    def _refuse_growing(self, node: Node, inputs: Sequence[str | None]) -> None:
        for name in inputs:
            trial = self.values[name] if name else ()
            if trial and not trial[0].is_meta and not torch.equal(trial[0], trial[1]):
                got = "a value that grows with the batch"
                raise node.error("values that are constants or depend on the input", got, "export the network again")

    # Files for a batch of one

    def _batch_dimension(self, name: str) -> int | None:
        """The dimension that grows with the batch."""
        one, two = (list(trial.shape) for trial in self.values[name][:2])
        return next((d for d, (a, b) in enumerate(zip(one, two, strict=True)) if a != b), None)

    def _with_constants_for_each(self, node: Node) -> Node:
        """A node that joins constants, such as a class token, to values of a batch: there is one for each input."""
        along = next((d for d in map(self._batch_dimension, node.inputs) if d is not None), None)
        if along is None:
            return node
        names = list(node.inputs)
        for i, name in enumerate(names):
            shape = list(self.values[name][0].shape)
            if self._batch_dimension(name) is None and shape[along] == 1:
                names[i] = f"{name} for each input"
                each = [int(d == along) for d in range(len(shape))]
                shape[along] = 0
                self._add(Node("Expand", f"{node.label} #{i}", (name,), (names[i],), {"shape": Sizes(shape, each)}))
        return replace(node, inputs=tuple(names))

    def _for_any_batch(self, node: Node, function: Function, told: dict[str, Any]) -> tuple[Any, int]:
        """The target of a reshape with the batch in its place, and how many values of that dimension come before it.

        Values lie in memory in the order of their indices, so the batch stays where as many values lie before it.
        """
        (name, *_), shape = node.inputs, told["shape"]
        grows = self._batch_dimension(name)
        if grows is None or isinstance(shape, Sizes):
            return shape, 1
        before = self.values[name][0]
        outside = math.prod(before.shape[:grows]) * self._outer.get(name, 1)
        sizes = list(function(before.to("meta"), **told).shape)
        outer = [outside / math.prod(sizes[:d]) for d in range(len(sizes))]
        places = [d for d, share in enumerate(outer) if share >= 1 and sizes[d] % share == 0]
        if not places:
            got = f"a reshape from {tuple(before.shape)} to {tuple(sizes)}, which mixes the batch with other sizes"
            raise node.error("a network that can be used for batches of any size", got, FIX_BATCH)
        # a dimension of its own, the beginning of one that is not the last (which holds features), or another one
        place = min(places, key=lambda d: (sizes[d] > 1, d == len(sizes) - 1, outer[d] > 1))
        each = [sizes[d] if d == place else 0 for d in range(len(sizes))]
        sizes[place] = 0
        return Sizes(sizes, each), int(outer[place])


def several(result: Any) -> Trial:
    """The results of an operator, which may be one."""
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _for_batch(told: dict[str, Any], batch: int) -> dict[str, Any]:
    return {name: each.at(batch) if isinstance(each, Sizes) else each for name, each in told.items()}


def _known(trial: Trial) -> Trial:
    """The trial as it is where it holds constants, or whole numbers that grow with the batch; else shapes alone."""
    if not any(each.is_meta for each in trial) and trial[0].shape == trial[1].shape == trial[2].shape:
        one, two, three = trial
        if torch.equal(one, two) and torch.equal(two, three):
            return trial
        if one.dtype is torch.int64 and one.ndim < 2 and torch.equal(two - one, three - two):
            return trial
    return tuple(each.to("meta") for each in trial)
