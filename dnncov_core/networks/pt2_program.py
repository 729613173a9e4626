"""The JSON inside a ``.pt2`` file, under a closed set of rules, so that nothing that it says is ever run as code.

PyTorch turns texts of this JSON into code in several ways: operator names become Python functions, symbolic sizes go
through sympy's evaluation, node names are printed into Python source that is executed, guards are executed, and tree
specifications import modules. Here every text needs a rule by the field that it stands in; a field without a rule is
refused, and what no network needs is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import torch

from dnncov_core.errors import NetworkError
from dnncov_core.networks import operators
from dnncov_core.outside_text import json_value

NAME = re.compile(r"[A-Za-z_]\w*|", re.ASCII)
"""Names of nodes and arguments are printed into Python source: plain identifiers, or nothing."""
PATH = re.compile(r"[\w-]+(\.[\w-]+)*|", re.ASCII)
"""Paths of weights and submodules, such as ``layers.0.weight``."""
SYMBOL = re.compile(r"(s|u|zf|zuf)\d{1,6}", re.ASCII)
MODULES = re.compile(r"[\w .,;@<>()\[\]-]*", re.ASCII)
"""The stack of modules that a node came from; names its layer."""
SREPR = re.compile(rf"Symbol\('({SYMBOL.pattern})'(, [a-z_]+=(True|False))*\)", re.ASCII)
ARITHMETIC = re.compile(r"[\w +*/(),<>=&|~-]*", re.ASCII)
FUNCTIONS = {
    *("Integer", "Add", "Mul", "Mod", "PythonMod", "FloorDiv", "CeilDiv", "CleanDiv", "IntTrueDiv", "ModularIndexing"),
    *("Where", "Max", "Min", "Abs", "Identity", "And", "Or", "Not"),
    *("ToFloat", "TruncToInt", "TruncToFloat", "FloorToInt", "CeilToInt", "RoundToInt"),
    *("Eq", "Ne", "Ge", "Gt", "Le", "Lt", "Equality", "Unequality"),
    *("GreaterThan", "LessThan", "StrictGreaterThan", "StrictLessThan"),
    *("true", "false", "True", "False", "oo", "int_oo"),
}
"""What a symbolic size may be made of, as torch writes it; no powers and shifts, which could take forever."""
LISTED = {
    # operators that PyTorch does not count among its core or pointwise ones
    *("T", "numpy_T", "mT", "movedim", "moveaxis", "swapaxes", "swapdims", "narrow", "ravel", "positive"),
    *("view_as", "reshape_as", "expand_as", "broadcast_to", "atleast_1d", "atleast_2d", "atleast_3d"),
    *("feature_dropout", "alpha_dropout", "feature_alpha_dropout", "tensor_split", "unsafe_split", "unsafe_chunk"),
    *("softmax", "log_softmax", "scaled_dot_product_attention", "glu", "logsumexp", "one_hot", "type_as", "rrelu"),
    *("layer_norm", "group_norm", "instance_norm", "rms_norm", "std", "var", "norm", "linalg_vector_norm"),
    *("max", "min", "max_pool1d", "max_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"),
    *("zeros", "ones", "zeros_like", "ones_like", "new_zeros", "new_ones", "new_full", "arange", "outer", "dot"),
    *("threshold", "square", "true_divide", "multiply", "divide", "subtract", "float_power", "meshgrid", "tile"),
    *("lstm", "gru", "rnn_tanh", "rnn_relu", "zero", "where", "masked_fill", "softmin", "bilinear"),
    *("clamp", "clamp_min", "clamp_max", "hardtanh", "log_sigmoid", "_prelu_kernel"),
    *(*operators.ACTIVATIONS, *operators.MAX_POOLS, *operators.AFFINE, *operators.AFFINE_IN_ONE),
    *operators.BOOKKEEPING,
}
REFUSED = {"from_file", "as_strided", "set_", "resize_", "record_stream"}
"""Operators that read files, or memory by its place."""
TAGS = {torch.Tag.core, torch.Tag.pointwise}
SIZES = {
    *("_operator.add", "_operator.sub", "_operator.mul", "_operator.floordiv", "_operator.mod", "_operator.neg"),
    *("_operator.eq", "_operator.ne", "_operator.lt", "_operator.le", "_operator.gt", "_operator.ge"),
    *("_operator.and_", "_operator.or_", "_operator.getitem"),
    *("torch.sym_int", "torch.sym_float", "torch.sym_max", "torch.sym_min", "torch.sym_not"),
}
"""Arithmetic on the batch size."""
NO_GRAD = "torch.ops.higher_order.wrap_with_set_grad_enabled"

LEFT_OUT: dict[str, Any] = {"guards_code": [], "treespec_namedtuple_fields": {}, "custom_obj_values": {}}
"""Fields that could carry code and that no network needs, with what takes their place."""
NAMED = {
    *("tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values"),
    *("range_constraints", "opset_version", "config"),
}
"""Fields whose value maps names to records."""


def refused(got: str) -> NetworkError:
    """The error for a file that holds more than a network."""
    expected = "a .pt2 file with nothing but tensors and a graph of tensor operators, as torch.export.save writes it"
    return NetworkError(expected, got, "export the network again; never use a file whose maker you do not trust")


def cleaned(value: Any, field: str = "") -> Any:
    """A copy of parsed JSON in which every text has passed the rule of its field.

    Args:
        value: what `json_value` returned, or a part of it.
        field: the name that the part stands under.

    Raises:
        NetworkError: a text without a rule or against it, or an operator that is not supported.
    """
    if isinstance(value, str):
        return _text(value, field)
    if isinstance(value, list):
        return [cleaned(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    if field in NAMED:
        return {_key(key, field): cleaned(item) for key, item in value.items()}
    return {_key(key, ""): _field(item, key) for key, item in value.items()}


def _field(value: Any, field: str) -> Any:
    if field in LEFT_OUT:
        return LEFT_OUT[field]
    if field in ("device", "as_device"):
        return {"type": "cpu", "index": None}
    if field == "metadata":
        stack = value.get("nn_module_stack") if isinstance(value, dict) else None
        return {"nn_module_stack": _matching(MODULES, str(stack), "nn_module_stack")} if stack else {}
    if field == "module_call_graph" and isinstance(value, list):
        return [cleaned(entry) for entry in value if isinstance(entry, dict) and entry.get("fqn") == ""]
    return cleaned(value, field)


def _key(key: str, field: str) -> str:
    return _matching(SYMBOL if field == "range_constraints" else PATH, key, field or "a field's name")


def _text(text: str, field: str) -> str:
    rule = RULES.get(field)
    if rule is None:
        raise refused(f"text in the field {field!r}")
    return _matching(rule, text, field) if isinstance(rule, re.Pattern) else rule(text)


def _matching(rule: re.Pattern[str], text: str, field: str) -> str:
    if rule.fullmatch(text) is None:
        raise refused(f"{_short(text)} in {field}")
    return text


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _operator(target: str) -> str:
    """Lets pass operators on tensors, before or after they are made functional, and arithmetic on sizes."""
    if target in SIZES or target == NO_GRAD:
        return target
    library, _, rest = target.partition("aten.")
    name, _, overload = rest.partition(".")
    if library != "torch.ops.":
        raise refused(f"the operator {_short(target)}")
    packet = getattr(torch.ops.aten, name, None) if name.isidentifier() else None
    if packet is None or overload not in packet.overloads():
        raise refused(f"the operator {_short(target)}")
    known = LISTED & {name, name.removesuffix("_")} or TAGS & set(getattr(packet, overload).tags)
    if name in REFUSED or not known:
        raise NetworkError("an operator that a file may contain", name, "load the network by a factory in Python")
    return target


def _expression(text: str) -> str:
    """Lets pass integer arithmetic and comparisons over symbols, in either notation that torch has used."""
    plain = SREPR.sub(r"\1", text)
    names = re.findall(r"[^\W\d]\w*", plain)
    known = all(name in FUNCTIONS or SYMBOL.fullmatch(name) for name in names)
    if len(text) > 2000 or not known or "**" in plain or re.search(r"\d{20}|\d[^\W\d]", plain):
        raise refused(f"the size {_short(text)}")
    return _matching(ARITHMETIC, plain, "a size") and text


def _tree(text: str) -> str:
    """Lets pass nested tuples, lists and dictionaries, as forward's arguments and results are described."""
    version, node = json_value(text)
    _check_tree(node)
    return json.dumps([int(version), node])


