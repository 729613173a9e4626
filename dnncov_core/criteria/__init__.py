"""Coverage criteria: each is a value of a small class, and everything that offers a choice reads these registries.

covering_methods has SS, VS, SV and VV, parts their definitions part by part, effects what a pair may have to show
beside them. value_function_base says what a value
function is, and value_functions, ssim and reference_functions have them. neuron_criteria are those of single neurons,
section_criteria those of the sections of their ranges, deepgauge_criteria DeepGauge's other ones. layer_criteria says
what a criterion of whole layers is, and layer_covariance and surprise_coverage have them. surprise says how unlike
reference data an input is.
"""

from __future__ import annotations

from dnncov_core.criteria.covering_methods import CRITERIA, CoveringMethod
from dnncov_core.criteria.deepgauge_criteria import BothBoundaries, StrongActivation, TopNeurons
from dnncov_core.criteria.effects import EFFECTS, NO_EFFECT
from dnncov_core.criteria.layer_covariance import LayerCovariance
from dnncov_core.criteria.layer_criteria import LayerCriterion
from dnncov_core.criteria.neuron_criteria import NeuronBoundary, NeuronCoverage, NeuronCriterion, TopNeuron
from dnncov_core.criteria.section_criteria import MultisectionNeuron, SectionCoverage
from dnncov_core.criteria.ssim import SSIM
from dnncov_core.criteria.surprise_coverage import DistanceCoverage, LikelihoodCoverage, MahalanobisCoverage
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.criteria.value_functions import (
    AbsoluteChange,
    AnyChange,
    NormChange,
    RatioChange,
    SymmetricRatioChange,
    Top,
    UpperBoundary,
)

NEURON_CRITERIA: dict[str, type[NeuronCriterion]] = {
    "n": NeuronCoverage,
    "nb": NeuronBoundary,
    "snac": StrongActivation,
    "nbc": BothBoundaries,
    "mn": MultisectionNeuron,
    "kmnc": SectionCoverage,
    "tn": TopNeuron,
    "tknc": TopNeurons,
}

LAYER_CRITERIA: dict[str, type[LayerCriterion]] = {
    "nlc": LayerCovariance,
    "lsc": LikelihoodCoverage,
    "dsc": DistanceCoverage,
    "mdsc": MahalanobisCoverage,
}

VALUE_FUNCTIONS: dict[str, type[ValueFunction]] = {
    "ratio": RatioChange,
    "ratio_symmetric": SymmetricRatioChange,
    "absolute": AbsoluteChange,
    "upper_boundary": UpperBoundary,
    "norm": NormChange,
    "ssim": SSIM,
    "top": Top,
    "any": AnyChange,
}

__all__ = [
    "CRITERIA",
    "EFFECTS",
    "LAYER_CRITERIA",
    "NEURON_CRITERIA",
    "NO_EFFECT",
    "VALUE_FUNCTIONS",
    "CoveringMethod",
    "LayerCriterion",
    "NeuronCriterion",
    "ValueFunction",
]
