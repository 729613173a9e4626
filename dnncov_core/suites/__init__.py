"""How much of a network inputs cover that somebody already has, by every criterion. Reading order:

asked       what is asked, by names with parameters; suitable: value functions that the paper's lemmas ask for
spec        all that decides a measurement
sources     the inputs: data, or the test pairs of a campaign
streams     the inputs sent through the network, a batch at a time
patterns    sign patterns that are equal, or differ in one neuron; joins: pairs of them that a covering method asks for
extremes    the least and the greatest u of sets of inputs; witnesses: which of them cover
meeting     condition features of which x2 alone has to meet a condition; pairwise: where both neurons compare values
covering    the covering methods of one layer pair
measure     all criteria of one suite
summary     a measurement in numbers, and its witnesses; stored: its file
weaker      the paper's relations between criteria, checked on a measurement
status      how far a worker is; library: the user's measurements, and the workers that the app starts for them
"""
