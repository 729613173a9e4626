"""The canonical network that coverage, generation and proofs work on."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import torch
from numpy.typing import ArrayLike
from torch import Tensor, fx, nn
from torch.export import ExportedProgram

from dnncov_core.box import Box
from dnncov_core.errors import NetworkError
from dnncov_core.networks.arguments import checked_box, checked_classes, checked_resize, checked_shape
from dnncov_core.networks.decision import (
    WITHIN,
    Decision,
    LabelDecision,
    ToleranceDecision,
    checked_decision,
    checked_quantities,
)
from dnncov_core.networks.exported_program import dtype_of, evaluated_copy, export_module
from dnncov_core.networks.graph import CanonicalGraph, Hooks
from dnncov_core.networks.module_check import check_apart, check_bounds, check_module, drawn
from dnncov_core.records import LayerInfo, NetworkCard
from dnncov_core.types import Bounds, Edge


class Network:
    """A trained network in canonical form: one graph of ATen operators whose activation layers are known.

    Layers have the paper's numbers: the input is 1, activation layers are 2 .. K-1 in order of execution, the logits
    are K. The module is copied and evaluated in eval mode and in its own precision; it is never changed.

    Args:
        module: maps a batch in pixel space, ``(batch, *input_shape)``, to logits, ``(batch, classes)``; or its program,
            as `exported_program.functional` returns it. A softmax, log-softmax or sigmoid at its end is left out: the
            labels stay the same, and the logits are what comes before it.
        input_shape: shape of one input, such as ``(1, 28, 28)``.
        bounds: smallest and largest value that an input may have: two numbers, or an array of them for each feature,
            broadcast to ``input_shape``, such as ``(3, 1, 1)`` for the channels of an image. With arrays, distances are
            shares of each feature's range. A feature whose two values are equal is fixed.
        classes: names of the classes; their numbers if left out.
        resize: pixels that the short side of a photo is resized to before its centre of ``input_shape`` is cut out;
            without it, images must have that size. Only folders of photos are resized.
        features: names of the numbers of a vector, or of the channels of a series.
        units: their units, such as ``"m"``.
        embedded: whether an input is a sequence of embedded tokens, ``(tokens, numbers)``, as of a text.
        output: which output counts where the module returns several: a key of a dictionary, or a place.
        decision: whose class the label is: that of the largest output (``max``) or of the smallest (``min``). One
            output decides by a ``threshold``.
        threshold: of one output, as the module gives it; above it the label is 1.
        tolerance: for regression, where outputs are numbers and no classes: by how much each may move, in its unit.
        quantities: names of the outputs of a regression.
        quantity_units: their units, such as ``"m"``.
        bicubic: whether photos are resized by bicubic interpolation, not by bilinear.

    Attributes:
        layers: layers 1..K.
        edges: (k, l) for each activation layer k whose values reach layer l without passing another activation layer.
        depth: K, the number of the output layer.
        parameters: how many trained parameters it has.
        box: what its inputs may be.
        graph: the graph of operators.
        obstacle: the operator, with its module, that keeps linear programming from it; empty if none does.
        decision: what the outputs say of an input.
        output: which of several outputs counts; None where there is one.
        quantities: the outputs of a regression; empty for a network with classes.

    Raises:
        NetworkError: the module cannot be exported, has an operator that is not supported, or its shapes or class
            count do not match.

    >>> network = Network(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2)), input_shape=(2,))
    >>> [(layer.index, layer.kind, layer.neurons) for layer in network.layers]
    [(1, 'input', 2), (2, 'relu', 3), (3, 'logits', 2)]
    """

    def __init__(
        self,
        module: nn.Module | ExportedProgram,
        input_shape: Sequence[int],
        bounds: tuple[ArrayLike, ArrayLike] = (0.0, 1.0),
        classes: Sequence[str] | None = None,
        resize: int | None = None,
        features: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        embedded: bool | None = None,
        output: str | int | None = None,
        decision: str | None = None,
        threshold: float | None = None,
        tolerance: ArrayLike | None = None,
        quantities: Sequence[str] | None = None,
        quantity_units: Sequence[str] | None = None,
        bicubic: bool = False,
    ) -> None:
        self.input_shape = checked_shape(input_shape)
        self.box = checked_box(self.input_shape, bounds, features, units, embedded=embedded)
        self.resize, self.bicubic = checked_resize(resize, self.input_shape), bool(bicubic)
        self.output = output
        twin: nn.Module | None = None
        if isinstance(module, ExportedProgram):
            self.program = module
        else:
            twin = evaluated_copy(module)
            self.program = export_module(twin, self.input_shape, output)
        self.graph = CanonicalGraph(self.program, output)
        self.layers: tuple[LayerInfo, ...] = self.graph.layers
        self.edges: tuple[Edge, ...] = self.graph.edges
        self.depth = self.graph.depth
        self.parameters = self.graph.parameters
        self.obstacle = self.graph.obstacle
        self._state = self.graph.state
        self.dtype = dtype_of({node.name: tensor for node, tensor in self._state.items()})
        check_bounds(self)
        self.device = torch.device("cpu")
        self.memory_format = torch.contiguous_format
        self._span: tuple[Tensor, Tensor] | None = None
        outputs, after_sigmoid = self.layers[-1].neurons, self.graph.ends_with("sigmoid")
        self.decision: Decision = checked_decision(decision, threshold, outputs, after_sigmoid=after_sigmoid)
        self.quantities = checked_quantities(tolerance, quantities, quantity_units, outputs)
        if self.quantities:
            self.decision, classes = ToleranceDecision(tuple(each.tolerance for each in self.quantities)), WITHIN
        self.classes = checked_classes(classes, self.decision.classes(outputs))
        context: list[object] = [self.input_shape, self.box.ranges or self.bounds]
        if output is not None or after_sigmoid or self.decision != LabelDecision():
            context.append((output, after_sigmoid, self.decision))
        self.fingerprint = self.graph.fingerprint(self._state, *context)
        if twin is not None:
            check_module(self, twin)
        check_apart(self)

    @classmethod
    def from_onnx(
        cls,
        source: str | Path | bytes,
        input_shape: Sequence[int] | None = None,
        *,
        output: str | int | None = None,
        inputs: Tensor | None = None,
        **told: Any,
    ) -> Network:
        """The network of an ONNX file, once ONNX Runtime and its graph have given the same numbers.

        Args:
            source: the file, or its bytes.
            input_shape: shape of one input; the file's own if left out. Another one has as many values.
            output: which output counts where the file has several: its name, or its place.
            inputs: a batch that is compared as well, beside random ones.
            told: bounds, classes and whatever else `Network` takes.

        Raises:
            NetworkError: the file cannot be read, has an operator that is not supported, or its numbers differ.
        """
        from dnncov_core.networks.onnx_check import batch_sizes, check_agreement
        from dnncov_core.networks.onnx_file import content_of, read_graph
        from dnncov_core.networks.onnx_module import OnnxModule, export_onnx, row_of

        graph = read_graph(content_of(source), output)
        given = None if input_shape is None else checked_shape(input_shape)
        row = row_of(graph, given)
        module, shape = OnnxModule(graph, row), given or row
        network = cls(export_onnx(module, shape), shape, **told)
        batches = [drawn(network, n) for n in batch_sizes(module)]
        check_agreement(module, network.answer, batches if inputs is None else [*batches, inputs])
        return network

    @property
    def bounds(self) -> Bounds:
        """The smallest and the largest value of all numbers of an input."""
        return self.box.bounds

    def __call__(self, x: Tensor) -> Tensor:
        """Logits, ``(batch, classes)``, of a batch in pixel space, ``(batch, *input_shape)``."""
        return self.run(x)

    def answer(self, x: Tensor) -> Tensor:
        """What the module itself gives for a batch: the logits, after a softmax or sigmoid that it ends with."""
        return self.graph.after_heads(self(x))

    def run(
        self,
        x: Tensor,
        *,
        last_layer: int | None = None,
        given: Mapping[int, Tensor] | None = None,
        **hooks: Unpack[Hooks],
    ) -> Tensor:
        """Evaluates the graph; see `CanonicalGraph.run` for the hooks.

        Args:
            x: the batch.
            last_layer: where evaluation stops.
            given: v of some activation layers, ``(batch, s_k)``, which are not evaluated, nor what only leads to them.
            hooks: what sees, and may replace, the values of operators.

        Raises:
            NetworkError: the batch has another shape.
        """
        if tuple(x.shape[1:]) != self.input_shape or x.ndim == 0:
            raise NetworkError(
                f"a batch of shape (batch, {', '.join(map(str, self.input_shape))})",
                str(tuple(x.shape)),
                "reshape the input",
            )
        x = self._placed(x.to(self.device, self.dtype))
        if self._span is not None:
            x = self._span[0] + self._span[1] * x
        shaped = {k: self._placed(v.reshape(-1, *self.layers[k - 1].shape)) for k, v in (given or {}).items()}
        return self.graph.run(self._state, x, last_layer=last_layer, given=shaped, **hooks)

    def to(
        self,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
        memory_format: torch.memory_format | None = None,
    ) -> Network:
        """This network on another device, in another precision or memory format; its fingerprint stays as it is.

        Args:
            device: where it is evaluated.
            dtype: in which precision.
            memory_format: how images and the weights of convolutions lie in memory. Values are the same to rounding.
        """
        other = copy.copy(self)
        other.device = self.device if device is None else torch.device(device)
        other.dtype = self.dtype if dtype is None else dtype
        other.memory_format = self.memory_format if memory_format is None else memory_format
        if other._span is not None:
            low, width = (end.to(other.device, other.dtype) for end in other._span)
            other._span = low, width
        other._state = {
            node: other._placed(tensor.to(other.device, other.dtype if tensor.is_floating_point() else tensor.dtype))
            for node, tensor in self._state.items()
        }
        return other

    def with_weights(self, weights: Mapping[fx.Node, Tensor]) -> Network:
        """This network with other tensors in the place of some weights; without a fingerprint, as they may change.

        Args:
            weights: by the nodes of the graph that stand for them; they are not copied, and may require gradients.
        """
        other = copy.copy(self)
        other._state, other.fingerprint = {**self._state, **weights}, ""
        return other

    def in_shares(self, box: Box | None = None) -> Network:
        """This network as a function of shares of the ranges of its features, as `Box.shares` gives them.

        Searches work with it, so that a step means the same in each feature. It is itself where all numbers have one
        pair of bounds, unless a ``box`` takes these as the range of each.
        """
        box = box or self.box
        if box.ranges is None:
            return self
        other = copy.copy(self)
        other.box, other._span = Box(self.input_shape, box.share_bounds), self.ends()
        return other

    def ends(self) -> tuple[Tensor, Tensor]:
        """The least value of each number of an input and the width of its range, which broadcast to an input."""
        ends = (self.box.low, self.box.high - self.box.low)
        low, width = (torch.tensor(end, device=self.device, dtype=self.dtype) for end in ends)
        return low, width

    def _placed(self, tensor: Tensor) -> Tensor:
        return tensor.contiguous(memory_format=self.memory_format) if tensor.ndim == 4 else tensor

    def card(
        self,
        name: str,
        *,
        dataset: str = "",
        accuracy: float | None = None,
        accuracy_on: str = "",
        description: str = "",
    ) -> NetworkCard:
        """What a menu or a report needs to know of this network."""
        return NetworkCard(
            name=name,
            dataset=dataset,
            input_shape=self.input_shape,
            bounds=self.bounds,
            classes=self.classes,
            layers=self.layers,
            edges=self.edges,
            parameters=self.parameters,
            fingerprint=self.fingerprint,
            accuracy=accuracy,
            accuracy_on=accuracy_on,
            description=description,
            ranges=self.box.ranges,
            features=self.box.features,
            units=self.box.units,
            obstacle=self.obstacle,
            passed=self.graph.passed,
            quantities=self.quantities,
            embedded=self.box.embedded,
        )
