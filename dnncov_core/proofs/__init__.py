"""Proofs that test conditions are infeasible: neurons whose sign is the same over the whole box of inputs.

Bounds of every u: intervals propagates them forwards, linear_bounds backwards by the lines of relaxations through the
affine_parts, and mixed_integer asks a solver; signs_seen spares it the neurons that inputs give both signs. absolute and
rounding bound what computed values may be wrong by, so that the bounds hold for the network as it is evaluated.
certificates puts them together; infeasible says which test conditions fall.
"""

from dnncov_core.proofs.certificates import METHODS, constant_neurons

__all__ = ["METHODS", "constant_neurons"]
