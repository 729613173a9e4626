"""What training with generated inputs changes, beside as many random and adversarial ones, and none. Read it in order:

spec      what is asked for
training  a copy of the network, trained for a number of steps
attack    the attack of SecML-Torch, and which inputs stay right under it
arms      the inputs of each arm: test pairs of campaigns, random perturbations, projected gradient ascent, none
scores    what is measured of a network, before and after
student   intervals of means, by Student's t
outcome   means and paired differences of all arms
words     the table and the sentences
work      the arms one after the other, and the new network's file
"""
