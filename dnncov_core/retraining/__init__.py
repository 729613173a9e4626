"""What training with generated inputs changes, beside as many random and adversarial ones, and none. Read it in order:

spec      what is asked for
student   intervals of means, by Student's t
outcome   what came of it: the arms, means and paired differences, as a file
words     the table and the sentences
training  a copy of the network, trained for a number of steps
attack    the attack of SecML-Torch, and which inputs stay right under it
arms      the inputs of each arm: test pairs of campaigns, random perturbations, projected gradient ascent, none
scores    what is measured of a network, before and after
work      the arms one after the other, and the new network's file
"""
