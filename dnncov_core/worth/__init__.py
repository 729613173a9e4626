"""What coverage is worth here: do suites that cover more kill more mutants of this network? Read it in this order:

spec          what is asked
draws         suites of equal size, drawn from a pool in several ways
ranks         rank correlation, and what is left of it once other things are removed
correlations  that of each criterion's coverage with the mutants killed, with intervals and conclusions
worth_file    the file that keeps all of it
generated     which mutants test pairs kill, and what baseline searches make of their seeds
work          suites measured one after the other, until all are there
tables        what a file holds, as tables
answer        what may be concluded, in sentences
library       the user's files, and the workers that the app starts
"""
