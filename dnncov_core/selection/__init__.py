"""Which of many inputs to label, to keep or to run first. Reading order:

orders             what an order may go by, by names
uncertainty        how unsure the network is of an input
conditions         test conditions of a pool of inputs, and which are open in a search
single_conditions  those that one input meets alone
slots              inputs that have partners for a condition feature
pair_conditions    those that two inputs cover together
greedy             the order in which each input adds most to those before it
pool               the inputs, sent through the network
mutants            which of them each input kills, from a file of seeded faults
detection          how early an order kills mutants
curves             what the first inputs of each order cover, kill and find
selection          what is asked of a pool, and what comes of it
work               all of that for one pool
tables             it in words
selection_file     as JSON, as rows and as inputs
library            the selections that the app makes
"""
