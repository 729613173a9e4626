"""How much of a network inputs cover that somebody already has, by every criterion. Reading order:

criterion_names     the criteria that can be asked of a suite, by names with parameters
spec                all that decides a measurement
progress            how far a measurement is
streams             the inputs of a suite, sent through the network a batch at a time
remembered          likewise, of suites drawn from a pool that has gone through once
patterns            sign patterns that are equal, or differ in one neuron
joins               pairs of sign patterns that a covering method asks for
extremes            the least and the greatest u of sets of inputs
witnesses           which inputs cover which feature pairs
known_effects       the effects that witnesses show
steps               parts of searches that share a pass through the network
value_changes       witnesses where the condition feature has to change its value
effect_parts        pairs of inputs that show an effect, read from extremes
effect_trials       the network is asked which effect pairs of inputs show
edge_coverage       the covering methods, layer pair by layer pair
measurement         all criteria of one suite
summary             a measurement in numbers, and its witnesses as a table
measurement_file    what the file of a measurement holds
measurement_reader  reads it, and refuses what cannot be in it
asked_measurement   a measurement by its specification, from names to what its file holds
open_conditions     what a suite does not cover, as a list that campaigns take
remarks             what is said beside the numbers
lemmas              the paper's relations between criteria, checked on a measurement
library             the user's measurements, and the workers that the app starts for them
replays             likewise, the test pairs of campaigns on other networks
"""