def _check_tree(node: dict[str, Any]) -> None:
    kind, context = node["type"], node["context"]
    keys = json_value(context) if kind == "builtins.dict" else []
    plain = kind in (None, "builtins.tuple", "builtins.list") and context in (None, "null")
    if not plain and not (kind == "builtins.dict" and isinstance(keys, list)):
        raise refused(f"arguments of type {_short(str(kind))}")
    for key in keys:
        _matching(NAME, str(key), "an argument's name")
    for child in node["children_spec"]:
        _check_tree(child)


RULES: dict[str, re.Pattern[str] | Callable[[str], str]] = {
    "name": NAME,
    "as_name": NAME,
    "forward_arg_names": NAME,
    "target": _operator,
    "expr_str": _expression,
    "in_spec": _tree,
    "out_spec": _tree,
    "fqn": PATH,
    "parameter_name": PATH,
    "buffer_name": PATH,
    "tensor_constant_name": PATH,
    "path_name": re.compile(r"(weight|tensor)_\d{1,6}", re.ASCII),
    "as_string": re.compile(r"[a-z_]{0,20}"),
    "as_float": re.compile(r"-?Infinity"),
    "verifiers": re.compile(r"[A-Z_]{1,20}"),
    "torch_version": re.compile(r"[\w.+<=-]{1,60}", re.ASCII),
}
"""Field to the pattern that its text must match, or to the function that checks it."""
