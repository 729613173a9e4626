"""Proofs that test conditions are infeasible: neurons whose sign is the same over the whole box of inputs.

Bounds of every u: intervals propagates them forwards, linear_bounds backwards by the lines of relaxations through the
affine parts of the network, and mixed_integer asks a solver; signs_seen spares it the neurons that inputs give both
signs. absolute gives the size of what is summed up, rounding_counts the number of roundings, and rounding the error
that these may cause in computed values, so that the bounds hold for the network as it is evaluated. certificates puts
them together, and infeasible says which test conditions no input can satisfy.
"""

METHODS = ("intervals", "linear", "mip")
"""From the quickest to the most exact; each begins with what those before it found."""
SECONDS = 600.0
"""What the proofs of a campaign may take in all, if nothing else is asked."""
SECONDS_A_NEURON = 20.0
"""What the programme of one neuron may take."""
