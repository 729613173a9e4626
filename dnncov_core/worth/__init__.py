"""What coverage is worth here: do suites that cover more kill more mutants of this network? Read it in this order:

draws         suites of equal size, drawn from a pool in several ways
ranks         rank correlation, and what is left of it once other things are removed
correlations  that of each criterion's coverage with the mutants killed, with intervals and conclusions
"""
