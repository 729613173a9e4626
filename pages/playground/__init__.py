"""Playground: the criteria on two inputs of the paper's example network.

setting    what the page shows, in its widgets and its address
inputs     the two inputs: examples, numbers, the plane
criterion  the criterion, its definition, its value functions
coverage   which feature pairs the inputs cover, and why
"""
