"""How much of a network a suite of given inputs covers.

asked says which criteria; measure asks for them. streams sends the inputs through the network; patterns groups them by
their signs, joins pairs the groups as a covering method asks of the condition layer, and covering finds witnesses for
the decision layer: by the extremes of each group, or pairwise where a condition's value has to change. sources opens
suites, and summary says what was found.
"""
