"""Seeded faults: mutants of a trained network, and which inputs of a suite kill them. Read it in this order:

spec              what is asked for, and what one mutant is
fault             what is changed in a network, and the network with it
sites             where in a network something can be changed
weight_operators  mutation operators that change weights of a layer
neuron_operators  those that change what neurons take or pass on
end_operators     those that change the inputs or the scores
operators         the registry of all of them, and how mutants are spread over them
answers           which inputs of a suite a network, or a mutant of it, has right
search            how strong a fault has to be
fault_file        the file that keeps all of it
summary           how many mutants of which operators there are, and how many were left out
work              mutants one after the other, until all are there
"""
