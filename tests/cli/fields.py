"""The fields of what the command prints as JSON, with their types."""

from __future__ import annotations

from typing import Any

NUMBER = (int, float)
SUMMARY = {
    "state": str,
    "message": str,
    "shard": str,
    "criterion": str,
    "network": str,
    "search": str,
    "searched_together": int,
    "value_functions": str,
    "available": int,
    "pairs": int,
    "covered": int,
    "distinct_pairs": int,
    "coverage": NUMBER,
    "coverage_of_rest": NUMBER,
    "justified": int,
    "refuted": list,
    "proved_infeasible": int,
    "open": int,
    "adversarial": int,
    "adversarial_rate": NUMBER,
    "adversarial_seeds": int,
    "control": (dict, type(None)),
    "holds_8bit": (int, type(None)),
    "with_effect": dict,
    "outcomes": dict,
    "layers": list,
    "outputs": list,
    "programmes": list,
    "attempts": int,
    "seeds": int,
    "seeds_left_out": int,
    "suite": (dict, type(None)),
    "seconds": NUMBER,
    "device": str,
    "spec": dict,
    "versions": dict,
}
LAYER = {
    "condition_layer": int,
    "decision_layer": int,
    "available": int,
    "pairs": int,
    "covered": int,
    "proved_infeasible": int,
    "adversarial": int,
    "holds_8bit": (int, type(None)),
    "with_effect": dict,
    "mean_distance": (float, type(None)),
    "std_distance": (float, type(None)),
}
PROGRAMME = {
    "condition_layer": int,
    "decision_layer": int,
    "calls": int,
    "variables": int,
    "constraints_mean": float,
    "constraints_max": int,
    "seconds_mean": float,
    "iterations_mean": float,
    "reference_variables": int,
    "reference_constraints": int,
}
NETWORK = {
    "name": str,
    "dataset": str,
    "input_shape": list,
    "bounds": list,
    "ranges": (list, type(None)),
    "features": list,
    "units": list,
    "classes": list,
    "quantities": list,
    "accuracy": (float, type(None)),
    "passed": list,
    "obstacle": str,
    "layers": list,
    "parameters": int,
}
OUTCOMES = ["found", "exhausted", "proved_infeasible", "error", "pending"]


def has_types(values: dict[str, Any], types: dict[str, Any]) -> bool:
    return list(values) == list(types) and all(isinstance(values[name], kind) for name, kind in types.items())
