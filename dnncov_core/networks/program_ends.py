"""What goes into an exported program and what comes out of it: the batch, the weights, the logits."""

from __future__ import annotations

from typing import Any

from torch import Tensor, fx
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils._pytree import tree_unflatten

from dnncov_core.errors import NetworkError
from dnncov_core.networks import operators
from dnncov_core.networks.exported_program import chosen


def inputs_of(program: ExportedProgram) -> tuple[fx.Node, dict[fx.Node, Tensor]]:
    """The batch, and the weights and constants.

    Raises:
        NetworkError: several inputs or none, or a weight that is no tensor.
    """
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    user: list[fx.Node] = []
    state: dict[fx.Node, Tensor] = {}
    for spec in program.graph_signature.input_specs:
        node = nodes[spec.arg.name]
        if spec.kind is InputKind.USER_INPUT:
            user.append(node)
        else:
            tensor = program.state_dict.get(str(spec.target), program.constants.get(str(spec.target)))
            if not isinstance(tensor, Tensor):
                what = f"{spec.kind.name} {spec.target}"
                raise NetworkError("weights that are tensors", what, "keep it out of forward")
            state[node] = tensor.detach()
    if len(user) != 1:
        raise NetworkError("forward with one tensor, a batch of inputs", f"{len(user)} inputs", "wrap the module")
    return user[0], state


def output_of(program: ExportedProgram, asked: str | int | None) -> fx.Node:
    """The output that counts, as `chosen` takes it.

    That forward also overwrites its input, as in ``x.sub_(mean)``, does not matter here.

    Raises:
        NetworkError: there is none such, or forward changes a buffer.
    """
    returned: list[Any] = []
    output = next(node for node in program.graph.nodes if node.op == "output")
    for result, spec in zip(output.args[0], program.graph_signature.output_specs, strict=True):
        if spec.kind is OutputKind.BUFFER_MUTATION:
            raise NetworkError("forward that leaves buffers alone", f"one that changes {spec.target}", "remove that")
        if spec.kind is OutputKind.USER_OUTPUT:
            returned.append(result)
    tree = program.call_spec.out_spec
    result = chosen(returned[0] if tree is None else tree_unflatten(returned, tree), asked)
    if not isinstance(result, fx.Node):
        raise NetworkError("forward that returns one tensor of logits", f"{result}", "return the logits alone")
    return result


def before_heads(output: fx.Node) -> tuple[fx.Node, tuple[fx.Node, ...]]:
    """The logits, and what the program does to them at its end that leaves their order as it is."""
    heads: list[fx.Node] = []
    before: Any = output
    while isinstance(before, fx.Node) and (_is_head(before) or operators.name_of(before) == "squeeze"):
        heads.insert(0, before)
        before = before.args[0]
    return (before, tuple(heads)) if any(map(_is_head, heads)) else (output, ())


def _is_head(node: fx.Node) -> bool:
    """Whether an operator makes probabilities of logits: a sigmoid of each, or a softmax over the classes."""
    name = operators.name_of(node)
    return name in operators.HEADS and (name == "sigmoid" or node.args[1] in (-1, node.meta["val"].ndim - 1))
